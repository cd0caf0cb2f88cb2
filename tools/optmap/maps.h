/* Maps of a movie by name: their values, ranges, isochrones and directions. */
#ifndef PENTA_TOOLS_OPTMAP_MAPS_H
#define PENTA_TOOLS_OPTMAP_MAPS_H

#include "optmap/findings.h"

/* Maps of one kind: count x height x width. */
typedef struct optmap_map {
    const char *name, *title, *unit; /* "apd80", for people, of the numbers */
    const float *data;               /* NULL: there are none */
    size_t count;
    bool per_beat;
    bool from_first; /* times from the first of the map, which is what its beat's title says */
    bool squared;    /* velocities: x and y maps of which the length is shown; count maps of 2 x height x width */
    double span;     /* least difference between the ends of the colours: what can be measured at all */
} optmap_map;

/* By name: activation, repolarisation, apd30 .. apd90, rise, amplitude, snr, snr_filtered, cv, alternans, frequency,
 * regularity. False: there is no such kind. */
bool optmap_find_map(const optmap_findings *f, const char *name, optmap_map *out);

/* Numbers of map i into out (height x width), from its origin where from_first says so; NaN and infinity become NaN.
 * Returns the origin: the least of them, 0 where there is none. */
double optmap_map_values(const optmap_findings *f, const optmap_map *map, size_t i, float *out);

typedef struct {
    double low, high; /* of colours; equal where there is no value */
    size_t known;     /* numbers that are finite */
} optmap_range;

/* Of values without the lowest and highest 1 %, in place (they are sorted). */
optmap_range optmap_range_of(float *values, size_t n);
/* Of all maps of the kind together, as wide as their span at least. False when out of memory. */
bool optmap_range_of_maps(const optmap_findings *f, const optmap_map *map, optmap_range *out);

typedef struct {
    size_t count;
    double mean, sd, median, low, high; /* low and high: least and largest */
    double q1, q3;                      /* quartiles */
} optmap_summary;

/* Of the finite ones of n numbers. False when out of memory. */
bool optmap_summarise(const float *values, size_t n, optmap_summary *out);

/* ms from one isochrone to the next, a quarter of a frame at least; 0: the range has room for none. */
double optmap_isochrone_step(const optmap_findings *f, const optmap_range *range);

/* Hz between two frequencies that the movie can tell apart: one over its length. 0: it has no frames. */
double optmap_frequency_resolution(const optmap_findings *f);

/* For arrows: mean velocities of blocks of about width / most pixels, where half of the block is known and its pixels
 * agree about the direction. x, y: the middle of those that are known; vx, vy: cm/s. */
void optmap_directions(const optmap_findings *f, size_t beat, size_t most,
                       void (*arrow)(void *user, double x, double y, double vx, double vy), void *user);
/* px, from one arrow to the next. */
size_t optmap_block(const optmap_findings *f, size_t most);

/* A length that is about `most` px and a round number; false without a pixel size. text: "2 mm". */
bool optmap_scale_length(const optmap_findings *f, double most, double *pixels, char *text, size_t size);

/* Pixels whose traces are shown: valid ones, well apart, by rows. Returns how many of `most` (up to 6) there are. */
size_t optmap_choose_places(const optmap_findings *f, size_t most, size_t *pixels);

#endif
