/*
 * Bands with gains and offsets, the rounding that eigenvalues are marked by, and scores beyond a given range: against
 * the reference, which scales the numbers themselves and knows no rounding of ours.
 */
#include "support/test.h"

#include <pentacl/pca.h>

#include "reference/pca.h"
#include "support/numbers.h"
#include "support/pca_cube.h"
#include "support/random.h"

/* The model of a cube whose bands are gain x + offset. */
static penta_pca_model scaled_model(penta_context *ctx, const pca_cube *c, const penta_pca_options *o,
                                    const double *gain, const double *offset)
{
    HELD_BY(penta_pca_held) penta_pca *plan = plan_of_pca_cube(ctx, c, o);
    penta_pca_model m;

    add_pca_cube(ctx, plan, c, PENTA_BIL, 7);
    EXPECT_OK(ctx, penta_pca_scale_bands(plan, gain, offset));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    return m;
}

/* One gain for all, whatever it is: the exact covariance of integers times its square, the same loadings. */
DEVICE_TEST_IN(AS_IT_IS, one_gain)
{
    const double gains[] = {1e-4, -3, 1 / 5000.0};

    for (size_t t = 0; t < COUNT(gains); t++) {
        HELD_BY(free_pca_cube)
        pca_cube c = make_pca_cube(5 + 4 * t, 30, 17 + t, t == 1 ? PENTA_I16 : PENTA_U16, 100 + t);
        double gain[16], offset[16];
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model raw = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, 30), m;

        for (size_t i = 0; i < c.bands; i++) {
            gain[i] = gains[t];
            offset[i] = 0.5 * (double)i;
        }
        m = scaled_model(ctx, &c, &o, gain, offset);
        expect_statistics(&c, &raw, 1, 0); /* of integers: to the last bit */
        for (size_t i = 0; i < c.bands; i++) {
            double g2 = gains[t] * gains[t];

            assert_true(m.eigenvalues[i] == raw.eigenvalues[i] * g2);
            assert_true(m.percent[i] == raw.percent[i]);
            assert_true(m.mean[i] == gains[t] * raw.mean[i] + offset[i]);
            for (size_t j = 0; j < c.bands; j++)
                assert_true(m.covariance[i * c.bands + j] == raw.covariance[i * c.bands + j] * g2);
        }
        assert_memory_equal(m.loadings, raw.loadings, c.bands * c.bands * sizeof *m.loadings);
    }
}

/* Against the reference of the scaled numbers. */
DEVICE_TEST_IN(AS_IT_IS, gains)
{
    for (size_t t = 0; t < 6; t++) {
        enum { N = 9 };
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(N, 20 + t, 31, t % 2 ? PENTA_U16 : PENTA_F32, 200 + t);
        double gain[N], offset[N], mean[N], covariance[N * N], noise[N * N], values[N], vectors[N * N];
        HELD double *y = must_calloc(N * c.pixels, sizeof *y);
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        o.kind = t / 2 == 1 ? PENTA_PCA_MNF : PENTA_PCA_PCA;
        o.standardize = t / 2 == 2;
        for (size_t i = 0; i < N; i++) {
            gain[i] = (i % 2 ? -1 : 1) * (0.1 + 0.3 * (double)i);
            offset[i] = 50 * (double)i - 100;
            for (size_t p = 0; p < c.pixels; p++)
                y[i * c.pixels + p] = gain[i] * c.x[i * c.pixels + p] + offset[i];
        }
        m = scaled_model(ctx, &c, &o, gain, offset);
        reference_pca_covariance(N, c.pixels, y, NULL, 1, mean, covariance);
        for (size_t i = 0; i < N * N; i++)
            expect_near(m.covariance[i], covariance[i],
                        1e-13 * sqrt(covariance[i / N * (N + 1)] * covariance[i % N * (N + 1)]));
        for (size_t i = 0; i < N * N && o.standardize; i++)
            vectors[i] = covariance[i] / sqrt(covariance[i / N * (N + 1)] * covariance[i % N * (N + 1)]);
        if (o.kind == PENTA_PCA_MNF) {
            reference_pca_noise(N, c.rows, c.cols, y, NULL, noise);
            reference_pca_generalised(N, covariance, noise, values, vectors);
        } else {
            double matrix[N * N];

            memcpy(matrix, o.standardize ? vectors : covariance, sizeof matrix);
            reference_pca_eigen(N, matrix, values, vectors);
        }
        for (size_t i = 0; i < N; i++) {
            expect_near(m.eigenvalues[i], values[i], 1e-10 * values[0]);
            expect_near(m.mean[i], mean[i], 1e-12 * (fabs(mean[i]) + fabs(offset[i])));
            expect_near(fabs(m.loadings[i]), fabs(vectors[i]), 1e-6 * fabs(vectors[0]) + 1e-8);
        }
    }
}

DEVICE_TEST_IN(AS_IT_IS, refused_gains)
{
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(3, 4, 5, PENTA_U8, 1);
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_held) penta_pca *plan = plan_of_pca_cube(ctx, &c, &o);
    const double zero[] = {1, 0, 1}, bad[] = {1, 1, NAN}, fine[] = {2, 2, 2}, large[] = {1e200, 1e200, 1e200};
    penta_pca_model m;

    add_pca_cube(ctx, plan, &c, PENTA_BSQ, 4);
    EXPECT_OK(ctx, penta_pca_scale_bands(plan, fine, NULL));
    EXPECT_REFUSED(ctx, penta_pca_scale_bands(plan, zero, NULL), PENTA_INVALID, "gain of band 2 is 0");
    assert_int_equal(penta_pca_scale_bands(plan, bad, NULL), PENTA_INVALID);
    assert_int_equal(penta_pca_scale_bands(plan, NULL, bad), PENTA_INVALID);
    EXPECT_OK(ctx, penta_pca_solve(plan, &m)); /* nothing happened */
    penta_pca_model_free(&m);
    EXPECT_OK(ctx, penta_pca_scale_bands(plan, large, NULL));
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    EXPECT_OK(ctx, penta_pca_scale_bands(plan, NULL, NULL));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    penta_pca_model_free(&m);
}

/* Floats with means of up to a million, that vary together by a third of them, and a little noise each. */
static pca_cube hard_cube(size_t bands, size_t rows, size_t cols, uint64_t seed, double noise)
{
    pca_cube c = {bands, rows, cols, rows * cols, PENTA_F32, NULL, NULL};
    HELD double *common = must_calloc(c.pixels, sizeof *common);

    c.x = must_calloc(bands * c.pixels, sizeof *c.x);
    random_seed(seed);
    for (size_t p = 0; p < c.pixels; p++)
        common[p] = 1 + 0.3 * random_normal();
    for (size_t i = 0; i < bands; i++) {
        double mean = 1e6 * random_uniform();

        for (size_t p = 0; p < c.pixels; p++)
            c.x[i * c.pixels + p] = (double)(float)(mean * common[p] + noise * random_normal());
    }
    return c;
}

/* What single precision leaves of an eigenvalue is known to the rounding: those that it may have made are marked, and
 * those well above it are right and are not. */
DEVICE_TEST_IN(AS_IT_IS, rounding)
{
    static const struct {
        size_t bands, rows, cols;
        double noise;
    } cases[] = {{3, 40, 40, 5},   {8, 50, 60, 5},     {24, 64, 64, 3},
                 {12, 90, 111, 5}, {6, 33, 57, 30000}, {40, 30, 30, 1}};

    for (size_t t = 0; t < COUNT(cases); t++)
        for (int single = 0; single < 2; single++) {
            size_t n = cases[t].bands, marked = 0, wrong = 0;
            HELD_BY(free_pca_cube) pca_cube c = hard_cube(n, cases[t].rows, cases[t].cols, 300 + t, cases[t].noise);
            HELD double *mean = must_calloc(n, sizeof *mean), *covariance = must_calloc(n * n, sizeof *covariance);
            HELD double *values = must_calloc(n, sizeof *values), *vectors = must_calloc(n * n, sizeof *vectors);
            penta_pca_options o = default_pca_options();
            HELD_BY(penta_pca_model_free) penta_pca_model m;

            o.precision = single ? PENTA_PRECISION_SINGLE : PENTA_PRECISION_DOUBLE;
            m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
            reference_pca_covariance(n, c.pixels, c.x, NULL, 1, mean, covariance);
            reference_pca_eigen(n, covariance, values, vectors);
            for (size_t k = 0; k < n; k++) {
                bool is_marked = m.eigenvalues[k] <= m.rounding;

                assert_true(fabs(m.eigenvalues[k] - values[k]) <= fmax(m.rounding, 1e-5 * values[k]));
                assert_true(m.eigenvalues[k] >= 0 || is_marked);
                marked += is_marked;
                wrong += fabs(m.eigenvalues[k] - values[k]) > values[k] / 2;
                if (values[k] > 10 * m.rounding)
                    assert_false(is_marked);
            }
            assert_true(marked >= wrong);
            if (single && cases[t].noise < 100)
                assert_int_equal(marked, n - 1); /* 25 beside 1e11: nothing that floats could say */
            if (!single)
                assert_int_equal(marked, 0);
        }
}

/* Pixels of a cube that some result of an identity takes beyond a range; masked ones do not count. */
DEVICE_TEST(clipped)
{
    const size_t sizes[][2] = {{3, 5}, {41, 37}, {10, 1000}};

    for (size_t t = 0; t < 2 * COUNT(sizes); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(4, sizes[t / 2][0], sizes[t / 2][1], PENTA_F32, 400 + t);
        double identity[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1}, least[4], largest[4];
        HELD uint8_t *out = must_calloc(4 * c.pixels, 1);
        penta_affine a = {.ins = 4, .outs = 4, .matrix = identity};
        penta_map_format f = {
            .type = PENTA_U8, .rescale = true, .low = 1, .high = 255, .least = least, .largest = largest};
        uint64_t want = 0, got = 5;
        HELD_BY(penta_map_held) penta_map *map = NULL;

        if (t % 2)
            mask_pca_cube(&c);
        for (size_t i = 0; i < 4; i++) {
            least[i] = c.x[i * c.pixels + c.pixels / 3] - 10;
            largest[i] = c.x[i * c.pixels + c.pixels / 3] + 100;
        }
        for (size_t p = 0; p < c.pixels; p++) {
            bool beyond = false;

            for (size_t i = 0; i < 4; i++)
                beyond |= c.x[i * c.pixels + p] < least[i] || c.x[i * c.pixels + p] > largest[i];
            want += beyond && (!c.mask || c.mask[p]);
        }
        EXPECT_OK(ctx, penta_map_create(ctx, &a, PENTA_PRECISION_DOUBLE, NULL, &map));
        for (size_t row = 0; row < c.rows; row += 9) {
            penta_cube_rows rows = rows_of_pca_cube(&c, PENTA_BSQ, row, c.rows - row < 9 ? c.rows - row : 9);

            EXPECT_OK(ctx, penta_map_add(map, &rows));
            free((void *)rows.data);
        }
        f.clipped = &got;
        EXPECT_OK(ctx, penta_map_take(map, &f, out, c.pixels));
        assert_int_equal(got, 5 + want);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
