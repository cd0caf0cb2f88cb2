/* Frames on their way to the device: crop, colour, dark and flat frames, pixels that do not count. */
#include "support/test.h"

#include "prepare/stages.h"
#include "support/numbers.h"
#include "support/random.h"

/* A loader with what it needs. */
typedef struct {
    prepare_settings settings;
    prepare_shape shape;
    penta_resources own;
    prepare_batch batch;
    prepare_loader *loader;
} fixture;

static void open_fixture(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                         const char *crop, int grey, size_t batch, fixture *f)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    o.crop = crop;
    o.grey = grey;
    *f = (fixture){.own = {.ctx = ctx}};
    EXPECT_OK(ctx, prepare_settings_make(ctx, width, height, channels, type, &o, &f->settings));
    f->shape = (prepare_shape){.in_width = width,
                               .in_height = height,
                               .channels = channels,
                               .type = type,
                               .width = f->settings.crop_width,
                               .height = f->settings.crop_height,
                               .nodes_x = 1,
                               .nodes_y = 1,
                               .batch = batch,
                               .settings = &f->settings};
    EXPECT_OK(ctx, prepare_batch_create(&f->own, &f->shape, &f->batch));
    EXPECT_OK(ctx, prepare_loader_create(&f->own, &f->shape, &f->loader));
}

static void close_fixture(fixture *f)
{
    penta_resources_release(&f->own);
}

static void *random_frame(const prepare_shape *s)
{
    size_t count = s->in_width * s->in_height * s->channels;
    char *frame = must_calloc(count, penta_type_size(s->type));

    for (size_t i = 0; i < count; i++)
        put_number(s->type, frame, i, random_number(s->type));
    return frame;
}

/* The grey level of pixel (x, y) of a frame as it came, as the formula stands. */
static double grey_at(const prepare_shape *s, const void *frame, size_t x, size_t y)
{
    static const double c[][3] = {{0.299, 0.587, 0.114}, {1 / 3.0, 1 / 3.0, 1 / 3.0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    size_t i = y * s->in_width + x;
    double sum = 0;

    if (s->channels == 1)
        return get_number(s->type, frame, i);
    for (int k = 0; k < 3; k++)
        if (c[s->settings->o.grey][k] > 0)
            sum += c[s->settings->o.grey][k] * get_number(s->type, frame, 3 * i + (size_t)k);
    return sum;
}

/* Frame f of the batch beside `frame`; dark, flat may be NULL. */
static void expect_frame(penta_context *ctx, fixture *f, size_t at, const void *frame, const float *dark,
                         const float *flat, double mean)
{
    const prepare_shape *s = &f->shape;
    size_t pixels = s->width * s->height;
    HELD float *grey = must_calloc(pixels, sizeof *grey);
    HELD uint8_t *usable = must_calloc(pixels, 1), *mask = must_calloc(pixels, 1);
    uint32_t counts[2], zeros = 0;

    EXPECT_OK(ctx, penta_buffer_read(&f->batch.grey, at * pixels * sizeof *grey, grey, pixels * sizeof *grey));
    EXPECT_OK(ctx, penta_buffer_read(&f->batch.usable, at * pixels, usable, pixels));
    EXPECT_OK(ctx, penta_buffer_read(&f->batch.mask, at * pixels, mask, pixels));
    EXPECT_OK(ctx, penta_buffer_read(&f->batch.counts, at * sizeof counts, counts, sizeof counts));
    for (size_t i = 0; i < pixels; i++) {
        size_t x = s->settings->crop_x + i % s->width, y = s->settings->crop_y + i / s->width;
        double v = grey_at(s, frame, x, y), d = dark ? (double)dark[y * s->in_width + x] : 0;
        double light = flat ? (double)flat[y * s->in_width + x] - d : mean;
        bool ok = isfinite(v) && light >= mean / 20 && isfinite(light);
        double want = ok ? (v - d) * mean / light : 0;

        expect_near((double)grey[i], want, ok ? 4e-7 * (fabs(v) + fabs(d) + 700) * mean / light : 0);
        assert_int_equal(usable[i], ok);
        assert_int_equal(mask[i], ok);
        zeros += !ok;
    }
    assert_int_equal(counts[0], zeros);
    assert_int_equal(counts[1], 0);
}

static void check(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type, const char *crop,
                  int grey)
{
    HELD_BY(close_fixture) fixture f;
    void *frames[3];

    open_fixture(ctx, width, height, channels, type, crop, grey, 3, &f);
    for (int i = 0; i < 3; i++)
        frames[i] = random_frame(&f.shape);
    EXPECT_OK(ctx, prepare_loader_send(f.loader, 3, (const void *const *)frames));
    EXPECT_OK(ctx, prepare_loader_take(f.loader, &f.batch));
    assert_int_equal(f.batch.count, 3);
    for (size_t i = 0; i < 3; i++)
        expect_frame(ctx, &f, i, frames[i], NULL, NULL, 1);
    EXPECT_OK(ctx, penta_finish(ctx));
    for (int i = 0; i < 3; i++)
        free(frames[i]);
}

DEVICE_TEST(types_and_crops)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};

    random_seed(1);
    for (size_t t = 0; t < COUNT(types); t++) {
        check(ctx, 61, 47, 1, types[t], NULL, 0);
        check(ctx, 61, 47, 1, types[t], "3,5,55,41", 0);
        check(ctx, 129, 70, 1, types[t], "100,0,29,70", 0);
        check(ctx, 129, 70, 3, types[t], "1,2,127,31", 0);
    }
    check(ctx, 750, 1500, 1, PENTA_U8, NULL, 0);
}

DEVICE_TEST(colours)
{
    random_seed(2);
    for (int grey = 0; grey <= PENTA_PREPARE_BLUE; grey++) {
        check(ctx, 61, 47, 3, PENTA_U16, NULL, grey);
        check(ctx, 61, 47, 3, PENTA_F32, "0,7,33,40", grey);
    }
}

DEVICE_TEST(pixels_that_are_not_finite)
{
    fixture f;
    float *frame;
    HELD double *wide = NULL;

    open_fixture(ctx, 61, 47, 1, PENTA_F32, NULL, 0, 1, &f);
    frame = random_frame(&f.shape);
    frame[0] = NAN;
    frame[1000] = INFINITY;
    frame[61 * 47 - 1] = -INFINITY;
    EXPECT_OK(ctx, prepare_loader_send(f.loader, 1, (const void *const[]){frame}));
    EXPECT_OK(ctx, prepare_loader_take(f.loader, &f.batch));
    expect_frame(ctx, &f, 0, frame, NULL, NULL, 1);
    free(frame);
    close_fixture(&f);

    open_fixture(ctx, 61, 47, 3, PENTA_F64, NULL, PENTA_PREPARE_GREEN, 1, &f);
    wide = random_frame(&f.shape);
    wide[3] = NAN; /* the red of pixel 1 */
    wide[7] = NAN; /* the green of pixel 2 */
    EXPECT_OK(ctx, prepare_loader_send(f.loader, 1, (const void *const[]){wide}));
    EXPECT_OK(ctx, prepare_loader_take(f.loader, &f.batch));
    expect_frame(ctx, &f, 0, wide, NULL, NULL, 1);
    close_fixture(&f);
}

static double mean_light(const prepare_shape *s, const float *dark, const float *flat)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < s->width * s->height; i++) {
        size_t at = (s->settings->crop_y + i / s->width) * s->in_width + s->settings->crop_x + i % s->width;
        double v = (double)flat[at] - (dark ? (double)dark[at] : 0);

        sum += isfinite(v) ? v : 0;
        count += isfinite(v);
    }
    return sum / count;
}

static void calibrate(penta_context *ctx, bool with_dark, bool with_flat)
{
    enum { W = 61, H = 47 };
    static float dark[W * H], flat[W * H];
    const float *d = with_dark ? dark : NULL, *l = with_flat ? flat : NULL;
    HELD_BY(close_fixture) fixture f;
    HELD void *frame = NULL;

    open_fixture(ctx, W, H, 1, PENTA_U16, "3,5,55,41", 0, 1, &f);
    for (int i = 0; i < W * H; i++) {
        dark[i] = (float)(10 + 5 * random_uniform());
        flat[i] = (float)(400 + 300 * random_uniform());
    }
    flat[10 * W + 10] = 12; /* no light */
    flat[20 * W + 20] = NAN;
    frame = random_frame(&f.shape);
    EXPECT_OK(ctx, prepare_loader_calibrate(f.loader, d, l));
    EXPECT_OK(ctx, prepare_loader_send(f.loader, 1, (const void *const[]){frame}));
    EXPECT_OK(ctx, prepare_loader_take(f.loader, &f.batch));
    expect_frame(ctx, &f, 0, frame, d, l, l ? mean_light(&f.shape, d, l) : 1);
    EXPECT_OK(ctx, penta_finish(ctx));
}

DEVICE_TEST(dark_and_flat)
{
    random_seed(3);
    calibrate(ctx, true, true);
    calibrate(ctx, true, false);
    calibrate(ctx, false, true);
}

DEVICE_TEST(no_light_is_refused)
{
    enum { W = 20, H = 20 };
    float dark[W * H], flat[W * H];
    HELD_BY(close_fixture) fixture f;

    open_fixture(ctx, W, H, 1, PENTA_U8, NULL, 0, 1, &f);
    for (int i = 0; i < W * H; i++) {
        dark[i] = 50;
        flat[i] = 40;
    }
    EXPECT_REFUSED(ctx, prepare_loader_calibrate(f.loader, dark, flat), PENTA_INVALID, "no light");
    for (int i = 0; i < W * H; i++)
        flat[i] = NAN;
    assert_int_equal(prepare_loader_calibrate(f.loader, dark, flat), PENTA_INVALID);
}

/* Two batches under way; what comes out is in the order that it went in. */
DEVICE_TEST(two_batches_take_turns)
{
    HELD_BY(close_fixture) fixture f;
    void *frames[4];

    random_seed(4);
    open_fixture(ctx, 61, 47, 1, PENTA_U8, NULL, 0, 2, &f);
    for (int i = 0; i < 4; i++)
        frames[i] = random_frame(&f.shape);
    for (int round = 0; round < 2; round++) {
        EXPECT_OK(ctx, prepare_loader_send(f.loader, 2, (const void *const *)frames));
        EXPECT_OK(ctx, prepare_loader_send(f.loader, 1, (const void *const *)frames + 2));
        assert_int_equal(prepare_loader_send(f.loader, 1, (const void *const *)frames + 3), PENTA_INTERNAL);
        EXPECT_OK(ctx, prepare_loader_take(f.loader, &f.batch));
        assert_int_equal(f.batch.count, 2);
        expect_frame(ctx, &f, 0, frames[0], NULL, NULL, 1);
        expect_frame(ctx, &f, 1, frames[1], NULL, NULL, 1);
        EXPECT_OK(ctx, prepare_loader_send(f.loader, 1, (const void *const *)frames + 3));
        EXPECT_OK(ctx, prepare_loader_take(f.loader, &f.batch));
        assert_int_equal(f.batch.count, 1);
        expect_frame(ctx, &f, 0, frames[2], NULL, NULL, 1);
        if (round == 0) { /* what was sent is forgotten */
            prepare_loader_forget(f.loader);
            assert_int_equal(prepare_loader_take(f.loader, &f.batch), PENTA_INTERNAL);
            continue;
        }
        EXPECT_OK(ctx, prepare_loader_take(f.loader, &f.batch));
        expect_frame(ctx, &f, 0, frames[3], NULL, NULL, 1);
    }
    EXPECT_OK(ctx, penta_finish(ctx));
    for (int i = 0; i < 4; i++)
        free(frames[i]);
}

ON_DEVICE;
AS_ON_A_GPU;
