/* Parts of a frame, each by a context of its own as several devices draw them: the pixels and counts of the whole. */
#include "support/test.h"

#include <pentacl/stars.h>

#include "support/device_array.h"
#include "support/stars_run.h"

enum { WIDTH = 67, HEIGHT = 101, MANY = 30000, FEW = 300 };

static const int engines[] = {PENTA_STARS_PIXEL, PENTA_STARS_STAR, PENTA_STARS_TILE, PENTA_STARS_FIXED};

/* Rows where parts begin, which no tile does; ends with the height. */
static const size_t cuts[][5] = {{0, HEIGHT}, {0, 50, HEIGHT}, {0, 1, 37, HEIGHT}, {0, 25, 51, 76, HEIGHT}};

/* Without double precision `fixed` draws on the host, and whole frames only, which test_stars_single tests. */
static bool draws_parts(penta_context *ctx, int engine, int precision)
{
    return (engine != PENTA_STARS_FIXED && precision == PENTA_PRECISION_SINGLE) ||
           !lacks_double(ctx, stars_engine_name(engine));
}

static penta_status draw_part(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *list,
                              size_t first, size_t rows, penta_stars_result *result)
{
    HELD_BY(penta_stars_held) penta_stars *plan = NULL;
    penta_status status = penta_stars_create(ctx, WIDTH, HEIGHT, o, &plan);

    if (status == PENTA_OK)
        status = penta_stars_run_rows(plan, list, first, rows, result);
    return status;
}

/* The same bits by engines that add a pixel's stars in the order of the list. */
static void expect_same_pixels(const penta_stars_options *o, const void *whole, const void *parts)
{
    bool dbl = o->precision == PENTA_PRECISION_DOUBLE,
         exact = o->engine == PENTA_STARS_FIXED || o->engine == PENTA_STARS_PIXEL;
    double most = 0, limit = exact ? 0 : dbl ? 1e-13 : 1e-6;

    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        most = fmax(most, dbl ? ((const double *)whole)[i] : (double)((const float *)whole)[i]);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        double a = dbl ? ((const double *)whole)[i] : (double)((const float *)whole)[i];
        double b = dbl ? ((const double *)parts)[i] : (double)((const float *)parts)[i];

        if (!(fabs(a - b) <= limit * most))
            fail_msg("engine %s, precision %d: %.17g of the whole, %.17g of the parts, at %zu",
                     stars_engine_name(o->engine), o->precision, a, b, i);
    }
}

static void expect_parts_of_whole(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *list)
{
    size_t pixel = o->precision == PENTA_PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
    HELD char *whole = must_calloc(WIDTH * HEIGHT, pixel), *parts = must_calloc(WIDTH * HEIGHT, pixel);
    penta_stars_result all = {.image = whole}, part;

    EXPECT_OK(ctx, draw_part(ctx, o, list, 0, HEIGHT, &all));
    assert_true(all.drawn > list->n / 2);
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        size_t drawn = 0;
        double flux = 0;

        for (size_t i = 0; cuts[c][i] < HEIGHT; i++) {
            part.image = parts + cuts[c][i] * WIDTH * pixel;
            EXPECT_OK(ctx, draw_part(ctx, o, list, cuts[c][i], cuts[c][i + 1] - cuts[c][i], &part));
            drawn += part.drawn;
            flux += part.flux_total;
        }
        expect_same_pixels(o, whole, parts);
        assert_int_equal(drawn, all.drawn);
        assert_true(fabs(flux - all.flux_total) <= 1e-12 * all.flux_total);
    }
}

DEVICE_TEST(parts)
{
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++)
        for (int many = 0; many < 2; many++)
            for (int precision = PENTA_PRECISION_SINGLE; precision <= PENTA_PRECISION_DOUBLE; precision++) {
                HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(many ? MANY : FEW, WIDTH, HEIGHT, 3);
                penta_stars_list list = stars_scene_list(&scene);
                penta_stars_options o = stars_options(engines[e]);

                o.precision = precision;
                if (draws_parts(ctx, engines[e], precision))
                    expect_parts_of_whole(ctx, &o, &list);
            }
}

/* The part lies where it is in device memory, with something of the caller's behind. */
DEVICE_TEST(parts_in_device_memory)
{
    enum { FIRST = 25, ROWS = 26 };

    for (size_t e = 0; e < COUNT(engines); e++)
        for (int many = 0; many < 2; many++) {
            HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(many ? MANY : FEW, WIDTH, HEIGHT, 3);
            penta_stars_list list = stars_scene_list(&scene);
            penta_stars_options o = stars_options(engines[e]);
            float whole[WIDTH * HEIGHT], part[WIDTH * HEIGHT];
            HELD_BY(free_device_array)
            device_array there = make_device_array(ctx, AT_ALIGNED, NULL, (size_t)WIDTH * ROWS * sizeof(float));
            penta_stars_result all = {.image = whole}, some = {.image = there.address};

            o.precision = PENTA_PRECISION_SINGLE;
            EXPECT_OK(ctx, draw_part(ctx, &o, &list, 0, HEIGHT, &all));
            memcpy(part, whole, sizeof part);
            if (draws_parts(ctx, engines[e], o.precision)) {
                EXPECT_OK(ctx, draw_part(ctx, &o, &list, FIRST, ROWS, &some));
                read_device_array(&there, part + FIRST * WIDTH);
            }
            expect_same_pixels(&o, whole, part);
        }
}

DEVICE_TEST(refused)
{
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(5, WIDTH, HEIGHT, 3);
    penta_stars_list list = stars_scene_list(&scene);
    penta_stars_options o = stars_options(PENTA_STARS_FIXED);
    penta_stars_result result = {.image = NULL};

    EXPECT_REFUSED(ctx, draw_part(ctx, &o, &list, HEIGHT, 1, &result), PENTA_INVALID, "rows 101 and on");
    assert_int_equal(draw_part(ctx, &o, &list, 7, 0, &result), PENTA_INVALID);
    assert_int_equal(draw_part(ctx, &o, &list, 7, HEIGHT - 6, &result), PENTA_INVALID);
    assert_int_equal(draw_part(ctx, &o, &list, 1, SIZE_MAX, &result), PENTA_INVALID);
    o.engine = PENTA_STARS_THREADS;
    EXPECT_REFUSED(ctx, draw_part(ctx, &o, &list, 7, 5, &result), PENTA_UNSUPPORTED, "whole frames only");
    EXPECT_OK(ctx, draw_part(ctx, &o, &list, 0, HEIGHT, &result));
}

ON_DEVICE;
RUN(AS_GPU, "forms for GPUs", open_gpu_tiles, close_device);
