/*
 * Plans: statistics of streams against the reference, the same bits whatever the pieces, layouts and moments of asking,
 * noise, and what is refused; in the forms for this device and for GPUs.
 */
#include "support/test.h"

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/numbers.h"
#include "support/random.h"

/* ---- cubes of a test ---- */

/* bands x rows x cols in double, as the type holds them, and the same in that type. */
typedef struct {
    size_t bands, rows, cols;
    penta_type type;
    double *x;
    void *data;
    uint8_t *mask; /* or NULL */
} cube;

/* Bands that have much in common, each at a level of its own. */
static cube make_cube(size_t bands, size_t rows, size_t cols, penta_type type)
{
    size_t pixels = rows * cols;
    cube c = {bands, rows, cols, type, must_calloc(bands * pixels, 8), must_calloc(bands * pixels, 8), NULL};

    random_seed(3 + bands);
    for (size_t p = 0; p < pixels; p++) {
        double common = random_normal(), trend = (double)(p % cols) / (double)cols;

        for (size_t b = 0; b < bands; b++) {
            double v = 100 + 3 * (double)(b % 40) + 12 * common + 20 * trend * cos((double)b) + 2 * random_normal();

            c.x[b * pixels + p] = nearest_number(type, v);
            put_number(type, c.data, b * pixels + p, c.x[b * pixels + p]);
        }
    }
    return c;
}

static void mask_some(cube *c, size_t every)
{
    c->mask = must_calloc(c->rows * c->cols, 1);
    for (size_t p = 0; p < c->rows * c->cols; p++)
        c->mask[p] = p % every != 2;
}

static void free_cube(cube *c)
{
    free(c->x);
    free(c->data);
    free(c->mask);
}

/* Rows first .. first + count - 1 as they lie in the cube. */
static penta_cube_rows rows_of(const cube *c, size_t first, size_t count)
{
    return (penta_cube_rows){.rows = count,
                             .cols = c->cols,
                             .layout = PENTA_BSQ,
                             .type = c->type,
                             .data = (const char *)c->data + first * c->cols * penta_type_size(c->type),
                             .band_stride = c->rows * c->cols,
                             .mask = c->mask ? c->mask + first * c->cols : NULL};
}

/* The same rows in another layout, in memory of their own. */
static penta_cube_rows relaid(const cube *c, size_t first, size_t count, int layout, void *memory)
{
    penta_cube_rows r = rows_of(c, first, count);

    for (size_t y = 0; y < count; y++)
        for (size_t x = 0; x < c->cols; x++)
            for (size_t b = 0; b < c->bands; b++) {
                size_t to = layout == PENTA_BSQ   ? (b * count + y) * c->cols + x
                            : layout == PENTA_BIL ? (y * c->bands + b) * c->cols + x
                                                  : (y * c->cols + x) * c->bands + b;

                put_number(c->type, memory, to, c->x[(b * c->rows + first + y) * c->cols + x]);
            }
    r.layout = layout;
    r.data = memory;
    r.band_stride = 0;
    return r;
}

/* ---- plans ---- */

static penta_pca_options defaults(void)
{
    penta_pca_options o;

    penta_pca_options_init(&o);
    return o;
}

/* A plan of slabs of at most `limit` pixels; 0: as it comes. */
static penta_pca *make_plan(penta_context *ctx, const cube *c, const penta_pca_options *o, size_t limit)
{
    penta_pca *plan;

    EXPECT_OK(ctx, penta_pca_create(ctx, c->bands, c->rows * c->cols, o, &plan));
    if (limit)
        pca_limit_slabs(plan, limit);
    return plan;
}

static penta_pca_model solve_in_one(penta_context *ctx, const cube *c, const penta_pca_options *o, size_t limit)
{
    HELD_BY(penta_pca_held) penta_pca *plan = make_plan(ctx, c, o, limit);
    penta_cube_rows all = rows_of(c, 0, c->rows);
    penta_pca_model m;

    EXPECT_OK(ctx, penta_pca_add(plan, &all));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    return m;
}

static void expect_same(const penta_pca_model *a, const penta_pca_model *b)
{
    assert_int_equal(a->pixels, b->pixels);
    assert_int_equal(a->components, b->components);
    assert_memory_equal(a->mean, b->mean, a->bands * sizeof(double));
    assert_memory_equal(a->covariance, b->covariance, a->bands * a->bands * sizeof(double));
    assert_memory_equal(a->eigenvalues, b->eigenvalues, a->bands * sizeof(double));
    assert_memory_equal(a->loadings, b->loadings, a->components * a->bands * sizeof(double));
}

static double largest(size_t n, const double *a)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

/* tolerance: of covariances, part of the largest; the mean's rounds alike. */
static void expect_statistics(const penta_pca_model *m, const cube *c, int ddof, double tolerance)
{
    size_t n = c->bands;
    HELD double *mean = must_calloc(n, 8), *covariance = must_calloc(n * n, 8);
    uint64_t pixels = (pca_is_exact(c->type) ? reference_pca_exact : reference_pca_covariance)(
        n, c->rows * c->cols, c->x, c->mask, ddof, mean, covariance);
    double unit = tolerance * largest(n * n, covariance), most = largest(n, mean);

    assert_int_equal(m->pixels, pixels);
    for (size_t i = 0; i < n; i++)
        expect_near(m->mean[i], mean[i], tolerance * most);
    for (size_t i = 0; i < n * n; i++)
        expect_near(m->covariance[i], covariance[i], unit);
}

/* ---- statistics ---- */

TEST_IN(AS_IT_IS, every_type)
{
    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (int masked = 0; masked < 2; masked++)
            for (int precision = PENTA_PRECISION_SINGLE; precision <= PENTA_PRECISION_DOUBLE; precision++) {
                HELD_BY(free_cube) cube c = make_cube(13, 37, 53, pixel_types[t]);
                penta_pca_options o = defaults();
                bool single = precision == PENTA_PRECISION_SINGLE && (c.type == PENTA_F32 || c.type == PENTA_F64);
                HELD_BY(penta_pca_model_free) penta_pca_model m;

                if (masked)
                    mask_some(&c, 5);
                o.precision = precision;
                o.ddof = masked;
                m = solve_in_one(*state, &c, &o, 600);
                expect_statistics(&m, &c, masked, pca_is_exact(c.type) ? 0 : single ? 1e-6 : 1e-14);
            }
}

TEST_IN(AS_IT_IS, known_covariance)
{
    const double five[] = {1, 2, 3, 4, 5, 2, 3, 1, 2, 6};

    for (size_t t = 0; t < COUNT(pixel_types); t++) {
        double data[10];
        penta_cube_rows rows = {.rows = 1, .cols = 5, .type = pixel_types[t], .data = data};
        HELD_BY(penta_pca_model_free) penta_pca_model m;
        HELD_BY(penta_pca_held) penta_pca *plan = NULL;

        for (size_t i = 0; i < 10; i++)
            put_number(rows.type, data, i, five[i]);
        EXPECT_OK(*state, penta_pca_create(*state, 2, 0, NULL, &plan));
        assert_string_equal(penta_pca_cov_name(plan), "triangle");
        EXPECT_OK(*state, penta_pca_add(plan, &rows));
        EXPECT_OK(*state, penta_pca_solve(plan, &m));
        expect_near(m.mean[0], 3, 1e-15);
        expect_near(m.mean[1], 2.8, 1e-15);
        expect_near(m.covariance[0], 2.5, 1e-15);
        expect_near(m.covariance[1], 1.75, 1e-15);
        expect_near(m.covariance[2], 1.75, 1e-15);
        expect_near(m.covariance[3], 3.7, 1e-15);
    }
}

/* Covariance [[1 + c, c], [c, 1 + c]] in float32: the small component is along (1, -1). */
TEST_IN(AS_IT_IS, small_component)
{
    static const double commons[] = {0, 1e3, 1e4, 1e5};
    enum { ROWS = 64, COLS = 256, PIXELS = ROWS * COLS };

    for (size_t k = 1; k < COUNT(commons); k++) {
        HELD_BY(free_cube)
        cube c = {2,   ROWS, COLS, PENTA_F32, must_calloc((size_t)2 * PIXELS, 8), must_calloc((size_t)2 * PIXELS, 8),
                  NULL};
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        random_seed(4);
        for (size_t p = 0; p < PIXELS; p++) {
            double common = sqrt(commons[k]) * random_normal();

            for (size_t b = 0; b < 2; b++) {
                c.x[b * PIXELS + p] = nearest_number(PENTA_F32, common + random_normal());
                put_number(PENTA_F32, c.data, b * PIXELS + p, c.x[b * PIXELS + p]);
            }
        }
        m = solve_in_one(*state, &c, NULL, 1024);
        expect_statistics(&m, &c, 1, 1e-14);
        expect_near(m.eigenvalues[1], 1, 0.05);
        expect_near(fabs(m.loadings[2]), sqrt(0.5), 0.02);
        expect_near(m.loadings[2] * m.loadings[3], -0.5, 0.02);
    }
}

/* Variances far below what the means' squares round to. */
TEST_IN(AS_IT_IS, hidden_variance)
{
    static const struct {
        penta_type type;
        double sd[2];
    } cases[] = {{PENTA_F64, {9e-6, 2e-6}}, {PENTA_F64, {3e-3, 3e-3}}, {PENTA_F32, {3e-3, 3e-3}}, {PENTA_F32, {1, 1}}};
    static const double centre[] = {1e5, 2e5};
    enum { ROWS = 500, COLS = 2000, PIXELS = ROWS * COLS };

    for (size_t k = 0; k < COUNT(cases); k++) {
        HELD_BY(free_cube)
        cube c = {
            2, ROWS, COLS, cases[k].type, must_calloc((size_t)2 * PIXELS, 8), must_calloc((size_t)2 * PIXELS, 8), NULL};
        double mean[2], want[4];
        HELD_BY(penta_pca_model_free) penta_pca_model m;

        random_seed(6);
        for (size_t p = 0; p < PIXELS; p++) {
            for (size_t b = 0; b < 2; b++) {
                double x = nearest_number(c.type, centre[b] + cases[k].sd[b] * random_normal());

                put_number(c.type, c.data, b * PIXELS + p, x);
                c.x[b * PIXELS + p] = x - centre[b]; /* exact, and spares the reference the cancellation */
            }
        }
        m = solve_in_one(*state, &c, NULL, 1 << 17);
        reference_pca_covariance(2, PIXELS, c.x, NULL, 1, mean, want);
        expect_near(m.covariance[0], want[0], 1e-13 * want[0]);
        expect_near(m.covariance[3], want[3], 1e-13 * want[3]);
        expect_near(m.covariance[1], want[1], 1e-13 * sqrt(want[0] * want[3]));
        expect_near(m.mean[0], centre[0] + mean[0], 1.5e-11); /* an ulp */
    }
}

/* ---- the same bits ---- */

DEVICE_TEST(any_pieces)
{
    static const penta_type types[] = {PENTA_F32, PENTA_F64, PENTA_U16};
    static const size_t steps[] = {1, 2, 7, 29};

    for (size_t t = 0; t < COUNT(types); t++)
        for (int masked = 0; masked < 2; masked++) {
            HELD_BY(free_cube) cube c = make_cube(9, 61, 47, types[t]);
            penta_pca_options o = defaults();
            penta_pca_model whole, m;

            if (masked)
                mask_some(&c, 7);
            o.precision = PENTA_PRECISION_SINGLE;
            whole = solve_in_one(ctx, &c, &o, 512);
            for (size_t s = 0; s < COUNT(steps); s++) {
                HELD_BY(penta_pca_held) penta_pca *plan = make_plan(ctx, &c, &o, 512);

                for (size_t y = 0; y < c.rows; y += steps[s]) {
                    size_t count = c.rows - y < steps[s] ? c.rows - y : steps[s];
                    HELD void *own = must_calloc(c.bands * count * c.cols, 8);
                    penta_cube_rows rows = relaid(&c, y, count, (int)((y + s) % 3), own);

                    EXPECT_OK(ctx, penta_pca_add(plan, &rows));
                    memset(own, 0x55, c.bands * count * c.cols * 8);
                }
                EXPECT_OK(ctx, penta_pca_solve(plan, &m));
                expect_same(&m, &whole);
                penta_pca_model_free(&m);
            }
            penta_pca_model_free(&whole);
        }
}

/* Models of the rows so far, which must leave no trace: after 1, 2, 3 ... rows, and again after all. */
DEVICE_TEST(models_in_between)
{
    static const penta_type types[] = {PENTA_F32, PENTA_U8, PENTA_I32};

    for (size_t t = 0; t < COUNT(types); t++)
        for (int kind = 0; kind < 4; kind++) { /* plain; mask; no-data; noise fractions */
            cube c = make_cube(5, 45, 61, types[t]);
            penta_pca_options o = defaults();
            penta_pca *plan;
            penta_pca_model whole, m;

            if (kind == 1)
                mask_some(&c, 6);
            o.no_data = kind == 2 ? "117" : NULL;
            o.kind = kind == 3 ? PENTA_PCA_MNF : PENTA_PCA_PCA;
            for (size_t i = 7; kind == 2 && i < 5 * 45 * 61; i += 50) {
                c.x[i] = 117;
                put_number(c.type, c.data, i, 117);
            }
            for (size_t y = 1; kind == 1 && y < c.rows; y += 2)
                memset(c.mask + y * c.cols, 1, c.cols);
            whole = solve_in_one(ctx, &c, &o, 512);
            plan = make_plan(ctx, &c, &o, 512);
            for (size_t y = 0; y < c.rows; y++) {
                penta_cube_rows rows = rows_of(&c, y, 1);

                if (kind == 1 && y % 2) /* every other row comes without a mask */
                    rows.mask = NULL;
                EXPECT_OK(ctx, penta_pca_add(plan, &rows));
                EXPECT_OK(ctx, penta_pca_solve(plan, &m));
                penta_pca_model_free(&m);
            }
            for (int again = 0; again < 2; again++) {
                EXPECT_OK(ctx, penta_pca_solve(plan, &m));
                expect_same(&m, &whole);
                penta_pca_model_free(&m);
            }
            penta_pca_model_free(&whole);
            penta_pca_destroy(plan);
            free_cube(&c);
        }
}

TEST_IN(AS_IT_IS, reset_begins_anew)
{
    HELD_BY(free_cube) cube first = make_cube(6, 50, 40, PENTA_F32), second = make_cube(6, 31, 33, PENTA_F32);
    HELD_BY(free_cube) cube third = make_cube(6, 31, 33, PENTA_U8);
    const cube *all[] = {&first, &second, &third, &first};
    HELD_BY(penta_pca_held) penta_pca *plan = make_plan(*state, &first, NULL, 512);

    for (size_t k = 0; k < COUNT(all); k++) {
        penta_cube_rows rows = rows_of(all[k], 0, all[k]->rows);
        penta_pca_model want = solve_in_one(*state, all[k], NULL, 512), m;

        EXPECT_OK(*state, penta_pca_add(plan, &rows));
        EXPECT_OK(*state, penta_pca_solve(plan, &m));
        expect_same(&m, &want);
        penta_pca_model_free(&m);
        penta_pca_model_free(&want);
        penta_pca_reset(plan);
        assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    }
}

/* ---- noise ---- */

TEST_IN(AS_IT_IS, noise_fractions)
{
    static const penta_type types[] = {PENTA_F64, PENTA_F32, PENTA_U16};

    for (size_t t = 0; t < COUNT(types); t++)
        for (int masked = 0; masked < 2; masked++) {
            enum { BANDS = 6 };
            HELD_BY(free_cube) cube c = make_cube(BANDS, 41, 67, types[t]);
            penta_pca_options o = defaults();
            double noise[BANDS * BANDS], mean[BANDS], covariance[BANDS * BANDS], values[BANDS], vectors[BANDS * BANDS];
            HELD_BY(penta_pca_model_free) penta_pca_model m;

            if (masked)
                mask_some(&c, 9);
            o.kind = PENTA_PCA_MNF;
            m = solve_in_one(*state, &c, &o, 512);
            expect_statistics(&m, &c, 1, pca_is_exact(c.type) ? 0 : 1e-14);
            reference_pca_noise(BANDS, c.rows, c.cols, c.x, c.mask, noise);
            reference_pca_covariance(BANDS, c.rows * c.cols, c.x, c.mask, 1, mean, covariance);
            reference_pca_generalised(BANDS, covariance, noise, values, vectors);
            for (size_t i = 0; i < BANDS; i++)
                expect_near(m.eigenvalues[i], values[i], 1e-12 * values[0]);
        }
}

/* ---- what is refused ---- */

static void expect_refused(penta_context *ctx, size_t bands, const penta_pca_options *o, const char *text)
{
    penta_pca *plan;
    char message[256] = "";

    assert_int_equal(penta_pca_create(ctx, bands, 0, o, &plan), PENTA_INVALID);
    assert_null(plan);
    expect_text(penta_last_error(ctx), text);
    assert_int_equal(penta_pca_check(bands, o, message, sizeof message), PENTA_INVALID);
    assert_null(strchr(message, '\n'));
    assert_memory_equal(message, penta_last_error(ctx), strlen(message));
}

TEST_IN(AS_IT_IS, bad_options)
{
    penta_pca_options o = defaults();

    assert_int_equal(penta_pca_check(PENTA_PCA_MOST_BANDS, &o, NULL, 0), PENTA_OK);
    expect_refused(*state, 0, &o, "0 bands");
    expect_refused(*state, 4097, &o, "4097 bands");
    o.components = 4;
    expect_refused(*state, 3, &o, "`components` is 4");
    o.variance = 50;
    expect_refused(*state, 5, &o, "both say how many");
    o = defaults();
    o.variance = 101;
    expect_refused(*state, 5, &o, "variance");
    o = defaults();
    o.ddof = -1;
    expect_refused(*state, 5, &o, "ddof");
    o = defaults();
    o.no_data = "nothing";
    expect_refused(*state, 5, &o, "nothing");
    o = defaults();
    o.kind = PENTA_PCA_MNF;
    o.standardize = true;
    expect_refused(*state, 5, &o, "standardize");
}

TEST_IN(AS_IT_IS, bad_rows)
{
    HELD_BY(free_cube) cube c = make_cube(3, 4, 5, PENTA_F32);
    penta_cube_rows good = rows_of(&c, 0, 4), bad = good, none = good;
    HELD_BY(penta_pca_held) penta_pca *plan = make_plan(*state, &c, NULL, 0);
    HELD_BY(penta_pca_model_free) penta_pca_model m;

    bad.type = PENTA_I64;
    assert_int_equal(penta_pca_add(plan, &bad), PENTA_INVALID);
    expect_text(penta_last_error(*state), "i64");
    bad = good;
    bad.layout = 3;
    assert_int_equal(penta_pca_add(plan, &bad), PENTA_INVALID);
    bad = good;
    bad.data = NULL;
    assert_int_equal(penta_pca_add(plan, &bad), PENTA_INVALID);
    bad = good;
    bad.band_stride = 19;
    assert_int_equal(penta_pca_add(plan, &bad), PENTA_INVALID);
    bad = good;
    bad.rows = SIZE_MAX / 4;
    assert_int_equal(penta_pca_add(plan, &bad), PENTA_INVALID);
    none.rows = 0;
    EXPECT_OK(*state, penta_pca_add(plan, &none));
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    expect_text(penta_last_error(*state), "there are 0");
    EXPECT_OK(*state, penta_pca_add(plan, &good)); /* nothing of the above left a trace */
    bad = good;
    bad.type = PENTA_F64;
    assert_int_equal(penta_pca_add(plan, &bad), PENTA_INVALID);
    expect_text(penta_last_error(*state), "rows of type f64 follow rows of type f32");
    EXPECT_OK(*state, penta_pca_solve(plan, &m));
    expect_statistics(&m, &c, 1, 1e-14);
}

TEST_IN(AS_IT_IS, rows_of_another_width)
{
    HELD_BY(free_cube) cube c = make_cube(2, 4, 5, PENTA_F32);
    penta_cube_rows first = rows_of(&c, 0, 2), second = rows_of(&c, 2, 1);

    second.cols = 4;
    for (int kind = 0; kind < 2; kind++) {
        penta_pca_options o = defaults();
        HELD_BY(penta_pca_held) penta_pca *plan = NULL;

        o.kind = kind;
        plan = make_plan(*state, &c, &o, 0);
        EXPECT_OK(*state, penta_pca_add(plan, &first));
        assert_int_equal(penta_pca_add(plan, &second), kind == PENTA_PCA_MNF ? PENTA_INVALID : PENTA_OK);
    }
}

TEST_IN(AS_IT_IS, too_few_pixels)
{
    HELD_BY(free_cube) cube c = make_cube(2, 3, 1, PENTA_F32);
    penta_cube_rows one = rows_of(&c, 0, 1), all = rows_of(&c, 0, 3);
    uint8_t nowhere[3] = {0};
    penta_pca_options o = defaults();
    penta_pca_model m;
    penta_pca *plan = make_plan(*state, &c, &o, 0);

    EXPECT_OK(*state, penta_pca_add(plan, &one));
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    expect_text(penta_last_error(*state), "needs 2 valid pixels; there is 1");
    assert_null(m.mean);
    EXPECT_OK(*state, penta_pca_add(plan, &one)); /* and goes on */
    EXPECT_OK(*state, penta_pca_solve(plan, &m));
    penta_pca_model_free(&m);
    penta_pca_destroy(plan);

    all.mask = nowhere;
    plan = make_plan(*state, &c, &o, 0);
    EXPECT_OK(*state, penta_pca_add(plan, &all));
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    expect_text(penta_last_error(*state), "there are 0");
    penta_pca_destroy(plan);

    all.mask = NULL;
    o.ddof = 3;
    plan = make_plan(*state, &c, &o, 0);
    EXPECT_OK(*state, penta_pca_add(plan, &all));
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    expect_text(penta_last_error(*state), "3 valid pixels: the divisor");
    penta_pca_destroy(plan);

    o = defaults();
    o.kind = PENTA_PCA_MNF; /* one column: no neighbours */
    plan = make_plan(*state, &c, &o, 0);
    EXPECT_OK(*state, penta_pca_add(plan, &all));
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    expect_text(penta_last_error(*state), "neighbours in a row; 0 pairs");
    penta_pca_destroy(plan);
}

/* A number that is not finite: band, row and column of the cube, whatever slab and call it comes in. */
TEST_IN(AS_IT_IS, not_finite)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    static const size_t at[] = {0, 511, 512, 1300, 1599};
    enum { BANDS = 3, ROWS = 40, COLS = 40 };

    for (size_t k = 0; k < COUNT(at); k++)
        for (size_t step = 1; step <= ROWS; step += 13) {
            HELD_BY(free_cube) cube c = make_cube(BANDS, ROWS, COLS, k % 2 ? PENTA_F32 : PENTA_F64);
            HELD_BY(penta_pca_held) penta_pca *plan = make_plan(*state, &c, NULL, 512);
            penta_status status = PENTA_OK;
            HELD_BY(penta_pca_model_free) penta_pca_model m, want = solve_in_one(*state, &c, NULL, 512);
            penta_cube_rows all = rows_of(&c, 0, ROWS);
            char text[80];

            put_number(c.type, c.data, 2 * ROWS * COLS + at[k], bad[(k + step) % 3]);
            for (size_t y = 0; y < ROWS && status == PENTA_OK; y += step) {
                penta_cube_rows rows = rows_of(&c, y, ROWS - y < step ? ROWS - y : step);

                status = penta_pca_add(plan, &rows);
            }
            if (status == PENTA_OK)
                status = penta_pca_solve(plan, &m);
            assert_int_equal(status, PENTA_INVALID);
            snprintf(text, sizeof text, "band 3, row %zu, column %zu is not finite", at[k] / COLS, at[k] % COLS);
            expect_text(penta_last_error(*state), text);
            assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
            assert_int_equal(penta_pca_add(plan, &all), PENTA_INVALID);
            expect_text(penta_last_error(*state), "begins anew");
            penta_pca_reset(plan);
            put_number(c.type, c.data, 2 * ROWS * COLS + at[k], c.x[2 * ROWS * COLS + at[k]]);
            EXPECT_OK(*state, penta_pca_add(plan, &all));
            EXPECT_OK(*state, penta_pca_solve(plan, &m));
            expect_same(&m, &want);
        }
}

ON_DEVICE;
AS_ON_A_GPU;
