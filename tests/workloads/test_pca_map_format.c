/*
 * Types and ranges of what maps give: rounding, rescaling, pixels that are left out; in the forms for this device and
 * for GPUs.
 */
#include "support/test.h"

#include "pca/pca.h"
#include "support/map_problem.h"
#include "support/numbers.h"

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

DEVICE_TEST(rounding)
{
    static const penta_type types[] = {PENTA_U8,  PENTA_U16, PENTA_I16, PENTA_U32,
                                       PENTA_I32, PENTA_I64, PENTA_F32, PENTA_F64};
    HELD_BY(free_map_problem) map_problem p = identity_problem(COUNT(odd_numbers), odd_numbers);

    for (size_t t = 0; t < COUNT(types); t++) {
        HELD void *out = map_at_once(ctx, &p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = types[t]});

        for (size_t i = 0; i < p.pixels; i++)
            if (types[t] != PENTA_F32 || fabs(odd_numbers[i]) < 1e38)
                expect_near(get_number(types[t], out, i), nearest_number(types[t], odd_numbers[i]), 0);
    }
}

/* As GRASS scales: (high - low) (y - least) / (largest - least) + low, then to the nearest integer. */
static double rescaled(double y, double least, double largest, double low, double high)
{
    if (!(largest > least) || y <= least)
        return low;
    return y >= largest ? high : (high - low) * (y - least) / (largest - least) + low;
}

static void check_rescaling(penta_context *ctx, const map_problem *p, penta_type type, double low, double high,
                            const double *given)
{
    double least[3], largest[3], *y;
    HELD void *out = must_calloc(p->outs * p->pixels, 8);
    penta_map_format format = {.type = type, .rescale = true, .low = low, .high = high, .fill = 7};
    penta_map *map = map_of_problem(ctx, p, PENTA_PRECISION_DOUBLE);

    y = map_at_once(ctx, p, PENTA_PRECISION_DOUBLE, &(penta_map_format){.type = PENTA_F64});
    add_problem(ctx, map, p);
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
    free(y);
    penta_map_destroy(map);
}

DEVICE_TEST(rescaling)
{
    for (int masked = 0; masked < 2; masked++) {
        HELD_BY(free_map_problem) map_problem p = make_map_problem(5, 3, 7, 143, PENTA_F32);

        if (masked)
            mask_problem(&p);
        check_rescaling(ctx, &p, PENTA_U8, 0, 255, NULL);
        check_rescaling(ctx, &p, PENTA_U16, 1, 10000, NULL);
        check_rescaling(ctx, &p, PENTA_I16, 100, -100, NULL);
        check_rescaling(ctx, &p, PENTA_F32, -1, 1, NULL);
        check_rescaling(ctx, &p, PENTA_U8, -20, 300, NULL);
        check_rescaling(ctx, &p, PENTA_U8, 0, 255, (const double[]){-30, 20}); /* less than there is */
        check_rescaling(ctx, &p, PENTA_F64, 0, 1, (const double[]){5, 5});
    }
}

DEVICE_TEST_IN(AS_IT_IS, constant_becomes_low)
{
    static const double same[] = {4, 4, 4, 4, 4};
    HELD_BY(free_map_problem) map_problem p;
    HELD uint8_t *out = NULL;

    p = identity_problem(COUNT(same), same);
    out = map_at_once(ctx, &p, PENTA_PRECISION_DOUBLE,
                      &(penta_map_format){.type = PENTA_U8, .rescale = true, .low = 3, .high = 200});
    for (size_t i = 0; i < p.pixels; i++)
        assert_int_equal(out[i], 3);
}

DEVICE_TEST(left_out)
{
    static const double fills[] = {NAN, 300, -1, 2.5};
    static const double as_u8[] = {0, 255, 0, 3};
    HELD_BY(free_map_problem) map_problem p = make_map_problem(2, 2, 3, 41, PENTA_F32);

    mask_problem(&p);
    for (size_t f = 0; f < COUNT(fills); f++) {
        penta_map_format format = {.type = PENTA_U8, .fill = fills[f]};
        HELD uint8_t *bytes = map_at_once(ctx, &p, PENTA_PRECISION_SINGLE, &format);
        HELD float *floats = NULL;

        format.type = PENTA_F32;
        floats = map_at_once(ctx, &p, PENTA_PRECISION_SINGLE, &format);
        for (size_t i = 0; i < p.outs * p.pixels; i++)
            if (!p.mask[i % p.pixels]) {
                expect_near(bytes[i], as_u8[f], 0);
                assert_true(isnan(fills[f]) ? isnan(floats[i]) : floats[i] == (float)fills[f]);
            } else
                assert_false(isnan(floats[i]));
    }
}

DEVICE_TEST_IN(AS_IT_IS, no_data)
{
    static const double x[] = {1, -9999, 3, 4, -9999};
    penta_affine a = {1, 1, (const double[]){1}, NULL, NULL};
    penta_cube_rows rows = {.rows = 1, .cols = 5, .type = PENTA_F64, .data = x};
    double least, largest, out[5];
    uint8_t valid[5];
    penta_map_format format = {.type = PENTA_F64, .fill = 0, .valid = valid};
    HELD_BY(penta_map_held) penta_map *map = NULL;

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
}

DEVICE_TEST_IN(AS_IT_IS, nothing_valid)
{
    static const double x[] = {1, 2, 3};
    static const uint8_t mask[3];
    penta_map_format format = {.type = PENTA_U8, .rescale = true, .high = 255, .fill = 9};
    double least, largest;
    uint8_t out[3];
    HELD_BY(free_map_problem) map_problem p;
    penta_cube_rows rows;
    HELD_BY(penta_map_held) penta_map *map = NULL;

    p = identity_problem(3, x);
    map = map_of_problem(ctx, &p, PENTA_PRECISION_SINGLE);
    rows = rows_of_problem(&p, 0, 1);
    rows.mask = mask;
    assert_int_equal(penta_map_range(map, &least, &largest), PENTA_INVALID);
    EXPECT_OK(ctx, penta_map_add(map, &rows));
    EXPECT_REFUSED(ctx, penta_map_range(map, &least, &largest), PENTA_INVALID, "none of 3 pixels is valid");
    EXPECT_OK(ctx, penta_map_take(map, &format, out, 3));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(out[i], 9);
}

ON_DEVICE;
AS_ON_A_GPU;
