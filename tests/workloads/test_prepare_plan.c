/* Plans of the prepare workload: what they refuse, and steps that are left out. */
#include "support/test.h"

#include <pentacl/prepare.h>

#include "support/prepare_series.h"
#include "support/random.h"

/* ---- what is refused ---- */

static void expect_refused(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                           const penta_prepare_options *o, const char *text)
{
    penta_prepare *plan = NULL;

    assert_int_equal(penta_prepare_create(ctx, width, height, channels, type, o, &plan), PENTA_INVALID);
    assert_null(plan);
    expect_text(penta_last_error(ctx), text);
}

DEVICE_TEST(frames_are_checked)
{
    expect_refused(ctx, 0, 10, 1, PENTA_U8, NULL, "empty");
    expect_refused(ctx, 100, 0, 1, PENTA_U8, NULL, "empty");
    expect_refused(ctx, (size_t)1 << 20, (size_t)1 << 20, 1, PENTA_U8, NULL, "2^28");
    expect_refused(ctx, SIZE_MAX, 2, 1, PENTA_U8, NULL, "2^28");
    expect_refused(ctx, 15, 16, 1, PENTA_U8, NULL, "15 x 16");
    expect_refused(ctx, 100, 100, 2, PENTA_U8, NULL, "channels");
    expect_refused(ctx, 100, 100, 1, PENTA_I32, NULL, "i32");
}

DEVICE_TEST(texts_are_checked)
{
    static const struct {
        const char *crop, *key, *contrast, *text;
    } cases[] = {
        {"0,0,50", NULL, NULL, "X,Y,W,H"},      {"0,0,50,50,1", NULL, NULL, "X,Y,W,H"},
        {"1.5,0,50,50", NULL, NULL, "X,Y,W,H"}, {"-1,0,50,50", NULL, NULL, "X,Y,W,H"},
        {"0,0,50,nan", NULL, NULL, "X,Y,W,H"},  {"0,0,,50", NULL, NULL, "X,Y,W,H"},
        {"60,0,50,50", NULL, NULL, "inside"},   {"0,60,50,50", NULL, NULL, "inside"},
        {"0,0,1e30,50", NULL, NULL, "X,Y,W,H"}, {"0,0,50,15", NULL, NULL, "50 x 15"},
        {NULL, "1", NULL, "`dust_key`"},        {NULL, "5,4", NULL, "`dust_key`"},
        {NULL, "1,inf", NULL, "`dust_key`"},    {NULL, "", NULL, "`dust_key`"},
        {NULL, NULL, "2,101", "`contrast`"},    {NULL, NULL, "-1,50", "`contrast`"},
        {NULL, NULL, "50,50", "`contrast`"},    {NULL, NULL, "1,99%", "`contrast`"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        penta_prepare_options o = series_defaults();

        o.crop = cases[i].crop;
        o.dust_key = cases[i].key;
        o.contrast = cases[i].contrast;
        expect_refused(ctx, 100, 100, 1, PENTA_U8, &o, cases[i].text);
    }
}

DEVICE_TEST(options_are_checked)
{
    penta_prepare_options o = series_defaults();

    o.dust_size = 2;
    expect_refused(ctx, 100, 100, 1, PENTA_U8, &o, "`dust_size`");
    o = series_defaults();
    o.registration = 7;
    expect_refused(ctx, 100, 100, 1, PENTA_U8, &o, "`register`");
}

DEVICE_TEST(what_comes_when)
{
    static float flat[SERIES_PIXELS];
    penta_prepare_options o = series_nothing();
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *out = make_outputs();
    const void *images[] = {s->image[0]};
    penta_drift drift = {0}, wrong = {.dx = NAN};
    penta_prepare_frame none = {0}, known = {.image = s->image[0], .drift = &drift},
                        bad = {.image = s->image[0], .drift = &wrong};
    penta_prepare *plan = make_series_plan(ctx, &o);

    EXPECT_REFUSED(ctx, penta_prepare_survey(plan, 1, images), PENTA_INVALID, "`flatten` series");
    EXPECT_REFUSED(ctx, penta_prepare_run(plan, 1, &none, out->r), PENTA_INVALID, "no image");
    EXPECT_REFUSED(ctx, penta_prepare_run(plan, 1, &known, out->r), PENTA_INVALID, "`register`");
    EXPECT_REFUSED(ctx, penta_prepare_calibrate(plan, flat, flat), PENTA_INVALID, "no light");
    EXPECT_OK(ctx, penta_prepare_calibrate(plan, NULL, NULL));
    run_series(ctx, plan, s, 0, 1, 1, out);
    EXPECT_REFUSED(ctx, penta_prepare_calibrate(plan, NULL, NULL), PENTA_INVALID, "before the first");
    EXPECT_OK(ctx, penta_prepare_run(plan, 0, NULL, NULL));
    penta_prepare_destroy(plan);

    o.registration = PENTA_PREPARE_SHIFT;
    plan = make_series_plan(ctx, &o);
    EXPECT_REFUSED(ctx, penta_prepare_run(plan, 1, &bad, out->r), PENTA_INVALID, "not finite");
    penta_prepare_destroy(plan);
    penta_prepare_destroy(NULL);
}

DEVICE_TEST(surveys)
{
    penta_prepare_options o = series_nothing();
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *out = make_outputs();
    const void *images[PENTA_PREPARE_SURVEY + 1];
    penta_prepare_frame frame = {.image = s->image[0]};
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;

    for (size_t i = 0; i < COUNT(images); i++)
        images[i] = s->image[i % SERIES_FRAMES];
    o.flatten = PENTA_PREPARE_SERIES;
    plan = make_series_plan(ctx, &o);
    EXPECT_REFUSED(ctx, penta_prepare_run(plan, 1, &frame, out->r), PENTA_INVALID, "survey");
    EXPECT_REFUSED(ctx, penta_prepare_survey(plan, COUNT(images), images), PENTA_INVALID, "256 at most");
    EXPECT_OK(ctx, penta_prepare_survey(plan, SERIES_FRAMES, images));
    EXPECT_OK(ctx, penta_prepare_survey(plan, 1, images));
    assert_int_equal(penta_prepare_survey(plan, COUNT(images) - SERIES_FRAMES, images), PENTA_INVALID);
    run_series(ctx, plan, s, 0, SERIES_FRAMES, 2, out);
    EXPECT_REFUSED(ctx, penta_prepare_survey(plan, 1, images), PENTA_INVALID, "before the first");
}

/* ---- steps that are left out ---- */

DEVICE_TEST(nothing_changes_nothing)
{
    penta_prepare_options o = series_nothing();
    HELD prepare_series *s = make_series(0);
    HELD uint8_t *image = must_calloc(SERIES_PIXELS, 1), *mask = must_calloc(SERIES_PIXELS, 1);
    penta_prepare_result r = {.image = image, .mask = mask};
    penta_prepare_frame frame = {.image = s->image[2]};
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;
    size_t width, height;

    o.depth = PENTA_PREPARE_AS_INPUT;
    plan = make_series_plan(ctx, &o);
    penta_prepare_size(plan, &width, &height);
    assert_int_equal(width, SERIES_W);
    assert_int_equal(height, SERIES_H);
    assert_int_equal(penta_prepare_type(plan), PENTA_U8);
    assert_true(penta_prepare_batch(plan) >= 1);
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, &frame, &r));
    assert_int_equal(r.status, PENTA_PREPARED_OK);
    assert_int_equal(r.dust_pixels, 0);
    assert_true(isnan(r.low) && isnan(r.high) && isnan(r.drift.score));
    assert_memory_equal(image, s->image[2], SERIES_PIXELS);
    for (int i = 0; i < SERIES_PIXELS; i++)
        assert_int_equal(mask[i], 1);
}

DEVICE_TEST(types_of_outputs)
{
    static const struct {
        penta_type in;
        int depth;
        penta_type out;
    } cases[] = {{PENTA_U8, PENTA_PREPARE_U16, PENTA_U16},
                 {PENTA_U16, PENTA_PREPARE_U8, PENTA_U8},
                 {PENTA_F64, PENTA_PREPARE_AS_INPUT, PENTA_F32},
                 {PENTA_U16, PENTA_PREPARE_AS_INPUT, PENTA_U16},
                 {PENTA_U16, PENTA_PREPARE_F32, PENTA_F32}};
    penta_prepare_options o = series_nothing();

    o.crop = "1,2,40,50";
    for (size_t i = 0; i < COUNT(cases); i++) {
        HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;
        size_t width, height;

        o.depth = cases[i].depth;
        EXPECT_OK(ctx, penta_prepare_create(ctx, SERIES_W, SERIES_H, 3, cases[i].in, &o, &plan));
        penta_prepare_size(plan, &width, &height);
        assert_int_equal(width, 40);
        assert_int_equal(height, 50);
        assert_int_equal(penta_prepare_type(plan), cases[i].out);
    }
}

/* Frames of nothing but dust do not count, whatever step finds it. */
static void refuse_dust(penta_context *ctx, int dust)
{
    penta_prepare_options o = series_nothing();
    HELD float *frame = must_calloc(2 * SERIES_PIXELS, sizeof *frame),
               *image = must_calloc(SERIES_PIXELS, sizeof *image);
    penta_prepare_frame frames[2] = {{.image = frame}, {.image = frame + SERIES_PIXELS}};
    penta_prepare_result r[2] = {{.image = image}, {.image = image}};
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;

    random_seed(12);
    for (int i = 0; i < SERIES_PIXELS; i++) {
        frame[i] = i % 3 ? NAN : 1;
        frame[SERIES_PIXELS + i] = (float)(0.5 + 0.01 * random_normal());
    }
    o.dust = dust;
    o.dust_key = "-10,10";
    o.dust_limit = 0;
    o.dust_grow = 0;
    o.depth = PENTA_PREPARE_F32;
    EXPECT_OK(ctx, penta_prepare_create(ctx, SERIES_W, SERIES_H, 1, PENTA_F32, &o, &plan));
    EXPECT_OK(ctx, penta_prepare_run(plan, 2, frames, r));
    assert_int_equal(r[0].status, PENTA_PREPARED_DUST);
    assert_int_equal(r[0].dust_pixels, SERIES_PIXELS - (SERIES_PIXELS + 2) / 3);
    assert_int_equal(r[1].status, PENTA_PREPARED_OK);
    assert_int_equal(r[1].dust_pixels, 0);
    assert_memory_equal(image, frame + SERIES_PIXELS, SERIES_PIXELS * sizeof *image);
}

DEVICE_TEST(frames_of_dust)
{
    refuse_dust(ctx, PENTA_PREPARE_DUST_NONE);
    refuse_dust(ctx, PENTA_PREPARE_DUST_MASK);
}

TEST(names)
{
    assert_string_equal(penta_prepared_name(PENTA_PREPARED_OK), "ok");
    assert_string_equal(penta_prepared_name(PENTA_PREPARED_DUST), "dust");
    assert_string_equal(penta_prepared_name(PENTA_PREPARED_LOST), "lost");
    assert_string_equal(penta_prepared_name((enum penta_prepared)9), "?");
}

ON_DEVICE;
AS_ON_A_GPU;
