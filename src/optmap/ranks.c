#include "optmap/ranks.h"

#include <math.h>
#include <stdlib.h>

#include "math/ranks.h"

double optmap_rank(double *values, size_t n, size_t rank)
{
    return penta_select(n, values, rank);
}

double optmap_median(double *values, size_t n)
{
    return n ? optmap_rank(values, n, n / 2) : NAN;
}

void optmap_sort_few(double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double x = values[i];
        size_t k = i;

        for (; k > 0 && values[k - 1] > x; k--)
            values[k] = values[k - 1];
        values[k] = x;
    }
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
