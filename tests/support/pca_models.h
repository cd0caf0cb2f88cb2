/* Models of covariances. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/pca.h>

enum { PCA_PIXELS = 1000 }; /* number of pixels behind the covariances */

/* mean: NULL for zeros; noise: NULL unless o asks for noise fractions. */
penta_pca_model model_of_covariance(penta_context *ctx, const penta_pca_options *o, size_t bands, const double *mean,
                                    const double *covariance, const double *noise);

/* Expects no model: PENTA_INVALID with this text, and an empty result. */
void expect_no_model(penta_context *ctx, const penta_pca_options *o, size_t bands, uint64_t pixels, const double *mean,
                     const double *covariance, const double *noise, const char *text);

/* The covariance of 3 n normal vectors with very different scales of the bands; to be freed. */
double *random_covariance(size_t n, uint64_t seed);

/* The product of two matrices: a (n x k), b (k x m); transposed: b is m x k. To be freed. */
double *product_of(size_t n, size_t k, size_t m, const double *a, const double *b, bool transposed);

void expect_identity(size_t n, const double *a, double tolerance);
