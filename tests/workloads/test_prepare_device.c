/* Photographs, results and masks in device memory: the bits of the same in host memory, whatever the options that look
 * at frames before they run. */
#include "support/test.h"

#include "support/device_array.h"
#include "support/prepare_series.h"

/* The arrays of a whole series: of all frames in one, or one for each. */
typedef struct {
    size_t count;
    device_array in[SERIES_FRAMES], image[SERIES_FRAMES], mask[SERIES_FRAMES];
} device_series;

static void make_arrays(penta_context *ctx, size_t offset, const prepare_series *s, bool each, device_series *d)
{
    size_t frames = each ? 1 : SERIES_FRAMES;

    d->count = each ? SERIES_FRAMES : 1;
    for (size_t i = 0; i < d->count; i++) {
        d->in[i] = make_device_array(ctx, offset, s->image[i], frames * SERIES_PIXELS);
        d->image[i] = make_device_array(ctx, offset, NULL, frames * SERIES_PIXELS * sizeof(uint16_t));
        d->mask[i] = make_device_array(ctx, offset, NULL, frames * SERIES_PIXELS);
    }
}

static void *frame_of(const device_series *d, const device_array *arrays, size_t frame, size_t bytes)
{
    return d->count > 1 ? arrays[frame].address : (char *)arrays[0].address + frame * bytes;
}

static void free_arrays(device_series *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free_device_array(&d->in[i]);
        free_device_array(&d->image[i]);
        free_device_array(&d->mask[i]);
    }
}

/* The series from arrays and into arrays of the device; o: a copy of what came. */
static void run_on_device(penta_context *ctx, const penta_prepare_options *options, const prepare_series *s,
                          size_t offset, bool each, prepare_outputs *o)
{
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_series_plan(ctx, options);
    penta_prepare_frame frames[SERIES_FRAMES] = {{0}};
    const void *images[SERIES_FRAMES];
    HELD_BY(free_arrays) device_series d;

    make_arrays(ctx, offset, s, each, &d);
    for (size_t t = 0; t < SERIES_FRAMES; t++) {
        images[t] = frames[t].image = frame_of(&d, d.in, t, SERIES_PIXELS);
        o->r[t].image = frame_of(&d, d.image, t, SERIES_PIXELS * sizeof(uint16_t));
        o->r[t].mask = frame_of(&d, d.mask, t, SERIES_PIXELS);
    }
    if (options->flatten == PENTA_PREPARE_SERIES)
        EXPECT_OK(ctx, penta_prepare_survey(plan, SERIES_FRAMES, images));
    EXPECT_OK(ctx, penta_prepare_run(plan, SERIES_FRAMES, frames, o->r));
    for (size_t i = 0; i < d.count; i++) {
        read_device_array(&d.image[i], o->image[i]);
        read_device_array(&d.mask[i], o->mask[i]);
    }
}

static void expect_same(penta_context *ctx, const penta_prepare_options *options, const prepare_series *s)
{
    static const size_t offsets[] = {AT_START, AT_ALIGNED, AT_ODD};
    HELD prepare_outputs *want = make_outputs(), *got = make_outputs();
    penta_prepare *plan = make_series_plan(ctx, options);

    survey_series(ctx, plan, options, s, SERIES_FRAMES);
    run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, want);
    penta_prepare_destroy(plan);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        for (int each = 0; each < 2; each++) {
            run_on_device(ctx, options, s, offsets[i], each, got);
            expect_same_outputs(want, got, 0);
        }
}

TEST(as_it_comes)
{
    HELD prepare_series *s = make_series(0);
    penta_prepare_options o = series_defaults();

    memset(s->image[3], 1, sizeof s->image[3]); /* a frame without a picture, which the host finds out */
    expect_same(device_of(state), &o, s);
}

TEST(turned_and_stretched)
{
    HELD prepare_series *s = make_series(0);
    penta_prepare_options o = series_defaults();

    o.registration = PENTA_PREPARE_RIGID;
    o.contrast = "1,99";
    o.dust = PENTA_PREPARE_DUST_COPY;
    o.dust_key = "2,255";
    expect_same(device_of(state), &o, s);
}

TEST(light_of_the_series)
{
    HELD prepare_series *s = make_series(0);
    penta_prepare_options o = series_defaults();

    o.flatten = PENTA_PREPARE_SERIES;
    expect_same(device_of(state), &o, s);
}

TEST(levels_alone)
{
    HELD prepare_series *s = make_series(0);
    penta_prepare_options o = series_nothing();

    expect_same(device_of(state), &o, s);
}

DEVICE_TEST(refusals)
{
    penta_prepare_options o = series_defaults();
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_series_plan(ctx, &o);
    HELD_BY(free_device_array) device_array small = make_device_array(ctx, AT_START, NULL, 99);
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *out = make_outputs();
    penta_prepare_frame frame = {.image = small.address};

    EXPECT_REFUSED(ctx, penta_prepare_run(plan, 1, &frame, out->r), PENTA_INVALID,
                   "15087 bytes are needed of a device array that has 99");
    frame.image = s->image[0];
    out->r[0].mask = small.address;
    EXPECT_REFUSED(ctx, penta_prepare_run(plan, 1, &frame, out->r), PENTA_INVALID,
                   "15087 bytes are needed of a device array that has 99");
    out->r[0].mask = out->mask[0];
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, &frame, out->r));
    assert_int_equal(out->r[0].status, PENTA_PREPARED_OK);
}

ON_DEVICE;
AS_ON_A_GPU;
