/* Order of numbers that are not NaN. */
#pragma once

#include <stddef.h>

/* For qsort, ascending. */
int penta_compare_doubles(const void *a, const void *b);
int penta_compare_floats(const void *a, const void *b);

/* The value of rank `rank` < n, from 0, of n values, which get another order: no value before it is greater, and none
 * behind it less. */
double penta_select(size_t n, double *values, size_t rank);
/* The median of n >= 1 values, which get sorted; for even n the mean of the middle two. */
double penta_median(size_t n, double *values);
