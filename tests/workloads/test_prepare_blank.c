/* Frames in which there is nothing to register: found whatever their type, and the series is as without them. */
#include "support/test.h"

#include <pentacl/prepare.h>

#include "support/random.h"

enum { W = 70, H = 53, PIXELS = W * H };

static penta_prepare_options defaults(void)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    return o;
}

static enum penta_prepared status_of(penta_context *ctx, penta_type type, size_t channels,
                                     const penta_prepare_options *o, const void *image)
{
    penta_prepare_frame frame = {.image = image};
    penta_prepare_result r = {0};
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;

    EXPECT_OK(ctx, penta_prepare_create(ctx, W, H, channels, type, o, &plan));
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, &frame, &r));
    return r.status;
}

/* One pixel that is unlike the others, in every corner and in the middle, makes a frame that is not blank. */
DEVICE_TEST(every_pixel_counts)
{
    static const size_t places[] = {0, W - 1, (size_t)W * (H - 1), PIXELS - 1, PIXELS / 2, W, 2 * W - 1};
    penta_prepare_options o = defaults();
    HELD uint8_t *image = must_calloc(PIXELS, 1);

    for (int level = 0; level <= 255; level += 85) {
        memset(image, level, PIXELS);
        assert_int_equal(status_of(ctx, PENTA_U8, 1, &o, image), PENTA_PREPARED_BLANK);
    }
    o.dust = PENTA_PREPARE_DUST_NONE;
    for (size_t i = 0; i < COUNT(places); i++) {
        memset(image, 100, PIXELS);
        assert_int_equal(status_of(ctx, PENTA_U8, 1, &o, image), PENTA_PREPARED_BLANK);
        image[places[i]] = 101;
        assert_int_not_equal(status_of(ctx, PENTA_U8, 1, &o, image), PENTA_PREPARED_BLANK);
    }
}

DEVICE_TEST(types)
{
    penta_prepare_options o = defaults();
    HELD uint16_t *deep = must_calloc(PIXELS, sizeof *deep);
    HELD double *real = must_calloc(PIXELS, sizeof *real);
    HELD uint8_t *colour = must_calloc(PIXELS, 3);

    for (size_t i = 0; i < PIXELS; i++) {
        deep[i] = 12345;
        real[i] = i % 200 == 0 ? NAN : 0.1;
        colour[3 * i] = 10;
        colour[3 * i + 1] = 200;
    }
    assert_int_equal(status_of(ctx, PENTA_U16, 1, &o, deep), PENTA_PREPARED_BLANK);
    assert_int_equal(status_of(ctx, PENTA_F64, 1, &o, real), PENTA_PREPARED_BLANK);
    assert_int_equal(status_of(ctx, PENTA_U8, 3, &o, colour), PENTA_PREPARED_BLANK);
    deep[77]++;
    assert_int_not_equal(status_of(ctx, PENTA_U16, 1, &o, deep), PENTA_PREPARED_BLANK);
    o.registration = PENTA_PREPARE_REGISTER_NONE; /* nothing is asked of it then */
    assert_int_equal(status_of(ctx, PENTA_U8, 3, &o, colour), PENTA_PREPARED_OK);
}

/* What lies outside of the crop does not make it anything to register; what a flat frame makes of it does not either.
 */
DEVICE_TEST(crop_and_flat)
{
    penta_prepare_options o = defaults();
    HELD uint8_t *image = must_calloc(PIXELS, 1);
    HELD float *flat = must_calloc(PIXELS, sizeof *flat);
    penta_prepare_frame frame = {.image = image};
    penta_prepare_result r = {0};
    penta_prepare *plan = NULL;

    o.crop = "10,5,40,30";
    for (size_t i = 0; i < PIXELS; i++) {
        size_t x = i % W, y = i / W;

        image[i] = x >= 10 && x < 50 && y >= 5 && y < 35 ? 90 : (uint8_t)(i % 256);
        flat[i] = 1 + 0.01F * (float)(i % 13);
    }
    assert_int_equal(status_of(ctx, PENTA_U8, 1, &o, image), PENTA_PREPARED_BLANK);
    EXPECT_OK(ctx, penta_prepare_create(ctx, W, H, 1, PENTA_U8, &o, &plan));
    EXPECT_OK(ctx, penta_prepare_calibrate(plan, NULL, flat));
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, &frame, &r));
    assert_int_equal(r.status, PENTA_PREPARED_BLANK);
    penta_prepare_destroy(plan);
    image[5 * W + 9]++;
    assert_int_equal(status_of(ctx, PENTA_U8, 1, &o, image), PENTA_PREPARED_BLANK);
    image[5 * W + 10]++;
    assert_int_not_equal(status_of(ctx, PENTA_U8, 1, &o, image), PENTA_PREPARED_BLANK);
}

/* A black frame first and another between: the series is that of the others, to the bit. */
DEVICE_TEST(series_goes_on)
{
    enum { FRAMES = 5 };
    penta_prepare_options o = defaults();
    HELD uint8_t *pixels = must_calloc(FRAMES, PIXELS);
    penta_prepare_frame frames[FRAMES], good[FRAMES - 2];
    penta_prepare_result r[FRAMES] = {{0}}, alone[FRAMES - 2] = {{0}};
    penta_prepare *plan = NULL;
    size_t n = 0;

    for (size_t t = 0; t < FRAMES; t++) {
        frames[t] = (penta_prepare_frame){.image = pixels + t * PIXELS};
        if (t == 0 || t == 3)
            continue;
        for (int i = 0; i < PIXELS; i++) {
            double x = i % W - 1.5 * (double)t, y = (double)(i / W) + 0.5 * (double)t;

            pixels[t * PIXELS + (size_t)i] =
                (uint8_t)lround(120 + 30 * sin(0.5 * x + 0.1 * y) + 30 * sin(0.35 * y - 0.3 * x) + 20 * sin(0.6 * y));
        }
        good[n++] = frames[t];
    }
    EXPECT_OK(ctx, penta_prepare_create(ctx, W, H, 1, PENTA_U8, &o, &plan));
    EXPECT_OK(ctx, penta_prepare_run(plan, n, good, alone));
    penta_prepare_rewind(plan);
    EXPECT_OK(ctx, penta_prepare_run(plan, FRAMES, frames, r));
    penta_prepare_destroy(plan);
    n = 0;
    for (size_t t = 0; t < FRAMES; t++) {
        if (t == 0 || t == 3) {
            assert_int_equal(r[t].status, PENTA_PREPARED_BLANK);
            assert_true(isnan(r[t].drift.score));
            continue;
        }
        assert_int_equal(r[t].status, PENTA_PREPARED_OK);
        assert_memory_equal(&r[t].drift, &alone[n].drift, sizeof r[t].drift);
        n++;
    }
    assert_true(r[1].drift.dx == 0 && r[1].drift.score == 1);
    assert_true(fabs(r[4].drift.dx - 4.5) < 0.1 && fabs(r[4].drift.dy + 1.5) < 0.1);
}

TEST(name)
{
    assert_string_equal(penta_prepared_name(PENTA_PREPARED_BLANK), "blank");
}

ON_DEVICE;
AS_ON_A_GPU;
