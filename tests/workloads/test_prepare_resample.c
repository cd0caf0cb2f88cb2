/* Flattened frames and the content moved back (cl/prepare/flatten.cl, resample.cl), in both forms. */
#include "support/test.h"

#include "support/prepare_stage.h"
#include "support/random.h"

/* ---- flatten ---- */

static double flattened(int how, double i, double b)
{
    if (how == PENTA_PREPARE_FLATTEN_NONE)
        return i;
    return how == PENTA_PREPARE_OVERLAY ? (i + 255 - b) / 2 : 127.5 * i / b;
}

static void check_flatten(penta_context *ctx, int how, size_t width, size_t height, size_t frames)
{
    penta_prepare_options o = default_prepare_options();
    prepare_stage *s;
    HELD float *grey = NULL, *nodes = NULL, *flat = NULL;

    o.flatten = how;
    s = open_stage(ctx, width, height, frames, PENTA_U8, &o);
    grey = must_calloc(frames * s->pixels, sizeof *grey);
    for (size_t i = 0; i < frames * s->pixels; i++)
        grey[i] = (float)(255 * random_uniform());
    fill(ctx, &s->batch.grey, grey, frames * s->pixels * sizeof *grey);
    nodes = fill_background(ctx, s, 100);
    EXPECT_OK(ctx, prepare_flattener_create(&s->own, &s->shape, &s->flattener));
    EXPECT_OK(ctx, prepare_flattener_run(s->flattener, &s->batch));
    flat = contents(ctx, &s->batch.flat, frames * s->pixels * sizeof *flat);
    for (size_t i = 0; i < frames * s->pixels; i++) {
        const float *of_frame = nodes + i / s->pixels * s->nodes;
        double b = stage_background(&s->shape, of_frame, (double)(i % width), (double)(i / width % height));

        expect_near((double)flat[i], flattened(how, (double)grey[i], b), 1e-3);
    }
    close_stage(s);
}

DEVICE_TEST(flatten)
{
    random_seed(5);
    check_flatten(ctx, PENTA_PREPARE_GAUSSIAN, 61, 47, 2);
    check_flatten(ctx, PENTA_PREPARE_POLY, 129, 70, 1);
    check_flatten(ctx, PENTA_PREPARE_OVERLAY, 129, 70, 2);
    check_flatten(ctx, PENTA_PREPARE_SERIES, 16, 33, 1); /* one node along x */
    check_flatten(ctx, PENTA_PREPARE_FLATTEN_NONE, 61, 47, 2);
}

/* Without any light I / B is 0, a number. */
DEVICE_TEST(black_frames)
{
    prepare_stage *s = open_stage(ctx, 40, 30, 1, PENTA_U8, NULL);
    HELD float *black = must_calloc(s->pixels, sizeof *black), *flat = NULL;

    fill(ctx, &s->batch.grey, black, s->pixels * sizeof *black);
    fill(ctx, &s->batch.background, black, s->nodes * sizeof *black);
    fill(ctx, &s->batch.level, black, sizeof *black);
    EXPECT_OK(ctx, prepare_flattener_create(&s->own, &s->shape, &s->flattener));
    EXPECT_OK(ctx, prepare_flattener_run(s->flattener, &s->batch));
    flat = contents(ctx, &s->batch.flat, s->pixels * sizeof *flat);
    for (size_t i = 0; i < s->pixels; i++)
        expect_near((double)flat[i], 0, 0);
    close_stage(s);
}

/* ---- moved back ---- */

typedef struct {
    prepare_stage *stage;
    prepare_resampler *resampler;
    float *image, *moved;
    uint8_t *mask, *moved_mask;
} scene;

/* White detail of 0 .. 255, one pixel in fifty masked. */
static scene make_scene(penta_context *ctx, size_t width, size_t height, size_t frames, int interpolation)
{
    penta_prepare_options o = default_prepare_options();
    size_t n = frames * width * height;
    scene s = {.image = must_calloc(n, sizeof(float)), .mask = must_calloc(n, 1)};

    o.interpolation = interpolation;
    s.stage = open_stage(ctx, width, height, frames, PENTA_U8, &o);
    for (size_t i = 0; i < n; i++) {
        s.image[i] = (float)(255 * random_uniform());
        s.mask[i] = random_uniform() > 0.02;
    }
    EXPECT_OK(ctx, prepare_resampler_create(&s.stage->own, &s.stage->shape, &s.stage->resampler));
    s.resampler = s.stage->resampler;
    return s;
}

static void move(penta_context *ctx, scene *s, const penta_drift *drift)
{
    size_t n = s->stage->frames * s->stage->pixels;

    fill(ctx, &s->stage->batch.flat, s->image, n * sizeof *s->image);
    fill(ctx, &s->stage->batch.mask, s->mask, n);
    EXPECT_OK(ctx, prepare_resampler_run(s->resampler, &s->stage->batch, drift));
    free(s->moved);
    free(s->moved_mask);
    s->moved = contents(ctx, &s->stage->batch.moved, n * sizeof *s->moved);
    s->moved_mask = contents(ctx, &s->stage->batch.moved_mask, n);
}

static void drop_scene(scene *s)
{
    close_stage(s->stage);
    free(s->image);
    free(s->moved);
    free(s->mask);
    free(s->moved_mask);
}

static double keys(double t)
{
    t = fabs(t);
    return t < 1 ? (1.5 * t - 2.5) * t * t + 1 : t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
}

/* The weight of a pixel at distance t along one axis. */
static double weight(int interpolation, double t)
{
    if (interpolation == PENTA_PREPARE_CUBIC)
        return keys(t);
    if (interpolation == PENTA_PREPARE_LINEAR)
        return fmax(1 - fabs(t), 0);
    return t > -0.5 && t <= 0.5 ? 1 : 0;
}

static double kept_within(double v, double most)
{
    return fmin(fmax(v, 0), most);
}

/* The value at a place of a frame, and whether it has all its pixels: the sum over all pixels around, as defined. */
static double expected_at(const scene *s, size_t frame, int interpolation, double u, double v, bool *whole)
{
    double width = (double)s->stage->shape.width, height = (double)s->stage->shape.height, sum = 0;

    *whole = true;
    for (double j = floor(v) - 2; j <= floor(v) + 3; j++)
        for (double i = floor(u) - 2; i <= floor(u) + 3; i++) {
            double w = weight(interpolation, u - i) * weight(interpolation, v - j);
            double x = kept_within(i, width - 1), y = kept_within(j, height - 1);
            size_t at = frame * s->stage->pixels + (size_t)(y * width + x);

            if (w == 0)
                continue;
            sum += w * (double)s->image[at];
            *whole = *whole && x == i && y == j && s->mask[at];
        }
    return sum;
}

static void expect_moved(const scene *s, int interpolation, const penta_drift *drift, double tolerance, bool masks)
{
    size_t width = s->stage->shape.width, height = s->stage->shape.height;

    for (size_t i = 0; i < s->stage->frames * s->stage->pixels; i++) {
        size_t f = i / s->stage->pixels;
        double a = drift[f].angle * acos(-1.0) / 180, cx = ((double)width - 1) / 2, cy = ((double)height - 1) / 2;
        double x = (double)(i % width) - cx, y = (double)(i / width % height) - cy;
        bool whole;
        double value = expected_at(s, f, interpolation, cx + cos(a) * x - sin(a) * y + drift[f].dx,
                                   cy + sin(a) * x + cos(a) * y + drift[f].dy, &whole);

        expect_near((double)s->moved[i], value, tolerance);
        if (masks)
            assert_int_equal(s->moved_mask[i], whole);
    }
}

static void check_shifts(penta_context *ctx, int interpolation, size_t width, size_t height)
{
    const penta_drift drift[] = {{.dx = 3.25, .dy = -2.35},
                                 {.dx = -7.05, .dy = 0.55},
                                 {.dx = 5, .dy = -11.5625},
                                 {.dx = 0.2, .dy = 40},
                                 {.dx = 1e9, .dy = 0}};
    scene s = make_scene(ctx, width, height, COUNT(drift), interpolation);

    move(ctx, &s, drift);
    expect_moved(&s, interpolation, drift, 2e-3, true);
    drop_scene(&s);
}

DEVICE_TEST(shifts)
{
    random_seed(6);
    for (int i = PENTA_PREPARE_CUBIC; i <= PENTA_PREPARE_NEAREST; i++) {
        check_shifts(ctx, i, 61, 47);
        check_shifts(ctx, i, 129, 70);
    }
}

/* Not moved at all, every bit and every mask stays; moved by whole pixels, too. */
DEVICE_TEST(whole_pixels_change_nothing)
{
    const penta_drift drift[] = {{.dx = 0}, {.dx = 4, .dy = -3}};
    enum { WIDTH = 77, HEIGHT = 35 };

    random_seed(7);
    for (int i = PENTA_PREPARE_CUBIC; i <= PENTA_PREPARE_NEAREST; i++) {
        scene s = make_scene(ctx, WIDTH, HEIGHT, 2, i);

        move(ctx, &s, drift);
        assert_memory_equal(s.moved, s.image, s.stage->pixels * sizeof *s.moved);
        assert_memory_equal(s.moved_mask, s.mask, s.stage->pixels);
        for (size_t y = 3; y < HEIGHT; y++) {
            size_t to = s.stage->pixels + y * WIDTH, from = to - 3 * (size_t)WIDTH + 4;

            assert_memory_equal(s.moved + to, s.image + from, (WIDTH - 4) * sizeof *s.moved);
            assert_memory_equal(s.moved_mask + to, s.mask + from, WIDTH - 4);
        }
        drop_scene(&s);
    }
}

/* Turned content: an angle's sign, its centre, and places good to a thousandth of a pixel. Masks are not compared where
 * rounding decides whether a pixel has a weight: nearest is left out. */
DEVICE_TEST(rotations)
{
    const penta_drift drift[] = {{.dx = 1.3, .dy = 0.45, .angle = 1.7}, {.dx = -3, .dy = 2, .angle = -30}};

    random_seed(8);
    for (int i = PENTA_PREPARE_CUBIC; i <= PENTA_PREPARE_LINEAR; i++) {
        scene s = make_scene(ctx, 90, 66, 2, i);

        move(ctx, &s, drift);
        expect_moved(&s, i, drift, 0.02, true);
        drop_scene(&s);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
