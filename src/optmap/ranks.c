#include "optmap/ranks.h"

#include <math.h>
#include <stdlib.h>

#include "math/ranks.h"

double optmap_rank(double *values, size_t n, size_t rank)
{
    qsort(values, n, sizeof *values, penta_compare_doubles);
    return values[rank];
}

double optmap_median(double *values, size_t n)
{
    return n ? optmap_rank(values, n, n / 2) : NAN;
}

void optmap_sort(float *values, size_t n)
{
    qsort(values, n, sizeof *values, penta_compare_floats);
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
