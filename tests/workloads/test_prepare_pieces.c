/* A series in pieces, with drifts that are known, cancelled and again: the same bits as in one go. */
#include "support/test.h"

#include <pentacl/prepare.h>

#include "support/prepare_series.h"

/* All frames by a plan of their own, `step` a run. */
static prepare_outputs *run_whole(penta_context *ctx, penta_prepare_options o, int batch, size_t step,
                                  const prepare_series *s)
{
    prepare_outputs *out = make_outputs();
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;

    o.batch = batch;
    plan = make_series_plan(ctx, &o);
    survey_series(ctx, plan, &o, s, SERIES_FRAMES);
    run_series(ctx, plan, s, 0, SERIES_FRAMES, step, out);
    return out;
}

static void compare_pieces(penta_context *ctx, penta_prepare_options o)
{
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *whole = run_whole(ctx, o, 0, SERIES_FRAMES, s);

    for (int t = 0; t < SERIES_FRAMES; t++)
        assert_int_equal(whole->r[t].status, PENTA_PREPARED_OK);
    for (size_t step = 1; step <= 3; step++)
        for (int batch = 1; batch <= 4; batch += 3) {
            if (stands_in(ctx) && (step + (size_t)batch) % 2)
                continue;
            HELD prepare_outputs *pieces = run_whole(ctx, o, batch, step, s);

            expect_same_outputs(whole, pieces, 0);
        }
}

DEVICE_TEST(pieces_change_nothing)
{
    penta_prepare_options o = series_defaults();

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
DEVICE_TEST(contrast_of_the_first)
{
    penta_prepare_options o = series_nothing();
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *whole = NULL, *out = make_outputs();
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;
    penta_prepare_frame frames[2] = {{.image = s->image[0]}, {.image = s->image[1]}};

    o.contrast = "2,98";
    o.contrast_of = PENTA_PREPARE_CONTRAST_FIRST;
    whole = run_whole(ctx, o, 1, SERIES_FRAMES, s);
    for (int t = 1; t < SERIES_FRAMES; t++) {
        expect_near(whole->r[t].low, whole->r[0].low, 0);
        expect_near(whole->r[t].high, whole->r[0].high, 0);
    }
    assert_true(whole->r[0].high > whole->r[0].low + 20);
    plan = make_series_plan(ctx, &o);
    out->r[0].image = NULL; /* only measured */
    out->r[0].mask = NULL;
    EXPECT_OK(ctx, penta_prepare_run(plan, 2, frames, out->r));
    expect_near(out->r[1].low, whole->r[0].low, 0);
    assert_memory_equal(out->image[1], whole->image[1], sizeof out->image[1]);
    penta_prepare_rewind(plan);
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, frames + 1, out->r + 1));
    assert_true(fabs(out->r[1].low - whole->r[0].low) > 0);
}

/* Known drifts move a frame as measured ones do. */
DEVICE_TEST(known_drifts)
{
    penta_prepare_options o = series_defaults();
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *whole = run_whole(ctx, o, 0, SERIES_FRAMES, s), *out = make_outputs();
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_series_plan(ctx, &o);
    penta_prepare_frame frames[SERIES_FRAMES];

    for (int t = 0; t < SERIES_FRAMES; t++)
        frames[t] = (penta_prepare_frame){.image = s->image[t], .drift = &whole->r[t].drift};
    EXPECT_OK(ctx, penta_prepare_run(plan, SERIES_FRAMES, frames, out->r));
    expect_same_outputs(whole, out, 0);
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

DEVICE_TEST(cancelled_runs_leave_no_trace)
{
    penta_prepare_options o = series_defaults();
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *whole = NULL, *out = make_outputs();
    penta_prepare_frame frames[SERIES_FRAMES] = {{0}};
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;

    o.contrast = "1,99";
    o.contrast_of = PENTA_PREPARE_CONTRAST_FIRST;
    o.batch = 1;
    whole = run_whole(ctx, o, 1, SERIES_FRAMES, s);
    plan = make_series_plan(ctx, &o);
    for (int t = 0; t < SERIES_FRAMES; t++)
        frames[t].image = s->image[t];
    for (int at = 0; at <= 2; at += 2) { /* at the beginning of the series, and within */
        patience p = {0, 2};

        penta_context_set_progress(ctx, lose_patience, &p);
        assert_int_equal(penta_prepare_run(plan, (size_t)(SERIES_FRAMES - at), frames + at, out->r + at),
                         PENTA_CANCELLED);
        penta_context_set_progress(ctx, NULL, NULL);
        run_series(ctx, plan, s, (size_t)at, at == 0 ? 2 : SERIES_FRAMES, SERIES_FRAMES, out);
    }
    expect_same_outputs(whole, out, 0);
}

DEVICE_TEST(cancelled_surveys)
{
    penta_prepare_options o = series_nothing();
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *whole = NULL, *out = make_outputs();
    const void *images[SERIES_FRAMES];
    patience p = {0, 2};
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;

    for (int t = 0; t < SERIES_FRAMES; t++)
        images[t] = s->image[t];
    o.flatten = PENTA_PREPARE_SERIES;
    whole = run_whole(ctx, o, 1, SERIES_FRAMES, s);
    o.batch = 1;
    plan = make_series_plan(ctx, &o);
    penta_context_set_progress(ctx, lose_patience, &p);
    assert_int_equal(penta_prepare_survey(plan, SERIES_FRAMES, images), PENTA_CANCELLED);
    penta_context_set_progress(ctx, NULL, NULL);
    EXPECT_OK(ctx, penta_prepare_survey(plan, SERIES_FRAMES, images));
    run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, out);
    expect_same_outputs(whole, out, 0);
}

DEVICE_TEST(rewound_plans)
{
    penta_prepare_options o = series_defaults();
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *whole = run_whole(ctx, o, 0, SERIES_FRAMES, s), *out = make_outputs();
    HELD_BY(penta_prepare_held) penta_prepare *plan = make_series_plan(ctx, &o);

    run_series(ctx, plan, s, 2, SERIES_FRAMES, 1, out);
    penta_prepare_rewind(plan);
    run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, out);
    expect_same_outputs(whole, out, 0);
}

ON_DEVICE;
AS_ON_A_GPU;
