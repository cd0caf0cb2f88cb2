/* Distributions of numbers. */
#ifndef PENTA_TESTS_DISTRIBUTION_H
#define PENTA_TESTS_DISTRIBUTION_H

#include <stddef.h>

/* The Kolmogorov-Smirnov test that the distribution function of the values is share(x), at the 0.1 % level. Sorts
 * values. */
void expect_distributed(double *values, size_t n, double (*share)(double x), const char *what);

#endif
