/* A series that is saved after any frame and goes on in another plan: the same bits as in one go, whatever the options
 * that carry something from frame to frame; and states that do not fit. */
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

enum { W = 141, H = 107, FRAMES = 6, PIXELS = W * H };

/* ---- a series that changes so much that the frame it is compared with changes, too ---- */

typedef struct {
    uint8_t image[FRAMES][PIXELS];
} series;

static uint8_t shade(int t, int x, int y)
{
    double px = x - 1.3 * t, py = y + 0.6 * t, light = 1 - 0.5 * x / W + 0.2 * y / H;
    double v = sin(0.5 * px + 0.1 * py) + sin(0.35 * py - 0.3 * px + 0.5 * t) + sin(0.21 * px + 0.44 * py + 2);

    if (hypot(x - 30, y - 40) < 4 || hypot(x - 100, y - 90) < 3)
        return 5;
    return (uint8_t)lround(fmin(120 * light * (1 + 0.15 * v) + 2 * random_normal(), 255));
}

/* Frame 3 is all dust: it is not of the series. */
static series *make_series(void)
{
    series *s = must_calloc(1, sizeof *s);

    random_seed(11);
    for (int t = 0; t < FRAMES; t++)
        for (int i = 0; i < PIXELS; i++)
            s->image[t][i] = t == 3 ? 1 : shade(t, i % W, i / W);
    return s;
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

static void run_frames(penta_context *ctx, penta_prepare *plan, const series *s, size_t from, size_t to, outputs *o)
{
    penta_prepare_frame frames[FRAMES] = {{0}};

    for (size_t t = from; t < to; t++)
        frames[t].image = s->image[t];
    if (to > from)
        EXPECT_OK(ctx, penta_prepare_run(plan, to - from, frames + from, o->r + from));
}

static void expect_same(const outputs *a, const outputs *b, size_t from)
{
    for (size_t t = from; t < FRAMES; t++) {
        assert_int_equal(a->r[t].status, b->r[t].status);
        assert_int_equal(a->r[t].dust_pixels, b->r[t].dust_pixels);
        if (a->r[t].status != PENTA_PREPARED_OK)
            continue;
        assert_memory_equal(&a->r[t].drift, &b->r[t].drift, sizeof a->r[t].drift);
        assert_memory_equal(&a->r[t].low, &b->r[t].low, sizeof a->r[t].low);
        assert_memory_equal(a->image[t], b->image[t], sizeof a->image[t]);
        assert_memory_equal(a->mask[t], b->mask[t], sizeof a->mask[t]);
    }
}

/* ---- options ---- */

typedef struct {
    int flatten, registration, contrast_of;
    const char *contrast;
    double key_score;
} way;

static penta_prepare *make_plan(penta_context *ctx, const way *v)
{
    penta_prepare_options o;
    penta_prepare *plan = NULL;

    penta_options_init(penta_prepare_option_table, &o);
    o.flatten = v->flatten;
    o.registration = v->registration;
    o.contrast = v->contrast;
    o.contrast_of = v->contrast_of;
    o.key_score = v->key_score;
    o.dust_key = "2,255";
    EXPECT_OK(ctx, penta_prepare_create(ctx, W, H, 1, PENTA_U8, &o, &plan));
    return plan;
}

static void survey(penta_context *ctx, penta_prepare *plan, const way *v, const series *s)
{
    const void *images[] = {s->image[0], s->image[1], s->image[2]};

    if (v->flatten == PENTA_PREPARE_SERIES)
        EXPECT_OK(ctx, penta_prepare_survey(plan, COUNT(images), images));
}

/* One go, and two plans with a state between them, which is copied so that nothing of it is the first plan's. */
static void run_in_parts(penta_context *ctx, const way *v, const series *s, const outputs *whole, size_t cut)
{
    penta_prepare *first = make_plan(ctx, v), *second = make_plan(ctx, v);
    outputs *parts = make_outputs();
    penta_prepare_state state;
    size_t ok = 0;

    survey(ctx, first, v, s);
    run_frames(ctx, first, s, 0, cut, parts);
    EXPECT_OK(ctx, penta_prepare_save(first, &state));
    penta_prepare_destroy(first);
    for (size_t t = 0; t < cut; t++)
        ok += parts->r[t].status == PENTA_PREPARED_OK;
    assert_int_equal(state.frames, ok);
    assert_int_equal(state.width, W);
    assert_int_equal(state.height, H);
    assert_int_equal(state.key_image != NULL, v->registration != PENTA_PREPARE_REGISTER_NONE && cut > 0);
    assert_int_equal(state.illumination != NULL, v->flatten == PENTA_PREPARE_SERIES);
    EXPECT_OK(ctx, penta_prepare_restore(second, &state));
    penta_prepare_state_free(&state);
    assert_null(state.key_image);
    run_frames(ctx, second, s, cut, FRAMES, parts);
    expect_same(whole, parts, 0);
    penta_prepare_destroy(second);
    free(parts);
}

static void test_any_cut(void **state)
{
    static const way ways[] = {
        {PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, "1,99", 0.7},
        {PENTA_PREPARE_POLY, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FRAME, "1,99", 0.999}, /* keys change */
        {PENTA_PREPARE_SERIES, PENTA_PREPARE_RIGID, PENTA_PREPARE_CONTRAST_FIRST, NULL, 0.9},
        {PENTA_PREPARE_SERIES, PENTA_PREPARE_REGISTER_NONE, PENTA_PREPARE_CONTRAST_FIRST, "2,98", 0.7},
    };
    penta_context *ctx = device_of(state);
    series *s = make_series();

    for (size_t i = 0; i < COUNT(ways); i++) {
        penta_prepare *plan = make_plan(ctx, &ways[i]);
        outputs *whole = make_outputs();

        survey(ctx, plan, &ways[i], s);
        run_frames(ctx, plan, s, 0, FRAMES, whole);
        assert_int_equal(whole->r[3].status, PENTA_PREPARED_DUST);
        assert_int_equal(whole->r[FRAMES - 1].status, PENTA_PREPARED_OK);
        for (size_t cut = 0; cut <= FRAMES; cut++)
            run_in_parts(ctx, &ways[i], s, whole, cut);
        penta_prepare_destroy(plan);
        free(whole);
    }
    free(s);
}

/* A plan goes on after it was saved as if it had not been. */
static void test_saving_changes_nothing(void **state)
{
    static const way v = {PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, "1,99", 0.999};
    penta_context *ctx = device_of(state);
    series *s = make_series();
    penta_prepare *plan = make_plan(ctx, &v);
    outputs *whole = make_outputs(), *parts = make_outputs();

    run_frames(ctx, plan, s, 0, FRAMES, whole);
    penta_prepare_rewind(plan);
    for (size_t t = 0; t < FRAMES; t++) {
        penta_prepare_state saved;

        run_frames(ctx, plan, s, t, t + 1, parts);
        EXPECT_OK(ctx, penta_prepare_save(plan, &saved));
        penta_prepare_state_free(&saved);
    }
    expect_same(whole, parts, 0);
    penta_prepare_destroy(plan);
    free(whole);
    free(parts);
    free(s);
}

/* ---- states that do not fit ---- */

static void expect_refused(penta_context *ctx, penta_prepare *plan, const penta_prepare_state *state, const char *text)
{
    assert_int_equal(penta_prepare_restore(plan, state), PENTA_INVALID);
    expect_text(penta_last_error(ctx), text);
}

static void test_states_are_checked(void **state)
{
    static const way v = {PENTA_PREPARE_SERIES, PENTA_PREPARE_RIGID, PENTA_PREPARE_CONTRAST_FIRST, "1,99", 0.7};
    penta_context *ctx = device_of(state);
    series *s = make_series();
    penta_prepare *plan = make_plan(ctx, &v), *other = make_plan(ctx, &v);
    outputs *o = make_outputs();
    penta_prepare_state good, bad;
    float dark = -1;

    survey(ctx, plan, &v, s);
    run_frames(ctx, plan, s, 0, 2, o);
    EXPECT_OK(ctx, penta_prepare_save(plan, &good));
    bad = good;
    bad.width = W + 1;
    expect_refused(ctx, other, &bad, "does not fit");
    bad = good;
    bad.nodes_y--;
    expect_refused(ctx, other, &bad, "does not fit");
    bad = good;
    bad.last.dy = NAN;
    expect_refused(ctx, other, &bad, "not finite");
    bad = good;
    bad.high = INFINITY;
    expect_refused(ctx, other, &bad, "not finite");
    bad = good;
    bad.low = NAN;
    expect_refused(ctx, other, &bad, "not finite");
    bad = good;
    bad.key_image = NULL;
    expect_refused(ctx, other, &bad, "no frame to register with");
    bad = good;
    bad.illumination = NULL;
    expect_refused(ctx, other, &bad, "no illumination");
    bad = good;
    bad.illumination = &dark;
    bad.nodes_x = good.nodes_x;
    good.illumination[0] = 0;
    bad.illumination = good.illumination;
    expect_refused(ctx, other, &bad, "not positive");
    penta_prepare_state_free(&good);
    penta_prepare_destroy(plan);
    penta_prepare_destroy(other);
    free(o);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_cut),
        cmocka_unit_test(test_saving_changes_nothing),
        cmocka_unit_test(test_states_are_checked),
    };
    int failed = cmocka_run_group_tests(tests, open_device, close_device);

    return failed + cmocka_run_group_tests_name("forms for GPUs", tests, open_gpu_form, close_device);
}
