/* A series that is saved after any frame and goes on in another plan: the same bits as in one go, whatever the options
 * that carry something from frame to frame; and states that do not fit. */
#include "support/test.h"

#include <pentacl/prepare.h>

#include "support/prepare_series.h"

/* One that changes so much that the frame it is compared with changes, too. Frame 3 is all dust: it is not of the
 * series. */
static prepare_series *make_changing_series(void)
{
    prepare_series *s = make_series(0.5);

    memset(s->image[3], 1, sizeof s->image[3]);
    return s;
}

typedef struct {
    int flatten, registration, contrast_of;
    const char *contrast;
    double key_score;
} way;

static penta_prepare_options options_of(const way *v)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    o.flatten = v->flatten;
    o.registration = v->registration;
    o.contrast = v->contrast;
    o.contrast_of = v->contrast_of;
    o.key_score = v->key_score;
    o.dust_key = "2,255";
    return o;
}

static penta_prepare *make_plan(penta_context *ctx, const way *v)
{
    penta_prepare_options o = options_of(v);

    return make_series_plan(ctx, &o);
}

static void survey(penta_context *ctx, penta_prepare *plan, const way *v, const prepare_series *s)
{
    penta_prepare_options o = options_of(v);

    survey_series(ctx, plan, &o, s, 3);
}

/* In one run. */
static void run_frames(penta_context *ctx, penta_prepare *plan, const prepare_series *s, size_t from, size_t to,
                       prepare_outputs *o)
{
    run_series(ctx, plan, s, from, to, SERIES_FRAMES, o);
}

/* The state after every number of frames, of a plan that is gone then. */
static void save_states(penta_context *ctx, const way *v, const prepare_series *s, const prepare_outputs *whole,
                        penta_prepare_state *states)
{
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_plan(ctx, v);
    HELD prepare_outputs *parts = make_outputs();
    size_t ok = 0;

    survey(ctx, plan, v, s);
    for (size_t cut = 0; cut <= SERIES_FRAMES; cut++) {
        penta_prepare_state *state = &states[cut];

        if (cut > 0) {
            run_frames(ctx, plan, s, cut - 1, cut, parts);
            ok += parts->r[cut - 1].status == PENTA_PREPARED_OK;
        }
        EXPECT_OK(ctx, penta_prepare_save(plan, state));
        assert_int_equal(state->frames, ok);
        assert_int_equal(state->width, SERIES_W);
        assert_int_equal(state->height, SERIES_H);
        assert_int_equal(state->key_image != NULL, v->registration != PENTA_PREPARE_REGISTER_NONE && cut > 0);
        assert_int_equal(state->illumination != NULL, v->flatten == PENTA_PREPARE_SERIES);
    }
    expect_same_outputs(whole, parts, 0);
}

/* The frames behind the cut by another plan, and a state that is freed once it was loaded. */
static void go_on(penta_context *ctx, const way *v, const prepare_series *s, const prepare_outputs *whole, size_t cut,
                  penta_prepare_state *state)
{
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_plan(ctx, v);
    HELD prepare_outputs *rest = make_outputs();

    EXPECT_OK(ctx, penta_prepare_load(plan, state));
    penta_prepare_state_free(state);
    assert_null(state->key_image);
    run_frames(ctx, plan, s, cut, SERIES_FRAMES, rest);
    expect_same_outputs(whole, rest, cut);
}

DEVICE_TEST(any_cut)
{
    static const way ways[] = {
        {PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, "1,99", 0.7},
        {PENTA_PREPARE_POLY, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FRAME, "1,99", 0.999}, /* keys change */
        {PENTA_PREPARE_SERIES, PENTA_PREPARE_RIGID, PENTA_PREPARE_CONTRAST_FIRST, NULL, 0.9},
        {PENTA_PREPARE_SERIES, PENTA_PREPARE_REGISTER_NONE, PENTA_PREPARE_CONTRAST_FIRST, "2,98", 0.7},
    };
    size_t step = stands_in(ctx) ? 2 : 1;
    HELD prepare_series *s = make_changing_series();

    for (size_t i = 0; i < COUNT(ways); i++) {
        HELD_BY(penta_prepare_held) penta_prepare *plan = make_plan(ctx, &ways[i]);
        HELD prepare_outputs *whole = make_outputs();
        penta_prepare_state states[SERIES_FRAMES + 1];

        survey(ctx, plan, &ways[i], s);
        run_frames(ctx, plan, s, 0, SERIES_FRAMES, whole);
        assert_int_equal(whole->r[3].status, PENTA_PREPARED_DUST);
        assert_int_equal(whole->r[SERIES_FRAMES - 1].status, PENTA_PREPARED_OK);
        save_states(ctx, &ways[i], s, whole, states);
        for (size_t cut = 0; cut <= SERIES_FRAMES; cut++)
            if (cut % step == 0)
                go_on(ctx, &ways[i], s, whole, cut, &states[cut]);
            else
                penta_prepare_state_free(&states[cut]);
    }
}

/* A plan goes on after it was saved as if it had not been. */
DEVICE_TEST(saving_changes_nothing)
{
    static const way v = {PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, "1,99", 0.999};
    HELD prepare_series *s = make_changing_series();
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_plan(ctx, &v);
    HELD prepare_outputs *whole = make_outputs(), *parts = make_outputs();

    run_frames(ctx, plan, s, 0, SERIES_FRAMES, whole);
    penta_prepare_rewind(plan);
    for (size_t t = 0; t < SERIES_FRAMES; t++) {
        HELD_BY(penta_prepare_state_free) penta_prepare_state saved;

        run_frames(ctx, plan, s, t, t + 1, parts);
        EXPECT_OK(ctx, penta_prepare_save(plan, &saved));
    }
    expect_same_outputs(whole, parts, 0);
}

/* ---- states that do not fit ---- */

static void expect_refused(penta_context *ctx, penta_prepare *plan, const penta_prepare_state *state, const char *text)
{
    EXPECT_REFUSED(ctx, penta_prepare_load(plan, state), PENTA_INVALID, text);
}

/* A state of which the first image can be used and the second cannot: the series goes on as if it had not been. */
DEVICE_TEST(refusal_changes_nothing)
{
    static const way v = {PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, "1,99", 0.999};
    HELD prepare_series *s = make_changing_series();
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_plan(ctx, &v);
    HELD prepare_outputs *whole = make_outputs(), *parts = make_outputs();
    HELD float *zeros = calloc((size_t)SERIES_W * SERIES_H, sizeof *zeros);
    HELD float *infinite = calloc((size_t)SERIES_W * SERIES_H, sizeof *infinite);
    penta_prepare_state good, bad;

    assert_non_null(zeros);
    assert_non_null(infinite);
    infinite[7] = INFINITY;
    run_frames(ctx, plan, s, 0, SERIES_FRAMES, whole);
    penta_prepare_rewind(plan);
    run_frames(ctx, plan, s, 0, 3, parts);
    EXPECT_OK(ctx, penta_prepare_save(plan, &good));
    bad = good;
    bad.key_image = zeros;
    bad.last_image = infinite;
    expect_refused(ctx, plan, &bad, "infinite");
    run_frames(ctx, plan, s, 3, SERIES_FRAMES, parts);
    expect_same_outputs(whole, parts, 0);
    penta_prepare_state_free(&good);
}

DEVICE_TEST(states_are_checked)
{
    static const way v = {PENTA_PREPARE_SERIES, PENTA_PREPARE_RIGID, PENTA_PREPARE_CONTRAST_FIRST, "1,99", 0.7};
    HELD prepare_series *s = make_changing_series();
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_plan(ctx, &v), *other = make_plan(ctx, &v);
    HELD prepare_outputs *o = make_outputs();
    penta_prepare_state good, bad;
    float dark = -1;

    survey(ctx, plan, &v, s);
    run_frames(ctx, plan, s, 0, 2, o);
    EXPECT_OK(ctx, penta_prepare_save(plan, &good));
    bad = good;
    bad.width = SERIES_W + 1;
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
}

ON_DEVICE;
AS_ON_A_GPU;
