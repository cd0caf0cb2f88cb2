/*
 * Principal components as written: two passes and long double everywhere, eigenvalues by Jacobi's rotations. Pixels
 * are bands x pixels, matrices row-major.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* mask: pixels, 0 leaves out; or NULL. Returns how many count. */
uint64_t reference_pca_covariance(size_t bands, size_t pixels, const double *x, const uint8_t *mask, int ddof,
                                  double *mean, double *covariance);

/*
 * The same of integers below 2^17 in size, fewer than 2^20 pixels: (n sum xy - sum x sum y) / (n (n - ddof)), the one
 * rounding being that of the quotient to the nearest double.
 */
uint64_t reference_pca_exact(size_t bands, size_t pixels, const double *x, const uint8_t *mask, int ddof, double *mean,
                             double *covariance);

/* Half the covariance (ddof 1) of x(row, col + 1) - x(row, col) where both count. Returns how many differences. */
uint64_t reference_pca_noise(size_t bands, size_t rows, size_t cols, const double *x, const uint8_t *mask,
                             double *noise);

/* a v = lambda v: values the largest first, vectors as rows of length 1, the first of the largest entries positive. */
void reference_pca_eigen(size_t n, const double *a, double *values, double *vectors);

/* a v = lambda b v, v b v^T = 1, otherwise the same. */
void reference_pca_generalised(size_t n, const double *a, const double *b, double *values, double *vectors);

/* out (outs x pixels) = matrix (outs x ins) (x - before) + after; before, after may be NULL. */
void reference_pca_map(size_t ins, size_t outs, size_t pixels, const double *matrix, const double *before,
                       const double *after, const double *x, double *out);

/* Fisher's irises: 4 bands x 150 pixels, in tenths of centimetres (Annals of Eugenics 7 (1936) 179). */
extern const uint8_t reference_pca_iris[4][150];
