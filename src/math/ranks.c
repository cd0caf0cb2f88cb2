#include "math/ranks.h"

#include <stdlib.h>

int penta_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int penta_compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void swap(double *a, double *b)
{
    double c = *a;

    *a = *b;
    *b = c;
}

/* Orders the first, middle and last value, and returns the middle one. */
static double middle_of_three(double *first, double *last)
{
    double *middle = first + (last - first) / 2;

    if (*middle < *first)
        swap(middle, first);
    if (*last < *first)
        swap(last, first);
    if (*last < *middle)
        swap(last, middle);
    return *middle;
}

/* By Hoare's partition. Values are bracketed by the pivot, so the scans end within them. */
double penta_select(size_t n, double *values, size_t rank)
{
    double *first = values, *last = values + n - 1, *at = values + rank;

    while (first < last) {
        double pivot = middle_of_three(first, last), *i = first, *j = last;

        while (i <= j) {
            while (*i < pivot)
                i++;
            while (pivot < *j)
                j--;
            if (i <= j)
                swap(i++, j--);
        }
        if (at <= j)
            last = j;
        else if (at >= i)
            first = i;
        else
            break;
    }
    return *at;
}

double penta_median(size_t n, double *values)
{
    qsort(values, n, sizeof *values, penta_compare_doubles);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
