/* Plans of the prepare workload: what they refuse, the series over runs, and runs in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/prepare.h>

#include "support/device.h"
#include "support/expect.h"
#include "support/random.h"

enum { W = 150, H = 131, FRAMES = 5, PIXELS = W * H };

static penta_prepare_options defaults(void)
{
    penta_prepare_options o;

    penta_options_init(penta_prepare_option_table, &o);
    return o;
}

/* Nothing but what a test turns on. */
static penta_prepare_options nothing(void)
{
    penta_prepare_options o = defaults();

    o.flatten = PENTA_PREPARE_FLATTEN_NONE;
    o.dust = PENTA_PREPARE_DUST_NONE;
    o.registration = PENTA_PREPARE_REGISTER_NONE;
    return o;
}

/* ---- a series ---- */

typedef struct {
    uint8_t *image[FRAMES];
} series;

/* A pattern that moves under light and dust that do not. */
static uint8_t shade(int x, int y, double dx, double dy)
{
    double px = x - dx, py = y - dy, light = 1 - 0.5 * x / W + 0.2 * y / H;
    double v = sin(0.5 * px + 0.1 * py) + sin(0.35 * py - 0.3 * px + 1) + sin(0.21 * px + 0.44 * py + 2);

    if (hypot(x - 30, y - 40) < 4 || hypot(x - 100, y - 90) < 3)
        return 5;
    return (uint8_t)lround(fmin(120 * light * (1 + 0.15 * v) + 2 * random_normal(), 255));
}

static series make_series(void)
{
    series s;

    random_seed(11);
    for (int t = 0; t < FRAMES; t++) {
        s.image[t] = must_calloc(PIXELS, 1);
        for (int i = 0; i < PIXELS; i++)
            s.image[t][i] = shade(i % W, i / W, 1.3 * t, -0.6 * t);
    }
    return s;
}

static void free_series(series *s)
{
    for (int t = 0; t < FRAMES; t++)
        free(s->image[t]);
}

typedef struct {
    penta_prepare_result r[FRAMES];
    uint16_t image[FRAMES][PIXELS];
    uint8_t mask[FRAMES][PIXELS];
} outputs;

static outputs *make_outputs(void)
{
    outputs *o = must_calloc(1, sizeof *o);

    for (int t = 0; t < FRAMES; t++) {
        o->r[t].image = o->image[t];
        o->r[t].mask = o->mask[t];
    }
    return o;
}

/* Frames from .. to - 1, `step` a run. */
static void run_frames(penta_context *ctx, penta_prepare *plan, const series *s, size_t from, size_t to, size_t step,
                       outputs *o)
{
    penta_prepare_frame frames[FRAMES] = {{0}};

    for (size_t t = from; t < to; t++)
        frames[t].image = s->image[t];
    for (size_t t = from; t < to; t += step)
        EXPECT_OK(ctx, penta_prepare_run(plan, t + step < to ? step : to - t, frames + t, o->r + t));
}

static penta_prepare *make_plan(penta_context *ctx, const penta_prepare_options *o)
{
    penta_prepare *plan = NULL;

    EXPECT_OK(ctx, penta_prepare_create(ctx, W, H, 1, PENTA_U8, o, &plan));
    return plan;
}

static void expect_same(const outputs *a, const outputs *b, size_t from, size_t to)
{
    for (size_t t = from; t < to; t++) {
        assert_int_equal(a->r[t].status, b->r[t].status);
        assert_int_equal(a->r[t].dust_pixels, b->r[t].dust_pixels);
        assert_memory_equal(&a->r[t].drift, &b->r[t].drift, sizeof a->r[t].drift);
        assert_memory_equal(&a->r[t].low, &b->r[t].low, sizeof a->r[t].low);
        if (a->r[t].status != PENTA_PREPARED_OK)
            continue;
        assert_memory_equal(a->image[t], b->image[t], sizeof a->image[t]);
        assert_memory_equal(a->mask[t], b->mask[t], sizeof a->mask[t]);
    }
}

/* ---- what is refused ---- */

static void expect_refused(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                           const penta_prepare_options *o, const char *text)
{
    penta_prepare *plan = NULL;

    assert_int_equal(penta_prepare_create(ctx, width, height, channels, type, o, &plan), PENTA_INVALID);
    assert_null(plan);
    expect_text(penta_last_error(ctx), text);
}

static void test_frames_are_checked(void **state)
{
    penta_context *ctx = device_of(state);

    expect_refused(ctx, 0, 10, 1, PENTA_U8, NULL, "empty");
    expect_refused(ctx, 100, 0, 1, PENTA_U8, NULL, "empty");
    expect_refused(ctx, (size_t)1 << 20, (size_t)1 << 20, 1, PENTA_U8, NULL, "2^28");
    expect_refused(ctx, SIZE_MAX, 2, 1, PENTA_U8, NULL, "2^28");
    expect_refused(ctx, 15, 16, 1, PENTA_U8, NULL, "15 x 16");
    expect_refused(ctx, 100, 100, 2, PENTA_U8, NULL, "channels");
    expect_refused(ctx, 100, 100, 1, PENTA_I32, NULL, "i32");
}

static void test_texts_are_checked(void **state)
{
    static const struct {
        const char *crop, *key, *contrast, *text;
    } cases[] = {
        {"0,0,50", NULL, NULL, "X,Y,W,H"},      {"0,0,50,50,1", NULL, NULL, "X,Y,W,H"},
        {"1.5,0,50,50", NULL, NULL, "X,Y,W,H"}, {"-1,0,50,50", NULL, NULL, "X,Y,W,H"},
        {"0,0,50,nan", NULL, NULL, "X,Y,W,H"},  {"0,0,,50", NULL, NULL, "X,Y,W,H"},
        {"60,0,50,50", NULL, NULL, "inside"},   {"0,60,50,50", NULL, NULL, "inside"},
        {"0,0,1e30,50", NULL, NULL, "X,Y,W,H"}, {"0,0,50,15", NULL, NULL, "50 x 15"},
        {NULL, "1", NULL, "--dust-key"},        {NULL, "5,4", NULL, "--dust-key"},
        {NULL, "1,inf", NULL, "--dust-key"},    {NULL, "", NULL, "--dust-key"},
        {NULL, NULL, "2,101", "--contrast"},    {NULL, NULL, "-1,50", "--contrast"},
        {NULL, NULL, "50,50", "--contrast"},    {NULL, NULL, "1,99%", "--contrast"},
    };
    penta_context *ctx = device_of(state);

    for (size_t i = 0; i < COUNT(cases); i++) {
        penta_prepare_options o = defaults();

        o.crop = cases[i].crop;
        o.dust_key = cases[i].key;
        o.contrast = cases[i].contrast;
        expect_refused(ctx, 100, 100, 1, PENTA_U8, &o, cases[i].text);
    }
}

static void test_options_are_checked(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = defaults();

    o.dust_size = 2;
    expect_refused(ctx, 100, 100, 1, PENTA_U8, &o, "--dust-size");
    o = defaults();
    o.registration = 7;
    expect_refused(ctx, 100, 100, 1, PENTA_U8, &o, "--register");
}

static void test_what_comes_when(void **state)
{
    static float flat[PIXELS];
    penta_context *ctx = device_of(state);
    penta_prepare_options o = nothing();
    series s = make_series();
    outputs *out = make_outputs();
    const void *images[] = {s.image[0]};
    penta_drift drift = {0}, wrong = {.dx = NAN};
    penta_prepare_frame none = {0}, known = {s.image[0], &drift}, bad = {s.image[0], &wrong};
    penta_prepare *plan = make_plan(ctx, &o);

    assert_int_equal(penta_prepare_survey(plan, 1, images), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "--flatten series");
    assert_int_equal(penta_prepare_run(plan, 1, &none, out->r), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "no image");
    assert_int_equal(penta_prepare_run(plan, 1, &known, out->r), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "--register");
    assert_int_equal(penta_prepare_calibrate(plan, flat, flat), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "no light");
    EXPECT_OK(ctx, penta_prepare_calibrate(plan, NULL, NULL));
    run_frames(ctx, plan, &s, 0, 1, 1, out);
    assert_int_equal(penta_prepare_calibrate(plan, NULL, NULL), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "before the first");
    EXPECT_OK(ctx, penta_prepare_run(plan, 0, NULL, NULL));
    penta_prepare_destroy(plan);

    o.registration = PENTA_PREPARE_SHIFT;
    plan = make_plan(ctx, &o);
    assert_int_equal(penta_prepare_run(plan, 1, &bad, out->r), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "not finite");
    penta_prepare_destroy(plan);
    penta_prepare_destroy(NULL);
    free(out);
    free_series(&s);
}

static void test_surveys(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = nothing();
    series s = make_series();
    outputs *out = make_outputs();
    const void *images[PENTA_PREPARE_SURVEY + 1];
    penta_prepare_frame frame = {s.image[0], NULL};
    penta_prepare *plan;

    for (size_t i = 0; i < COUNT(images); i++)
        images[i] = s.image[i % FRAMES];
    o.flatten = PENTA_PREPARE_SERIES;
    plan = make_plan(ctx, &o);
    assert_int_equal(penta_prepare_run(plan, 1, &frame, out->r), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "survey");
    assert_int_equal(penta_prepare_survey(plan, COUNT(images), images), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "256 at most");
    EXPECT_OK(ctx, penta_prepare_survey(plan, FRAMES, images));
    EXPECT_OK(ctx, penta_prepare_survey(plan, 1, images));
    assert_int_equal(penta_prepare_survey(plan, COUNT(images) - FRAMES, images), PENTA_INVALID);
    run_frames(ctx, plan, &s, 0, FRAMES, 2, out);
    assert_int_equal(penta_prepare_survey(plan, 1, images), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "before the first");
    penta_prepare_destroy(plan);
    free(out);
    free_series(&s);
}

/* ---- steps that are left out ---- */

static void test_nothing_changes_nothing(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = nothing();
    series s = make_series();
    uint8_t *image = must_calloc(PIXELS, 1), *mask = must_calloc(PIXELS, 1);
    penta_prepare_result r = {.image = image, .mask = mask};
    penta_prepare_frame frame = {s.image[2], NULL};
    penta_prepare *plan;
    size_t width, height;

    o.depth = PENTA_PREPARE_AS_INPUT;
    plan = make_plan(ctx, &o);
    penta_prepare_size(plan, &width, &height);
    assert_int_equal(width, W);
    assert_int_equal(height, H);
    assert_int_equal(penta_prepare_type(plan), PENTA_U8);
    assert_true(penta_prepare_batch(plan) >= 1);
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, &frame, &r));
    assert_int_equal(r.status, PENTA_PREPARED_OK);
    assert_int_equal(r.dust_pixels, 0);
    assert_true(isnan(r.low) && isnan(r.high) && isnan(r.drift.score));
    assert_memory_equal(image, s.image[2], PIXELS);
    for (int i = 0; i < PIXELS; i++)
        assert_int_equal(mask[i], 1);
    penta_prepare_destroy(plan);
    free(image);
    free(mask);
    free_series(&s);
}

static void test_types_of_outputs(void **state)
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
    penta_context *ctx = device_of(state);
    penta_prepare_options o = nothing();

    o.crop = "1,2,40,50";
    for (size_t i = 0; i < COUNT(cases); i++) {
        penta_prepare *plan = NULL;
        size_t width, height;

        o.depth = cases[i].depth;
        EXPECT_OK(ctx, penta_prepare_create(ctx, W, H, 3, cases[i].in, &o, &plan));
        penta_prepare_size(plan, &width, &height);
        assert_int_equal(width, 40);
        assert_int_equal(height, 50);
        assert_int_equal(penta_prepare_type(plan), cases[i].out);
        penta_prepare_destroy(plan);
    }
}

/* Frames of nothing but dust do not count, whatever step finds it. */
static void refuse_dust(penta_context *ctx, int dust)
{
    penta_prepare_options o = nothing();
    float *frame = must_calloc(2 * PIXELS, sizeof *frame), *image = must_calloc(PIXELS, sizeof *image);
    penta_prepare_frame frames[2] = {{frame, NULL}, {frame + PIXELS, NULL}};
    penta_prepare_result r[2] = {{.image = image}, {.image = image}};
    penta_prepare *plan = NULL;

    random_seed(12);
    for (int i = 0; i < PIXELS; i++) {
        frame[i] = i % 3 ? NAN : 1;
        frame[PIXELS + i] = (float)(0.5 + 0.01 * random_normal());
    }
    o.dust = dust;
    o.dust_key = "-10,10";
    o.dust_limit = 0;
    o.dust_grow = 0;
    o.depth = PENTA_PREPARE_F32;
    EXPECT_OK(ctx, penta_prepare_create(ctx, W, H, 1, PENTA_F32, &o, &plan));
    EXPECT_OK(ctx, penta_prepare_run(plan, 2, frames, r));
    assert_int_equal(r[0].status, PENTA_PREPARED_DUST);
    assert_int_equal(r[0].dust_pixels, PIXELS - (PIXELS + 2) / 3);
    assert_int_equal(r[1].status, PENTA_PREPARED_OK);
    assert_int_equal(r[1].dust_pixels, 0);
    assert_memory_equal(image, frame + PIXELS, PIXELS * sizeof *image);
    penta_prepare_destroy(plan);
    free(frame);
    free(image);
}

static void test_frames_of_dust(void **state)
{
    penta_context *ctx = device_of(state);

    refuse_dust(ctx, PENTA_PREPARE_DUST_NONE);
    refuse_dust(ctx, PENTA_PREPARE_DUST_MASK);
}

/* ---- pieces ---- */

static outputs *run_whole(penta_context *ctx, penta_prepare_options o, int batch, size_t step, const series *s)
{
    outputs *out = make_outputs();
    penta_prepare *plan;
    const void *images[FRAMES];

    o.batch = batch;
    plan = make_plan(ctx, &o);
    for (int t = 0; t < FRAMES; t++)
        images[t] = s->image[t];
    if (o.flatten == PENTA_PREPARE_SERIES)
        EXPECT_OK(ctx, penta_prepare_survey(plan, FRAMES, images));
    run_frames(ctx, plan, s, 0, FRAMES, step, out);
    penta_prepare_destroy(plan);
    return out;
}

static void compare_pieces(penta_context *ctx, penta_prepare_options o)
{
    series s = make_series();
    outputs *whole = run_whole(ctx, o, 0, FRAMES, &s);

    for (int t = 0; t < FRAMES; t++)
        assert_int_equal(whole->r[t].status, PENTA_PREPARED_OK);
    for (size_t step = 1; step <= 3; step++)
        for (int batch = 1; batch <= 4; batch += 3) {
            outputs *pieces = run_whole(ctx, o, batch, step, &s);

            expect_same(whole, pieces, 0, FRAMES);
            free(pieces);
        }
    free(whole);
    free_series(&s);
}

static void test_pieces_change_nothing(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = defaults();

    compare_pieces(ctx, o);
    o.contrast = "1,99";
    o.contrast_of = PENTA_PREPARE_CONTRAST_FIRST;
    o.dust = PENTA_PREPARE_DUST_COPY;
    compare_pieces(ctx, o);
    o.contrast_of = PENTA_PREPARE_CONTRAST_FRAME;
    o.flatten = PENTA_PREPARE_SERIES;
    o.registration = PENTA_PREPARE_REGISTER_NONE;
    compare_pieces(ctx, o);
}

/* The levels of the first frame that is OK, whatever is wanted of it. */
static void test_contrast_of_the_first(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = nothing();
    series s = make_series();
    outputs *whole, *out = make_outputs();
    penta_prepare *plan;
    penta_prepare_frame frames[2] = {{s.image[0], NULL}, {s.image[1], NULL}};

    o.contrast = "2,98";
    o.contrast_of = PENTA_PREPARE_CONTRAST_FIRST;
    whole = run_whole(ctx, o, 1, FRAMES, &s);
    for (int t = 1; t < FRAMES; t++) {
        expect_near(whole->r[t].low, whole->r[0].low, 0);
        expect_near(whole->r[t].high, whole->r[0].high, 0);
    }
    assert_true(whole->r[0].high > whole->r[0].low + 20);
    plan = make_plan(ctx, &o);
    out->r[0].image = NULL; /* only measured */
    out->r[0].mask = NULL;
    EXPECT_OK(ctx, penta_prepare_run(plan, 2, frames, out->r));
    expect_near(out->r[1].low, whole->r[0].low, 0);
    assert_memory_equal(out->image[1], whole->image[1], sizeof out->image[1]);
    penta_prepare_rewind(plan);
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, frames + 1, out->r + 1));
    assert_true(fabs(out->r[1].low - whole->r[0].low) > 0);
    penta_prepare_destroy(plan);
    free(out);
    free(whole);
    free_series(&s);
}

/* Known drifts move a frame as measured ones do. */
static void test_known_drifts(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = defaults();
    series s = make_series();
    outputs *whole = run_whole(ctx, o, 0, FRAMES, &s), *out = make_outputs();
    penta_prepare *plan = make_plan(ctx, &o);
    penta_prepare_frame frames[FRAMES];

    for (int t = 0; t < FRAMES; t++)
        frames[t] = (penta_prepare_frame){s.image[t], &whole->r[t].drift};
    EXPECT_OK(ctx, penta_prepare_run(plan, FRAMES, frames, out->r));
    expect_same(whole, out, 0, FRAMES);
    penta_prepare_destroy(plan);
    free(out);
    free(whole);
    free_series(&s);
}

/* ---- a run that fails ---- */

typedef struct {
    int calls, allowed;
} patience;

static bool lose_patience(void *user, double done, double total)
{
    patience *p = user;

    (void)done;
    (void)total;
    return ++p->calls > p->allowed;
}

static void test_cancelled_runs_leave_no_trace(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = defaults();
    series s = make_series();
    outputs *whole, *out = make_outputs();
    penta_prepare_frame frames[FRAMES] = {{0}};
    penta_prepare *plan;

    o.contrast = "1,99";
    o.contrast_of = PENTA_PREPARE_CONTRAST_FIRST;
    o.batch = 1;
    whole = run_whole(ctx, o, 1, FRAMES, &s);
    plan = make_plan(ctx, &o);
    for (int t = 0; t < FRAMES; t++)
        frames[t].image = s.image[t];
    for (int at = 0; at <= 2; at += 2) { /* at the beginning of the series, and within */
        patience p = {0, 2};

        penta_context_set_progress(ctx, lose_patience, &p);
        assert_int_equal(penta_prepare_run(plan, (size_t)(FRAMES - at), frames + at, out->r + at), PENTA_CANCELLED);
        penta_context_set_progress(ctx, NULL, NULL);
        run_frames(ctx, plan, &s, (size_t)at, at == 0 ? 2 : FRAMES, FRAMES, out);
    }
    expect_same(whole, out, 0, FRAMES);
    penta_prepare_destroy(plan);
    free(out);
    free(whole);
    free_series(&s);
}

static void test_cancelled_surveys(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = nothing();
    series s = make_series();
    outputs *whole, *out = make_outputs();
    const void *images[FRAMES];
    patience p = {0, 2};
    penta_prepare *plan;

    for (int t = 0; t < FRAMES; t++)
        images[t] = s.image[t];
    o.flatten = PENTA_PREPARE_SERIES;
    whole = run_whole(ctx, o, 1, FRAMES, &s);
    o.batch = 1;
    plan = make_plan(ctx, &o);
    penta_context_set_progress(ctx, lose_patience, &p);
    assert_int_equal(penta_prepare_survey(plan, FRAMES, images), PENTA_CANCELLED);
    penta_context_set_progress(ctx, NULL, NULL);
    EXPECT_OK(ctx, penta_prepare_survey(plan, FRAMES, images));
    run_frames(ctx, plan, &s, 0, FRAMES, FRAMES, out);
    expect_same(whole, out, 0, FRAMES);
    penta_prepare_destroy(plan);
    free(out);
    free(whole);
    free_series(&s);
}

static void test_rewound_plans(void **state)
{
    penta_context *ctx = device_of(state);
    penta_prepare_options o = defaults();
    series s = make_series();
    outputs *whole = run_whole(ctx, o, 0, FRAMES, &s), *out = make_outputs();
    penta_prepare *plan = make_plan(ctx, &o);

    run_frames(ctx, plan, &s, 2, FRAMES, 1, out);
    penta_prepare_rewind(plan);
    run_frames(ctx, plan, &s, 0, FRAMES, FRAMES, out);
    expect_same(whole, out, 0, FRAMES);
    penta_prepare_destroy(plan);
    free(out);
    free(whole);
    free_series(&s);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(penta_prepared_name(PENTA_PREPARED_OK), "ok");
    assert_string_equal(penta_prepared_name(PENTA_PREPARED_DUST), "dust");
    assert_string_equal(penta_prepared_name(PENTA_PREPARED_LOST), "lost");
    assert_string_equal(penta_prepared_name((enum penta_prepared)9), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frames_are_checked),
                                       cmocka_unit_test(test_texts_are_checked),
                                       cmocka_unit_test(test_options_are_checked),
                                       cmocka_unit_test(test_what_comes_when),
                                       cmocka_unit_test(test_surveys),
                                       cmocka_unit_test(test_nothing_changes_nothing),
                                       cmocka_unit_test(test_types_of_outputs),
                                       cmocka_unit_test(test_frames_of_dust),
                                       cmocka_unit_test(test_pieces_change_nothing),
                                       cmocka_unit_test(test_contrast_of_the_first),
                                       cmocka_unit_test(test_known_drifts),
                                       cmocka_unit_test(test_cancelled_runs_leave_no_trace),
                                       cmocka_unit_test(test_cancelled_surveys),
                                       cmocka_unit_test(test_rewound_plans),
                                       cmocka_unit_test(test_names)};
    int failed = cmocka_run_group_tests_name("on the device as it is", tests, open_device, close_device);

    return failed + cmocka_run_group_tests_name("forms for GPUs", tests, open_gpu_form, close_device);
}
