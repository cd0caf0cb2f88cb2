/* Eigenvalues of dense symmetric problems on the host, in double. Matrices are row-major; both triangles are
 * stored. Results have the same bits for any number of threads. */
#pragma once

#include <stddef.h>

#include <pentacl/context.h>

/*
 * a v = lambda v, a symmetric, n x n. values: n, the largest first; the rows of a become the eigenvectors, of length 1.
 * Errors: PENTA_MEMORY, PENTA_INTERNAL.
 */
penta_status penta_eigen_symmetric(penta_context *ctx, size_t n, double *a, double *values);

/*
 * a v = lambda b v, b positive definite. values as above; the rows of a become the vectors v, with v b v^T = 1; b is
 * overwritten. *dependent is 0, or, if b is singular to rounding, the row (from 1) that is zero or depends on the rows
 * before it; all other outputs are then undefined. Errors: PENTA_MEMORY, PENTA_INTERNAL.
 */
penta_status penta_eigen_generalised(penta_context *ctx, size_t n, double *a, double *b, double *values,
                                     size_t *dependent);

/* Sum of x[i] y[i], in an order that depends only on n. */
double penta_dot(size_t n, const double *x, const double *y);
