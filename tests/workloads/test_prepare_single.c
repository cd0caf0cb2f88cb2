/* Devices without double precision: drifts within 1e-3 px of those with it, the same frames used, and grey levels
 * within 16 of 65535; frames of doubles are read as they are elsewhere. */
#include "support/test.h"

#include "support/prepare_series.h"
#include "support/random.h"

#define MOST_DRIFT 1e-3 /* px */
enum { MOST_LEVELS = 16 };

/* Gives plans without double precision while it is on. */
static penta_context *without_double(penta_context *ctx)
{
    if (!penta_context_device(ctx)->fp64) {
        leave_out_test("this device has no double precision to compare with");
    }
    penta_context_without_double(ctx);
    return ctx;
}

static prepare_outputs *outputs_of(penta_context *ctx, const penta_prepare_options *o, const prepare_series *s)
{
    prepare_outputs *out = make_outputs();
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_series_plan(ctx, o);

    survey_series(ctx, plan, o, s, SERIES_FRAMES);
    run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, out);
    return out;
}

static void expect_alike(const prepare_outputs *a, const prepare_outputs *b)
{
    for (size_t t = 0; t < SERIES_FRAMES; t++) {
        size_t masks = 0, far = 0;

        assert_int_equal(a->r[t].status, b->r[t].status);
        assert_true(fabs(a->r[t].drift.dx - b->r[t].drift.dx) < MOST_DRIFT);
        assert_true(fabs(a->r[t].drift.dy - b->r[t].drift.dy) < MOST_DRIFT);
        for (size_t i = 0; i < SERIES_PIXELS; i++) {
            masks += a->mask[t][i] != b->mask[t][i];
            far += a->mask[t][i] && b->mask[t][i] && abs(a->image[t][i] - b->image[t][i]) > MOST_LEVELS;
        }
        assert_true(masks <= SERIES_PIXELS / 1000); /* pixels whose place or level is just on a limit */
        assert_true(far <= SERIES_PIXELS / 1000);
    }
}

/* The options one after another, with double precision, then all of them without. */
static void options_of(int which, penta_prepare_options *o)
{
    *o = series_defaults();
    if (which == 1) {
        o->flatten = PENTA_PREPARE_POLY;
        o->flatten_degree = 6;
        o->contrast = "1,99";
    } else if (which == 2) {
        o->flatten = PENTA_PREPARE_SERIES;
        o->dust = PENTA_PREPARE_DUST_FILL;
    } else if (which == 3) {
        o->flatten = PENTA_PREPARE_OVERLAY;
        o->registration = PENTA_PREPARE_RIGID;
    }
}

enum { WAYS = 4 };

DEVICE_TEST(drifts_and_levels)
{
    HELD prepare_series *s = make_series(0);
    prepare_outputs *with[WAYS];

    for (int which = 0; which < WAYS; which++) {
        penta_prepare_options o;

        options_of(which, &o);
        with[which] = penta_context_device(ctx)->fp64 ? outputs_of(ctx, &o, s) : NULL;
    }
    without_double(ctx);
    for (int which = 0; which < WAYS; which++) {
        penta_prepare_options o;
        prepare_outputs *without;

        options_of(which, &o);
        without = outputs_of(ctx, &o, s);
        assert_int_equal(without->r[SERIES_FRAMES - 1].status, PENTA_PREPARED_OK);
        expect_alike(with[which], without);
        free(without);
        free(with[which]);
    }
}

enum { PIXELS = 200 * 40 };

static void copy_grey(penta_context *ctx, const double *image, float *out)
{
    penta_prepare_options o = series_nothing();
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;
    penta_prepare_frame frame = {.image = image};
    penta_prepare_result result = {.image = out};

    o.depth = PENTA_PREPARE_F32;
    EXPECT_OK(ctx, penta_prepare_create(ctx, 200, 40, 1, PENTA_F64, &o, &plan));
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, &frame, &result));
}

/* Numbers whose conversion is hard: near halves of the last place, of every size, not finite. The host's conversion
 * says what is right; numbers that are not finite become 0, as dust does. */
DEVICE_TEST(doubles_are_read)
{
    static const double odd[] = {
        NAN,   INFINITY, -INFINITY, 0,        -0.0,     1e39,      3.5e38,          1e-40,          1e-45,
        7e-46, 1e-300,   1e300,     16777217, 16777219, -16777217, 0x1.fffffefp127, 0x1.ffffffp127, 0x1.000001p-127};
    HELD double *image = must_calloc(PIXELS, sizeof *image);
    HELD float *out = must_calloc(PIXELS, sizeof *out);

    random_seed(3);
    for (size_t i = 0; i < PIXELS; i++) {
        size_t few = sizeof odd / sizeof *odd;

        image[i] = i < few ? odd[i] : ldexp(random_uniform() - 0.5, (int)(i % 260) - 150);
        if (i > PIXELS / 2) /* between two floats, or just beside the middle */
            image[i] = ((double)(float)image[i] + (double)nextafterf((float)image[i], INFINITY)) / 2;
        if (i % 3 == 0 && i > PIXELS / 2)
            image[i] = nextafter(image[i], INFINITY);
    }
    if (penta_context_device(ctx)->fp64)
        without_double(ctx);
    copy_grey(ctx, image, out);
    for (size_t i = 0; i < PIXELS; i++) {
        float right = (float)image[i];

        if (!isfinite(right))
            right = 0;
        if (fabsf(right) >= 1.2e-38F || right == 0) /* a device may flush smaller ones */
            assert_true(out[i] == right);
        else
            assert_true(fabsf(out[i] - right) <= 1.2e-38F);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
