/* Eigenvectors of a dense symmetric matrix by a tridiagonal one. Internal to src/math/eigen.c. */
#pragma once

#include <stddef.h>

#include <pentacl/context.h>

/* Entries beside the diagonal up to this count as zero, where the largest is about 1: squares of larger ones do not
 * underflow. */
#define PENTA_NEGLIGIBLE 1e-140

/*
 * A = Q T Q^T, Q = H(n-1) .. H(1), H(i) = 1 - u u^T factor[i] for u of i entries. On entry the lower triangle of a is
 * A's, with entries of 1 at most; on exit the first i entries of row i are u. T: diagonal[n]; below it side[n], whose
 * last is 0. scratch: 2 n.
 */
void penta_tridiagonal_reduce(size_t n, double *a, double *diagonal, double *side, double *factor, double *scratch);

/*
 * Eigenvalues of A, unsorted, in place of the diagonal; the rows of a become the eigenvectors, in place of what reduce
 * left. ctx may be NULL. Errors: PENTA_MEMORY, PENTA_INTERNAL.
 */
penta_status penta_tridiagonal_solve(penta_context *ctx, size_t n, double *a, double *diagonal, double *side,
                                     const double *factor);
