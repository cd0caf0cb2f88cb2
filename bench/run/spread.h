/* What repeated times come to. */
#ifndef PENTA_BENCH_SPREAD_H
#define PENTA_BENCH_SPREAD_H

#include <stddef.h>

typedef struct {
    double min, lower, median, upper, max; /* lower, upper: quartiles */
} bench_spread;

/* Of n values, 1 at least. */
bench_spread bench_spread_of(const double *values, size_t n);
/* All of it times a number. */
bench_spread bench_spread_scaled(bench_spread s, double by);
/* From quartile to quartile, as a part of the median; 0 of a single value. */
double bench_spread_width(const bench_spread *s);

#endif
