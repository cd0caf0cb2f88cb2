#include "spread.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Where this part of the sorted values lies below: between two of them in proportion. */
static double quantile(const double *sorted, size_t n, double part)
{
    double at = part * (double)(n - 1);
    size_t below = (size_t)at;

    return below + 1 < n ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]) : sorted[below];
}

bench_spread bench_spread_of(const double *values, size_t n)
{
    double sorted[BENCH_MAX_RUNS];

    n = n < BENCH_MAX_RUNS ? n : BENCH_MAX_RUNS;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    return (bench_spread){.min = sorted[0],
                          .lower = quantile(sorted, n, 0.25),
                          .median = quantile(sorted, n, 0.5),
                          .upper = quantile(sorted, n, 0.75),
                          .max = sorted[n - 1]};
}

bench_spread bench_spread_scaled(bench_spread s, double by)
{
    return (bench_spread){by * s.min, by * s.lower, by * s.median, by * s.upper, by * s.max};
}

double bench_spread_width(const bench_spread *s)
{
    return (s->upper - s->lower) / s->median;
}
