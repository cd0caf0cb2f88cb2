/* From covariances of signal and noise to noise fractions. */
#include "support/test.h"

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/pca_cube.h"
#include "support/pca_models.h"

static penta_pca_options mnf_options(void)
{
    penta_pca_options o = default_pca_options();

    o.kind = PENTA_PCA_MNF;
    return o;
}

DEVICE_TEST(mnf_against_jacobi)
{
    const size_t sizes[] = {1, 2, 5, 20, 40};
    penta_pca_options o = mnf_options();

    for (size_t t = 0; t < COUNT(sizes); t++) {
        size_t n = sizes[t];
        HELD double *c = random_covariance(n, t), *noise = random_covariance(n, 100 + t);
        double orthogonality, residual;
        HELD double *values = must_calloc(n, sizeof *values), *vectors = must_calloc(n * n, sizeof *vectors);
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_covariance(ctx, &o, n, NULL, c, noise);

        reference_pca_generalised(n, c, noise, values, vectors);
        assert_int_equal(m.kind, PENTA_PCA_MNF);
        for (size_t i = 0; i < n; i++)
            expect_near(m.eigenvalues[i], values[i], 1e-11 * values[0]);
        for (size_t i = 0; i < n; i++)
            expect_near(m.loadings[i], vectors[i], 1e-9 * fabs(vectors[i]) + 1e-10 * vectors[0]);
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(orthogonality, 0, 1e-11);
        expect_near(residual, 0, 1e-11);
    }
}

DEVICE_TEST(mnf_maps)
{
    enum { N = 10 };
    HELD double *c = random_covariance(N, 3), *noise = random_covariance(N, 4);

    for (int whiten = 0; whiten < 2; whiten++)
        for (int k = 0; k <= N; k += 4) {
            penta_pca_options o = mnf_options();
            HELD_BY(penta_pca_model_free) penta_pca_model m;
            double *product, *half, *scores;

            o.whiten = whiten;
            o.components = k;
            m = model_of_covariance(ctx, &o, N, NULL, c, noise);
            product = product_of(m.components, N, m.components, m.forward, m.inverse, false);
            expect_identity(m.components, product, 1e-10);
            free(product);
            half = product_of(m.components, N, N, m.loadings, noise, false);
            scores = product_of(m.components, N, m.components, half, m.loadings, true);
            expect_identity(m.components, scores, 1e-10);
            free(half);
            free(scores);
            half = product_of(m.components, N, N, m.forward, c, false);
            scores = product_of(m.components, N, m.components, half, m.forward, true);
            for (size_t i = 0; i < m.components; i++)
                expect_near(scores[i * (m.components + 1)], whiten ? 1 : m.eigenvalues[i], 1e-10 * m.eigenvalues[0]);
            free(half);
            free(scores);
        }
}

/* White noise of variance s: lambda / s of the principal components, loadings divided by sqrt(s). */
DEVICE_TEST(mnf_white_noise)
{
    enum { N = 8 };
    double *c = random_covariance(N, 7), noise[N * N] = {0};
    penta_pca_options o = default_pca_options(), fractions = mnf_options();
    HELD_BY(penta_pca_model_free) penta_pca_model a, b;

    for (size_t i = 0; i < N; i++)
        noise[i * (N + 1)] = 0.25;
    a = model_of_covariance(ctx, &o, N, NULL, c, NULL);
    b = model_of_covariance(ctx, &fractions, N, NULL, c, noise);
    for (size_t k = 0; k < N; k++) {
        expect_near(b.eigenvalues[k], 4 * a.eigenvalues[k], 1e-13 * b.eigenvalues[0]);
        expect_near(b.percent[k], a.percent[k], 1e-11);
    }
    for (size_t i = 0; i < N; i++)
        expect_near(b.loadings[i], 2 * a.loadings[i], 1e-12);
    free(c);
}

/* Bands in other units: the same fractions, however different the units are. */
DEVICE_TEST(mnf_units)
{
    enum { N = 8 };
    HELD double *c = random_covariance(N, 7), *noise = random_covariance(N, 6);
    double c2[N * N], noise2[N * N], unit[N];
    penta_pca_options o = mnf_options();
    HELD_BY(penta_pca_model_free) penta_pca_model a, b;

    for (size_t i = 0; i < N; i++)
        unit[i] = pow(10, 3.0 * (double)i - 11);
    for (size_t i = 0; i < N * N; i++) {
        c2[i] = c[i] * unit[i / N] * unit[i % N];
        noise2[i] = noise[i] * unit[i / N] * unit[i % N];
    }
    a = model_of_covariance(ctx, &o, N, NULL, c, noise);
    b = model_of_covariance(ctx, &o, N, NULL, c2, noise2);
    for (size_t k = 0; k < N; k++)
        expect_near(b.eigenvalues[k], a.eigenvalues[k], 1e-11 * a.eigenvalues[0]);
}

DEVICE_TEST(singular_noise)
{
    enum { N = 5 };
    HELD double *c = random_covariance(N, 1), *noise = random_covariance(N, 2);
    double copy[N * N], mean[N] = {0};
    penta_pca_options o = mnf_options();

    memcpy(copy, noise, sizeof copy);
    for (size_t i = 0; i < N; i++)
        copy[3 * N + i] = copy[i * N + 3] = 0;
    expect_no_model(ctx, &o, N, 9, mean, c, copy, "band 4 has no noise");
    for (size_t scale = 0; scale < 20; scale++) { /* band 4 is band 2 in other units */
        double s = 0.3 + 0.1 * (double)scale;

        memcpy(copy, noise, sizeof copy);
        for (size_t i = 0; i < N; i++)
            copy[3 * N + i] = copy[i * N + 3] = s * noise[i * N + 1];
        copy[3 * N + 3] = s * s * noise[N + 1];
        copy[3 * N + 1] = copy[N + 3] = s * noise[N + 1];
        expect_no_model(ctx, &o, N, 9, mean, c, copy, "the noise of band 4 is a sum");
    }
    noise[7] = NAN;
    expect_no_model(ctx, &o, N, 9, mean, c, noise, "too large");
}

ON_DEVICE;
