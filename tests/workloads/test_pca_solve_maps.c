/* Models of covariances: forward and inverse, standardized, whitened; residuals, and what has no answer. */
#include "support/test.h"

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/pca_cube.h"
#include "support/pca_models.h"

/* All components: forward and inverse undo each other; a few: inverse forward is a projection. */
DEVICE_TEST(inverse)
{
    enum { N = 15 };
    HELD double *c = random_covariance(N, 8);

    for (int way = 0; way < 4; way++)
        for (int k = 0; k <= N; k += 5) {
            penta_pca_options o = default_pca_options();
            HELD_BY(penta_pca_model_free) penta_pca_model m;
            double *product, *back;

            o.standardize = way & 1;
            o.whiten = way & 2;
            o.components = k;
            m = model_of_covariance(ctx, &o, N, NULL, c, NULL);
            product = product_of(m.components, N, m.components, m.forward, m.inverse, false);
            expect_identity(m.components, product, 1e-9); /* scales differ by 1000, whitened by as much more */
            if (k == 0 || k == N) {
                back = product_of(N, N, N, m.inverse, m.forward, false);
                expect_identity(N, back, 1e-9);
                free(back);
            }
            free(product);
        }
}

/* The covariance of scores is diagonal: eigenvalues, or 1. */
DEVICE_TEST(scores)
{
    enum { N = 15 };
    HELD double *c = random_covariance(N, 9);

    for (int way = 0; way < 4; way++) {
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m;
        HELD double *half = NULL, *scores = NULL;

        o.standardize = way & 1;
        o.whiten = way & 2;
        m = model_of_covariance(ctx, &o, N, NULL, c, NULL);
        half = product_of(N, N, N, m.forward, c, false);
        scores = product_of(N, N, N, half, m.forward, true);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double size = o.whiten ? 1 : sqrt(m.eigenvalues[i] * m.eigenvalues[j]);

                expect_near(scores[i * N + j] / size, i == j, 1e-8);
            }
    }
}

DEVICE_TEST(standardize)
{
    enum { N = 6 };
    const double mean[N] = {1, 2, 3, 4, 5, 6};
    double *c = random_covariance(N, 10), correlation[N * N], values[N], vectors[N * N], orthogonality, residual;
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_model_free) penta_pca_model m;

    for (size_t i = 0; i < N * N; i++)
        correlation[i] = c[i] / sqrt(c[i / N * (N + 1)] * c[i % N * (N + 1)]);
    reference_pca_eigen(N, correlation, values, vectors);
    o.standardize = true;
    m = model_of_covariance(ctx, &o, N, mean, c, NULL);
    assert_true(m.standardize);
    for (size_t k = 0; k < N; k++) {
        expect_near(m.eigenvalues[k], values[k], 1e-14);
        expect_near(m.percent[k], 100 * values[k] / N, 1e-12);
        for (size_t i = 0; i < N; i++) {
            expect_near(m.loadings[k * N + i], vectors[k * N + i], 1e-12);
            expect_near(m.forward[k * N + i] * sqrt(c[i * (N + 1)]), vectors[k * N + i], 1e-12);
        }
    }
    assert_memory_equal(m.covariance, c, sizeof correlation); /* of the bands as they are */
    penta_pca_residuals(&m, &orthogonality, &residual);
    expect_near(orthogonality, 0, 1e-14);
    expect_near(residual, 0, 1e-14);
    free(c);
}

/* Of bands whose numbers have squares, but no fourth powers. */
DEVICE_TEST(residuals_of_large_numbers)
{
    enum { N = 5 };
    const double scales[] = {1e-250, 1e240};
    penta_pca_options o = default_pca_options();

    for (size_t k = 0; k < COUNT(scales); k++) {
        double *c = random_covariance(N, 11), orthogonality, residual;
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        for (size_t i = 0; i < N * N; i++)
            c[i] *= scales[k];
        m = model_of_covariance(ctx, &o, N, NULL, c, NULL);
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(orthogonality, 0, 1e-14);
        expect_near(residual, 0, 1e-13);
        assert_true(residual > 0);
        free(c);
    }
}

/* The residuals see what is wrong with a model. */
DEVICE_TEST(residuals)
{
    enum { N = 6 };
    HELD double *c = random_covariance(N, 11), *noise = random_covariance(N, 12);

    for (int way = 0; way < 6; way++) {
        double orthogonality, residual, length = 1e-6;
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        o.standardize = way == 1;
        o.whiten = way == 2 || way == 4;
        o.kind = way < 3 ? PENTA_PCA_PCA : PENTA_PCA_MNF;
        o.components = way == 5 ? 3 : 0;
        m = model_of_covariance(ctx, &o, N, NULL, c, noise);
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(orthogonality, 0, 1e-10);
        expect_near(residual, 0, 1e-10);
        for (size_t i = 0; i < N; i++)
            m.loadings[i] *= 1 + length;
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(orthogonality, way < 3 ? 2e-6 : 1e-6, 2e-9); /* of MNF one factor is in the inverse */
        expect_near(residual, 0, 1e-10);                         /* of the maps, which did not change */
        m.eigenvalues[0] *= 1 + length;
        for (size_t i = 0; o.whiten && i < N; i++)
            m.forward[i] *= 1 + length;
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(residual, 1e-6, 1e-8);
        m.forward[1] = m.loadings[1] = NAN;
        penta_pca_residuals(&m, &orthogonality, &residual);
        assert_true(isnan(orthogonality));
        assert_true(isnan(residual));
    }
}

DEVICE_TEST(pixels)
{
    const double mean[2] = {0}, covariance[] = {1, 0, 0, 1};
    penta_pca_options o = default_pca_options();

    expect_no_model(ctx, &o, 2, 0, mean, covariance, NULL, "a covariance needs 2 valid pixels; there are 0");
    expect_no_model(ctx, &o, 2, 1, mean, covariance, NULL, "there is 1");
    o.ddof = 0;
    expect_no_model(ctx, &o, 2, 1, mean, covariance, NULL, "there is 1");
    o.ddof = 7;
    expect_no_model(ctx, &o, 2, 7, mean, covariance, NULL, "7 valid pixels: the divisor, pixels - 7, must be above 0");
    o.components = 3;
    expect_no_model(ctx, &o, 2, 8, mean, covariance, NULL, "3 components of 2 bands");
}

DEVICE_TEST(bad_numbers)
{
    const double mean[3] = {0, 1e5, 0}, covariance[] = {1, 0, 0, 0, 1e-22, 0, 0, 0, 4};
    const double infinite[] = {1, 0, 0, 0, 1, 0, 0, 0, INFINITY};
    penta_pca_options o = default_pca_options();

    expect_no_model(ctx, &o, 3, 9, mean, infinite, NULL, "the numbers of band 3 are too large");
    o.standardize = true;
    expect_no_model(ctx, &o, 3, 9, mean, covariance, NULL, "band 2 is constant, 100000, and cannot be standardized");
    o.standardize = false;
    o.whiten = true;
    expect_no_model(ctx, &o, 3, 9, mean, covariance, NULL, "component 3 has no variance beyond rounding");
    o.components = 2;
    {
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_covariance(ctx, &o, 3, mean, covariance, NULL);

        expect_near(m.forward[2], 0.5, 1e-15);
    }
    memset(&o.components, 0, sizeof o.components);
    expect_no_model(ctx, &o, 2, 9, mean, (const double[4]){0}, NULL, "all bands are constant");
}

/* 1e5 +- 9e-6 in double is no constant. */
DEVICE_TEST(small_deviation)
{
    const double mean[2] = {1e5, 2e5}, covariance[] = {81e-12, 0, 0, 4e-12};
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_model_free) penta_pca_model m;

    o.standardize = true;
    m = model_of_covariance(ctx, &o, 2, mean, covariance, NULL);
    expect_near(m.eigenvalues[0], 1, 1e-15);
    expect_near(m.eigenvalues[1], 1, 1e-15);
}

ON_DEVICE;
