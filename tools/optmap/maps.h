/* What the pictures and the report have in common: maps of beats, their ranges, isochrones. */
#ifndef PENTA_TOOLS_OPTMAP_MAPS_H
#define PENTA_TOOLS_OPTMAP_MAPS_H

#include "optmap/report.h"

/* Maps of one kind: count x height x width. */
typedef struct optmap_map {
    const char *name, *title, *unit; /* "apd80", for people, of the numbers */
    const float *data;               /* NULL: there are none */
    size_t count;
    bool per_beat;
    bool from_first; /* times from the first of the map, which is what its beat's title says */
    bool squared;    /* velocities: x and y maps of which the length is shown; count maps of 2 x height x width */
} optmap_map;

/* By name: activation, repolarisation, apd30 .. apd90, rise, amplitude, snr, cv, alternans, frequency, regularity.
 * False: there is no such kind. */
bool optmap_find_map(const optmap_findings *f, const char *name, optmap_map *out);

/* Numbers of map i into out (height x width), from its origin where from_first says so; NaN and infinity become NaN.
 * Returns the origin: the value that 1 % of them are below. */
double optmap_map_values(const optmap_findings *f, const optmap_map *map, size_t i, float *out);

typedef struct {
    double low, high; /* of colours; equal where there is but one value or none */
    size_t known;     /* numbers that are finite */
} optmap_range;

/* Of values without the lowest and highest 1 %, in place (they are sorted). */
optmap_range optmap_range_of(float *values, size_t n);
/* Of all maps of the kind together. False when out of memory. */
bool optmap_range_of_maps(const optmap_findings *f, const optmap_map *map, optmap_range *out);

typedef struct {
    size_t count;
    double mean, sd, median, low, high; /* low and high: least and largest */
} optmap_summary;

/* Of the finite ones of n numbers. False when out of memory. */
bool optmap_summarise(const float *values, size_t n, optmap_summary *out);

/* Pieces of the line where the map is `level`, between middles of pixels; none touches a pixel that is not known. */
void optmap_isoline(const float *map, size_t height, size_t width, double level,
                    void (*line)(void *user, double x0, double y0, double x1, double y1), void *user);

/* Pixels whose traces are shown: valid ones, well apart, by rows. Returns how many of `most` (up to 6) there are. */
size_t optmap_choose_places(const optmap_findings *f, size_t most, size_t *pixels);

#endif
