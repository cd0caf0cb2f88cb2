/*
 * Maps on devices without double precision: scores in pairs of floats beside a reference in long double, in single
 * precision; ranges, types and limits of results; pieces, pixels that are kept and arrays of the device: the same bits.
 * Statistics: test_pca_single.c.
 */
#include "support/test.h"

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/device_array.h"
#include "support/map_problem.h"
#include "support/numbers.h"
#include "support/pca_cube.h"

/* What docs/mathematics/pca.md states, relative to the sum of the sizes of a score's terms. */
static const double score_bound = 1e-13, single_bound = 1e-6;

/* The context without double precision, from now on. */
static penta_context *single_of(void **state)
{
    penta_context *ctx = device_of(state);

    if (penta_context_device(ctx)->fp64)
        penta_context_without_double(ctx);
    return ctx;
}

/* ---- maps ---- */

static double worst_score; /* of pairs of floats, over all of a group's tests */

/* Of output o of pixel p: the sum of the sizes of its terms. */
static double size_of(const map_problem *p, size_t o, size_t pixel)
{
    double size = fabs(p->after[o]);

    for (size_t b = 0; b < p->ins; b++)
        size += fabs(p->matrix[o * p->ins + b]) * (fabs(p->x[b * p->pixels + pixel]) + fabs(p->before[b]));
    return size;
}

static void check_map(penta_context *ctx, size_t ins, size_t outs, penta_type type, int precision, bool masked)
{
    HELD_BY(free_map_problem) map_problem p = make_map_problem(ins, outs, 9, 71, type);
    penta_map_format format = {.type = PENTA_F64, .fill = -5};
    double bound = precision == PENTA_PRECISION_SINGLE ? single_bound : score_bound, *got;

    if (masked)
        mask_problem(&p);
    got = map_at_once(ctx, &p, precision, &format);
    for (size_t o = 0; o < outs; o++)
        for (size_t i = 0; i < p.pixels; i++) {
            double value = got[o * p.pixels + i], error = fabs(value - p.want[o * p.pixels + i]) / size_of(&p, o, i);

            if (p.mask && !p.mask[i]) {
                expect_near(value, -5, 0);
                continue;
            }
            if (!(error <= bound))
                fail_msg("%zu to %zu, type %s: output %zu of pixel %zu is %.17g, %.3g off", ins, outs,
                         penta_type_name(type), o, i, value, error);
            if (precision != PENTA_PRECISION_SINGLE)
                worst_score = fmax(worst_score, error);
        }
    free(got);
}

TEST(map_types)
{
    penta_context *ctx = single_of(state);

    for (size_t t = 0; t < COUNT(pixel_types); t++) {
        check_map(ctx, 21, 5, pixel_types[t], PENTA_PRECISION_AUTO, t % 2);
        check_map(ctx, 21, 5, pixel_types[t], PENTA_PRECISION_SINGLE, t % 2);
    }
}

TEST(map_shapes)
{
    static const size_t shapes[][2] = {{1, 1}, {3, 17}, {40, 33}, {300, 4}, {70, 20}};
    penta_context *ctx = single_of(state);

    for (size_t k = 0; k < COUNT(shapes); k += stands_in(ctx) ? 2 : 1) {
        check_map(ctx, shapes[k][0], shapes[k][1], PENTA_F32, PENTA_PRECISION_AUTO, false);
        check_map(ctx, shapes[k][0], shapes[k][1], PENTA_F32, PENTA_PRECISION_SINGLE, false);
    }
}

/* Bands and outputs of any size: a map that keeps bands of 10^-200 and 10^200 apart. */
TEST(map_scales)
{
    static const double sizes[] = {1e-200, 1e200, 1, 1e-30};
    penta_context *ctx = single_of(state);
    HELD_BY(free_map_problem) map_problem p = make_map_problem(4, 4, 3, 100, PENTA_F64);
    penta_map_format format = {.type = PENTA_F64};
    HELD double *got = NULL;

    memset(p.matrix, 0, 16 * sizeof *p.matrix);
    for (size_t b = 0; b < 4; b++) {
        p.matrix[b * 4 + b] = 1 / 3.0;
        p.before[b] *= sizes[b];
        p.after[b] = 0;
        for (size_t i = 0; i < p.pixels; i++)
            p.x[b * p.pixels + i] *= sizes[b];
    }
    memcpy(p.data, p.x, 4 * p.pixels * sizeof *p.x);
    reference_pca_map(4, 4, p.pixels, p.matrix, p.before, p.after, p.x, p.want);
    got = map_at_once(ctx, &p, PENTA_PRECISION_AUTO, &format);
    for (size_t o = 0; o < 4; o++)
        for (size_t i = 0; i < p.pixels; i++)
            expect_near(got[o * p.pixels + i], p.want[o * p.pixels + i], score_bound * size_of(&p, o, i));
}

/* In all types, rounded as with double precision. */
TEST(conversions)
{
    static const double numbers[] = {0,
                                     -0.5,
                                     0.5,
                                     1.5,
                                     2.5,
                                     -2.5,
                                     0.4999999999999964,
                                     -1e10,
                                     -0.1,
                                     254,
                                     255.5,
                                     65535.5,
                                     -32768.5,
                                     2147483646.5,
                                     4294967294.5,
                                     1e-9,
                                     1,
                                     9e15,
                                     -1e9,
                                     16777217.0,
                                     -1e-10,
                                     0.1,
                                     1 / 3.0,
                                     7};
    static const penta_type types[] = {PENTA_U8,  PENTA_U16, PENTA_I16, PENTA_U32,
                                       PENTA_I32, PENTA_I64, PENTA_F32, PENTA_F64};
    penta_context *ctx = single_of(state);
    HELD_BY(free_map_problem) map_problem p = identity_problem(COUNT(numbers), numbers);

    for (size_t t = 0; t < COUNT(types); t++) {
        penta_map_format format = {.type = types[t]};
        HELD void *got = map_at_once(ctx, &p, PENTA_PRECISION_AUTO, &format);

        for (size_t i = 0; i < COUNT(numbers); i++) {
            double want = nearest_number(types[t], numbers[i]);

            expect_near(get_number(types[t], got, i), want, types[t] == PENTA_F64 ? 1e-14 * fabs(want) : 0);
        }
    }
}

/* ---- ranges ---- */

TEST(rescaling)
{
    static const struct {
        penta_type type;
        double low, high;
    } ways[] = {
        {PENTA_U8, 1, 255}, {PENTA_I16, 100, -100}, {PENTA_I32, -2e9, 2e9}, {PENTA_F32, -1, 1}, {PENTA_F64, 0, 1e-100}};
    penta_context *ctx = single_of(state);
    HELD_BY(free_map_problem) map_problem p = make_map_problem(5, 3, 7, 143, PENTA_F32);
    double least[3], largest[3];
    HELD double *y = map_at_once(ctx, &p, PENTA_PRECISION_AUTO, &(penta_map_format){.type = PENTA_F64});
    HELD_BY(penta_map_held) penta_map *map = map_of_problem(ctx, &p, PENTA_PRECISION_AUTO);

    for (size_t k = 0; k < COUNT(ways); k++) {
        penta_map_format format = {.type = ways[k].type, .rescale = true, .low = ways[k].low, .high = ways[k].high};
        HELD void *out = must_calloc(3 * p.pixels, 8);

        penta_map_reset(map);
        add_problem(ctx, map, &p);
        EXPECT_OK(ctx, penta_map_range(map, least, largest));
        EXPECT_OK(ctx, penta_map_take(map, &format, out, p.pixels));
        for (size_t i = 0; i < 3 * p.pixels; i++) {
            size_t o = i / p.pixels;
            double v = (y[i] - least[o]) / (largest[o] - least[o]) * (ways[k].high - ways[k].low) + ways[k].low, want;
            double slack = 1e-12 * fmax(fabs(ways[k].low), fabs(ways[k].high));

            assert_true(y[i] >= least[o] && y[i] <= largest[o]);
            want = nearest_number(ways[k].type, v);
            if (is_integer(ways[k].type) && fabs(fabs(v - trunc(v)) - 0.5) <= slack)
                continue; /* a tie but for rounding */
            expect_near(get_number(ways[k].type, out, i), want,
                        is_integer(ways[k].type)    ? 0
                        : ways[k].type == PENTA_F32 ? 1e-7
                                                    : slack);
        }
    }
}

/* Scores of the cube that gave the range are all within it; narrower ranges clip as many as lie beyond. */
TEST(clipping)
{
    penta_context *ctx = single_of(state);
    HELD_BY(free_map_problem) map_problem p = make_map_problem(5, 3, 7, 143, PENTA_F64);
    double least[3], largest[3];
    uint64_t clipped = 0, want = 0;
    penta_map_format format = {.type = PENTA_U8,
                               .rescale = true,
                               .low = 0,
                               .high = 255,
                               .least = least,
                               .largest = largest,
                               .clipped = &clipped};
    HELD double *y = map_at_once(ctx, &p, PENTA_PRECISION_AUTO, &(penta_map_format){.type = PENTA_F64});
    HELD uint8_t *out = must_calloc(3 * p.pixels, 1);
    HELD_BY(penta_map_held) penta_map *map = map_of_problem(ctx, &p, PENTA_PRECISION_AUTO);

    add_problem(ctx, map, &p);
    EXPECT_OK(ctx, penta_map_range(map, least, largest));
    EXPECT_OK(ctx, penta_map_take(map, &format, out, p.pixels));
    assert_int_equal(clipped, 0);
    least[1] = y[p.pixels + 5];
    for (size_t i = 0; i < p.pixels; i++)
        want += y[p.pixels + i] < least[1];
    assert_true(want > 0);
    add_problem(ctx, map, &p);
    EXPECT_OK(ctx, penta_map_take(map, &format, out, p.pixels));
    assert_int_equal(clipped, want);
}

/* ---- pieces, kept pixels, arrays of the device ---- */

/* Rows one at a time in small slabs, pixels that a plan keeps, and a cube in device memory, give the bits of all at
 * once. */
TEST(sources)
{
    enum { BANDS = 5, OUTS = 3 };
    static const penta_type types[] = {PENTA_U16, PENTA_F32, PENTA_F64};
    penta_context *ctx = single_of(state);

    for (size_t t = 0; t < COUNT(types); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(BANDS, 24, 64, types[t], 3);
        penta_pca_options o = default_pca_options();
        penta_cube_rows rows = rows_of_pca_cube(&c, PENTA_BSQ, 0, c.rows);
        HELD_BY(free_device_array)
        device_array array = make_device_array(ctx, AT_ALIGNED, rows.data, BANDS * c.pixels * penta_type_size(c.type));
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_of_pca_cube(ctx, &c, &o, PENTA_BSQ, c.rows), other;
        penta_affine a = {BANDS, OUTS, m.forward, m.mean, NULL};
        penta_map_format format = {.type = PENTA_F64};
        HELD double *want = must_calloc(OUTS * c.pixels, sizeof *want),
                    *got = must_calloc(OUTS * c.pixels, sizeof *got);
        HELD_BY(penta_pca_held) penta_pca *plan = plan_of_pca_cube(ctx, &c, &o);
        HELD_BY(penta_map_held) penta_map *map = NULL;

        map_pca_cube(ctx, &c, &a, PENTA_PRECISION_AUTO, PENTA_BSQ, c.rows, format, want);
        map_pca_cube(ctx, &c, &a, PENTA_PRECISION_AUTO, PENTA_BIL, 1, format, got);
        assert_memory_equal(got, want, OUTS * c.pixels * sizeof *want);

        EXPECT_OK(ctx, penta_pca_keep(plan, (uint64_t)1 << 26));
        rows.data = array.address;
        EXPECT_OK(ctx, penta_pca_add(plan, &rows));
        EXPECT_OK(ctx, penta_pca_solve(plan, &other));
        assert_memory_equal(other.covariance, m.covariance, BANDS * BANDS * sizeof(double));
        EXPECT_OK(ctx, penta_map_create(ctx, &a, PENTA_PRECISION_AUTO, NULL, &map));
        EXPECT_OK(ctx, penta_map_add_kept(map, plan, 0, c.pixels));
        memset(got, 0, OUTS * c.pixels * sizeof *got);
        EXPECT_OK(ctx, penta_map_take(map, &format, got, c.pixels));
        assert_memory_equal(got, want, OUTS * c.pixels * sizeof *want);
        EXPECT_OK(ctx, penta_map_add(map, &rows));
        EXPECT_OK(ctx, penta_map_take(map, &format, got, c.pixels));
        assert_memory_equal(got, want, OUTS * c.pixels * sizeof *want);
    }
}

TEST(refusals)
{
    penta_context *ctx = single_of(state);
    const double one = 1;
    penta_affine a = {1, 1, &one, NULL, NULL};
    penta_map *map = NULL;

    EXPECT_REFUSED(ctx, penta_map_create(ctx, &a, PENTA_PRECISION_DOUBLE, NULL, &map), PENTA_UNSUPPORTED,
                   "use `precision` auto");
    assert_null(map);
}

static int close_group(void **state)
{
    print_message("pairs of floats: scores %.2g off at most, of the sizes of their terms\n", worst_score);
    worst_score = 0;
    return close_device(state);
}

RUN(AS_IT_IS, "this device", open_device, close_group);
RUN(AS_GPU, "forms for GPUs", open_gpu_form, close_group);
