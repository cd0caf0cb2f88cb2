/* Order of numbers that are not NaN. */
#ifndef PENTA_MATH_RANKS_H
#define PENTA_MATH_RANKS_H

#include <stddef.h>

/* For qsort: the least first. */
int penta_compare_doubles(const void *a, const void *b);
int penta_compare_floats(const void *a, const void *b);

/* Of n >= 1 values, which are put in order; of an even number the mean of the middle two. */
double penta_median(size_t n, double *values);

#endif
