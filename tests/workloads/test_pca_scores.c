/*
 * Cubes through the whole chain, statistics, model, scores and back, against the reference. CPU devices have kernels
 * for each number of outputs up to 12, which test_pca_cpu.c tries one by one: here most maps have 12, and share theirs.
 */
#include "support/test.h"

#include <pentacl/pca.h>

#include "reference/pca.h"
#include "support/numbers.h"
#include "support/pca_cube.h"

static penta_affine forward_of(const penta_pca_model *m)
{
    return (penta_affine){m->bands, m->components, m->forward, m->mean, NULL};
}

static penta_affine inverse_of(const penta_pca_model *m)
{
    return (penta_affine){m->components, m->bands, m->inverse, NULL, m->mean};
}

DEVICE_TEST(scores)
{
    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (int precision = PENTA_PRECISION_SINGLE; precision <= PENTA_PRECISION_DOUBLE; precision++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(13, 41, 37, pixel_types[t], 11);
            penta_pca_options o = default_pca_options();
            HELD_BY(penta_pca_model_free) penta_pca_model m;
            HELD double *got = must_calloc(13 * c.pixels, sizeof *got), *want = must_calloc(13 * c.pixels, sizeof *got);
            double tolerance = precision == PENTA_PRECISION_DOUBLE ? 1e-12 : 2e-6, size = 0;
            penta_affine a;

            mask_pca_cube(&c);
            o.components = t % 2 ? 12 : 13;
            m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
            a = forward_of(&m);
            for (size_t i = 0; i < c.bands; i++)
                size = fmax(size, fabs(m.mean[i]) + 5 * m.deviation[i]);
            map_pca_cube(ctx, &c, &a, precision, (int)(t % 3), 9, (penta_map_format){.type = PENTA_F64, .fill = -1.5},
                         got);
            reference_pca_map(a.ins, a.outs, c.pixels, a.matrix, a.before, NULL, c.x, want);
            for (size_t i = 0; i < a.outs * c.pixels; i++)
                expect_near(got[i], c.mask[i % c.pixels] ? want[i] : -1.5, c.mask[i % c.pixels] ? tolerance * size : 0);
        }
}

/* The variance of scores is the eigenvalue, or 1 where they are whitened, and they are uncorrelated. */
DEVICE_TEST(variances)
{
    for (int way = 0; way < 8; way++) {
        HELD_BY(free_pca_cube)
        pca_cube c = make_pca_cube(12, 40, 50, PENTA_F64, 12), scores = {12, 40, 50, 2000, PENTA_F64, NULL, NULL};
        penta_pca_options o = default_pca_options(), plain = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m, of_scores;
        penta_affine a;

        o.standardize = (way & 1) && !(way & 4);
        o.whiten = way & 2;
        o.kind = way & 4 ? PENTA_PCA_MNF : PENTA_PCA_PCA;
        m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
        a = forward_of(&m);
        scores.x = must_calloc(12 * c.pixels, sizeof *scores.x);
        map_pca_cube(ctx, &c, &a, PENTA_PRECISION_DOUBLE, PENTA_BSQ, c.rows, (penta_map_format){.type = PENTA_F64},
                     scores.x);
        of_scores = model_of_pca_cube(ctx, &scores, &plain, PENTA_BSQ, c.rows);
        for (size_t i = 0; i < 12; i++) {
            double variance = o.whiten ? 1 : m.eigenvalues[i];

            expect_near(of_scores.covariance[i * 13] / variance, 1, 1e-9);
            expect_near(of_scores.mean[i] / sqrt(variance), 0, 1e-9);
            for (size_t j = 0; j < i; j++)
                expect_near(of_scores.covariance[i * 12 + j] / of_scores.deviation[i] / of_scores.deviation[j], 0,
                            1e-9);
        }
    }
}

/* All components there and back: the input, of integers to the last bit. */
DEVICE_TEST(there_and_back)
{
    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (int way = 0; way < 6; way++) {
            pca_cube c = make_pca_cube(12, 33, 21, pixel_types[t], 13), scores = c;
            penta_pca_options o = default_pca_options();
            penta_pca_model m;
            penta_affine there, back;
            HELD double *again = must_calloc(c.bands * c.pixels, sizeof *again);

            o.variance = way == 1 ? 0 : 100;
            o.standardize = way == 2 || way == 3;
            o.whiten = way == 3 || way == 5;
            o.kind = way > 3 ? PENTA_PCA_MNF : PENTA_PCA_PCA;
            m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
            assert_int_equal(m.components, c.bands);
            there = forward_of(&m);
            back = inverse_of(&m);
            scores.type = PENTA_F64;
            scores.x = must_calloc(c.bands * c.pixels, sizeof *scores.x);
            map_pca_cube(ctx, &c, &there, PENTA_PRECISION_DOUBLE, PENTA_BSQ, c.rows,
                         (penta_map_format){.type = PENTA_F64}, scores.x);
            map_pca_cube(ctx, &scores, &back, PENTA_PRECISION_DOUBLE, PENTA_BSQ, c.rows,
                         (penta_map_format){.type = PENTA_F64}, again);
            for (size_t i = 0; i < c.bands * c.pixels; i++) {
                double size = fabs(m.mean[i / c.pixels]) + 5 * m.deviation[i / c.pixels];

                expect_near(again[i], c.x[i], 1e-11 * size);
            }
            penta_pca_model_free(&m);
            free(scores.x);
            free_pca_cube(&c);
        }
}

/* Of k components: the scatter that is lost is that of the others. */
DEVICE_TEST(filtering)
{
    static const int kept[] = {1, 2, 7, 12};
    pca_cube c = make_pca_cube(12, 45, 45, PENTA_F64, 14), scores = c;
    double *again = must_calloc(c.bands * c.pixels, sizeof *again);

    scores.x = must_calloc(c.bands * c.pixels, sizeof *scores.x);
    for (size_t t = 0; t < COUNT(kept); t++) {
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m;
        penta_affine there, back;
        double lost = 0, others = 0;

        o.components = kept[t];
        m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
        there = forward_of(&m);
        back = inverse_of(&m);
        scores.bands = (size_t)kept[t];
        map_pca_cube(ctx, &c, &there, PENTA_PRECISION_DOUBLE, PENTA_BIL, 8, (penta_map_format){.type = PENTA_F64},
                     scores.x);
        map_pca_cube(ctx, &scores, &back, PENTA_PRECISION_DOUBLE, PENTA_BIP, 8, (penta_map_format){.type = PENTA_F64},
                     again);
        for (size_t i = 0; i < c.bands * c.pixels; i++)
            lost += (again[i] - c.x[i]) * (again[i] - c.x[i]);
        for (size_t i = (size_t)kept[t]; i < c.bands; i++)
            others += m.eigenvalues[i] * (double)(c.pixels - 1);
        expect_near(lost, others, 1e-10 * others + 1e-18 * (double)c.pixels * m.eigenvalues[0]);
    }
    free(again);
    free(scores.x);
    free_pca_cube(&c);
}

/* Each component from its own least and largest score to 0 .. 255, rounded to nearest. */
DEVICE_TEST(rescaled)
{
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(12, 50, 60, PENTA_U16, 15);
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
    penta_affine a = forward_of(&m);
    HELD uint8_t *got = must_calloc(12 * c.pixels, 1);
    HELD double *scores = must_calloc(12 * c.pixels, sizeof *scores);

    map_pca_cube(ctx, &c, &a, PENTA_PRECISION_DOUBLE, PENTA_BSQ, 7,
                 (penta_map_format){.type = PENTA_U8, .rescale = true, .low = 0, .high = 255}, got);
    reference_pca_map(12, 12, c.pixels, a.matrix, a.before, NULL, c.x, scores);
    for (size_t k = 0; k < 12; k++) {
        const double *s = scores + k * c.pixels;
        double least = s[0], largest = s[0];
        bool lowest = false, highest = false;

        for (size_t p = 0; p < c.pixels; p++) {
            least = fmin(least, s[p]);
            largest = fmax(largest, s[p]);
        }
        for (size_t p = 0; p < c.pixels; p++) {
            double want = 255 * (s[p] - least) / (largest - least), g = got[k * c.pixels + p];

            expect_near(g, want, 0.5 + 1e-9); /* to nearest */
            lowest = lowest || g <= 0;
            highest = highest || g >= 255;
        }
        assert_true(lowest);
        assert_true(highest);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
