/* What is said of maps in numbers: on stdout, in statistics.csv, in the report. */
#ifndef PENTA_TOOLS_OPTMAP_STATISTICS_H
#define PENTA_TOOLS_OPTMAP_STATISTICS_H

#include <stdio.h>

#include "optmap/maps.h"

enum { OPTMAP_KINDS = 12 };
/* The names of optmap_find_map that have statistics, in order. */
extern const char *const optmap_kinds[OPTMAP_KINDS];

typedef struct {
    optmap_summary all;   /* of all pixels and beats together; dispersion is all.sd */
    size_t pixels, beats; /* that have a value: pixels in any beat, beats in any pixel; 1 beat of maps of the movie */
} optmap_statistics;

/* Of maps first .. first + count - 1 of a kind, velocities by their length. False when out of memory. */
bool optmap_find_statistics(const optmap_findings *f, const optmap_map *map, size_t first, size_t count,
                            optmap_statistics *out);

/* Pixels that alternans needs for its statistics: a tenth of the valid ones, and 25. */
size_t optmap_least_alternans(const optmap_findings *f);
/* Whether a kind's statistics are withheld: alternans of fewer pixels. */
bool optmap_is_refused(const optmap_findings *f, const char *kind, const optmap_statistics *s);

/* name,unit,median,q1,q3,mean,sd,range,least,largest,pixels,beats. False when out of memory. */
bool optmap_put_statistics(FILE *out, const optmap_findings *f);

#endif
