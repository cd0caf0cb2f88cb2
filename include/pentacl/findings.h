/*
 * The maps among a recording's findings (pentacl/analysis.h) by name, and what is said of them in numbers.
 *
 *   penta_findings_map map;
 *   penta_findings_statistics apd;
 *   penta_findings_map_named(&found, "apd80", &map);
 *   penta_findings_summarise(&found, &map, 0, map.count, &apd);       apd.median, apd.q1, apd.q3, ..
 */
#ifndef PENTACL_FINDINGS_H
#define PENTACL_FINDINGS_H

#include <pentacl/analysis.h>

PENTA_BEGIN_DECLS

/* Maps of one kind: count x height x width float32, NaN where there is no value; of velocities count x 2 x height x
 * width, x then y (down), and their lengths are what is summarised. */
typedef struct penta_findings_map {
    const char *name, *title, *unit; /* "apd80", "APD80", "ms" */
    size_t width, height, count;
    const float *data; /* of the findings; NULL: there are none, and count is 0 */
    bool per_beat;     /* one for each beat; else one of the whole movie */
    bool instants;     /* ms from the first frame; else durations and other numbers, which statistics are made of */
    bool velocities;
    double resolution; /* differences below this cannot be measured */
} penta_findings_map;

/** The kinds in order: activation, repolarisation, apd30, apd50, apd80, apd90, rise, amplitude, snr, snr_filtered, cv,
 * alternans, frequency, regularity. False: there is no kind of that number, or of that name. */
PENTA_API bool penta_findings_map_at(const penta_findings *found, size_t kind, penta_findings_map *out);
PENTA_API bool penta_findings_map_named(const penta_findings *found, const char *name, penta_findings_map *out);

/** Map i into out, height x width: velocities by their length, NaN for whatever is not finite. */
PENTA_API void penta_findings_map_values(const penta_findings_map *map, size_t i, float *out);

/* Of all finite numbers of some maps together. NaN where there are none. */
typedef struct penta_findings_statistics {
    size_t count;
    double mean, sd;       /* sd: of a sample of count numbers; 0 of one */
    double median, q1, q3; /* q1, q3: quartiles, on the line between the two numbers nearest to them in order */
    double least, largest;
    size_t pixels, beats; /* pixels that have a number in any beat, beats that have one in any pixel */
    size_t needed;        /* pixels that must have one: penta_alternans_least for alternans, else 0 */
    bool refused;         /* some have one, but too few for the numbers to be stated */
} penta_findings_statistics;

/** Statistics of maps first .. first + count - 1. Errors: PENTA_INVALID (there are no such maps), PENTA_MEMORY; *out
 * then is that of no number. */
PENTA_API penta_status penta_findings_summarise(const penta_findings *found, const penta_findings_map *map,
                                                size_t first, size_t count, penta_findings_statistics *out);

PENTA_END_DECLS
#endif
