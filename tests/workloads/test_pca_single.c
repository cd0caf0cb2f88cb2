/*
 * Devices without double precision: covariances of integers to the bit, of floats in pairs of floats beside a reference
 * in long double, also where numbers cancel, are tiny or huge; noise; pixels that are left out or not finite; what is
 * refused. Maps: test_pca_single_map.c.
 */
#include "support/test.h"

#include <pentacl/options.h>
#include <pentacl/pca.h>

#include "reference/pca.h"
#include "support/numbers.h"
#include "support/pca_cube.h"
#include "support/random.h"

/* What docs/mathematics/pca.md states, relative to the deviations: in pairs of floats, and with `precision` single. */
static const double covariance_bound = 1e-12, single_bound = 1e-6;

/* The context without double precision, from now on. */
static penta_context *single_of(void **state)
{
    penta_context *ctx = device_of(state);

    if (penta_context_device(ctx)->fp64)
        penta_context_without_double(ctx);
    return ctx;
}

/* ---- covariances ---- */

static double worst_covariance; /* of pairs of floats, over all of a group's tests */

/* The largest error of the covariance in deviations. */
static double covariance_error(const pca_cube *c, const penta_pca_model *m)
{
    size_t n = c->bands;
    HELD double *mean = must_calloc(n, sizeof *mean), *covariance = must_calloc(n * n, sizeof *covariance);
    double worst = 0;

    reference_pca_covariance(n, c->pixels, c->x, c->mask, m->ddof, mean, covariance);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double size = sqrt(covariance[i * n + i]) * sqrt(covariance[j * n + j]);

            assert_true(isfinite(m->covariance[i * n + j]));
            worst = fmax(worst, fabs(m->covariance[i * n + j] - covariance[i * n + j]) / size);
        }
    return worst;
}

static void check_covariance(penta_context *ctx, const pca_cube *c, int precision, double bound)
{
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_model_free) penta_pca_model m;
    double error;

    o.precision = precision;
    m = model_of_pca_cube(ctx, c, &o, PENTA_BSQ, c->rows);
    error = covariance_error(c, &m);
    if (precision == PENTA_PRECISION_AUTO)
        worst_covariance = fmax(worst_covariance, error);
    if (error > bound)
        fail_msg("%zu bands, %zu pixels of type %s: the covariance is %.3g off", c->bands, c->pixels,
                 penta_type_name(c->type), error);
}

TEST(types)
{
    penta_context *ctx = single_of(state);

    for (size_t t = 0; t < COUNT(pixel_types); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(37, 40, 61, pixel_types[t], 1 + t);
        penta_pca_options o = default_pca_options();
        penta_pca_model m;

        if (t % 2)
            mask_pca_cube(&c);
        m = model_of_pca_cube(ctx, &c, &o, (int)(t % 3), 7);
        expect_statistics(&c, &m, 1, covariance_bound);
        expect_eigenvalues(&c, &m, covariance_bound);
        penta_pca_model_free(&m);
        check_covariance(ctx, &c, PENTA_PRECISION_AUTO, covariance_bound);
        if (c.type == PENTA_F32)
            check_covariance(ctx, &c, PENTA_PRECISION_SINGLE, single_bound);
    }
}

/* One more or fewer than tiles hold, and numbers at the ends of their range in slabs as large as they become. */
TEST(integers)
{
    static const size_t bands[] = {1, 15, 33, 70};
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_I16};
    penta_context *ctx = single_of(state);

    for (size_t t = 0; t < COUNT(types); t++)
        for (size_t b = 0; b < COUNT(bands); b += stands_in(ctx) ? 3 : 1) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(bands[b], 1, 513 * (b + 1), types[t], b);
            penta_pca_options o = default_pca_options();
            HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_pca_cube(ctx, &c, &o, PENTA_BIP, 1);

            expect_statistics(&c, &m, 1, 0);
        }
}

TEST(full_integers)
{
    static const struct {
        penta_type type;
        double number;
    } ends[] = {{PENTA_U8, 255}, {PENTA_U16, 65535}, {PENTA_I16, -32768}};
    penta_context *ctx = single_of(state);

    for (size_t t = 0; t < COUNT(ends); t++) {
        HELD_BY(free_pca_cube) pca_cube c = {3, 1200, 1000, 1200000, ends[t].type, NULL, NULL};
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        c.x = must_calloc(c.bands * c.pixels, sizeof *c.x);
        for (size_t i = 0; i < c.bands * c.pixels; i++)
            c.x[i] = ends[t].number;
        c.x[17] = 0;
        c.x[c.pixels + 400] = 1;
        o.ddof = 0;
        m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows);
        for (size_t i = 0; i < c.bands; i++)
            for (size_t j = 0; j < c.bands; j++)
                if (i == 2 || j == 2)
                    assert_true(fpclassify(m.covariance[i * 3 + j]) == FP_ZERO);
        for (size_t i = 0; i < 2; i++) { /* one pixel of n differs by d: d^2 (n - 1) / n^2 */
            double n = (double)c.pixels, d = ends[t].number - (double)i;

            expect_near(m.covariance[4 * i], d * d * (n - 1) / (n * n), 1e-15 * d * d / n);
        }
    }
}

/* ---- cancellation and scale ---- */

static pca_cube make_cube_of(size_t bands, size_t pixels, penta_type type)
{
    pca_cube c = {bands, 1, pixels, pixels, type, NULL, NULL};

    c.x = must_calloc(bands * pixels, sizeof *c.x);
    return c;
}

/* A common signal a thousand times what differs, and means 10^10 times the deviations. */
TEST(cancellation)
{
    penta_context *ctx = single_of(state);
    HELD_BY(free_pca_cube)
    pca_cube floats = make_cube_of(5, 30000, PENTA_F32), doubles = make_cube_of(5, 30000, PENTA_F64);

    random_seed(5);
    for (size_t p = 0; p < floats.pixels; p++) {
        double signal = 1e3 * random_normal();

        for (size_t b = 0; b < floats.bands; b++) {
            floats.x[b * floats.pixels + p] = (float)(1e5 * (double)b + signal + random_normal());
            doubles.x[b * floats.pixels + p] = (double)(b + 1) * 1e5 + 1e-5 * random_normal();
        }
    }
    check_covariance(ctx, &floats, PENTA_PRECISION_AUTO, covariance_bound);
    check_covariance(ctx, &doubles, PENTA_PRECISION_AUTO, covariance_bound);
}

/* What a common signal hides: the small eigenvalue of [c + 1, c; c, c + 1] is 1. */
TEST(small_eigenvalue)
{
    penta_context *ctx = single_of(state);
    HELD_BY(free_pca_cube) pca_cube c = make_cube_of(2, 20000, PENTA_F32);
    penta_pca_options o = default_pca_options();
    HELD_BY(penta_pca_model_free) penta_pca_model m;

    random_seed(6);
    for (size_t p = 0; p < c.pixels; p += 4) {
        double s = 300 * random_normal(), u = random_normal(), v = random_normal();

        for (size_t k = 0; k < 4; k++) {
            c.x[p + k] = (float)(s + (k & 1 ? u : -u));
            c.x[c.pixels + p + k] = (float)(s + (k & 2 ? v : -v));
        }
    }
    m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, 1);
    expect_statistics(&c, &m, 1, covariance_bound);
    expect_near(m.eigenvalues[1], 1, 0.05);
    assert_true(m.eigenvalues[1] > m.rounding);
}

/* Products of such numbers are beyond the range of floats: 10^-30 and 10^30, doubles 10^-120 and 10^120, side by side;
 * and a single number far from all others, a band that is constant where samples are taken. */
TEST(scales)
{
    static const double sizes[2][4] = {{1e-30, 1e30, 1, 1e-3}, {1e-120, 1e120, 1, 1e-3}};
    static const penta_type types[] = {PENTA_F32, PENTA_F64};
    penta_context *ctx = single_of(state);

    for (size_t t = 0; t < COUNT(types); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_cube_of(4, 5000, types[t]);

        random_seed(7);
        for (size_t p = 0; p < c.pixels; p++)
            for (size_t b = 0; b < c.bands; b++)
                c.x[b * c.pixels + p] =
                    nearest_number(c.type, sizes[t][b] * (b == 3 ? p == 4321 : random_normal() + 3));
        c.x[2 * c.pixels + 99] = 1e5;
        check_covariance(ctx, &c, PENTA_PRECISION_AUTO, covariance_bound);
    }
}

/* Numbers that are not finite are named, unless NaN is no data. */
TEST(not_finite)
{
    static const penta_type types[] = {PENTA_F32, PENTA_F64};
    penta_context *ctx = single_of(state);

    for (size_t t = 0; t < 2 * COUNT(types); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(3, 10, 60, types[t / 2], 3);
        penta_pca_options o = default_pca_options();
        penta_pca *plan = plan_of_pca_cube(ctx, &c, &o);
        penta_pca_model m;

        c.x[c.pixels + 4 * c.cols + 5] = t % 2 ? -INFINITY : NAN;
        add_pca_cube(ctx, plan, &c, PENTA_BSQ, 10);
        EXPECT_REFUSED(ctx, penta_pca_solve(plan, &m), PENTA_INVALID, "band 2, row 4, column 5 is not finite");
        penta_pca_destroy(plan);
        o.no_data = "nan";
        if (t % 2 == 0) {
            m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, 10);
            assert_int_equal(m.pixels, c.pixels - 1);
            penta_pca_model_free(&m);
        }
    }
}

/* A no-data value of each type, found as such. */
TEST(no_data)
{
    static const struct {
        penta_type type;
        double number;
        const char *text;
    } marks[] = {{PENTA_U8, 0, "0"},
                 {PENTA_I32, -123456789, "-123456789"},
                 {PENTA_U32, 4294967295.0, "4294967295"},
                 {PENTA_F32, -9999, "-9999"},
                 {PENTA_F64, -1.7976931348623157e308, "-1.7976931348623157e308"},
                 {PENTA_F64, 0.1, "0.1"}};
    penta_context *ctx = single_of(state);

    for (size_t k = 0; k < COUNT(marks); k++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(3, 10, 60, marks[k].type, 3);
        penta_pca_options o = default_pca_options();
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        c.mask = must_calloc(c.pixels, 1);
        for (size_t p = 0; p < c.pixels; p++) {
            for (size_t b = 0; b < c.bands; b++) /* the numbers at the end of the range stay free for the mark */
                if (marks[k].type == PENTA_U8)
                    c.x[b * c.pixels + p] = fmax(c.x[b * c.pixels + p], 1);
                else if (marks[k].type == PENTA_U32)
                    c.x[b * c.pixels + p] = fmin(c.x[b * c.pixels + p], 4294967290.0);
            c.mask[p] = p % 11 != 3;
            if (!c.mask[p])
                c.x[p % 3 * c.pixels + p] = marks[k].number;
        }
        o.no_data = marks[k].text;
        {
            pca_cube unmasked = c;

            unmasked.mask = NULL;
            m = model_of_pca_cube(ctx, &unmasked, &o, PENTA_BIL, 10);
        }
        expect_statistics(&c, &m, 1, covariance_bound);
    }
}

/* ---- noise fractions ---- */

TEST(noise)
{
    penta_context *ctx = single_of(state);

    for (size_t t = 0; t < COUNT(pixel_types); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(6, 30, 45, pixel_types[t], 20 + t);
        penta_pca_options o = default_pca_options();
        double mean[6], covariance[36], noise[36], values[6], vectors[36];
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        if (t % 2 == 0)
            mask_pca_cube(&c);
        o.kind = PENTA_PCA_MNF;
        m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, 4);
        reference_pca_covariance(6, c.pixels, c.x, c.mask, 1, mean, covariance);
        reference_pca_noise(6, c.rows, c.cols, c.x, c.mask, noise);
        reference_pca_generalised(6, covariance, noise, values, vectors);
        for (size_t k = 0; k < 6; k++)
            expect_near(m.eigenvalues[k], values[k], 1e-9 * values[0]);
    }
}

/* ---- the self-test, and what is refused ---- */

TEST(selftest)
{
    penta_context *ctx = single_of(state);
    const penta_workload *w;
    size_t i = 0;

    while ((w = penta_workload_at(i)) && strcmp(penta_workload_name(w), "pca") != 0)
        i++;
    assert_non_null(w);
    EXPECT_OK(ctx, penta_workload_selftest(w, ctx));
}

TEST(refusals)
{
    penta_context *ctx = single_of(state);
    penta_pca_options o = default_pca_options();
    penta_pca *plan = NULL;

    o.precision = PENTA_PRECISION_DOUBLE;
    EXPECT_REFUSED(ctx, penta_pca_create(ctx, 3, 100, &o, &plan), PENTA_UNSUPPORTED, "use `precision` auto");
    assert_null(plan);
    o = default_pca_options();
    for (o.cov = PENTA_PCA_COV_SYRK; o.cov <= PENTA_PCA_COV_VOLKOV; o.cov++) {
        EXPECT_REFUSED(ctx, penta_pca_create(ctx, 3, 100, &o, &plan), PENTA_UNSUPPORTED, "use `cov` triangle");
        assert_null(plan);
    }
}

static int close_group(void **state)
{
    print_message("pairs of floats: covariances %.2g off at most, of the deviations\n", worst_covariance);
    worst_covariance = 0;
    return close_device(state);
}

RUN(AS_IT_IS, "this device", open_device, close_group);
RUN(AS_GPU, "forms for GPUs", open_gpu_form, close_group);
