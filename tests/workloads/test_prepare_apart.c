/* Frames that a second plan runs out of their order: those that stand have the bits of the series in order, and the
 * series goes on where one does not. */
#include "support/test.h"

#include <pentacl/prepare.h>

#include "support/device.h"
#include "support/prepare_series.h"

typedef struct {
    double change; /* of the series: rad per frame */
    int flatten, registration, contrast_of;
    double key_score;
    bool falls; /* some frame must not stand */
} way;

static penta_prepare_options options_of(const way *v)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    o.flatten = v->flatten;
    o.registration = v->registration;
    o.contrast = "1,99";
    o.contrast_of = v->contrast_of;
    o.key_score = v->key_score;
    o.dust_key = "2,255";
    return o;
}

/* Frame 2 is all dust: it is not of the series, and stands. */
static prepare_series *series_of(const way *v)
{
    prepare_series *s = make_series(v->change);

    memset(s->image[2], 1, sizeof s->image[2]);
    return s;
}

/* The frames from 1 on, the last first, by a plan that gets the series after frame 0. */
static void run_apart(penta_context *ctx, penta_prepare *series, penta_prepare *other, const prepare_series *s,
                      prepare_outputs *out)
{
    penta_prepare_state state;

    EXPECT_OK(ctx, penta_prepare_save(series, &state));
    EXPECT_OK(ctx, penta_prepare_load(other, &state));
    penta_prepare_state_free(&state);
    EXPECT_OK(ctx, penta_prepare_apart(other, true));
    for (size_t i = SERIES_FRAMES; i-- > 1;)
        run_series(ctx, other, s, i, i + 1, 1, out);
}

/* The frames up to the first that does not stand; *last: the last one that was OK. */
static size_t count_standing(const penta_prepare *other, const prepare_outputs *o, size_t *last)
{
    size_t n = 1;

    *last = 0;
    while (n < SERIES_FRAMES && penta_prepare_stands(other, &o->r[n])) {
        *last = o->r[n].status == PENTA_PREPARED_OK ? n : *last;
        n++;
    }
    return n;
}

TEST(out_of_order)
{
    static const way ways[] = {
        {0.1, PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, 0.5, false},
        {0.5, PENTA_PREPARE_POLY, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FRAME, 0.9, true},
        {0.5, PENTA_PREPARE_SERIES, PENTA_PREPARE_RIGID, PENTA_PREPARE_CONTRAST_FIRST, 0.9, true},
        {0.5, PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, 0, false},
        {0.5, PENTA_PREPARE_SERIES, PENTA_PREPARE_REGISTER_NONE, PENTA_PREPARE_CONTRAST_FIRST, 0.7, false},
    };
    penta_context *ctx = device_of(state);

    for (size_t i = 0; i < COUNT(ways); i++) {
        penta_prepare_options options = options_of(&ways[i]);
        prepare_series *s = series_of(&ways[i]);
        penta_prepare *plan = make_series_plan(ctx, &options), *other = make_series_plan(ctx, &options);
        prepare_outputs *whole = make_outputs(), *apart = make_outputs();
        size_t standing, last;

        survey_series(ctx, plan, &options, s, 3);
        run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, whole);
        penta_prepare_rewind(plan);
        run_series(ctx, plan, s, 0, 1, 1, apart);
        run_apart(ctx, plan, other, s, apart);
        standing = count_standing(other, apart, &last);
        assert_int_equal(standing < SERIES_FRAMES, ways[i].falls);
        assert_true(standing > 1);
        if (standing < SERIES_FRAMES) { /* the series goes on in order from there */
            run_series(ctx, plan, s, last, last + 1, 1, apart);
            run_series(ctx, plan, s, standing, SERIES_FRAMES, 1, apart);
        }
        expect_same_outputs(whole, apart, 0);
        penta_prepare_destroy(plan);
        penta_prepare_destroy(other);
        free(whole);
        free(apart);
        free(s);
    }
}

/* A series that is run apart stays where it is, and is told so only once it has begun. */
TEST(the_series_stays)
{
    static const way v = {0.5, PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, 0.9, true};
    penta_context *ctx = device_of(state);
    penta_prepare_options options = options_of(&v);
    prepare_series *s = series_of(&v);
    penta_prepare *plan = make_series_plan(ctx, &options);
    prepare_outputs *whole = make_outputs(), *parts = make_outputs(), *apart = make_outputs();

    run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, whole);
    penta_prepare_rewind(plan);
    assert_int_equal(penta_prepare_apart(plan, true), PENTA_INVALID);
    expect_text(penta_last_error(ctx), "no first frame");
    run_series(ctx, plan, s, 0, 2, 1, parts);
    EXPECT_OK(ctx, penta_prepare_apart(plan, true));
    run_series(ctx, plan, s, 3, SERIES_FRAMES, SERIES_FRAMES, apart);
    EXPECT_OK(ctx, penta_prepare_apart(plan, false));
    run_series(ctx, plan, s, 2, SERIES_FRAMES, 2, parts);
    expect_same_outputs(whole, parts, 0);
    penta_prepare_destroy(plan);
    free(whole);
    free(parts);
    free(apart);
    free(s);
}

/* ---- drifts that are known ---- */

static penta_status read_frame(void *data, size_t index, const void **image)
{
    const prepare_series *s = data;

    *image = s->image[index];
    return PENTA_OK;
}

TEST(known_drifts)
{
    static const way v = {0.5, PENTA_PREPARE_GAUSSIAN, PENTA_PREPARE_SHIFT, PENTA_PREPARE_CONTRAST_FIRST, 0.9, false};
    penta_context *ctx = device_of(state);
    penta_prepare_options options = options_of(&v);
    prepare_series *s = series_of(&v);
    penta_prepare_source source = {.count = SERIES_FRAMES, .data = s, .read = read_frame};
    penta_prepare *plan, *other;
    prepare_outputs *whole = make_outputs(), *apart = make_outputs();
    penta_drift wrong = {.dx = NAN};
    size_t count, last;

    options.smooth_drift = 3;
    plan = make_series_plan(ctx, &options);
    other = make_series_plan(ctx, &options);
    assert_null(penta_prepare_drifts(plan, &count));
    EXPECT_OK(ctx, penta_prepare_look(plan, &source, NULL));
    assert_non_null(penta_prepare_drifts(plan, &count));
    assert_int_equal(count, SERIES_FRAMES);
    run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, whole);
    penta_prepare_rewind(plan);
    run_series(ctx, plan, s, 0, 1, 1, apart);

    assert_int_equal(penta_prepare_know(other, 1, &wrong), PENTA_INVALID);
    EXPECT_OK(ctx, penta_prepare_know(other, count, penta_prepare_drifts(plan, &count)));
    run_apart(ctx, plan, other, s, apart);
    assert_int_equal(count_standing(other, apart, &last), SERIES_FRAMES);
    expect_same_outputs(whole, apart, 0);
    assert_int_equal(penta_prepare_know(other, count, penta_prepare_drifts(plan, &count)), PENTA_INVALID);
    penta_prepare_destroy(plan);
    penta_prepare_destroy(other);
    free(whole);
    free(apart);
    free(s);
}

ON_DEVICE;
AS_ON_A_GPU;
