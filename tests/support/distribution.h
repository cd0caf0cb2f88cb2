/* Distributions of numbers. */
#pragma once

#include <stddef.h>

/* The Kolmogorov-Smirnov test that the distribution function of the values is share(x), at the 0.1 % level. Sorts
 * values. */
void expect_distributed(double *values, size_t n, double (*share)(double x), const char *what);
