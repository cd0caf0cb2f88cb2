/* Medians and other ranks of numbers. */
#pragma once

#include <stddef.h>

/* The value of rank `rank` (from 0) of n values; reorders them. */
double optmap_rank(double *values, size_t n, size_t rank);
/* The upper median; NaN if n is 0; reorders. */
double optmap_median(double *values, size_t n);
/* Sorts n numbers, none of them NaN: a few by insertion, and any. */
void optmap_sort_few(double *values, size_t n);
void optmap_sort(float *values, size_t n);
/* The lower median of the numbers that are not NaN; NaN if there are none. scratch: n numbers, may be `values`. */
double optmap_lower_median(const float *values, size_t n, float *scratch);
