/* Models of covariances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/pca_cube.h"
#include "support/pca_models.h"
#include "support/random.h"

penta_pca_model model_of_covariance(penta_context *ctx, const penta_pca_options *o, size_t bands, const double *mean,
                                    const double *covariance, const double *noise)
{
    double *zero = must_calloc(bands, sizeof *zero);
    const pca_problem p = {bands, PCA_PIXELS, mean ? mean : zero, covariance, noise, 0, NULL};
    penta_pca_model m;

    EXPECT_OK(ctx, pca_solve(ctx, o, &p, &m));
    free(zero);
    return m;
}

/* The covariance of 3 n normal vectors with very different scales of the bands. */
double *random_covariance(size_t n, uint64_t seed)
{
    double *x = must_calloc(3 * n * n, sizeof *x), *c = must_calloc(n * n, sizeof *c),
           *mean = must_calloc(n, sizeof *x);

    random_seed(seed);
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < 3 * n; p++)
            x[i * 3 * n + p] = pow(10, (double)(i % 4)) * random_normal() + (i ? x[p] : 0);
    reference_pca_covariance(n, 3 * n, x, NULL, 1, mean, c);
    free(x);
    free(mean);
    return c;
}

/* The product of two matrices: a (n x k), b (k x m); transposed: b is m x k. */
double *product_of(size_t n, size_t k, size_t m, const double *a, const double *b, bool transposed)
{
    double *c = must_calloc(n * m, sizeof *c);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t l = 0; l < k; l++)
                c[i * m + j] += a[i * k + l] * (transposed ? b[j * k + l] : b[l * m + j]);
    return c;
}

void expect_identity(size_t n, const double *a, double tolerance)
{
    for (size_t i = 0; i < n * n; i++)
        expect_near(a[i], i / n == i % n, tolerance);
}

void expect_no_model(penta_context *ctx, const penta_pca_options *o, size_t bands, uint64_t pixels, const double *mean,
                     const double *covariance, const double *noise, const char *text)
{
    const pca_problem p = {bands, pixels, mean, covariance, noise, 0, NULL};
    penta_pca_model m;

    memset(&m, 1, sizeof m);
    assert_int_equal(pca_solve(ctx, o, &p, &m), PENTA_INVALID);
    expect_text(penta_last_error(ctx), text);
    assert_null(m.mean);
    assert_null(m.loadings);
    assert_int_equal(m.bands, 0);
}
