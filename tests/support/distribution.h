/* Distributions of numbers. */
#ifndef PENTA_TESTS_DISTRIBUTION_H
#define PENTA_TESTS_DISTRIBUTION_H

#include <stddef.h>

/* The test of Kolmogorov and Smirnov: values are distributed as share(x) says, at the 0.1 per cent level. Sorts. */
void expect_distributed(double *values, size_t n, double (*share)(double x), const char *what);

#endif
