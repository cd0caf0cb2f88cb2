/* From covariances to models: eigenvalues, vectors and their signs, and how many. */
#include "support/test.h"

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/pca_cube.h"
#include "support/pca_models.h"
#include "support/random.h"

/* x = 1..5, y = 2, 3, 1, 2, 6. */
DEVICE_TEST(two_bands)
{
    const double covariance[] = {2.5, 1.75, 1.75, 3.7}, mean[] = {3, 2.8};
    double root = sqrt(0.6 * 0.6 + 1.75 * 1.75), large = 3.1 + root, x = 1.75, y = large - 2.5,
           length = sqrt(x * x + y * y);
    penta_pca_options o = default_pca_options();
    penta_pca_model m = model_of_covariance(ctx, &o, 2, mean, covariance, NULL);

    assert_int_equal(m.bands, 2);
    assert_int_equal(m.components, 2);
    assert_int_equal(m.pixels, PCA_PIXELS);
    assert_int_equal(m.ddof, 1);
    expect_near(m.eigenvalues[0], large, 1e-14);
    expect_near(m.eigenvalues[1], 3.1 - root, 1e-14);
    expect_near(m.percent[0], 100 * large / 6.2, 1e-12);
    expect_near(m.percent[0] + m.percent[1], 100, 1e-12);
    expect_near(m.deviation[0], sqrt(2.5), 1e-15);
    expect_near(m.mean[1], 2.8, 0);
    expect_near(m.loadings[0], x / length, 1e-14);
    expect_near(m.loadings[1], y / length, 1e-14);
    expect_near(m.loadings[2], y / length, 1e-14);
    expect_near(m.loadings[3], -x / length, 1e-14);
    assert_memory_equal(m.covariance, covariance, sizeof covariance);
    penta_pca_model_free(&m);
    assert_null(m.loadings);
    penta_pca_model_free(&m);
}

static void expect_refused_bytes(const void *bytes, size_t size)
{
    penta_pca_model m;

    assert_int_equal(penta_pca_model_unpack(bytes, size, &m), PENTA_INVALID);
    assert_null(m.mean);
    assert_int_equal(m.bands, 0);
}

/* A model that was packed is the same; of other bytes none is made. */
DEVICE_TEST(bytes)
{
    const double covariance[] = {2.5, 1.75, 0.5, 1.75, 3.7, 0.25, 0.5, 0.25, 1}, mean[] = {3, 2.8, -1};
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_model_free) penta_pca_model m, got;
    HELD void *bytes = NULL, *again = NULL;
    size_t size, size_again;

    o.components = 2;
    m = model_of_covariance(ctx, &o, 3, mean, covariance, NULL);
    EXPECT_OK(NULL, penta_pca_model_pack(&m, &bytes, &size));
    EXPECT_OK(NULL, penta_pca_model_unpack(bytes, size, &got));
    assert_int_equal(got.bands, 3);
    assert_int_equal(got.components, 2);
    assert_int_equal(got.pixels, PCA_PIXELS);
    assert_memory_equal(got.mean, mean, sizeof mean);
    assert_memory_equal(got.covariance, m.covariance, sizeof covariance);
    assert_memory_equal(got.eigenvalues, m.eigenvalues, 3 * sizeof(double));
    assert_memory_equal(got.loadings, m.loadings, 6 * sizeof(double));
    assert_memory_equal(got.inverse, m.inverse, 6 * sizeof(double));
    EXPECT_OK(NULL, penta_pca_model_pack(&got, &again, &size_again));
    assert_int_equal(size_again, size);
    assert_memory_equal(again, bytes, size);
    expect_refused_bytes(bytes, size - 1);
    expect_refused_bytes(bytes, 7);
    expect_refused_bytes(bytes, 0);
    memset(bytes, 0xff, 8); /* bands */
    expect_refused_bytes(bytes, size);
}

/* Vectors are known as well as the gaps around their eigenvalue are wide. */
static void expect_vectors(size_t n, size_t count, const double *got, const double *want, const double *values)
{
    for (size_t k = 0; k < count; k++) {
        double gap = values[0], error = 0;

        if (k > 0)
            gap = fmin(gap, values[k - 1] - values[k]);
        if (k + 1 < n)
            gap = fmin(gap, values[k] - values[k + 1]);
        for (size_t i = 0; i < n; i++)
            error += pow(got[k * n + i] - want[k * n + i], 2);
        expect_near(sqrt(error), 0, 1e-14 * (double)n * values[0] / gap);
    }
}

DEVICE_TEST(against_jacobi)
{
    const size_t sizes[] = {1, 2, 3, 7, 20, 64};
    penta_pca_options o = default_pca_options();

    for (size_t t = 0; t < COUNT(sizes); t++) {
        size_t n = sizes[t];
        HELD double *c = random_covariance(n, t), *values = must_calloc(n, sizeof *values);
        double *vectors = must_calloc(n * n, sizeof *vectors), orthogonality, residual;
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_covariance(ctx, &o, n, NULL, c, NULL);

        reference_pca_eigen(n, c, values, vectors);
        for (size_t i = 0; i < n; i++)
            expect_near(m.eigenvalues[i], values[i], 1e-14 * (double)n * values[0]);
        expect_vectors(n, n, m.loadings, vectors, values);
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(orthogonality, 0, 1e-14 * (double)n);
        expect_near(residual, 0, 1e-14 * (double)n);
        free(vectors);
    }
}

DEVICE_TEST(band_order)
{
    enum { N = 12 };
    double *c = random_covariance(N, 5), turned[N * N];
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_model_free) penta_pca_model a, b;

    for (size_t i = 0; i < N * N; i++)
        turned[i] = c[i / N * 5 % N * N + i % N * 5 % N];
    a = model_of_covariance(ctx, &o, N, NULL, c, NULL);
    b = model_of_covariance(ctx, &o, N, NULL, turned, NULL);
    for (size_t k = 0; k < N; k++)
        expect_near(a.eigenvalues[k], b.eigenvalues[k], 1e-13 * a.eigenvalues[0]);
    for (size_t i = 0; i < N; i++) /* the first: its gap is wide, its largest entry alone */
        expect_near(b.loadings[i], a.loadings[i * 5 % N], 1e-12);
    free(c);
}

/* [[1 + c, c], [c, 1 + c]]: 2 c + 1 along [1, 1], 1 along [1, -1]; both entries are equally large. */
DEVICE_TEST(cancellation)
{
    const double cs[] = {0.5, 1e3, 1e4, 1e5, 1e8};
    penta_pca_options o = default_pca_options();

    for (size_t t = 0; t < COUNT(cs); t++) {
        double c = cs[t], covariance[] = {1 + c, c, c, 1 + c};
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_covariance(ctx, &o, 2, NULL, covariance, NULL);

        expect_near(m.eigenvalues[0], 2 * c + 1, 1e-15 * c + 1e-15);
        expect_near(m.eigenvalues[1], 1, 1e-15 * c + 1e-15);
        for (size_t i = 0; i < 4; i++)
            expect_near(m.loadings[i], i == 3 ? -sqrt(0.5) : sqrt(0.5), 1e-14);
    }
}

/* Householder's reflection of w as eigenvectors, of eigenvalues n..1: rows whose largest entry is known. */
DEVICE_TEST(signs)
{
    enum { N = 9 };
    double h[N * N], c[N * N] = {0};
    penta_pca_options o = default_pca_options();
    penta_pca_model m;

    for (int tie = 0; tie < 2; tie++) {
        double length = 0, w[N];

        for (size_t i = 0; i < N; i++) {
            w[i] = tie ? 1 : 1 + (double)i;
            length += w[i] * w[i];
        }
        memset(c, 0, sizeof c);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                h[i * N + j] = (i == j) - 2 * w[i] * w[j] / length;
        for (size_t k = 0; k < N; k++)
            for (size_t i = 0; i < N * N; i++)
                c[i] += (double)(N - k) * h[k * N + i / N] * h[k * N + i % N];
        m = model_of_covariance(ctx, &o, N, NULL, c, NULL);
        for (size_t k = 0; k < N; k++) {
            size_t first = 0;

            for (size_t i = 1; i < N; i++)
                if (fabs(h[k * N + i]) > fabs(h[k * N + first]) * (1 + 1e-9))
                    first = i;
            for (size_t i = 0; i < N; i++)
                expect_near(m.loadings[k * N + i], h[first + k * N] < 0 ? -h[k * N + i] : h[k * N + i], 1e-13);
        }
        penta_pca_model_free(&m);
    }
}

/* Equal entries up to rounding, of either sign and either order of sizes: the first is positive. */
DEVICE_TEST(equal_entries)
{
    penta_pca_options o = default_pca_options();

    for (int i = -40; i <= 40; i++) {
        double c = 1 + i * 1e-14, covariance[] = {1, -0.5, -0.5, c};
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_covariance(ctx, &o, 2, NULL, covariance, NULL);

        expect_near(m.loadings[0], sqrt(0.5), 1e-12);
        expect_near(m.loadings[1], -sqrt(0.5), 1e-12);
        expect_near(m.loadings[2], sqrt(0.5), 1e-12);
        expect_near(m.loadings[3], sqrt(0.5), 1e-12);
    }
}

/* A sum of two bands beside them: the last eigenvalue is 0 to rounding, and never below. */
DEVICE_TEST(rank)
{
    enum { N = 3 };
    penta_pca_options o = default_pca_options();

    for (uint64_t seed = 0; seed < 50; seed++) {
        double u[2], covariance[N * N];
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        random_seed(seed);
        u[0] = 1 + random_uniform();
        u[1] = 1 + random_uniform();
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                covariance[i * N + j] = u[0] * u[0] * (i != 1) * (j != 1) + u[1] * u[1] * (i > 0) * (j > 0);
        m = model_of_covariance(ctx, &o, N, NULL, covariance, NULL);
        assert_true(m.eigenvalues[2] >= 0);
        expect_near(m.eigenvalues[2], 0, 1e-15 * m.eigenvalues[0]);
        assert_int_equal(m.components, 3);
    }
}

/* What is below 0 by more than rounding stays: it is no covariance, and that should be seen. */
DEVICE_TEST(negative)
{
    const double covariance[] = {1, 2, 2, 1}, nothing[4] = {0};
    penta_pca_options o = default_pca_options();
    penta_pca_model m = model_of_covariance(ctx, &o, 2, NULL, covariance, NULL);

    expect_near(m.eigenvalues[1], -1, 1e-14);
    penta_pca_model_free(&m);
    o.variance = 50;
    m = model_of_covariance(ctx, &o, 2, NULL, nothing, NULL);
    assert_int_equal(m.components, 1);
    expect_near(m.eigenvalues[0], 0, 0);
    expect_near(m.percent[0], 0, 0);
    penta_pca_model_free(&m);
}

DEVICE_TEST(iris)
{
    const double want[] = {.92461872, .97768521, .99478782, 1};
    const double variances[] = {4.22824171, 0.24267075, 0.0782095, 0.02383509};
    double x[600], mean[4], covariance[16], share = 0;
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_model_free) penta_pca_model m;

    for (size_t i = 0; i < 600; i++)
        x[i] = reference_pca_iris[i / 150][i % 150] / 10.0;
    reference_pca_covariance(4, 150, x, NULL, 1, mean, covariance);
    m = model_of_covariance(ctx, &o, 4, mean, covariance, NULL);
    for (size_t k = 0; k < 4; k++) {
        share += m.percent[k] / 100;
        expect_near(share, want[k], 5.1e-9);
        expect_near(m.eigenvalues[k], variances[k], 5.1e-9);
    }
}

DEVICE_TEST(how_many)
{
    const double covariance[] = {5, 0, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0};
    const struct {
        double variance;
        int components;
        size_t want;
    } cases[] = {{0, 0, 4},  {0, 1, 1},  {0, 4, 4},      {1e-9, 0, 1},  {49.9, 0, 1}, {50, 0, 1},
                 {51, 0, 2}, {80, 0, 2}, {80.001, 0, 3}, {99.99, 0, 3}, {100, 0, 4}};
    penta_pca_options o = default_pca_options();

    for (size_t t = 0; t < COUNT(cases); t++) {
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        o.variance = cases[t].variance;
        o.components = cases[t].components;
        m = model_of_covariance(ctx, &o, 4, NULL, covariance, NULL);
        assert_int_equal(m.components, cases[t].want);
        expect_near(m.percent[3], 0, 0);
        expect_near(m.percent[1], 30, 1e-14);
    }
}

/* Of n equal eigenvalues k are 100 k / n %, whatever their sums round to. */
DEVICE_TEST(round_percentages)
{
    enum { MOST = 20 };
    const double values[] = {0.1, 0.7, 1.0 / 3, 4.1};
    double covariance[MOST * MOST];
    penta_pca_options o = default_pca_options();

    for (size_t t = 0; t < COUNT(values); t++)
        for (size_t n = 1; n <= MOST; n++) {
            for (size_t i = 0; i < n * n; i++)
                covariance[i] = i / n == i % n ? values[t] : 0;
            for (size_t k = 1; k <= n; k++) {
                HELD_BY(penta_pca_model_free) penta_pca_model m;

                o.variance = 100 * (double)k / (double)n;
                m = model_of_covariance(ctx, &o, n, NULL, covariance, NULL);
                assert_int_equal(m.components, k);
            }
        }
}

ON_DEVICE;
