/* Models of cubes whose numbers cancel, change places or are known, of noise fractions, and what has no model. */
#include "support/test.h"

#include <pentacl/pca.h>

#include "reference/pca.h"
#include "support/numbers.h"
#include "support/pca_cube.h"
#include "support/random.h"

/* x = sqrt(c) t + u, y = sqrt(c) t + v in floats: the small component lies along [1, -1]. */
DEVICE_TEST(common_signal)
{
    const double cs[] = {0, 1e3, 1e4, 1e5};

    for (size_t t = 0; t < COUNT(cs); t++) {
        HELD_BY(free_pca_cube) pca_cube c = {2, 100, 200, 20000, PENTA_F32, NULL, NULL};
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        c.x = must_calloc(2 * c.pixels, sizeof *c.x);
        random_seed(t);
        for (size_t p = 0; p < c.pixels; p += 4) {
            double s = sqrt(cs[t]) * random_normal(), u = random_normal(), v = random_normal();

            for (size_t k = 0; k < 4; k++) { /* u and v in all four signs: uncorrelated to the last bit */
                c.x[p + k] = (float)(s + (k & 1 ? u : -u));
                c.x[c.pixels + p + k] = (float)(s + (k & 2 ? v : -v));
            }
        }
        m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
        expect_statistics(&c, &m, 1, 1e-13);
        expect_near(m.eigenvalues[1], 1, 0.05);
        if (cs[t] > 0)
            expect_near(m.loadings[2] * m.loadings[3], -0.5, 1e-3);
    }
}

/* Deviations of 1e-10 and 1e-11 of the mean. */
DEVICE_TEST(large_means)
{
    HELD_BY(free_pca_cube) pca_cube c = {2, 1000, 1000, 1000000, PENTA_F64, NULL, NULL};
    penta_pca_options o = default_pca_options();
    double mean[2], covariance[4];
    HELD_BY(penta_pca_model_free) penta_pca_model m;

    c.x = must_calloc(2 * c.pixels, sizeof *c.x);
    random_seed(1);
    for (size_t p = 0; p < c.pixels; p++) {
        c.x[p] = 1e5 + 9e-6 * random_normal();
        c.x[c.pixels + p] = 2e5 + 2e-6 * random_normal();
    }
    reference_pca_covariance(2, c.pixels, c.x, NULL, 1, mean, covariance);
    m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, 100);
    for (size_t i = 0; i < 2; i++) {
        expect_near(m.covariance[3 * i] / covariance[3 * i], 1, 1e-9);
        expect_near(m.mean[i], mean[i], 3e-11);
    }
    expect_near(sqrt(m.covariance[0]), 9e-6, 5e-8);
    expect_near(sqrt(m.covariance[3]), 2e-6, 2e-8);
}

/* + constant: nothing but the mean. */
DEVICE_TEST(offset)
{
    penta_pca_options o = default_pca_options();
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(8, 30, 40, PENTA_U16, 9);
    penta_pca_model a, b;

    for (size_t i = 0; i < c.bands * c.pixels; i++)
        c.x[i] = fmin(c.x[i], 60000);
    a = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
    for (size_t i = 0; i < c.bands * c.pixels; i++)
        c.x[i] += 5000;
    b = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
    assert_memory_equal(a.covariance, b.covariance, c.bands * c.bands * sizeof(double));
    assert_memory_equal(a.loadings, b.loadings, c.bands * c.bands * sizeof(double));
    for (size_t i = 0; i < c.bands; i++)
        expect_near(b.mean[i], a.mean[i] + 5000, 1e-11);
    penta_pca_model_free(&b);
    c.type = PENTA_F64;
    for (size_t i = 0; i < c.bands * c.pixels; i++)
        c.x[i] += 1e9;
    b = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
    for (size_t i = 0; i < c.bands; i++)
        expect_near(b.eigenvalues[i], a.eigenvalues[i], 1e-12 * a.eigenvalues[0]);
    penta_pca_model_free(&a);
    penta_pca_model_free(&b);
}

/* Pixels in another order: the same; bands in another order: the same in that order. */
DEVICE_TEST(orders)
{
    for (size_t t = 0; t < COUNT(pixel_types); t++) {
        penta_pca_options o = default_pca_options();
        pca_cube c = make_pca_cube(7, 29, 31, pixel_types[t], 10), pixels = c, bands = c;
        penta_pca_model a, b, d;

        pixels.x = must_calloc(c.bands * c.pixels, sizeof *c.x);
        bands.x = must_calloc(c.bands * c.pixels, sizeof *c.x);
        for (size_t i = 0; i < c.bands; i++)
            for (size_t p = 0; p < c.pixels; p++) {
                pixels.x[i * c.pixels + p] = c.x[i * c.pixels + p * 101 % c.pixels];
                bands.x[i * c.pixels + p] = c.x[i * 3 % 7 * c.pixels + p];
            }
        a = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, 5);
        b = model_of_pca_cube(ctx, &pixels, &o, PENTA_BSQ, 5);
        d = model_of_pca_cube(ctx, &bands, &o, PENTA_BSQ, 5);
        if (penta_type_size(c.type) < 4)
            assert_memory_equal(a.covariance, b.covariance, c.bands * c.bands * sizeof(double));
        for (size_t k = 0; k < c.bands; k++) {
            expect_near(b.eigenvalues[k], a.eigenvalues[k], 1e-13 * a.eigenvalues[0]);
            expect_near(d.eigenvalues[k], a.eigenvalues[k], 1e-13 * a.eigenvalues[0]);
            expect_near(b.loadings[k], a.loadings[k], 1e-12);
            expect_near(d.loadings[k], a.loadings[k * 3 % 7], 1e-12);
        }
        penta_pca_model_free(&a);
        penta_pca_model_free(&b);
        penta_pca_model_free(&d);
        free(pixels.x);
        free(bands.x);
        free_pca_cube(&c);
    }
}

DEVICE_TEST(iris)
{
    const double want[] = {.92461872, .97768521, .99478782, 1};
    penta_cube_rows rows = {.rows = 15, .cols = 10, .type = PENTA_U8, .data = reference_pca_iris};
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    HELD_BY(penta_pca_model_free) penta_pca_model m;
    double share = 0;

    EXPECT_OK(ctx, penta_pca_create(ctx, 4, 150, NULL, &plan));
    EXPECT_OK(ctx, penta_pca_add(plan, &rows));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    for (size_t k = 0; k < 4; k++)
        expect_near(share += m.percent[k] / 100, want[k], 5.1e-9);
}

DEVICE_TEST(mnf)
{
    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (int masked = 0; masked < 2; masked++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(8, 37, 43, pixel_types[t], 16);
            double mean[8], covariance[64], noise[64], values[8], vectors[64], orthogonality, residual;
            penta_pca_options o = default_pca_options();
            HELD_BY(penta_pca_model_free) penta_pca_model m;

            if (masked)
                mask_pca_cube(&c);
            o.kind = PENTA_PCA_MNF;
            m = model_of_pca_cube(ctx, &c, &o, (int)(t % 3), 5);
            reference_pca_covariance(8, c.pixels, c.x, c.mask, 1, mean, covariance);
            reference_pca_noise(8, c.rows, c.cols, c.x, c.mask, noise);
            reference_pca_generalised(8, covariance, noise, values, vectors);
            expect_statistics(&c, &m, 1, 1e-13);
            for (size_t k = 0; k < 8; k++)
                expect_near(m.eigenvalues[k], values[k], 1e-10 * values[0]);
            for (size_t i = 0; i < 8; i++)
                expect_near(m.loadings[i] * m.deviation[i], vectors[i] * m.deviation[i], 1e-8);
            penta_pca_residuals(&m, &orthogonality, &residual);
            expect_near(orthogonality, 0, 1e-11);
            expect_near(residual, 0, 1e-11);
        }
}

/* What solve says of the cube. */
static void expect_unsolved(penta_context *ctx, const pca_cube *c, const penta_pca_options *o, const char *text)
{
    HELD_BY(penta_pca_held) penta_pca *plan = plan_of_pca_cube(ctx, c, o);
    penta_pca_model m;

    memset(&m, 1, sizeof m);
    add_pca_cube(ctx, plan, c, PENTA_BSQ, c->rows);
    EXPECT_REFUSED(ctx, penta_pca_solve(plan, &m), PENTA_INVALID, text);
    assert_null(m.mean);
    assert_null(m.inverse);
}

DEVICE_TEST(too_few_pixels)
{
    HELD_BY(free_pca_cube)
    pca_cube c = make_pca_cube(3, 2, 4, PENTA_F32, 18), one = make_pca_cube(3, 1, 1, PENTA_U8, 19);
    penta_pca_options o = default_pca_options();

    mask_pca_cube(&c);
    memset(c.mask, 0, c.pixels);
    expect_unsolved(ctx, &c, &o, "there are 0");
    c.mask[5] = 1;
    expect_unsolved(ctx, &c, &o, "there is 1");
    expect_unsolved(ctx, &one, &o, "there is 1");
    memset(c.mask, 1, c.pixels);
    o.ddof = 8;
    expect_unsolved(ctx, &c, &o, "8 valid pixels");
}

DEVICE_TEST(constant_bands)
{
    const double values[] = {7, 60000, -300, -2000000011.0, 4000000001.0, 0.1, 123456.789};

    for (size_t t = 0; t < COUNT(pixel_types); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(4, 30, 50, pixel_types[t], 20);
        penta_pca_options o = default_pca_options();
        penta_pca_model m;

        for (size_t p = 0; p < c.pixels; p++)
            c.x[2 * c.pixels + p] = nearest_number(pixel_types[t], values[t]);
        m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows); /* fine as it is */
        expect_near(m.eigenvalues[3], 0, 1e-15 * m.eigenvalues[0]);
        penta_pca_model_free(&m);
        o.standardize = true;
        expect_unsolved(ctx, &c, &o, "band 3 is constant");
        o.standardize = false;
        o.kind = PENTA_PCA_MNF;
        expect_unsolved(ctx, &c, &o, "band 3");
    }
}

/* NaN and infinities: named where they count, nothing where they do not. */
DEVICE_TEST(not_finite)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};

    for (size_t t = 0; t < COUNT(bad); t++)
        for (int type = PENTA_F32; type <= PENTA_F64; type++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(3, 6, 7, (penta_type)type, 21);
            penta_pca_options o = default_pca_options();
            penta_pca *plan = plan_of_pca_cube(ctx, &c, &o);
            penta_cube_rows rows;
            HELD_BY(penta_pca_model_free) penta_pca_model m = {0};
            penta_status status;

            c.x[1 * c.pixels + 4 * 7 + 2] = bad[t];
            rows = rows_of_pca_cube(&c, PENTA_BIL, 0, c.rows);
            status = penta_pca_add(plan, &rows);
            if (status == PENTA_OK) /* it may be seen as late as that */
                status = penta_pca_solve(plan, &m);
            EXPECT_REFUSED(ctx, status, PENTA_INVALID, "band 2");
            penta_pca_destroy(plan);
            free((void *)rows.data);
            mask_pca_cube(&c);
            memset(c.mask, 1, c.pixels);
            c.mask[4 * 7 + 2] = 0;
            m = model_of_pca_cube(ctx, &c, &o, PENTA_BIL, 2);
            c.x[1 * c.pixels + 4 * 7 + 2] = 0;
            expect_statistics(&c, &m, 1, 1e-13);
        }
}

DEVICE_TEST(bad_options)
{
    penta_pca_options o = default_pca_options();
    penta_pca *plan = NULL;

    o.components = 4;
    assert_int_equal(penta_pca_create(ctx, 3, 10, &o, &plan), PENTA_INVALID);
    assert_null(plan);
    o.components = 2;
    o.variance = 50;
    assert_int_equal(penta_pca_create(ctx, 3, 10, &o, &plan), PENTA_INVALID);
    o = default_pca_options();
    assert_int_equal(penta_pca_create(ctx, 0, 10, &o, &plan), PENTA_INVALID);
    assert_int_equal(penta_pca_create(ctx, 4097, 10, &o, &plan), PENTA_INVALID);
    o.no_data = "seven";
    assert_int_equal(penta_pca_create(ctx, 3, 10, &o, &plan), PENTA_INVALID);
    assert_null(plan);
    penta_pca_destroy(NULL);
}

ON_DEVICE;
AS_ON_A_GPU;
