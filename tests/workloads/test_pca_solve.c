/* From covariances to models: eigenvalues, signs, maps, noise fractions, and what has no answer. */
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
#include "support/random.h"

enum { PIXELS = 1000 };

static penta_pca_options options(void)
{
    penta_pca_options o;

    penta_options_init(penta_pca_option_table, &o);
    return o;
}

static penta_pca_model solve(penta_context *ctx, const penta_pca_options *o, size_t bands, const double *mean,
                             const double *covariance, const double *noise)
{
    double *zero = must_calloc(bands, sizeof *zero);
    penta_pca_model m;

    EXPECT_OK(ctx, pca_solve(ctx, o, bands, PIXELS, mean ? mean : zero, covariance, noise, &m));
    free(zero);
    return m;
}

/* The covariance of 3 n normal vectors, whose bands have very different scales. */
static double *random_covariance(size_t n, uint64_t seed)
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

/* Rows times columns of two matrices: a (n x k), b (k x m); transposed: b is m x k. */
static double *times(size_t n, size_t k, size_t m, const double *a, const double *b, bool transposed)
{
    double *c = must_calloc(n * m, sizeof *c);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t l = 0; l < k; l++)
                c[i * m + j] += a[i * k + l] * (transposed ? b[j * k + l] : b[l * m + j]);
    return c;
}

static void expect_identity(size_t n, const double *a, double tolerance)
{
    for (size_t i = 0; i < n * n; i++)
        expect_near(a[i], i / n == i % n, tolerance);
}

/* ---- principal components ---- */

/* x = 1..5, y = 2, 3, 1, 2, 6. */
static void test_two_bands(void **state)
{
    const double covariance[] = {2.5, 1.75, 1.75, 3.7}, mean[] = {3, 2.8};
    double root = sqrt(0.6 * 0.6 + 1.75 * 1.75), large = 3.1 + root, x = 1.75, y = large - 2.5,
           length = sqrt(x * x + y * y);
    penta_pca_options o = options();
    penta_pca_model m = solve(*state, &o, 2, mean, covariance, NULL);

    assert_int_equal(m.bands, 2);
    assert_int_equal(m.components, 2);
    assert_int_equal(m.pixels, PIXELS);
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

static void test_against_jacobi(void **state)
{
    const size_t sizes[] = {1, 2, 3, 7, 20, 64};
    penta_pca_options o = options();

    for (size_t t = 0; t < COUNT(sizes); t++) {
        size_t n = sizes[t];
        double *c = random_covariance(n, t), *values = must_calloc(n, sizeof *values);
        double *vectors = must_calloc(n * n, sizeof *vectors), orthogonality, residual;
        penta_pca_model m = solve(*state, &o, n, NULL, c, NULL);

        reference_pca_eigen(n, c, values, vectors);
        for (size_t i = 0; i < n; i++)
            expect_near(m.eigenvalues[i], values[i], 1e-14 * (double)n * values[0]);
        expect_vectors(n, n, m.loadings, vectors, values);
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(orthogonality, 0, 1e-14 * (double)n);
        expect_near(residual, 0, 1e-14 * (double)n);
        penta_pca_model_free(&m);
        free(c);
        free(values);
        free(vectors);
    }
}

static void test_band_order(void **state)
{
    enum { N = 12 };
    double *c = random_covariance(N, 5), turned[N * N];
    penta_pca_options o = options();
    penta_pca_model a, b;

    for (size_t i = 0; i < N * N; i++)
        turned[i] = c[i / N * 5 % N * N + i % N * 5 % N];
    a = solve(*state, &o, N, NULL, c, NULL);
    b = solve(*state, &o, N, NULL, turned, NULL);
    for (size_t k = 0; k < N; k++)
        expect_near(a.eigenvalues[k], b.eigenvalues[k], 1e-13 * a.eigenvalues[0]);
    for (size_t i = 0; i < N; i++) /* the first: its gap is wide, its largest entry alone */
        expect_near(b.loadings[i], a.loadings[i * 5 % N], 1e-12);
    penta_pca_model_free(&a);
    penta_pca_model_free(&b);
    free(c);
}

/* [[1 + c, c], [c, 1 + c]]: 2 c + 1 along [1, 1], 1 along [1, -1]; both entries are equally large. */
static void test_cancellation(void **state)
{
    const double cs[] = {0.5, 1e3, 1e4, 1e5, 1e8};
    penta_pca_options o = options();

    for (size_t t = 0; t < COUNT(cs); t++) {
        double c = cs[t], covariance[] = {1 + c, c, c, 1 + c};
        penta_pca_model m = solve(*state, &o, 2, NULL, covariance, NULL);

        expect_near(m.eigenvalues[0], 2 * c + 1, 1e-15 * c + 1e-15);
        expect_near(m.eigenvalues[1], 1, 1e-15 * c + 1e-15);
        for (size_t i = 0; i < 4; i++)
            expect_near(m.loadings[i], i == 3 ? -sqrt(0.5) : sqrt(0.5), 1e-14);
        penta_pca_model_free(&m);
    }
}

/* Householder's reflection of w as eigenvectors, of eigenvalues n..1: rows whose largest entry is known. */
static void test_signs(void **state)
{
    enum { N = 9 };
    double h[N * N], c[N * N] = {0};
    penta_pca_options o = options();
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
        m = solve(*state, &o, N, NULL, c, NULL);
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
static void test_equal_entries(void **state)
{
    penta_pca_options o = options();

    for (int i = -40; i <= 40; i++) {
        double c = 1 + i * 1e-14, covariance[] = {1, -0.5, -0.5, c};
        penta_pca_model m = solve(*state, &o, 2, NULL, covariance, NULL);

        expect_near(m.loadings[0], sqrt(0.5), 1e-12);
        expect_near(m.loadings[1], -sqrt(0.5), 1e-12);
        expect_near(m.loadings[2], sqrt(0.5), 1e-12);
        expect_near(m.loadings[3], sqrt(0.5), 1e-12);
        penta_pca_model_free(&m);
    }
}

/* A sum of two bands beside them: the last eigenvalue is 0 to rounding, and never below. */
static void test_rank(void **state)
{
    enum { N = 3 };
    penta_pca_options o = options();

    for (uint64_t seed = 0; seed < 50; seed++) {
        double u[2], covariance[N * N];
        penta_pca_model m;

        random_seed(seed);
        u[0] = 1 + random_uniform();
        u[1] = 1 + random_uniform();
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                covariance[i * N + j] = u[0] * u[0] * (i != 1) * (j != 1) + u[1] * u[1] * (i > 0) * (j > 0);
        m = solve(*state, &o, N, NULL, covariance, NULL);
        assert_true(m.eigenvalues[2] >= 0);
        expect_near(m.eigenvalues[2], 0, 1e-15 * m.eigenvalues[0]);
        assert_int_equal(m.components, 3);
        penta_pca_model_free(&m);
    }
}

/* What is below 0 by more than rounding stays: it is no covariance, and that should be seen. */
static void test_negative(void **state)
{
    const double covariance[] = {1, 2, 2, 1}, nothing[4] = {0};
    penta_pca_options o = options();
    penta_pca_model m = solve(*state, &o, 2, NULL, covariance, NULL);

    expect_near(m.eigenvalues[1], -1, 1e-14);
    penta_pca_model_free(&m);
    o.variance = 50;
    m = solve(*state, &o, 2, NULL, nothing, NULL);
    assert_int_equal(m.components, 1);
    expect_near(m.eigenvalues[0], 0, 0);
    expect_near(m.percent[0], 0, 0);
    penta_pca_model_free(&m);
}

static void test_iris(void **state)
{
    const double want[] = {.92461872, .97768521, .99478782, 1};
    const double variances[] = {4.22824171, 0.24267075, 0.0782095, 0.02383509};
    double x[600], mean[4], covariance[16], share = 0;
    penta_pca_options o = options();
    penta_pca_model m;

    for (size_t i = 0; i < 600; i++)
        x[i] = reference_pca_iris[i / 150][i % 150] / 10.0;
    reference_pca_covariance(4, 150, x, NULL, 1, mean, covariance);
    m = solve(*state, &o, 4, mean, covariance, NULL);
    for (size_t k = 0; k < 4; k++) {
        share += m.percent[k] / 100;
        expect_near(share, want[k], 5.1e-9);
        expect_near(m.eigenvalues[k], variances[k], 5.1e-9);
    }
    penta_pca_model_free(&m);
}

/* ---- how many ---- */

static void test_how_many(void **state)
{
    const double covariance[] = {5, 0, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0};
    const struct {
        double variance;
        int components;
        size_t want;
    } cases[] = {{0, 0, 4},  {0, 1, 1},  {0, 4, 4},      {1e-9, 0, 1},  {49.9, 0, 1}, {50, 0, 1},
                 {51, 0, 2}, {80, 0, 2}, {80.001, 0, 3}, {99.99, 0, 3}, {100, 0, 4}};
    penta_pca_options o = options();

    for (size_t t = 0; t < COUNT(cases); t++) {
        penta_pca_model m;

        o.variance = cases[t].variance;
        o.components = cases[t].components;
        m = solve(*state, &o, 4, NULL, covariance, NULL);
        assert_int_equal(m.components, cases[t].want);
        expect_near(m.percent[3], 0, 0);
        expect_near(m.percent[1], 30, 1e-14);
        penta_pca_model_free(&m);
    }
}

/* Of n equal eigenvalues k are 100 k / n %, whatever their sums round to. */
static void test_round_percentages(void **state)
{
    enum { MOST = 20 };
    const double values[] = {0.1, 0.7, 1.0 / 3, 4.1};
    double covariance[MOST * MOST];
    penta_pca_options o = options();

    for (size_t t = 0; t < COUNT(values); t++)
        for (size_t n = 1; n <= MOST; n++) {
            for (size_t i = 0; i < n * n; i++)
                covariance[i] = i / n == i % n ? values[t] : 0;
            for (size_t k = 1; k <= n; k++) {
                penta_pca_model m;

                o.variance = 100 * (double)k / (double)n;
                m = solve(*state, &o, n, NULL, covariance, NULL);
                assert_int_equal(m.components, k);
                penta_pca_model_free(&m);
            }
        }
}

/* ---- maps ---- */

/* All components: forward and inverse undo each other; a few: inverse forward is a projection. */
static void test_inverse(void **state)
{
    enum { N = 15 };
    double *c = random_covariance(N, 8);

    for (int way = 0; way < 4; way++)
        for (int k = 0; k <= N; k += 5) {
            penta_pca_options o = options();
            penta_pca_model m;
            double *product, *back;

            o.standardize = way & 1;
            o.whiten = way & 2;
            o.components = k;
            m = solve(*state, &o, N, NULL, c, NULL);
            product = times(m.components, N, m.components, m.forward, m.inverse, false);
            expect_identity(m.components, product, 1e-9); /* scales differ by 1000, whitened by as much more */
            if (k == 0 || k == N) {
                back = times(N, N, N, m.inverse, m.forward, false);
                expect_identity(N, back, 1e-9);
                free(back);
            }
            penta_pca_model_free(&m);
            free(product);
        }
    free(c);
}

/* The covariance of scores is diagonal: eigenvalues, or 1. */
static void test_scores(void **state)
{
    enum { N = 15 };
    double *c = random_covariance(N, 9);

    for (int way = 0; way < 4; way++) {
        penta_pca_options o = options();
        penta_pca_model m;
        double *half, *scores;

        o.standardize = way & 1;
        o.whiten = way & 2;
        m = solve(*state, &o, N, NULL, c, NULL);
        half = times(N, N, N, m.forward, c, false);
        scores = times(N, N, N, half, m.forward, true);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double size = o.whiten ? 1 : sqrt(m.eigenvalues[i] * m.eigenvalues[j]);

                expect_near(scores[i * N + j] / size, i == j, 1e-8);
            }
        penta_pca_model_free(&m);
        free(half);
        free(scores);
    }
    free(c);
}

static void test_standardize(void **state)
{
    enum { N = 6 };
    const double mean[N] = {1, 2, 3, 4, 5, 6};
    double *c = random_covariance(N, 10), correlation[N * N], values[N], vectors[N * N], orthogonality, residual;
    penta_pca_options o = options();
    penta_pca_model m;

    for (size_t i = 0; i < N * N; i++)
        correlation[i] = c[i] / sqrt(c[i / N * (N + 1)] * c[i % N * (N + 1)]);
    reference_pca_eigen(N, correlation, values, vectors);
    o.standardize = true;
    m = solve(*state, &o, N, mean, c, NULL);
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
    penta_pca_model_free(&m);
    free(c);
}

/* Of bands whose numbers have squares, but no fourth powers. */
static void test_residuals_of_large_numbers(void **state)
{
    enum { N = 5 };
    const double scales[] = {1e-250, 1e240};
    penta_pca_options o = options();

    for (size_t k = 0; k < COUNT(scales); k++) {
        double *c = random_covariance(N, 11), orthogonality, residual;
        penta_pca_model m;

        for (size_t i = 0; i < N * N; i++)
            c[i] *= scales[k];
        m = solve(*state, &o, N, NULL, c, NULL);
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(orthogonality, 0, 1e-14);
        expect_near(residual, 0, 1e-13);
        assert_true(residual > 0);
        penta_pca_model_free(&m);
        free(c);
    }
}

/* The residuals see what is wrong with a model. */
static void test_residuals(void **state)
{
    enum { N = 6 };
    double *c = random_covariance(N, 11), *noise = random_covariance(N, 12);

    for (int way = 0; way < 6; way++) {
        double orthogonality, residual, length = 1e-6;
        penta_pca_options o = options();
        penta_pca_model m;

        o.standardize = way == 1;
        o.whiten = way == 2 || way == 4;
        o.kind = way < 3 ? PENTA_PCA_COMPONENTS : PENTA_PCA_MNF;
        o.components = way == 5 ? 3 : 0;
        m = solve(*state, &o, N, NULL, c, noise);
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
        penta_pca_model_free(&m);
    }
    free(c);
    free(noise);
}

/* ---- noise fractions ---- */

static penta_pca_options mnf_options(void)
{
    penta_pca_options o = options();

    o.kind = PENTA_PCA_MNF;
    return o;
}

static void test_mnf_against_jacobi(void **state)
{
    const size_t sizes[] = {1, 2, 5, 20, 40};
    penta_pca_options o = mnf_options();

    for (size_t t = 0; t < COUNT(sizes); t++) {
        size_t n = sizes[t];
        double *c = random_covariance(n, t), *noise = random_covariance(n, 100 + t), orthogonality, residual;
        double *values = must_calloc(n, sizeof *values), *vectors = must_calloc(n * n, sizeof *vectors);
        penta_pca_model m = solve(*state, &o, n, NULL, c, noise);

        reference_pca_generalised(n, c, noise, values, vectors);
        assert_int_equal(m.kind, PENTA_PCA_MNF);
        for (size_t i = 0; i < n; i++)
            expect_near(m.eigenvalues[i], values[i], 1e-11 * values[0]);
        for (size_t i = 0; i < n; i++)
            expect_near(m.loadings[i], vectors[i], 1e-9 * fabs(vectors[i]) + 1e-10 * vectors[0]);
        penta_pca_residuals(&m, &orthogonality, &residual);
        expect_near(orthogonality, 0, 1e-11);
        expect_near(residual, 0, 1e-11);
        penta_pca_model_free(&m);
        free(c);
        free(noise);
        free(values);
        free(vectors);
    }
}

static void test_mnf_maps(void **state)
{
    enum { N = 10 };
    double *c = random_covariance(N, 3), *noise = random_covariance(N, 4);

    for (int whiten = 0; whiten < 2; whiten++)
        for (int k = 0; k <= N; k += 4) {
            penta_pca_options o = mnf_options();
            penta_pca_model m;
            double *product, *half, *scores;

            o.whiten = whiten;
            o.components = k;
            m = solve(*state, &o, N, NULL, c, noise);
            product = times(m.components, N, m.components, m.forward, m.inverse, false);
            expect_identity(m.components, product, 1e-10);
            free(product);
            half = times(m.components, N, N, m.loadings, noise, false);
            scores = times(m.components, N, m.components, half, m.loadings, true);
            expect_identity(m.components, scores, 1e-10);
            free(half);
            free(scores);
            half = times(m.components, N, N, m.forward, c, false);
            scores = times(m.components, N, m.components, half, m.forward, true);
            for (size_t i = 0; i < m.components; i++)
                expect_near(scores[i * (m.components + 1)], whiten ? 1 : m.eigenvalues[i], 1e-10 * m.eigenvalues[0]);
            free(half);
            free(scores);
            penta_pca_model_free(&m);
        }
    free(c);
    free(noise);
}

/* White noise of variance s: lambda / s of the principal components, loadings divided by sqrt(s). */
static void test_mnf_white_noise(void **state)
{
    enum { N = 8 };
    double *c = random_covariance(N, 7), noise[N * N] = {0};
    penta_pca_options o = options(), fractions = mnf_options();
    penta_pca_model a, b;

    for (size_t i = 0; i < N; i++)
        noise[i * (N + 1)] = 0.25;
    a = solve(*state, &o, N, NULL, c, NULL);
    b = solve(*state, &fractions, N, NULL, c, noise);
    for (size_t k = 0; k < N; k++) {
        expect_near(b.eigenvalues[k], 4 * a.eigenvalues[k], 1e-13 * b.eigenvalues[0]);
        expect_near(b.percent[k], a.percent[k], 1e-11);
    }
    for (size_t i = 0; i < N; i++)
        expect_near(b.loadings[i], 2 * a.loadings[i], 1e-12);
    penta_pca_model_free(&a);
    penta_pca_model_free(&b);
    free(c);
}

/* Bands in other units: the same fractions, however different the units are. */
static void test_mnf_units(void **state)
{
    enum { N = 8 };
    double *c = random_covariance(N, 7), *noise = random_covariance(N, 6), c2[N * N], noise2[N * N], unit[N];
    penta_pca_options o = mnf_options();
    penta_pca_model a, b;

    for (size_t i = 0; i < N; i++)
        unit[i] = pow(10, 3.0 * (double)i - 11);
    for (size_t i = 0; i < N * N; i++) {
        c2[i] = c[i] * unit[i / N] * unit[i % N];
        noise2[i] = noise[i] * unit[i / N] * unit[i % N];
    }
    a = solve(*state, &o, N, NULL, c, noise);
    b = solve(*state, &o, N, NULL, c2, noise2);
    for (size_t k = 0; k < N; k++)
        expect_near(b.eigenvalues[k], a.eigenvalues[k], 1e-11 * a.eigenvalues[0]);
    penta_pca_model_free(&a);
    penta_pca_model_free(&b);
    free(c);
    free(noise);
}

/* ---- bad input ---- */

static void expect_refused(penta_context *ctx, const penta_pca_options *o, size_t bands, uint64_t pixels,
                           const double *mean, const double *covariance, const double *noise, const char *text)
{
    penta_pca_model m;

    memset(&m, 1, sizeof m);
    assert_int_equal(pca_solve(ctx, o, bands, pixels, mean, covariance, noise, &m), PENTA_INVALID);
    expect_text(penta_last_error(ctx), text);
    assert_null(m.mean);
    assert_null(m.loadings);
    assert_int_equal(m.bands, 0);
}

static void test_pixels(void **state)
{
    const double mean[2] = {0}, covariance[] = {1, 0, 0, 1};
    penta_pca_options o = options();

    expect_refused(*state, &o, 2, 0, mean, covariance, NULL, "a covariance needs 2 valid pixels; there are 0");
    expect_refused(*state, &o, 2, 1, mean, covariance, NULL, "there is 1");
    o.ddof = 0;
    expect_refused(*state, &o, 2, 1, mean, covariance, NULL, "there is 1");
    o.ddof = 7;
    expect_refused(*state, &o, 2, 7, mean, covariance, NULL,
                   "7 valid pixels: the divisor, pixels - 7, must be above 0");
    o.components = 3;
    expect_refused(*state, &o, 2, 8, mean, covariance, NULL, "3 components of 2 bands");
}

static void test_bad_numbers(void **state)
{
    const double mean[3] = {0, 1e5, 0}, covariance[] = {1, 0, 0, 0, 1e-22, 0, 0, 0, 4};
    const double infinite[] = {1, 0, 0, 0, 1, 0, 0, 0, INFINITY};
    penta_pca_options o = options();

    expect_refused(*state, &o, 3, 9, mean, infinite, NULL, "the numbers of band 3 are too large");
    o.standardize = true;
    expect_refused(*state, &o, 3, 9, mean, covariance, NULL, "band 2 is constant, 100000, and cannot be standardized");
    o.standardize = false;
    o.whiten = true;
    expect_refused(*state, &o, 3, 9, mean, covariance, NULL, "component 3 has no variance beyond rounding");
    o.components = 2;
    {
        penta_pca_model m = solve(*state, &o, 3, mean, covariance, NULL);

        expect_near(m.forward[2], 0.5, 1e-15);
        penta_pca_model_free(&m);
    }
    memset(&o.components, 0, sizeof o.components);
    expect_refused(*state, &o, 2, 9, mean, (const double[4]){0}, NULL, "all bands are constant");
}

/* 1e5 +- 9e-6 in double is no constant. */
static void test_small_deviation(void **state)
{
    const double mean[2] = {1e5, 2e5}, covariance[] = {81e-12, 0, 0, 4e-12};
    penta_pca_options o = options();
    penta_pca_model m;

    o.standardize = true;
    m = solve(*state, &o, 2, mean, covariance, NULL);
    expect_near(m.eigenvalues[0], 1, 1e-15);
    expect_near(m.eigenvalues[1], 1, 1e-15);
    penta_pca_model_free(&m);
}

static void test_singular_noise(void **state)
{
    enum { N = 5 };
    double *c = random_covariance(N, 1), *noise = random_covariance(N, 2), copy[N * N], mean[N] = {0};
    penta_pca_options o = mnf_options();

    memcpy(copy, noise, sizeof copy);
    for (size_t i = 0; i < N; i++)
        copy[3 * N + i] = copy[i * N + 3] = 0;
    expect_refused(*state, &o, N, 9, mean, c, copy, "band 4 has no noise");
    for (size_t scale = 0; scale < 20; scale++) { /* band 4 is band 2 in other units */
        double s = 0.3 + 0.1 * (double)scale;

        memcpy(copy, noise, sizeof copy);
        for (size_t i = 0; i < N; i++)
            copy[3 * N + i] = copy[i * N + 3] = s * noise[i * N + 1];
        copy[3 * N + 3] = s * s * noise[N + 1];
        copy[3 * N + 1] = copy[N + 3] = s * noise[N + 1];
        expect_refused(*state, &o, N, 9, mean, c, copy, "the noise of band 4 is a sum");
    }
    noise[7] = NAN;
    expect_refused(*state, &o, N, 9, mean, c, noise, "too large");
    free(c);
    free(noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_bands),
        cmocka_unit_test(test_against_jacobi),
        cmocka_unit_test(test_band_order),
        cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_equal_entries),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_negative),
        cmocka_unit_test(test_iris),
        cmocka_unit_test(test_how_many),
        cmocka_unit_test(test_round_percentages),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_standardize),
        cmocka_unit_test(test_residuals),
        cmocka_unit_test(test_residuals_of_large_numbers),
        cmocka_unit_test(test_mnf_against_jacobi),
        cmocka_unit_test(test_mnf_maps),
        cmocka_unit_test(test_mnf_white_noise),
        cmocka_unit_test(test_mnf_units),
        cmocka_unit_test(test_pixels),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_small_deviation),
        cmocka_unit_test(test_singular_noise),
    };

    return cmocka_run_group_tests(tests, open_device, close_device);
}
