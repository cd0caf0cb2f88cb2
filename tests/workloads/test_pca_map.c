/*
 * Maps against the reference; ranges, rescaling, rounding, pixels that are left out, pieces, room, and what is refused;
 * in the forms for this device and for GPUs.
 */
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
#include "support/numbers.h"
#include "support/random.h"

/* ---- a map of a test ---- */

typedef struct {
    size_t ins, outs, rows, cols, pixels;
    penta_type type;
    double *x, *matrix, *before, *after, *want; /* want: outs x pixels */
    void *data;
    uint8_t *mask; /* or NULL */
} problem;

static problem make_problem(size_t ins, size_t outs, size_t rows, size_t cols, penta_type type)
{
    size_t pixels = rows * cols;
    problem p = {.ins = ins, .outs = outs, .rows = rows, .cols = cols, .pixels = pixels, .type = type};

    random_seed(ins + 7 * outs);
    p.x = must_calloc(ins * pixels, 8);
    p.data = must_calloc(ins * pixels, 8);
    p.matrix = must_calloc(ins * outs, 8);
    p.before = must_calloc(ins, 8);
    p.after = must_calloc(outs, 8);
    p.want = must_calloc(outs * pixels, 8);
    for (size_t i = 0; i < ins * pixels; i++) {
        double v = 100 + 20 * random_normal();

        p.x[i] = nearest_number(type, v);
        put_number(type, p.data, i, p.x[i]);
    }
    for (size_t i = 0; i < ins * outs; i++)
        p.matrix[i] = random_normal();
    for (size_t i = 0; i < ins; i++)
        p.before[i] = 100 + random_normal();
    for (size_t i = 0; i < outs; i++)
        p.after[i] = 5 * random_normal();
    reference_pca_map(ins, outs, pixels, p.matrix, p.before, p.after, p.x, p.want);
    return p;
}

/* The same map of other pixels. */
static void use_map_of(problem *p, const problem *of)
{
    memcpy(p->matrix, of->matrix, p->ins * p->outs * 8);
    memcpy(p->before, of->before, p->ins * 8);
    memcpy(p->after, of->after, p->outs * 8);
    reference_pca_map(p->ins, p->outs, p->pixels, p->matrix, p->before, p->after, p->x, p->want);
}

/* One band to one output, as it is. */
static problem identity(size_t pixels, const double *x)
{
    problem p = make_problem(1, 1, 1, pixels, PENTA_F64);

    memcpy(p.x, x, pixels * sizeof *x);
    memcpy(p.data, x, pixels * sizeof *x);
    memcpy(p.want, x, pixels * sizeof *x);
    p.matrix[0] = 1;
    p.before[0] = p.after[0] = 0;
    return p;
}

static void mask_some(problem *p)
{
    p->mask = must_calloc(p->pixels, 1);
    for (size_t i = 0; i < p->pixels; i++)
        p->mask[i] = i % 3 != 1;
}

static void free_problem(problem *p)
{
    free(p->x);
    free(p->data);
    free(p->matrix);
    free(p->before);
    free(p->after);
    free(p->want);
    free(p->mask);
}

static penta_map *make_map(penta_context *ctx, const problem *p, int precision)
{
    penta_affine a = {p->ins, p->outs, p->matrix, p->before, p->after};
    penta_map *map;

    EXPECT_OK(ctx, penta_map_create(ctx, &a, precision, NULL, &map));
    return map;
}

static penta_cube_rows rows_of(const problem *p, size_t first, size_t count)
{
    return (penta_cube_rows){.rows = count,
                             .cols = p->cols,
                             .layout = PENTA_BSQ,
                             .type = p->type,
                             .data = (const char *)p->data + first * p->cols * penta_type_size(p->type),
                             .band_stride = p->pixels,
                             .mask = p->mask ? p->mask + first * p->cols : NULL};
}

static void add_all(penta_context *ctx, penta_map *map, const problem *p)
{
    penta_cube_rows rows = rows_of(p, 0, p->rows);

    EXPECT_OK(ctx, penta_map_add(map, &rows));
}

/* Everything mapped at once, as a type. */
static void *map_all(penta_context *ctx, const problem *p, int precision, const penta_map_format *format)
{
    void *out = must_calloc(p->outs * p->pixels, 8);
    penta_map *map = make_map(ctx, p, precision);

    add_all(ctx, map, p);
    EXPECT_OK(ctx, penta_map_take(map, format, out, p->pixels));
    penta_map_destroy(map);
    return out;
}

/* ---- results ---- */

static double size_of_terms(const problem *p)
{
    double most = 0;

    for (size_t o = 0; o < p->outs; o++) {
        double sum = fabs(p->after[o]);

        for (size_t i = 0; i < p->ins; i++)
            sum += fabs(p->matrix[o * p->ins + i]) * 100;
        most = fmax(most, sum);
    }
    return most;
}

static void check_results(penta_context *ctx, const problem *p, int precision)
{
    bool single = precision == PENTA_PRECISION_SINGLE;
    double tolerance = (single ? 2e-7 : 1e-15) * size_of_terms(p), least[40], largest[40];
    double *out = must_calloc(p->outs * p->pixels, 8);
    uint8_t *valid = must_calloc(p->pixels, 1);
    penta_map_format format = {.type = PENTA_F64, .fill = -1e9, .valid = valid};
    penta_map *map = make_map(ctx, p, precision);

    add_all(ctx, map, p);
    EXPECT_OK(ctx, penta_map_range(map, least, largest));
    EXPECT_OK(ctx, penta_map_take(map, &format, out, p->pixels));
    for (size_t o = 0; o < p->outs; o++) {
        double low = INFINITY, high = -INFINITY;

        for (size_t i = 0; i < p->pixels; i++) {
            double v = out[o * p->pixels + i];

            assert_int_equal(valid[i], !p->mask || p->mask[i]);
            expect_near(v, valid[i] ? p->want[o * p->pixels + i] : -1e9, valid[i] ? tolerance : 0);
            low = valid[i] ? fmin(low, v) : low;
            high = valid[i] ? fmax(high, v) : high;
        }
        expect_near(least[o], low, 0);
        expect_near(largest[o], high, 0);
    }
    penta_map_destroy(map);
    free(out);
    free(valid);
}

static void results(void **state)
{
    penta_context *ctx = device_of(state);
    /* The first two are tried for all types, the others for an exact one and one that is not. */
    static const size_t sizes[][2] = {{7, 3}, {37, 33}, {1, 1}, {13, 13}, {3, 21}};

    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (size_t s = 0; s < (pixel_types[t] == PENTA_U16 || pixel_types[t] == PENTA_F32 ? COUNT(sizes) : 2); s++)
            for (int masked = 0; masked < 2; masked++) {
                problem p = make_problem(sizes[s][0], sizes[s][1], 9, 101, pixel_types[t]);

                if (masked)
                    mask_some(&p);
                check_results(ctx, &p, PENTA_PRECISION_SINGLE);
                check_results(ctx, &p, PENTA_PRECISION_DOUBLE);
                free_problem(&p);
            }
}

/* Outputs that leave in several pieces. */
static void many_outputs(void **state)
{
    penta_context *ctx = device_of(state);
    problem p;
    void *out;

    p = make_problem(1, 37, 128, 1000, PENTA_F32);
    out = map_all(ctx, &p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = PENTA_F64});
    for (size_t i = 0; i < p.outs * p.pixels; i++)
        expect_near(((const double *)out)[i], p.want[i], 1e-13);
    free(out);
    free_problem(&p);
}

/* ---- types and ranges ---- */

static const double odd_numbers[] = {0,
                                     0.5,
                                     -0.5,
                                     1.5,
                                     2.5,
                                     -1.5,
                                     -2.5,
                                     0.49999999999999994,
                                     -0.49999999999999994,
                                     254.5,
                                     255.49,
                                     255.5,
                                     300,
                                     -1,
                                     32767.5,
                                     32766.5,
                                     -32768.5,
                                     -32769,
                                     65534.5,
                                     65535.5,
                                     4294967294.5,
                                     4294967295.5,
                                     2147483646.5,
                                     2147483648.0,
                                     -2147483648.5,
                                     1e300,
                                     -1e300,
                                     4503599627370495.5,
                                     4503599627370497.0,
                                     9e18,
                                     1e19,
                                     -1e19,
                                     7};

static void rounding(void **state)
{
    penta_context *ctx = device_of(state);
    static const penta_type types[] = {PENTA_U8,  PENTA_U16, PENTA_I16, PENTA_U32,
                                       PENTA_I32, PENTA_I64, PENTA_F32, PENTA_F64};
    problem p;

    p = identity(COUNT(odd_numbers), odd_numbers);
    for (size_t t = 0; t < COUNT(types); t++) {
        void *out = map_all(ctx, &p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = types[t]});

        for (size_t i = 0; i < p.pixels; i++)
            if (types[t] != PENTA_F32 || fabs(odd_numbers[i]) < 1e38)
                expect_near(get_number(types[t], out, i), nearest_number(types[t], odd_numbers[i]), 0);
        free(out);
    }
    free_problem(&p);
}

/* As GRASS scales: (high - low) (y - least) / (largest - least) + low, then to the nearest integer. */
static double rescaled(double y, double least, double largest, double low, double high)
{
    if (!(largest > least) || y <= least)
        return low;
    return y >= largest ? high : (high - low) * (y - least) / (largest - least) + low;
}

static void check_rescaling(penta_context *ctx, const problem *p, penta_type type, double low, double high,
                            const double *given)
{
    double least[3], largest[3], *y;
    void *out = must_calloc(p->outs * p->pixels, 8);
    penta_map_format format = {.type = type, .rescale = true, .low = low, .high = high, .fill = 7};
    penta_map *map = make_map(ctx, p, PENTA_PRECISION_DOUBLE);

    y = map_all(ctx, p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = PENTA_F64});
    add_all(ctx, map, p);
    EXPECT_OK(ctx, penta_map_range(map, least, largest));
    for (size_t o = 0; given && o < p->outs; o++) {
        least[o] = given[0];
        largest[o] = given[1];
    }
    format.least = given ? least : NULL;
    format.largest = given ? largest : NULL;
    EXPECT_OK(ctx, penta_map_take(map, &format, out, p->pixels));
    for (size_t o = 0; o < p->outs; o++)
        for (size_t i = 0; i < p->pixels; i++) {
            size_t at = o * p->pixels + i;
            double want = nearest_number(type, rescaled(y[at], least[o], largest[o], low, high));
            bool left_out = p->mask && !p->mask[i];

            expect_near(get_number(type, out, at), left_out ? 7 : want,
                        is_integer(type) || left_out ? 0 : 1e-6 * fabs(want));
        }
    free(out);
    free(y);
    penta_map_destroy(map);
}

static void rescaling(void **state)
{
    penta_context *ctx = device_of(state);
    for (int masked = 0; masked < 2; masked++) {
        problem p = make_problem(5, 3, 7, 143, PENTA_F32);

        if (masked)
            mask_some(&p);
        check_rescaling(ctx, &p, PENTA_U8, 0, 255, NULL);
        check_rescaling(ctx, &p, PENTA_U16, 1, 10000, NULL);
        check_rescaling(ctx, &p, PENTA_I16, 100, -100, NULL);
        check_rescaling(ctx, &p, PENTA_F32, -1, 1, NULL);
        check_rescaling(ctx, &p, PENTA_U8, -20, 300, NULL);
        check_rescaling(ctx, &p, PENTA_U8, 0, 255, (const double[]){-30, 20}); /* less than there is */
        check_rescaling(ctx, &p, PENTA_F64, 0, 1, (const double[]){5, 5});
        free_problem(&p);
    }
}

static void constant_becomes_low(void **state)
{
    penta_context *ctx = device_of(state);
    static const double same[] = {4, 4, 4, 4, 4};
    problem p;
    uint8_t *out;

    p = identity(COUNT(same), same);
    out = map_all(ctx, &p, PENTA_PRECISION_DOUBLE,
                  &(penta_map_format){.type = PENTA_U8, .rescale = true, .low = 3, .high = 200});
    for (size_t i = 0; i < p.pixels; i++)
        assert_int_equal(out[i], 3);
    free(out);
    free_problem(&p);
}

static void left_out(void **state)
{
    penta_context *ctx = device_of(state);
    static const double fills[] = {NAN, 300, -1, 2.5};
    static const double as_u8[] = {0, 255, 0, 3};
    problem p;

    p = make_problem(2, 2, 3, 41, PENTA_F32);
    mask_some(&p);
    for (size_t f = 0; f < COUNT(fills); f++) {
        penta_map_format format = {.type = PENTA_U8, .fill = fills[f]};
        uint8_t *bytes = map_all(ctx, &p, PENTA_PRECISION_SINGLE, &format);
        float *floats;

        format.type = PENTA_F32;
        floats = map_all(ctx, &p, PENTA_PRECISION_SINGLE, &format);
        for (size_t i = 0; i < p.outs * p.pixels; i++)
            if (!p.mask[i % p.pixels]) {
                expect_near(bytes[i], as_u8[f], 0);
                assert_true(isnan(fills[f]) ? isnan(floats[i]) : floats[i] == (float)fills[f]);
            } else
                assert_false(isnan(floats[i]));
        free(bytes);
        free(floats);
    }
    free_problem(&p);
}

static void no_data(void **state)
{
    penta_context *ctx = device_of(state);
    static const double x[] = {1, -9999, 3, 4, -9999};
    penta_affine a = {1, 1, (const double[]){1}, NULL, NULL};
    penta_cube_rows rows = {.rows = 1, .cols = 5, .type = PENTA_F64, .data = x};
    double least, largest, out[5];
    uint8_t valid[5];
    penta_map_format format = {.type = PENTA_F64, .fill = 0, .valid = valid};
    penta_map *map;

    EXPECT_OK(ctx, penta_map_create(ctx, &a, PENTA_PRECISION_AUTO, "-9999", &map));
    EXPECT_OK(ctx, penta_map_add(map, &rows));
    EXPECT_OK(ctx, penta_map_range(map, &least, &largest));
    expect_near(least, 1, 0);
    expect_near(largest, 4, 0);
    EXPECT_OK(ctx, penta_map_take(map, &format, out, 5));
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(valid[i], x[i] > 0);
        expect_near(out[i], x[i] > 0 ? x[i] : 0, 0);
    }
    penta_map_destroy(map);
}

static void nothing_valid(void **state)
{
    penta_context *ctx = device_of(state);
    static const double x[] = {1, 2, 3};
    static const uint8_t mask[3];
    penta_map_format format = {.type = PENTA_U8, .rescale = true, .high = 255, .fill = 9};
    double least, largest;
    uint8_t out[3];
    problem p;
    penta_cube_rows rows;
    penta_map *map;

    p = identity(3, x);
    map = make_map(ctx, &p, PENTA_PRECISION_SINGLE);
    rows = rows_of(&p, 0, 1);
    rows.mask = mask;
    assert_int_equal(penta_map_range(map, &least, &largest), PENTA_INVALID);
    EXPECT_OK(ctx, penta_map_add(map, &rows));
    assert_int_equal(penta_map_range(map, &least, &largest), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "none of 3 pixels is valid");
    EXPECT_OK(ctx, penta_map_take(map, &format, out, 3));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(out[i], 9);
    penta_map_destroy(map);
    free_problem(&p);
}

/* ---- pieces ---- */

/* Rows a few at a time, taken every few calls into place: the same bits. */
static void pieces(void **state)
{
    penta_context *ctx = device_of(state);
    static const size_t steps[] = {1, 2, 5, 31};

    for (size_t s = 0; s < COUNT(steps); s++) {
        problem p = make_problem(6, 4, 31, 77, s % 2 ? PENTA_F32 : PENTA_U16);
        penta_map_format format = {.type = PENTA_F32, .fill = NAN};
        float *whole, *out = must_calloc(p.outs * p.pixels, sizeof *out);
        penta_map *map = make_map(ctx, &p, PENTA_PRECISION_SINGLE);
        double least[2][4], largest[2][4];
        size_t taken = 0;

        mask_some(&p);
        whole = map_all(ctx, &p, PENTA_PRECISION_SINGLE, &format);
        pca_limit_map(map, 512, 8);
        for (size_t y = 0, call = 0; y < p.rows; y += steps[s], call++) {
            size_t count = p.rows - y < steps[s] ? p.rows - y : steps[s], room = penta_map_room(map);
            penta_cube_rows rows = rows_of(&p, y, count);

            EXPECT_OK(ctx, penta_map_add(map, &rows));
            assert_int_equal(penta_map_room(map), room - count * p.cols);
            if (call % 3 == 2 || y + count == p.rows) {
                if (s == 1)
                    EXPECT_OK(ctx, penta_map_range(map, least[0], largest[0]));
                EXPECT_OK(ctx, penta_map_take(map, &format, out + taken, p.pixels));
                taken = (y + count) * p.cols;
                assert_int_equal(penta_map_room(map), 8 * 512);
            }
        }
        assert_memory_equal(out, whole, p.outs * p.pixels * sizeof *out);
        EXPECT_OK(ctx, penta_map_range(map, least[0], largest[0]));
        penta_map_reset(map);
        add_all(ctx, map, &p);
        EXPECT_OK(ctx, penta_map_take(map, NULL, NULL, 0));
        EXPECT_OK(ctx, penta_map_range(map, least[1], largest[1]));
        assert_memory_equal(least[0], least[1], sizeof least[0]);
        assert_memory_equal(largest[0], largest[1], sizeof largest[0]);
        penta_map_destroy(map);
        free(whole);
        free(out);
        free_problem(&p);
    }
}

static void room(void **state)
{
    penta_context *ctx = device_of(state);
    problem p;
    penta_map *map;
    penta_cube_rows rows;
    float *out;

    p = make_problem(2, 2, 20, 60, PENTA_F32);
    map = make_map(ctx, &p, PENTA_PRECISION_SINGLE);
    assert_true(penta_map_room(map) >= 100000);
    pca_limit_map(map, 512, 2);
    assert_int_equal(penta_map_room(map), 1024);
    rows = rows_of(&p, 0, 20);
    assert_int_equal(penta_map_add(map, &rows), PENTA_INVALID); /* 1200 pixels */
    expect_text(penta_last_error(ctx), "no room for 1200 pixels: results of 1024 more");
    rows = rows_of(&p, 0, 10);
    EXPECT_OK(ctx, penta_map_add(map, &rows));
    assert_int_equal(penta_map_room(map), 424);
    assert_int_equal(penta_map_add(map, &rows), PENTA_INVALID);
    out = must_calloc(p.outs * 600, sizeof *out);
    EXPECT_OK(ctx, penta_map_take(map, &(penta_map_format){.type = PENTA_F32}, out, 600)); /* the 600 are unharmed */
    for (size_t o = 0; o < p.outs; o++)
        for (size_t i = 0; i < 600; i++)
            expect_near((double)out[o * 600 + i], p.want[o * p.pixels + i], 1e-3);
    penta_map_destroy(map);
    free(out);
    free_problem(&p);
}

/* Few pixels first, then as many as need larger slabs, then another type in the middle. */
static void growing(void **state)
{
    penta_context *ctx = device_of(state);
    problem few, many, other;
    penta_map *map;
    double *out;

    few = make_problem(3, 2, 2, 50, PENTA_F32);
    many = make_problem(3, 2, 300, 100, PENTA_F32);
    other = make_problem(3, 2, 3, 100, PENTA_U8);
    use_map_of(&many, &few);
    use_map_of(&other, &few);
    out = must_calloc(2 * (many.pixels + other.pixels), sizeof *out);
    map = make_map(ctx, &few, PENTA_PRECISION_DOUBLE);
    add_all(ctx, map, &few);
    EXPECT_OK(ctx, penta_map_take(map, &(penta_map_format){.type = PENTA_F64}, out, few.pixels));
    for (size_t i = 0; i < 2 * few.pixels; i++)
        expect_near(out[i], few.want[i], 1e-12);
    add_all(ctx, map, &many);
    add_all(ctx, map, &other);
    EXPECT_OK(ctx, penta_map_take(map, &(penta_map_format){.type = PENTA_F64}, out, many.pixels + other.pixels));
    for (size_t o = 0; o < 2; o++) {
        const double *row = out + o * (many.pixels + other.pixels);

        for (size_t i = 0; i < many.pixels; i++)
            expect_near(row[i], many.want[o * many.pixels + i], 1e-12);
        for (size_t i = 0; i < other.pixels; i++)
            expect_near(row[many.pixels + i], other.want[o * other.pixels + i], 1e-12);
    }
    penta_map_destroy(map);
    free(out);
    free_problem(&few);
    free_problem(&many);
    free_problem(&other);
}

/* ---- there and back ---- */

static void inverse(void **state)
{
    penta_context *ctx = device_of(state);
    problem p;
    penta_cube_rows rows;
    penta_pca *plan;
    penta_pca_model m;
    double *scores, *back;

    p = make_problem(7, 7, 21, 33, PENTA_F64);
    rows = rows_of(&p, 0, p.rows);
    EXPECT_OK(ctx, penta_pca_create(ctx, p.ins, p.pixels, NULL, &plan));
    EXPECT_OK(ctx, penta_pca_add(plan, &rows));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    memcpy(p.matrix, m.forward, p.ins * p.ins * sizeof *p.matrix);
    memcpy(p.before, m.mean, p.ins * sizeof *p.before);
    memset(p.after, 0, p.ins * sizeof *p.after);
    scores = map_all(ctx, &p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = PENTA_F64});
    memcpy(p.data, scores, p.ins * p.pixels * sizeof *scores);
    memcpy(p.matrix, m.inverse, p.ins * p.ins * sizeof *p.matrix);
    memcpy(p.after, m.mean, p.ins * sizeof *p.after);
    memset(p.before, 0, p.ins * sizeof *p.before);
    back = map_all(ctx, &p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = PENTA_F64});
    for (size_t i = 0; i < p.ins * p.pixels; i++)
        expect_near(back[i], p.x[i], 1e-11);
    penta_pca_model_free(&m);
    penta_pca_destroy(plan);
    free(scores);
    free(back);
    free_problem(&p);
}

/* ---- what is refused ---- */

static void bad_maps(void **state)
{
    penta_context *ctx = device_of(state);
    static const double matrix[] = {1, NAN};
    penta_affine a = {1, 1, matrix, NULL, NULL};
    penta_map *map;

    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_DS, NULL, &map), PENTA_INVALID);
    assert_null(map);
    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_SINGLE, "none", &map), PENTA_INVALID);
    a.outs = 2;
    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_SINGLE, NULL, &map), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "number 2, 1");
    a.ins = 0;
    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_SINGLE, NULL, &map), PENTA_INVALID);
    a.ins = 5000;
    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_SINGLE, NULL, &map), PENTA_INVALID);
}

static void bad_formats(void **state)
{
    penta_context *ctx = device_of(state);
    problem p;
    penta_map *map;
    penta_map_format format = {.type = (penta_type)99};
    double out[2 * 10], least[2] = {0};

    p = make_problem(2, 2, 1, 10, PENTA_F64);
    map = make_map(ctx, &p, PENTA_PRECISION_DOUBLE);
    add_all(ctx, map, &p);
    assert_int_equal(penta_map_take(map, NULL, out, 10), PENTA_INVALID);
    assert_int_equal(penta_map_take(map, &format, out, 10), PENTA_INVALID);
    format.type = PENTA_F64;
    assert_int_equal(penta_map_take(map, &format, out, 9), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "outputs of 10 pixels overlap at a stride of 9");
    format.rescale = true;
    format.high = INFINITY;
    assert_int_equal(penta_map_take(map, &format, out, 10), PENTA_INVALID);
    format.high = 1;
    format.least = least;
    assert_int_equal(penta_map_take(map, &format, out, 10), PENTA_INVALID);
    format = (penta_map_format){.type = PENTA_F64};
    EXPECT_OK(ctx, penta_map_take(map, &format, out, 10)); /* still there */
    for (size_t i = 0; i < COUNT(out); i++)
        expect_near(out[i], p.want[i], 1e-12);
    penta_map_destroy(map);
    free_problem(&p);
}

static void not_finite(void **state)
{
    penta_context *ctx = device_of(state);
    for (size_t at = 0; at < 1200; at += 1199) {
        problem p = make_problem(3, 2, 40, 30, PENTA_F32);
        penta_map *map = make_map(ctx, &p, PENTA_PRECISION_SINGLE);
        penta_map_format format = {.type = PENTA_F32};
        float *out = must_calloc(p.outs * p.pixels, sizeof *out);
        penta_status status = PENTA_OK;

        pca_limit_map(map, 512, 4);
        put_number(p.type, p.data, p.pixels + at, INFINITY);
        for (size_t y = 0; y < p.rows && status == PENTA_OK; y += 8) {
            penta_cube_rows rows = rows_of(&p, y, 8);

            status = penta_map_add(map, &rows);
        }
        if (status == PENTA_OK)
            status = penta_map_take(map, &format, out, p.pixels);
        assert_int_equal(status, PENTA_INVALID);
        expect_text(penta_last_error(ctx),
                    at ? "band 2, row 39, column 29 is not finite" : "band 2, row 0, column 0 is not finite");
        penta_map_reset(map);
        put_number(p.type, p.data, p.pixels + at, p.x[p.pixels + at]);
        add_all(ctx, map, &p);
        EXPECT_OK(ctx, penta_map_take(map, &format, out, p.pixels));
        for (size_t i = 0; i < p.outs * p.pixels; i++)
            expect_near((double)out[i], p.want[i], 1e-3);
        penta_map_destroy(map);
        free(out);
        free_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results),
        cmocka_unit_test(many_outputs),
        cmocka_unit_test(rounding),
        cmocka_unit_test(rescaling),
        cmocka_unit_test(constant_becomes_low),
        cmocka_unit_test(left_out),
        cmocka_unit_test(no_data),
        cmocka_unit_test(nothing_valid),
        cmocka_unit_test(pieces),
        cmocka_unit_test(room),
        cmocka_unit_test(growing),
        cmocka_unit_test(inverse),
        cmocka_unit_test(bad_maps),
        cmocka_unit_test(bad_formats),
        cmocka_unit_test(not_finite),
    };
    const struct CMUnitTest forms[] = {
        cmocka_unit_test(many_outputs), cmocka_unit_test(rounding), cmocka_unit_test(rescaling),
        cmocka_unit_test(left_out),     cmocka_unit_test(pieces),   cmocka_unit_test(growing),
    };
    int failed = cmocka_run_group_tests_name("forms for this device", tests, open_device, close_device);

    return failed + cmocka_run_group_tests_name("forms for GPUs", forms, open_gpu_form, close_device);
}
