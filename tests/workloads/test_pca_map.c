/*
 * Maps against the reference: pieces, room, there and back, and what is refused; in the forms for this device and for
 * GPUs. test_pca_map_format.c has types and ranges.
 */
#include "support/test.h"

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/map_problem.h"
#include "support/numbers.h"

/* ---- results ---- */

static double size_of_terms(const map_problem *p)
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

static void check_results(penta_context *ctx, const map_problem *p, int precision)
{
    bool single = precision == PENTA_PRECISION_SINGLE;
    double tolerance = (single ? 2e-7 : 1e-15) * size_of_terms(p), least[40], largest[40];
    HELD double *out = must_calloc(p->outs * p->pixels, 8);
    HELD uint8_t *valid = must_calloc(p->pixels, 1);
    penta_map_format format = {.type = PENTA_F64, .fill = -1e9, .valid = valid};
    HELD_BY(penta_map_held) penta_map *map = map_of_problem(ctx, p, precision);

    add_problem(ctx, map, p);
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
}

DEVICE_TEST_IN(AS_IT_IS, results)
{
    /* The first two are tried for all types, the others for an exact one and one that is not. */
    static const size_t sizes[][2] = {{7, 3}, {37, 33}, {1, 1}, {13, 13}, {3, 21}};

    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (size_t s = 0; s < (pixel_types[t] == PENTA_U16 || pixel_types[t] == PENTA_F32 ? COUNT(sizes) : 2); s++)
            for (int masked = 0; masked < 2; masked++) {
                HELD_BY(free_map_problem)
                map_problem p = make_map_problem(sizes[s][0], sizes[s][1], 9, 101, pixel_types[t]);

                if (masked)
                    mask_problem(&p);
                check_results(ctx, &p, PENTA_PRECISION_SINGLE);
                check_results(ctx, &p, PENTA_PRECISION_DOUBLE);
            }
}

/* Outputs that leave in several pieces. */
DEVICE_TEST(many_outputs)
{
    HELD_BY(free_map_problem) map_problem p;
    HELD void *out = NULL;

    p = make_map_problem(1, 37, 128, 1000, PENTA_F32);
    out = map_at_once(ctx, &p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = PENTA_F64});
    for (size_t i = 0; i < p.outs * p.pixels; i++)
        expect_near(((const double *)out)[i], p.want[i], 1e-13);
}

/* ---- pieces ---- */

/* Rows a few at a time, taken every few calls into place: the same bits. */
DEVICE_TEST(pieces)
{
    static const size_t steps[] = {1, 2, 5, 31};

    for (size_t s = 0; s < COUNT(steps); s++) {
        HELD_BY(free_map_problem) map_problem p = make_map_problem(6, 4, 31, 77, s % 2 ? PENTA_F32 : PENTA_U16);
        penta_map_format format = {.type = PENTA_F32, .fill = NAN};
        HELD float *whole = NULL, *out = must_calloc(p.outs * p.pixels, sizeof *out);
        HELD_BY(penta_map_held) penta_map *map = map_of_problem(ctx, &p, PENTA_PRECISION_SINGLE);
        double least[2][4], largest[2][4];
        size_t taken = 0;

        mask_problem(&p);
        whole = map_at_once(ctx, &p, PENTA_PRECISION_SINGLE, &format);
        pca_limit_map(map, 512, 8);
        for (size_t y = 0, call = 0; y < p.rows; y += steps[s], call++) {
            size_t count = p.rows - y < steps[s] ? p.rows - y : steps[s], room = penta_map_room(map);
            penta_cube_rows rows = rows_of_problem(&p, y, count);

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
        add_problem(ctx, map, &p);
        EXPECT_OK(ctx, penta_map_take(map, NULL, NULL, 0));
        EXPECT_OK(ctx, penta_map_range(map, least[1], largest[1]));
        assert_memory_equal(least[0], least[1], sizeof least[0]);
        assert_memory_equal(largest[0], largest[1], sizeof largest[0]);
    }
}

DEVICE_TEST_IN(AS_IT_IS, room)
{
    HELD_BY(free_map_problem) map_problem p;
    HELD_BY(penta_map_held) penta_map *map = NULL;
    penta_cube_rows rows;
    HELD float *out = NULL;

    p = make_map_problem(2, 2, 20, 60, PENTA_F32);
    map = map_of_problem(ctx, &p, PENTA_PRECISION_SINGLE);
    assert_true(penta_map_room(map) >= 100000);
    pca_limit_map(map, 512, 2);
    assert_int_equal(penta_map_room(map), 1024);
    rows = rows_of_problem(&p, 0, 20);
    assert_int_equal(penta_map_add(map, &rows), PENTA_INVALID); /* 1200 pixels */
    expect_text(penta_last_error(ctx), "no room for 1200 pixels: results of 1024 more");
    rows = rows_of_problem(&p, 0, 10);
    EXPECT_OK(ctx, penta_map_add(map, &rows));
    assert_int_equal(penta_map_room(map), 424);
    assert_int_equal(penta_map_add(map, &rows), PENTA_INVALID);
    out = must_calloc(p.outs * 600, sizeof *out);
    EXPECT_OK(ctx, penta_map_take(map, &(penta_map_format){.type = PENTA_F32}, out, 600)); /* the 600 are unharmed */
    for (size_t o = 0; o < p.outs; o++)
        for (size_t i = 0; i < 600; i++)
            expect_near((double)out[o * 600 + i], p.want[o * p.pixels + i], 1e-3);
}

/* The same map of other pixels. */
static void use_map_of(map_problem *p, const map_problem *of)
{
    memcpy(p->matrix, of->matrix, p->ins * p->outs * 8);
    memcpy(p->before, of->before, p->ins * 8);
    memcpy(p->after, of->after, p->outs * 8);
    reference_pca_map(p->ins, p->outs, p->pixels, p->matrix, p->before, p->after, p->x, p->want);
}

/* Few pixels first, then as many as need larger slabs, then another type in the middle. */
DEVICE_TEST(growing)
{
    HELD_BY(free_map_problem) map_problem few, many, other;
    HELD_BY(penta_map_held) penta_map *map = NULL;
    HELD double *out = NULL;

    few = make_map_problem(3, 2, 2, 50, PENTA_F32);
    many = make_map_problem(3, 2, 300, 100, PENTA_F32);
    other = make_map_problem(3, 2, 3, 100, PENTA_U8);
    use_map_of(&many, &few);
    use_map_of(&other, &few);
    out = must_calloc(2 * (many.pixels + other.pixels), sizeof *out);
    map = map_of_problem(ctx, &few, PENTA_PRECISION_DOUBLE);
    add_problem(ctx, map, &few);
    EXPECT_OK(ctx, penta_map_take(map, &(penta_map_format){.type = PENTA_F64}, out, few.pixels));
    for (size_t i = 0; i < 2 * few.pixels; i++)
        expect_near(out[i], few.want[i], 1e-12);
    add_problem(ctx, map, &many);
    add_problem(ctx, map, &other);
    EXPECT_OK(ctx, penta_map_take(map, &(penta_map_format){.type = PENTA_F64}, out, many.pixels + other.pixels));
    for (size_t o = 0; o < 2; o++) {
        const double *row = out + o * (many.pixels + other.pixels);

        for (size_t i = 0; i < many.pixels; i++)
            expect_near(row[i], many.want[o * many.pixels + i], 1e-12);
        for (size_t i = 0; i < other.pixels; i++)
            expect_near(row[many.pixels + i], other.want[o * other.pixels + i], 1e-12);
    }
}

/* ---- there and back ---- */

DEVICE_TEST_IN(AS_IT_IS, inverse)
{
    HELD_BY(free_map_problem) map_problem p;
    penta_cube_rows rows;
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    HELD_BY(penta_pca_model_free) penta_pca_model m;
    HELD double *scores = NULL, *back = NULL;

    p = make_map_problem(7, 7, 21, 33, PENTA_F64);
    rows = rows_of_problem(&p, 0, p.rows);
    EXPECT_OK(ctx, penta_pca_create(ctx, p.ins, p.pixels, NULL, &plan));
    EXPECT_OK(ctx, penta_pca_add(plan, &rows));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    memcpy(p.matrix, m.forward, p.ins * p.ins * sizeof *p.matrix);
    memcpy(p.before, m.mean, p.ins * sizeof *p.before);
    memset(p.after, 0, p.ins * sizeof *p.after);
    scores = map_at_once(ctx, &p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = PENTA_F64});
    memcpy(p.data, scores, p.ins * p.pixels * sizeof *scores);
    memcpy(p.matrix, m.inverse, p.ins * p.ins * sizeof *p.matrix);
    memcpy(p.after, m.mean, p.ins * sizeof *p.after);
    memset(p.before, 0, p.ins * sizeof *p.before);
    back = map_at_once(ctx, &p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = PENTA_F64});
    for (size_t i = 0; i < p.ins * p.pixels; i++)
        expect_near(back[i], p.x[i], 1e-11);
}

/* ---- what is refused ---- */

DEVICE_TEST_IN(AS_IT_IS, bad_maps)
{
    static const double matrix[] = {1, NAN};
    penta_affine a = {1, 1, matrix, NULL, NULL};
    penta_map *map;

    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_DS, NULL, &map), PENTA_INVALID);
    assert_null(map);
    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_SINGLE, "none", &map), PENTA_INVALID);
    a.outs = 2;
    EXPECT_REFUSED(ctx, penta_map_create(ctx, &a, PENTA_PRECISION_SINGLE, NULL, &map), PENTA_INVALID, "number 2, 1");
    a.ins = 0;
    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_SINGLE, NULL, &map), PENTA_INVALID);
    a.ins = 5000;
    assert_int_equal(penta_map_create(ctx, &a, PENTA_PRECISION_SINGLE, NULL, &map), PENTA_INVALID);
}

DEVICE_TEST_IN(AS_IT_IS, bad_formats)
{
    HELD_BY(free_map_problem) map_problem p;
    HELD_BY(penta_map_held) penta_map *map = NULL;
    penta_map_format format = {.type = (penta_type)99};
    double out[2 * 10], least[2] = {0};

    p = make_map_problem(2, 2, 1, 10, PENTA_F64);
    map = map_of_problem(ctx, &p, PENTA_PRECISION_DOUBLE);
    add_problem(ctx, map, &p);
    assert_int_equal(penta_map_take(map, NULL, out, 10), PENTA_INVALID);
    assert_int_equal(penta_map_take(map, &format, out, 10), PENTA_INVALID);
    format.type = PENTA_F64;
    EXPECT_REFUSED(ctx, penta_map_take(map, &format, out, 9), PENTA_INVALID,
                   "outputs of 10 pixels overlap at a stride of 9");
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
}

DEVICE_TEST_IN(AS_IT_IS, not_finite)
{
    for (size_t at = 0; at < 1200; at += 1199) {
        HELD_BY(free_map_problem) map_problem p = make_map_problem(3, 2, 40, 30, PENTA_F32);
        HELD_BY(penta_map_held) penta_map *map = map_of_problem(ctx, &p, PENTA_PRECISION_SINGLE);
        penta_map_format format = {.type = PENTA_F32};
        HELD float *out = must_calloc(p.outs * p.pixels, sizeof *out);
        penta_status status = PENTA_OK;

        pca_limit_map(map, 512, 4);
        put_number(p.type, p.data, p.pixels + at, INFINITY);
        for (size_t y = 0; y < p.rows && status == PENTA_OK; y += 8) {
            penta_cube_rows rows = rows_of_problem(&p, y, 8);

            status = penta_map_add(map, &rows);
        }
        if (status == PENTA_OK)
            status = penta_map_take(map, &format, out, p.pixels);
        assert_int_equal(status, PENTA_INVALID);
        expect_text(penta_last_error(ctx),
                    at ? "band 2, row 39, column 29 is not finite" : "band 2, row 0, column 0 is not finite");
        penta_map_reset(map);
        put_number(p.type, p.data, p.pixels + at, p.x[p.pixels + at]);
        add_problem(ctx, map, &p);
        EXPECT_OK(ctx, penta_map_take(map, &format, out, p.pixels));
        for (size_t i = 0; i < p.outs * p.pixels; i++)
            expect_near((double)out[i], p.want[i], 1e-3);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
