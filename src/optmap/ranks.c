#include "optmap/ranks.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

double optmap_rank(double *values, size_t n, size_t rank)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return values[rank];
}

double optmap_median(double *values, size_t n)
{
    return n ? optmap_rank(values, n, n / 2) : NAN;
}

void optmap_sort(float *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_floats);
}

double optmap_lower_median(const float *values, size_t n, float *scratch)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            scratch[count++] = values[i];
    optmap_sort(scratch, count);
    return count ? (double)scratch[(count - 1) / 2] : NAN;
}
