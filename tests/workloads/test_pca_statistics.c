/* Means and covariances of cubes of every type, layout, mask and way, against the reference. */
#include "support/test.h"

#include <pentacl/pca.h>

#include "reference/pca.h"
#include "support/numbers.h"
#include "support/pca_cube.h"
#include "support/random.h"

DEVICE_TEST(types_and_layouts)
{
    const struct {
        size_t bands, rows, cols;
    } sizes[] = {{1, 1, 2}, {2, 5, 1}, {3, 7, 11}, {17, 1, 301}, {40, 37, 29}};
    penta_pca_options o = default_pca_options();

    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t t = 0; t < COUNT(pixel_types); t++)
            for (int layout = PENTA_BSQ; layout <= PENTA_BIP; layout++) {
                HELD_BY(free_pca_cube)
                pca_cube c = make_pca_cube(sizes[s].bands, sizes[s].rows, sizes[s].cols, pixel_types[t], s);
                HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_pca_cube(ctx, &c, &o, layout, c.rows);

                assert_int_equal(m.bands, c.bands);
                assert_int_equal(m.components, c.bands);
                expect_statistics(&c, &m, 1, 1e-13);
                if (c.bands < 20 || layout == PENTA_BSQ)
                    expect_eigenvalues(&c, &m, 1e-12);
            }
}

/* More pixels than a tile, a slab of unknown length, and bands beyond a tile's edge. */
DEVICE_TEST(larger_cubes)
{
    const penta_type some[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};
    penta_pca_options o = default_pca_options();

    for (size_t t = 0; t < COUNT(some); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(67, 150, 101, some[t], t);
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);

        expect_statistics(&c, &m, 1, 1e-13);
    }
}

DEVICE_TEST(ddof)
{
    for (int ddof = 0; ddof <= 20; ddof += 10) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(5, 4, 9, PENTA_U16, 3);
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        o.ddof = ddof;
        m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
        expect_statistics(&c, &m, ddof, 1e-13);
    }
}

/* Whatever the pieces and the layout: the same bits. */
DEVICE_TEST(pieces)
{
    const size_t pieces[] = {1, 2, 7, 50};

    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (int mnf = 0; mnf < 2; mnf++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(11, 97, 53, pixel_types[t], 4);
            penta_pca_options o = default_pca_options();
            HELD_BY(penta_pca_model_free) penta_pca_model whole;

            if (t % 2)
                mask_pca_cube(&c);
            o.kind = mnf;
            whole = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
            for (size_t i = 0; i < COUNT(pieces); i++) {
                HELD_BY(penta_pca_model_free)
                penta_pca_model m = model_of_pca_cube(ctx, &c, &o, (int)(i % 3), pieces[i]);

                assert_memory_equal(m.mean, whole.mean, c.bands * sizeof(double));
                assert_memory_equal(m.covariance, whole.covariance, c.bands * c.bands * sizeof(double));
                assert_memory_equal(m.eigenvalues, whole.eigenvalues, c.bands * sizeof(double));
                assert_memory_equal(m.forward, whole.forward, c.bands * c.bands * sizeof(double));
            }
        }
}

/* How many pixels were announced has no part in integers' covariance. */
DEVICE_TEST(unknown_length)
{
    const size_t announced[] = {0, 1, 100000};
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(6, 31, 47, PENTA_U16, 4);

    for (size_t i = 0; i < COUNT(announced); i++) {
        HELD_BY(penta_pca_held) penta_pca *plan = NULL;
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        EXPECT_OK(ctx, penta_pca_create(ctx, c.bands, announced[i], NULL, &plan));
        add_pca_cube(ctx, plan, &c, PENTA_BIP, 5);
        EXPECT_OK(ctx, penta_pca_solve(plan, &m));
        expect_statistics(&c, &m, 1, 1e-13);
    }
}

DEVICE_TEST(masks)
{
    penta_pca_options o = default_pca_options();

    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (int layout = PENTA_BSQ; layout <= PENTA_BIP; layout++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(9, 23, 31, pixel_types[t], 5);
            HELD_BY(penta_pca_model_free) penta_pca_model m;

            mask_pca_cube(&c);
            m = model_of_pca_cube(ctx, &c, &o, layout, 6);
            expect_statistics(&c, &m, 1, 1e-13);
            expect_eigenvalues(&c, &m, 1e-12);
        }
}

/* A pixel with the value in any band is left out, in no band of the others; a mask may leave out more. */
DEVICE_TEST(no_data)
{
    const struct {
        penta_type type;
        const char *text;
        double value;
    } cases[] = {{PENTA_U8, "0", 0},          {PENTA_U16, "65535", 65535}, {PENTA_I16, "-9999", -9999},
                 {PENTA_F32, "-9999", -9999}, {PENTA_F32, "nan", NAN},     {PENTA_F64, "1e30", 1e30},
                 {PENTA_F64, "nan", NAN},     {PENTA_I32, "-1", -1}};

    for (size_t t = 0; t < COUNT(cases); t++)
        for (int masked = 0; masked < 2; masked++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(6, 19, 37, cases[t].type, 6);
            penta_pca_options o = default_pca_options();
            HELD_BY(penta_pca_model_free) penta_pca_model m;
            HELD uint8_t *given = NULL;

            for (size_t i = 0; i < c.bands * c.pixels; i++)
                if (fabs(c.x[i] - cases[t].value) <= 0)
                    c.x[i] += cases[t].value > 0 ? -1 : 1;
            mask_pca_cube(&c);
            if (!masked)
                memset(c.mask, 1, c.pixels);
            given = c.mask;
            c.mask = must_calloc(c.pixels, 1);
            memcpy(c.mask, given, c.pixels);
            for (size_t i = 0; i < 40; i++) {
                size_t p = (size_t)(random_uniform() * (double)c.pixels);

                c.x[i % c.bands * c.pixels + p] = cases[t].value;
                c.mask[p] = 0;
            }
            o.no_data = cases[t].text;
            {
                pca_cube seen = c; /* what the library is given: the mask without the pixels of no data */

                seen.mask = masked ? given : NULL;
                m = model_of_pca_cube(ctx, &seen, &o, (int)(t % 3), 4);
            }
            for (size_t p = 0; p < c.pixels; p++) /* NaN times 0 is not left out in the reference */
                for (size_t i = 0; !c.mask[p] && i < c.bands; i++)
                    c.x[i * c.pixels + p] = 0;
            expect_statistics(&c, &m, 1, 1e-13);
        }
}

DEVICE_TEST(single_precision)
{
    penta_pca_options o = default_pca_options();

    o.precision = PENTA_PRECISION_SINGLE;
    for (size_t t = 0; t < COUNT(pixel_types); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(24, 61, 83, pixel_types[t], 7);
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, 20);

        expect_statistics(&c, &m, 1, 1e-6);
        expect_eigenvalues(&c, &m, 1e-5);
    }
}

/* Every way to the covariance. */
DEVICE_TEST(ways)
{
    static const char *const names[] = {"triangle", "triangle", "syrk", "gemm", "splitk", "square", "volkov"};

    for (int cov = PENTA_PCA_COV_AUTO; cov <= PENTA_PCA_COV_VOLKOV; cov++)
        for (int masked = 0; masked < 2; masked++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(37, 53, 41, masked ? PENTA_U16 : PENTA_F64, 8);
            penta_pca_options o = default_pca_options();
            HELD_BY(penta_pca_model_free) penta_pca_model m;
            penta_pca *plan;

            if (masked)
                mask_pca_cube(&c);
            o.cov = cov;
            plan = plan_of_pca_cube(ctx, &c, &o);
            assert_string_equal(penta_pca_cov_name(plan), names[cov]);
            add_pca_cube(ctx, plan, &c, PENTA_BIL, 10);
            EXPECT_OK(ctx, penta_pca_solve(plan, &m));
            penta_pca_destroy(plan);
            expect_statistics(&c, &m, 1, 1e-13);
        }
}

DEVICE_TEST(more_rows)
{
    pca_cube c = make_pca_cube(5, 40, 30, PENTA_F32, 17), half = c;
    penta_pca_options o = default_pca_options();
    penta_pca *plan = plan_of_pca_cube(ctx, &c, &o);
    penta_cube_rows upper = rows_of_pca_cube(&c, PENTA_BIP, 0, 20), lower = rows_of_pca_cube(&c, PENTA_BIP, 20, 20);
    penta_pca_model m, whole;

    EXPECT_OK(ctx, penta_pca_add(plan, &upper));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    half.x = must_calloc(5 * 600, sizeof *half.x);
    half.rows = 20;
    half.pixels = 600;
    for (size_t i = 0; i < 3000; i++)
        half.x[i] = c.x[i / 600 * 1200 + i % 600];
    expect_statistics(&half, &m, 1, 1e-13);
    penta_pca_model_free(&m);
    EXPECT_OK(ctx, penta_pca_add(plan, &lower));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    expect_statistics(&c, &m, 1, 1e-13);
    whole = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
    assert_memory_equal(m.covariance, whole.covariance, 25 * sizeof(double)); /* a look between changes no bit */
    penta_pca_model_free(&m);
    penta_pca_model_free(&whole);
    penta_pca_reset(plan);
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    EXPECT_OK(ctx, penta_pca_add(plan, &upper));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    expect_statistics(&half, &m, 1, 1e-13);
    penta_pca_model_free(&m);
    penta_pca_destroy(plan);
    free((void *)upper.data);
    free((void *)lower.data);
    free(half.x);
    free_pca_cube(&c);
}

ON_DEVICE;
AS_ON_A_GPU;
