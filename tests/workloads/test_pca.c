/* Cubes through the whole chain (statistics, model, scores and back) against the reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/pca.h>

#include "reference/pca.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/random.h"

static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_I16, PENTA_I32, PENTA_U32, PENTA_F32, PENTA_F64};

/* ---- cubes ---- */

typedef struct {
    size_t bands, rows, cols, pixels;
    penta_type type;
    double *x;     /* bands x pixels, exact in type */
    uint8_t *mask; /* pixels, or NULL */
} cube;

/* To the numbers that the type has. */
static double in_type(penta_type type, double v)
{
    static const double least[] = {0, 0, 0, 0, 0, -2147483648.0, -32768, 0};
    static const double largest[] = {255, 65535, 0, 0, 0, 2147483647, 32767, 4294967295.0};

    if (type == PENTA_F64)
        return v;
    if (type == PENTA_F32)
        return (float)v;
    return fmin(fmax(round(v), least[type]), largest[type]);
}

/* Three smooth spectra mixed by abundances that drift along the rows, and noise. */
static cube make_cube(size_t bands, size_t rows, size_t cols, penta_type type, uint64_t seed)
{
    static const double scale[] = {80, 20000, 3, 5, 0, 5e8, 9000, 1e9},
                        offset[] = {90, 25000, 1e3, -7, 0, -3e8, -800, 2e9};
    cube c = {bands, rows, cols, rows * cols, type, NULL, NULL};

    c.x = must_calloc(bands * c.pixels, sizeof *c.x);
    random_seed(seed);
    for (size_t p = 0; p < c.pixels; p++) {
        double a[3];

        for (size_t k = 0; k < 3; k++)
            a[k] = random_uniform() + 0.3 * sin(0.1 * (double)p * (double)(k + 1));
        for (size_t i = 0; i < bands; i++) {
            double v = 0.03 * random_normal();

            for (size_t k = 0; k < 3; k++)
                v += a[k] * sin(0.7 * (double)(i + 1) * (double)(k + 1));
            c.x[i * c.pixels + p] = in_type(type, offset[type] + scale[type] * v);
        }
    }
    return c;
}

/* About a quarter of the pixels is left out. */
static void add_mask(cube *c)
{
    c->mask = must_calloc(c->pixels, 1);
    for (size_t p = 0; p < c->pixels; p++)
        c->mask[p] = random_uniform() < 0.75;
}

static void free_cube(cube *c)
{
    free(c->x);
    free(c->mask);
}

static void store(penta_type type, void *out, size_t i, double v)
{
    switch (type) {
    case PENTA_U8:
        ((uint8_t *)out)[i] = (uint8_t)v;
        break;
    case PENTA_U16:
        ((uint16_t *)out)[i] = (uint16_t)v;
        break;
    case PENTA_I16:
        ((int16_t *)out)[i] = (int16_t)v;
        break;
    case PENTA_I32:
        ((int32_t *)out)[i] = (int32_t)v;
        break;
    case PENTA_U32:
        ((uint32_t *)out)[i] = (uint32_t)v;
        break;
    case PENTA_F32:
        ((float *)out)[i] = (float)v;
        break;
    default:
        ((double *)out)[i] = v;
        break;
    }
}

/* Rows first .. first + count - 1 as they would lie in a file; free(rows.data). */
static penta_cube_rows lay_out(const cube *c, int layout, size_t first, size_t count)
{
    size_t pixels = count * c->cols;
    void *data = must_calloc(c->bands * pixels, penta_type_size(c->type));

    for (size_t i = 0; i < c->bands; i++)
        for (size_t p = 0; p < pixels; p++) {
            size_t row = p / c->cols, col = p % c->cols, at = i * pixels + p;

            if (layout == PENTA_BIL)
                at = (row * c->bands + i) * c->cols + col;
            if (layout == PENTA_BIP)
                at = p * c->bands + i;
            store(c->type, data, at, c->x[i * c->pixels + first * c->cols + p]);
        }
    return (penta_cube_rows){.rows = count,
                             .cols = c->cols,
                             .layout = layout,
                             .type = c->type,
                             .data = data,
                             .mask = c->mask ? c->mask + first * c->cols : NULL};
}

/* ---- plans ---- */

static penta_pca_options options(void)
{
    penta_pca_options o;

    penta_options_init(penta_pca_option_table, &o);
    return o;
}

static penta_pca *plan_of(penta_context *ctx, const cube *c, const penta_pca_options *o)
{
    penta_pca *plan = NULL;

    EXPECT_OK(ctx, penta_pca_create(ctx, c->bands, c->pixels, o, &plan));
    return plan;
}

static void add(penta_context *ctx, penta_pca *plan, const cube *c, int layout, size_t piece)
{
    for (size_t row = 0; row < c->rows; row += piece) {
        penta_cube_rows rows = lay_out(c, layout, row, piece < c->rows - row ? piece : c->rows - row);

        EXPECT_OK(ctx, penta_pca_add(plan, &rows));
        free((void *)rows.data);
    }
}

/* piece: rows a call. */
static penta_pca_model model_of(penta_context *ctx, const cube *c, const penta_pca_options *o, int layout, size_t piece)
{
    penta_pca *plan = plan_of(ctx, c, o);
    penta_pca_model m;

    add(ctx, plan, c, layout, piece);
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    penta_pca_destroy(plan);
    return m;
}

/* matrix (x - before) + after of the cube, outs x pixels; stretched to [low, high] where these differ. */
static void map_cube(penta_context *ctx, const cube *c, const penta_affine *a, int precision, int layout, size_t piece,
                     penta_map_format format, void *out)
{
    penta_map *map = NULL;

    EXPECT_OK(ctx, penta_map_create(ctx, a, precision, NULL, &map));
    assert_true(penta_map_room(map) >= c->pixels);
    for (size_t row = 0; row < c->rows; row += piece) {
        penta_cube_rows rows = lay_out(c, layout, row, piece < c->rows - row ? piece : c->rows - row);

        EXPECT_OK(ctx, penta_map_add(map, &rows));
        free((void *)rows.data);
    }
    EXPECT_OK(ctx, penta_map_take(map, &format, out, c->pixels));
    penta_map_destroy(map);
}

/* ---- statistics ---- */

static void expect_statistics(const cube *c, const penta_pca_model *m, int ddof, double tolerance)
{
    size_t n = c->bands;
    double *mean = must_calloc(n, sizeof *mean), *covariance = must_calloc(n * n, sizeof *covariance);
    bool exact = c->type == PENTA_U8 || c->type == PENTA_U16 || c->type == PENTA_I16;
    uint64_t pixels = exact ? reference_pca_exact(n, c->pixels, c->x, c->mask, ddof, mean, covariance)
                            : reference_pca_covariance(n, c->pixels, c->x, c->mask, ddof, mean, covariance);

    assert_int_equal(m->pixels, pixels);
    assert_int_equal(m->ddof, ddof);
    for (size_t i = 0; i < n; i++) {
        double deviation = sqrt(covariance[i * (n + 1)]);

        expect_near(m->mean[i], mean[i], exact ? 0 : tolerance * (deviation + fabs(mean[i])));
        expect_near(m->deviation[i], deviation, tolerance * deviation);
        for (size_t j = 0; j < n; j++)
            expect_near(m->covariance[i * n + j], covariance[i * n + j],
                        exact ? 0 : tolerance * deviation * sqrt(covariance[j * (n + 1)]));
    }
    free(mean);
    free(covariance);
}

/* Of the reference's covariance; tolerance: of the largest. */
static void expect_eigenvalues(const cube *c, const penta_pca_model *m, double tolerance)
{
    size_t n = c->bands;
    double *mean = must_calloc(n, sizeof *mean), *covariance = must_calloc(n * n, sizeof *covariance);
    double *values = must_calloc(n, sizeof *values), *vectors = must_calloc(n * n, sizeof *vectors), total = 0,
           share = 0;

    reference_pca_covariance(n, c->pixels, c->x, c->mask, m->ddof, mean, covariance);
    reference_pca_eigen(n, covariance, values, vectors);
    for (size_t k = 0; k < n; k++) {
        expect_near(m->eigenvalues[k], values[k], tolerance * values[0]);
        total += values[k];
    }
    for (size_t k = 0; k < n; k++) {
        expect_near(m->percent[k], 100 * values[k] / total, 200 * (double)n * tolerance);
        share += m->percent[k];
    }
    expect_near(share, 100, 1e-10);
    for (size_t k = 0; k < 3 && k < m->components; k++) { /* of the spectra: their gaps are wide */
        double gap = k ? fmin(values[k - 1] - values[k], k + 1 < n ? values[k] - values[k + 1] : values[k]) : values[0];

        if (k == 0 && n > 1)
            gap = values[0] - values[1];
        for (size_t i = 0; i < n; i++)
            expect_near(m->loadings[k * n + i], vectors[k * n + i], 4 * (double)n * tolerance * values[0] / gap);
    }
    free(mean);
    free(covariance);
    free(values);
    free(vectors);
}

static void test_types_and_layouts(void **state)
{
    const struct {
        size_t bands, rows, cols;
    } sizes[] = {{1, 1, 2}, {2, 5, 1}, {3, 7, 11}, {17, 1, 301}, {40, 37, 29}};
    penta_pca_options o = options();

    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t t = 0; t < COUNT(types); t++)
            for (int layout = PENTA_BSQ; layout <= PENTA_BIP; layout++) {
                cube c = make_cube(sizes[s].bands, sizes[s].rows, sizes[s].cols, types[t], s);
                penta_pca_model m = model_of(*state, &c, &o, layout, c.rows);

                assert_int_equal(m.bands, c.bands);
                assert_int_equal(m.components, c.bands);
                expect_statistics(&c, &m, 1, 1e-13);
                if (c.bands < 20 || layout == PENTA_BSQ)
                    expect_eigenvalues(&c, &m, 1e-12);
                penta_pca_model_free(&m);
                free_cube(&c);
            }
}

/* More pixels than a tile, a slab of unknown length, and bands beyond a tile's edge. */
static void test_larger_cubes(void **state)
{
    const penta_type some[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};
    penta_pca_options o = options();

    for (size_t t = 0; t < COUNT(some); t++) {
        cube c = make_cube(67, 150, 101, some[t], t);
        penta_pca_model m = model_of(*state, &c, &o, PENTA_BSQ, c.rows);

        expect_statistics(&c, &m, 1, 1e-13);
        penta_pca_model_free(&m);
        free_cube(&c);
    }
}

static void test_ddof(void **state)
{
    for (int ddof = 0; ddof <= 20; ddof += 10) {
        cube c = make_cube(5, 4, 9, PENTA_U16, 3);
        penta_pca_options o = options();
        penta_pca_model m;

        o.ddof = ddof;
        m = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
        expect_statistics(&c, &m, ddof, 1e-13);
        penta_pca_model_free(&m);
        free_cube(&c);
    }
}

/* Whatever the pieces and the layout: the same bits. */
static void test_pieces(void **state)
{
    const size_t pieces[] = {1, 2, 7, 50};

    for (size_t t = 0; t < COUNT(types); t++)
        for (int mnf = 0; mnf < 2; mnf++) {
            cube c = make_cube(11, 97, 53, types[t], 4);
            penta_pca_options o = options();
            penta_pca_model whole;

            if (t % 2)
                add_mask(&c);
            o.kind = mnf;
            whole = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
            for (size_t i = 0; i < COUNT(pieces); i++) {
                penta_pca_model m = model_of(*state, &c, &o, (int)(i % 3), pieces[i]);

                assert_memory_equal(m.mean, whole.mean, c.bands * sizeof(double));
                assert_memory_equal(m.covariance, whole.covariance, c.bands * c.bands * sizeof(double));
                assert_memory_equal(m.eigenvalues, whole.eigenvalues, c.bands * sizeof(double));
                assert_memory_equal(m.forward, whole.forward, c.bands * c.bands * sizeof(double));
                penta_pca_model_free(&m);
            }
            penta_pca_model_free(&whole);
            free_cube(&c);
        }
}

/* How many pixels were announced has no part in integers' covariance. */
static void test_unknown_length(void **state)
{
    const size_t announced[] = {0, 1, 100000};
    cube c = make_cube(6, 31, 47, PENTA_U16, 4);

    for (size_t i = 0; i < COUNT(announced); i++) {
        penta_pca *plan = NULL;
        penta_pca_model m;

        EXPECT_OK(*state, penta_pca_create(*state, c.bands, announced[i], NULL, &plan));
        add(*state, plan, &c, PENTA_BIP, 5);
        EXPECT_OK(*state, penta_pca_solve(plan, &m));
        expect_statistics(&c, &m, 1, 1e-13);
        penta_pca_model_free(&m);
        penta_pca_destroy(plan);
    }
    free_cube(&c);
}

static void test_masks(void **state)
{
    penta_pca_options o = options();

    for (size_t t = 0; t < COUNT(types); t++)
        for (int layout = PENTA_BSQ; layout <= PENTA_BIP; layout++) {
            cube c = make_cube(9, 23, 31, types[t], 5);
            penta_pca_model m;

            add_mask(&c);
            m = model_of(*state, &c, &o, layout, 6);
            expect_statistics(&c, &m, 1, 1e-13);
            expect_eigenvalues(&c, &m, 1e-12);
            penta_pca_model_free(&m);
            free_cube(&c);
        }
}

/* A pixel with the value in any band is left out, in no band of the others; a mask may leave out more. */
static void test_no_data(void **state)
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
            cube c = make_cube(6, 19, 37, cases[t].type, 6);
            penta_pca_options o = options();
            penta_pca_model m;
            uint8_t *given;

            for (size_t i = 0; i < c.bands * c.pixels; i++)
                if (fabs(c.x[i] - cases[t].value) <= 0)
                    c.x[i] += cases[t].value > 0 ? -1 : 1;
            add_mask(&c);
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
                cube seen = c; /* what the library is given: the mask without the pixels of no data */

                seen.mask = masked ? given : NULL;
                m = model_of(*state, &seen, &o, (int)(t % 3), 4);
            }
            for (size_t p = 0; p < c.pixels; p++) /* NaN times 0 is not left out in the reference */
                for (size_t i = 0; !c.mask[p] && i < c.bands; i++)
                    c.x[i * c.pixels + p] = 0;
            expect_statistics(&c, &m, 1, 1e-13);
            penta_pca_model_free(&m);
            free(given);
            free_cube(&c);
        }
}

static void test_single_precision(void **state)
{
    penta_pca_options o = options();

    o.precision = PENTA_PRECISION_SINGLE;
    for (size_t t = 0; t < COUNT(types); t++) {
        cube c = make_cube(24, 61, 83, types[t], 7);
        penta_pca_model m = model_of(*state, &c, &o, PENTA_BSQ, 20);

        expect_statistics(&c, &m, 1, 1e-6);
        expect_eigenvalues(&c, &m, 1e-5);
        penta_pca_model_free(&m);
        free_cube(&c);
    }
}

/* Every way to the covariance. */
static void test_ways(void **state)
{
    static const char *const names[] = {"triangle", "triangle", "syrk", "gemm", "splitk", "square", "volkov"};

    for (int cov = PENTA_PCA_COV_AUTO; cov <= PENTA_PCA_COV_VOLKOV; cov++)
        for (int masked = 0; masked < 2; masked++) {
            cube c = make_cube(37, 53, 41, masked ? PENTA_U16 : PENTA_F64, 8);
            penta_pca_options o = options();
            penta_pca_model m;
            penta_pca *plan;

            if (masked)
                add_mask(&c);
            o.cov = cov;
            plan = plan_of(*state, &c, &o);
            assert_string_equal(penta_pca_cov_name(plan), names[cov]);
            add(*state, plan, &c, PENTA_BIL, 10);
            EXPECT_OK(*state, penta_pca_solve(plan, &m));
            penta_pca_destroy(plan);
            expect_statistics(&c, &m, 1, 1e-13);
            penta_pca_model_free(&m);
            free_cube(&c);
        }
}

/* ---- numbers that cancel ---- */

/* x = sqrt(c) t + u, y = sqrt(c) t + v in floats: the small component lies along [1, -1]. */
static void test_common_signal(void **state)
{
    const double cs[] = {0, 1e3, 1e4, 1e5};

    for (size_t t = 0; t < COUNT(cs); t++) {
        cube c = {2, 100, 200, 20000, PENTA_F32, NULL, NULL};
        penta_pca_options o = options();
        penta_pca_model m;

        c.x = must_calloc(2 * c.pixels, sizeof *c.x);
        random_seed(t);
        for (size_t p = 0; p < c.pixels; p += 4) {
            double s = sqrt(cs[t]) * random_normal(), u = random_normal(), v = random_normal();

            for (size_t k = 0; k < 4; k++) { /* u and v in all four signs: uncorrelated to the last bit */
                c.x[p + k] = (float)(s + (k & 1 ? u : -u));
                c.x[c.pixels + p + k] = (float)(s + (k & 2 ? v : -v));
            }
        }
        m = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
        expect_statistics(&c, &m, 1, 1e-13);
        expect_near(m.eigenvalues[1], 1, 0.05);
        if (cs[t] > 0)
            expect_near(m.loadings[2] * m.loadings[3], -0.5, 1e-3);
        penta_pca_model_free(&m);
        free_cube(&c);
    }
}

/* Deviations of 1e-10 and 1e-11 of the mean. */
static void test_large_means(void **state)
{
    cube c = {2, 1000, 1000, 1000000, PENTA_F64, NULL, NULL};
    penta_pca_options o = options();
    double mean[2], covariance[4];
    penta_pca_model m;

    c.x = must_calloc(2 * c.pixels, sizeof *c.x);
    random_seed(1);
    for (size_t p = 0; p < c.pixels; p++) {
        c.x[p] = 1e5 + 9e-6 * random_normal();
        c.x[c.pixels + p] = 2e5 + 2e-6 * random_normal();
    }
    reference_pca_covariance(2, c.pixels, c.x, NULL, 1, mean, covariance);
    m = model_of(*state, &c, &o, PENTA_BSQ, 100);
    for (size_t i = 0; i < 2; i++) {
        expect_near(m.covariance[3 * i] / covariance[3 * i], 1, 1e-9);
        expect_near(m.mean[i], mean[i], 3e-11);
    }
    expect_near(sqrt(m.covariance[0]), 9e-6, 5e-8);
    expect_near(sqrt(m.covariance[3]), 2e-6, 2e-8);
    penta_pca_model_free(&m);
    free_cube(&c);
}

/* + constant: nothing but the mean. */
static void test_offset(void **state)
{
    penta_pca_options o = options();
    cube c = make_cube(8, 30, 40, PENTA_U16, 9);
    penta_pca_model a, b;

    for (size_t i = 0; i < c.bands * c.pixels; i++)
        c.x[i] = fmin(c.x[i], 60000);
    a = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
    for (size_t i = 0; i < c.bands * c.pixels; i++)
        c.x[i] += 5000;
    b = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
    assert_memory_equal(a.covariance, b.covariance, c.bands * c.bands * sizeof(double));
    assert_memory_equal(a.loadings, b.loadings, c.bands * c.bands * sizeof(double));
    for (size_t i = 0; i < c.bands; i++)
        expect_near(b.mean[i], a.mean[i] + 5000, 1e-11);
    penta_pca_model_free(&b);
    c.type = PENTA_F64;
    for (size_t i = 0; i < c.bands * c.pixels; i++)
        c.x[i] += 1e9;
    b = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
    for (size_t i = 0; i < c.bands; i++)
        expect_near(b.eigenvalues[i], a.eigenvalues[i], 1e-12 * a.eigenvalues[0]);
    penta_pca_model_free(&a);
    penta_pca_model_free(&b);
    free_cube(&c);
}

/* Pixels in another order: the same; bands in another order: the same in that order. */
static void test_orders(void **state)
{
    for (size_t t = 0; t < COUNT(types); t++) {
        penta_pca_options o = options();
        cube c = make_cube(7, 29, 31, types[t], 10), pixels = c, bands = c;
        penta_pca_model a, b, d;

        pixels.x = must_calloc(c.bands * c.pixels, sizeof *c.x);
        bands.x = must_calloc(c.bands * c.pixels, sizeof *c.x);
        for (size_t i = 0; i < c.bands; i++)
            for (size_t p = 0; p < c.pixels; p++) {
                pixels.x[i * c.pixels + p] = c.x[i * c.pixels + p * 101 % c.pixels];
                bands.x[i * c.pixels + p] = c.x[i * 3 % 7 * c.pixels + p];
            }
        a = model_of(*state, &c, &o, PENTA_BSQ, 5);
        b = model_of(*state, &pixels, &o, PENTA_BSQ, 5);
        d = model_of(*state, &bands, &o, PENTA_BSQ, 5);
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
        free_cube(&c);
    }
}

static void test_iris(void **state)
{
    const double want[] = {.92461872, .97768521, .99478782, 1};
    penta_cube_rows rows = {.rows = 15, .cols = 10, .type = PENTA_U8, .data = reference_pca_iris};
    penta_pca *plan = NULL;
    penta_pca_model m;
    double share = 0;

    EXPECT_OK(*state, penta_pca_create(*state, 4, 150, NULL, &plan));
    EXPECT_OK(*state, penta_pca_add(plan, &rows));
    EXPECT_OK(*state, penta_pca_solve(plan, &m));
    for (size_t k = 0; k < 4; k++)
        expect_near(share += m.percent[k] / 100, want[k], 5.1e-9);
    penta_pca_model_free(&m);
    penta_pca_destroy(plan);
}

/* ---- scores and back ---- */

static penta_affine forward_of(const penta_pca_model *m)
{
    return (penta_affine){m->bands, m->components, m->forward, m->mean, NULL};
}

static penta_affine inverse_of(const penta_pca_model *m)
{
    return (penta_affine){m->components, m->bands, m->inverse, NULL, m->mean};
}

static void test_scores(void **state)
{
    for (size_t t = 0; t < COUNT(types); t++)
        for (int precision = PENTA_PRECISION_SINGLE; precision <= PENTA_PRECISION_DOUBLE; precision++) {
            cube c = make_cube(13, 41, 37, types[t], 11);
            penta_pca_options o = options();
            penta_pca_model m;
            double *got = must_calloc(13 * c.pixels, sizeof *got), *want = must_calloc(13 * c.pixels, sizeof *got);
            double tolerance = precision == PENTA_PRECISION_DOUBLE ? 1e-12 : 2e-6, size = 0;
            penta_affine a;

            add_mask(&c);
            o.components = t % 2 ? 4 : 13;
            m = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
            a = forward_of(&m);
            for (size_t i = 0; i < c.bands; i++)
                size = fmax(size, fabs(m.mean[i]) + 5 * m.deviation[i]);
            map_cube(*state, &c, &a, precision, (int)(t % 3), 9, (penta_map_format){.type = PENTA_F64, .fill = -1.5},
                     got);
            reference_pca_map(a.ins, a.outs, c.pixels, a.matrix, a.before, NULL, c.x, want);
            for (size_t i = 0; i < a.outs * c.pixels; i++)
                expect_near(got[i], c.mask[i % c.pixels] ? want[i] : -1.5, c.mask[i % c.pixels] ? tolerance * size : 0);
            penta_pca_model_free(&m);
            free(got);
            free(want);
            free_cube(&c);
        }
}

/* The variance of scores is the eigenvalue, or 1 where they are whitened, and they are uncorrelated. */
static void test_variances(void **state)
{
    for (int way = 0; way < 8; way++) {
        cube c = make_cube(9, 40, 50, PENTA_F64, 12), scores = {9, 40, 50, 2000, PENTA_F64, NULL, NULL};
        penta_pca_options o = options(), plain = options();
        penta_pca_model m, of_scores;
        penta_affine a;

        o.standardize = (way & 1) && !(way & 4);
        o.whiten = way & 2;
        o.kind = way & 4 ? PENTA_PCA_MNF : PENTA_PCA_COMPONENTS;
        m = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
        a = forward_of(&m);
        scores.x = must_calloc(9 * c.pixels, sizeof *scores.x);
        map_cube(*state, &c, &a, PENTA_PRECISION_DOUBLE, PENTA_BSQ, c.rows, (penta_map_format){.type = PENTA_F64},
                 scores.x);
        of_scores = model_of(*state, &scores, &plain, PENTA_BSQ, c.rows);
        for (size_t i = 0; i < 9; i++) {
            double variance = o.whiten ? 1 : m.eigenvalues[i];

            expect_near(of_scores.covariance[i * 10] / variance, 1, 1e-9);
            expect_near(of_scores.mean[i] / sqrt(variance), 0, 1e-9);
            for (size_t j = 0; j < i; j++)
                expect_near(of_scores.covariance[i * 9 + j] / of_scores.deviation[i] / of_scores.deviation[j], 0, 1e-9);
        }
        penta_pca_model_free(&m);
        penta_pca_model_free(&of_scores);
        free_cube(&c);
        free_cube(&scores);
    }
}

/* All components there and back: the input, of integers to the last bit. */
static void test_there_and_back(void **state)
{
    for (size_t t = 0; t < COUNT(types); t++)
        for (int way = 0; way < 6; way++) {
            cube c = make_cube(12, 33, 21, types[t], 13), scores = c;
            penta_pca_options o = options();
            penta_pca_model m;
            penta_affine there, back;
            double *again = must_calloc(c.bands * c.pixels, sizeof *again);

            o.variance = way == 1 ? 0 : 100;
            o.standardize = way == 2 || way == 3;
            o.whiten = way == 3 || way == 5;
            o.kind = way > 3 ? PENTA_PCA_MNF : PENTA_PCA_COMPONENTS;
            m = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
            assert_int_equal(m.components, c.bands);
            there = forward_of(&m);
            back = inverse_of(&m);
            scores.type = PENTA_F64;
            scores.x = must_calloc(c.bands * c.pixels, sizeof *scores.x);
            map_cube(*state, &c, &there, PENTA_PRECISION_DOUBLE, PENTA_BSQ, c.rows,
                     (penta_map_format){.type = PENTA_F64}, scores.x);
            map_cube(*state, &scores, &back, PENTA_PRECISION_DOUBLE, PENTA_BSQ, c.rows,
                     (penta_map_format){.type = PENTA_F64}, again);
            for (size_t i = 0; i < c.bands * c.pixels; i++) {
                double size = fabs(m.mean[i / c.pixels]) + 5 * m.deviation[i / c.pixels];

                expect_near(again[i], c.x[i], 1e-11 * size);
            }
            penta_pca_model_free(&m);
            free(scores.x);
            free(again);
            free_cube(&c);
        }
}

/* Of k components: the scatter that is lost is that of the others. */
static void test_filtering(void **state)
{
    cube c = make_cube(10, 45, 45, PENTA_F64, 14), scores = c;
    double *again = must_calloc(c.bands * c.pixels, sizeof *again);

    scores.x = must_calloc(c.bands * c.pixels, sizeof *scores.x);
    for (int k = 1; k <= 10; k++) {
        penta_pca_options o = options();
        penta_pca_model m;
        penta_affine there, back;
        double lost = 0, others = 0;

        o.components = k;
        m = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
        there = forward_of(&m);
        back = inverse_of(&m);
        scores.bands = (size_t)k;
        map_cube(*state, &c, &there, PENTA_PRECISION_DOUBLE, PENTA_BIL, 8, (penta_map_format){.type = PENTA_F64},
                 scores.x);
        map_cube(*state, &scores, &back, PENTA_PRECISION_DOUBLE, PENTA_BIP, 8, (penta_map_format){.type = PENTA_F64},
                 again);
        for (size_t i = 0; i < c.bands * c.pixels; i++)
            lost += (again[i] - c.x[i]) * (again[i] - c.x[i]);
        for (size_t i = (size_t)k; i < c.bands; i++)
            others += m.eigenvalues[i] * (double)(c.pixels - 1);
        expect_near(lost, others, 1e-10 * others + 1e-18 * (double)c.pixels * m.eigenvalues[0]);
        penta_pca_model_free(&m);
    }
    free(again);
    free(scores.x);
    free_cube(&c);
}

/* Each component from its own least and largest score to 0 .. 255, rounded to nearest. */
static void test_rescaled(void **state)
{
    cube c = make_cube(6, 50, 60, PENTA_U16, 15);
    penta_pca_options o = options();
    penta_pca_model m = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
    penta_affine a = forward_of(&m);
    uint8_t *got = must_calloc(6 * c.pixels, 1);
    double *scores = must_calloc(6 * c.pixels, sizeof *scores);

    map_cube(*state, &c, &a, PENTA_PRECISION_DOUBLE, PENTA_BSQ, 7,
             (penta_map_format){.type = PENTA_U8, .rescale = true, .low = 0, .high = 255}, got);
    reference_pca_map(6, 6, c.pixels, a.matrix, a.before, NULL, c.x, scores);
    for (size_t k = 0; k < 6; k++) {
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
    penta_pca_model_free(&m);
    free(got);
    free(scores);
    free_cube(&c);
}

/* ---- noise fractions ---- */

static void test_mnf(void **state)
{
    for (size_t t = 0; t < COUNT(types); t++)
        for (int masked = 0; masked < 2; masked++) {
            cube c = make_cube(8, 37, 43, types[t], 16);
            double mean[8], covariance[64], noise[64], values[8], vectors[64], orthogonality, residual;
            penta_pca_options o = options();
            penta_pca_model m;

            if (masked)
                add_mask(&c);
            o.kind = PENTA_PCA_MNF;
            m = model_of(*state, &c, &o, (int)(t % 3), 5);
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
            penta_pca_model_free(&m);
            free_cube(&c);
        }
}

/* ---- plans that live on ---- */

static void test_more_rows(void **state)
{
    cube c = make_cube(5, 40, 30, PENTA_F32, 17), half = c;
    penta_pca_options o = options();
    penta_pca *plan = plan_of(*state, &c, &o);
    penta_cube_rows upper = lay_out(&c, PENTA_BIP, 0, 20), lower = lay_out(&c, PENTA_BIP, 20, 20);
    penta_pca_model m, whole;

    EXPECT_OK(*state, penta_pca_add(plan, &upper));
    EXPECT_OK(*state, penta_pca_solve(plan, &m));
    half.x = must_calloc(5 * 600, sizeof *half.x);
    half.rows = 20;
    half.pixels = 600;
    for (size_t i = 0; i < 3000; i++)
        half.x[i] = c.x[i / 600 * 1200 + i % 600];
    expect_statistics(&half, &m, 1, 1e-13);
    penta_pca_model_free(&m);
    EXPECT_OK(*state, penta_pca_add(plan, &lower));
    EXPECT_OK(*state, penta_pca_solve(plan, &m));
    expect_statistics(&c, &m, 1, 1e-13);
    whole = model_of(*state, &c, &o, PENTA_BSQ, c.rows);
    assert_memory_equal(m.covariance, whole.covariance, 25 * sizeof(double)); /* a look between changes no bit */
    penta_pca_model_free(&m);
    penta_pca_model_free(&whole);
    penta_pca_reset(plan);
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    EXPECT_OK(*state, penta_pca_add(plan, &upper));
    EXPECT_OK(*state, penta_pca_solve(plan, &m));
    expect_statistics(&half, &m, 1, 1e-13);
    penta_pca_model_free(&m);
    penta_pca_destroy(plan);
    free((void *)upper.data);
    free((void *)lower.data);
    free(half.x);
    free_cube(&c);
}

/* ---- bad input ---- */

/* What solve says of the cube. */
static void expect_unsolved(penta_context *ctx, const cube *c, const penta_pca_options *o, const char *text)
{
    penta_pca *plan = plan_of(ctx, c, o);
    penta_pca_model m;

    memset(&m, 1, sizeof m);
    add(ctx, plan, c, PENTA_BSQ, c->rows);
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    expect_text(penta_last_error(ctx), text);
    assert_null(m.mean);
    assert_null(m.inverse);
    penta_pca_destroy(plan);
}

static void test_too_few_pixels(void **state)
{
    cube c = make_cube(3, 2, 4, PENTA_F32, 18), one = make_cube(3, 1, 1, PENTA_U8, 19);
    penta_pca_options o = options();

    add_mask(&c);
    memset(c.mask, 0, c.pixels);
    expect_unsolved(*state, &c, &o, "there are 0");
    c.mask[5] = 1;
    expect_unsolved(*state, &c, &o, "there is 1");
    expect_unsolved(*state, &one, &o, "there is 1");
    memset(c.mask, 1, c.pixels);
    o.ddof = 8;
    expect_unsolved(*state, &c, &o, "8 valid pixels");
    free_cube(&c);
    free_cube(&one);
}

static void test_constant_bands(void **state)
{
    const double values[] = {7, 60000, -300, -2000000011.0, 4000000001.0, 0.1, 123456.789};

    for (size_t t = 0; t < COUNT(types); t++) {
        cube c = make_cube(4, 30, 50, types[t], 20);
        penta_pca_options o = options();
        penta_pca_model m;

        for (size_t p = 0; p < c.pixels; p++)
            c.x[2 * c.pixels + p] = in_type(types[t], values[t]);
        m = model_of(*state, &c, &o, PENTA_BSQ, c.rows); /* fine as it is */
        expect_near(m.eigenvalues[3], 0, 1e-15 * m.eigenvalues[0]);
        penta_pca_model_free(&m);
        o.standardize = true;
        expect_unsolved(*state, &c, &o, "band 3 is constant");
        o.standardize = false;
        o.kind = PENTA_PCA_MNF;
        expect_unsolved(*state, &c, &o, "band 3");
        free_cube(&c);
    }
}

/* NaN and infinities: named where they count, nothing where they do not. */
static void test_not_finite(void **state)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};

    for (size_t t = 0; t < COUNT(bad); t++)
        for (int type = PENTA_F32; type <= PENTA_F64; type++) {
            cube c = make_cube(3, 6, 7, (penta_type)type, 21);
            penta_pca_options o = options();
            penta_pca *plan = plan_of(*state, &c, &o);
            penta_cube_rows rows;
            penta_pca_model m = {0};
            penta_status status;

            c.x[1 * c.pixels + 4 * 7 + 2] = bad[t];
            rows = lay_out(&c, PENTA_BIL, 0, c.rows);
            status = penta_pca_add(plan, &rows);
            if (status == PENTA_OK) /* it may be seen as late as that */
                status = penta_pca_solve(plan, &m);
            assert_int_equal(status, PENTA_INVALID);
            expect_text(penta_last_error(*state), "band 2");
            penta_pca_destroy(plan);
            free((void *)rows.data);
            add_mask(&c);
            memset(c.mask, 1, c.pixels);
            c.mask[4 * 7 + 2] = 0;
            m = model_of(*state, &c, &o, PENTA_BIL, 2);
            c.x[1 * c.pixels + 4 * 7 + 2] = 0;
            expect_statistics(&c, &m, 1, 1e-13);
            penta_pca_model_free(&m);
            free_cube(&c);
        }
}

static void test_bad_options(void **state)
{
    penta_pca_options o = options();
    penta_pca *plan = NULL;

    o.components = 4;
    assert_int_equal(penta_pca_create(*state, 3, 10, &o, &plan), PENTA_INVALID);
    assert_null(plan);
    o.components = 2;
    o.variance = 50;
    assert_int_equal(penta_pca_create(*state, 3, 10, &o, &plan), PENTA_INVALID);
    o = options();
    assert_int_equal(penta_pca_create(*state, 0, 10, &o, &plan), PENTA_INVALID);
    assert_int_equal(penta_pca_create(*state, 4097, 10, &o, &plan), PENTA_INVALID);
    o.no_data = "seven";
    assert_int_equal(penta_pca_create(*state, 3, 10, &o, &plan), PENTA_INVALID);
    assert_null(plan);
    penta_pca_destroy(NULL);
}

/* There the group of open_device has tested the forms for GPUs. */
static bool is_gpu(void)
{
    void *ctx = NULL;
    bool gpu = open_gpu_form(&ctx) == 0 && !ctx;

    close_device(&ctx);
    return gpu;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_and_layouts),
        cmocka_unit_test(test_larger_cubes),
        cmocka_unit_test(test_ddof),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_unknown_length),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_no_data),
        cmocka_unit_test(test_single_precision),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_common_signal),
        cmocka_unit_test(test_large_means),
        cmocka_unit_test(test_offset),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_iris),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_variances),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_filtering),
        cmocka_unit_test(test_rescaled),
        cmocka_unit_test(test_mnf),
        cmocka_unit_test(test_more_rows),
        cmocka_unit_test(test_too_few_pixels),
        cmocka_unit_test(test_constant_bands),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_bad_options),
    };

    int failed = cmocka_run_group_tests_name("device", tests, open_device, close_device);

    if (is_gpu())
        return failed;
    return failed + cmocka_run_group_tests_name("forms for GPUs", tests, open_gpu_form, close_device);
}
