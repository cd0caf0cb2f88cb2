/* Small systems of linear equations on the host, in double. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* x becomes the solution of a y = x, for a symmetric and positive definite: n x n, rows `stride` apart. a is
 * overwritten. false: a pivot is not above `least`, so a is singular or nearly so; x is undefined then. */
bool penta_solve_positive(size_t n, size_t stride, double *a, double *x, double least);
