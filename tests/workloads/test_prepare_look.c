/* The look at a whole series: which frames it goes over, what it finds, how it fails. */
#include "support/test.h"

#include <pentacl/prepare.h>

#include "support/prepare_series.h"

/* Frames 0 .. of a series, again and again, and what was asked of them. */
typedef struct {
    const prepare_series *s;
    size_t missing, bad; /* this frame cannot be used; at this one reading fails. SIZE_MAX: none */
    size_t passes, frames, first, last, read, released, most;
    enum penta_prepare_pass pass;
} shelf;

static penta_status begin(void *data, enum penta_prepare_pass pass, size_t n, const size_t *index)
{
    shelf *f = data;

    f->pass = pass;
    f->passes++;
    f->frames = n;
    f->first = index[0];
    f->last = index[n - 1];
    for (size_t i = 1; i < n; i++)
        assert_true(index[i] > index[i - 1]);
    return PENTA_OK;
}

static penta_status read_frame(void *data, size_t index, const void **image)
{
    shelf *f = data;

    if (index == f->bad)
        return PENTA_CANCELLED;
    f->read++;
    f->most = f->read - f->released > f->most ? f->read - f->released : f->most;
    *image = index == f->missing ? NULL : f->s->image[index % SERIES_FRAMES];
    return PENTA_OK;
}

static void release(void *data, size_t index)
{
    shelf *f = data;

    (void)index;
    f->released++;
}

static penta_prepare_source source_of(shelf *f, size_t count)
{
    return (penta_prepare_source){.count = count, .data = f, .begin = begin, .read = read_frame, .release = release};
}

static shelf shelf_of(const prepare_series *s)
{
    return (shelf){.s = s, .missing = SIZE_MAX, .bad = SIZE_MAX};
}

/* A frame with the number that it has in the series. */
static penta_prepare_result run_one(penta_context *ctx, penta_prepare *plan, const prepare_series *s, size_t t)
{
    penta_prepare_frame frame = {.image = s->image[t], .number = t};
    penta_prepare_result r = {0};

    EXPECT_OK(ctx, penta_prepare_run(plan, 1, &frame, &r));
    return r;
}

DEVICE_TEST(drifts_are_smoothed)
{
    penta_prepare_options o = series_defaults();
    HELD prepare_series *s = make_series(0);
    HELD prepare_outputs *out = make_outputs();
    penta_drift drift[SERIES_FRAMES];
    penta_prepare *plan = make_series_plan(ctx, &o);
    shelf f = shelf_of(s);
    penta_prepare_source source = source_of(&f, SERIES_FRAMES);
    size_t measured = 99;

    EXPECT_OK(ctx, penta_prepare_look(plan, &source, &measured)); /* nothing to know */
    assert_int_equal(measured, 0);
    assert_int_equal(f.passes, 0);
    run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, out);
    penta_prepare_destroy(plan);
    for (int t = 0; t < SERIES_FRAMES; t++)
        drift[t] = out->r[t].drift;
    EXPECT_OK(ctx, penta_drift_smooth(SERIES_FRAMES, drift, 3));

    o.smooth_drift = 3;
    plan = make_series_plan(ctx, &o);
    source.most = 2;
    EXPECT_OK(ctx, penta_prepare_look(plan, &source, &measured));
    assert_int_equal(measured, SERIES_FRAMES);
    assert_int_equal(f.passes, 1);
    assert_int_equal(f.pass, PENTA_PREPARE_PASS_DRIFT);
    assert_int_equal(f.released, SERIES_FRAMES);
    assert_true(f.most <= 2);
    for (size_t t = 0; t < SERIES_FRAMES; t++) {
        penta_prepare_result r = run_one(ctx, plan, s, t);

        assert_int_equal(r.status, PENTA_PREPARED_OK);
        assert_memory_equal(&r.drift.dx, &drift[t].dx, sizeof r.drift.dx);
        assert_memory_equal(&r.drift.dy, &drift[t].dy, sizeof r.drift.dy);
    }
    assert_true(fabs(drift[3].dx - out->r[3].drift.dx) > 0);
    EXPECT_REFUSED(ctx, penta_prepare_look(plan, &source, NULL), PENTA_INVALID, "before its first frame");
    penta_prepare_destroy(plan);
}

/* A frame that could not be measured is lost; one beyond the series is an error. */
DEVICE_TEST(frames_without_drift)
{
    penta_prepare_options o = series_defaults();
    HELD prepare_series *s = make_series(0);
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;
    shelf f = shelf_of(s);
    penta_prepare_source source = source_of(&f, SERIES_FRAMES);
    penta_prepare_frame beyond = {.image = s->image[0], .number = SERIES_FRAMES};
    penta_prepare_result r = {0};
    char text[128];
    size_t measured;

    o.smooth_drift = 2;
    f.missing = 2;
    plan = make_series_plan(ctx, &o);
    EXPECT_OK(ctx, penta_prepare_look(plan, &source, &measured));
    assert_int_equal(measured, SERIES_FRAMES - 1);
    assert_int_equal(run_one(ctx, plan, s, 1).status, PENTA_PREPARED_OK);
    r = run_one(ctx, plan, s, 2);
    assert_int_equal(r.status, PENTA_PREPARED_LOST);
    penta_prepare_explain(plan, &r, text, sizeof text);
    assert_string_equal(text, "its shift cannot be found: it is like no frame before it");
    assert_int_equal(run_one(ctx, plan, s, 3).status, PENTA_PREPARED_OK);
    EXPECT_REFUSED(ctx, penta_prepare_run(plan, 1, &beyond, &r), PENTA_INVALID, "number 6 in a series of 6");
}

DEVICE_TEST(illumination)
{
    penta_prepare_options o = series_nothing();
    HELD prepare_series *s = make_series(0);
    penta_prepare *plan;
    shelf f = shelf_of(s);
    penta_prepare_source source = source_of(&f, 1000);

    o.flatten = PENTA_PREPARE_SERIES;
    plan = make_series_plan(ctx, &o);
    EXPECT_OK(ctx, penta_prepare_look(plan, &source, NULL));
    assert_int_equal(f.pass, PENTA_PREPARE_PASS_ILLUMINATION);
    assert_int_equal(f.frames, PENTA_PREPARE_SURVEY);
    assert_int_equal(f.first, 0);
    assert_int_equal(f.last, 999);
    assert_int_equal(f.released, PENTA_PREPARE_SURVEY);
    assert_int_equal(run_one(ctx, plan, s, 5).status, PENTA_PREPARED_OK);
    penta_prepare_destroy(plan);

    plan = make_series_plan(ctx, &o); /* two of three can be used */
    source.count = 3;
    f.missing = 1;
    EXPECT_REFUSED(ctx, penta_prepare_look(plan, &source, NULL), PENTA_INVALID,
                   "at least 3 frames that can be used, not 2");
    penta_prepare_destroy(plan);
}

DEVICE_TEST(a_source_that_fails)
{
    penta_prepare_options o = series_defaults();
    HELD prepare_series *s = make_series(0);
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;
    shelf f = shelf_of(s);
    penta_prepare_source source = source_of(&f, SERIES_FRAMES);

    o.smooth_drift = 2;
    o.batch = 2;
    f.bad = 3;
    plan = make_series_plan(ctx, &o);
    assert_int_equal(penta_prepare_look(plan, &source, NULL), PENTA_CANCELLED);
    assert_int_equal(f.read, 3);
    assert_int_equal(f.released, 3);
    assert_int_equal(run_one(ctx, plan, s, 0).status, PENTA_PREPARED_OK);
}

/* Another plan that gets what the look has found runs the frames in any order, with the same bits. */
DEVICE_TEST(the_look_of_another_plan)
{
    penta_prepare_options o = series_defaults();
    HELD prepare_series *s = make_series(0.5);
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL, *other = NULL;
    shelf f = shelf_of(s);
    penta_prepare_source source = source_of(&f, SERIES_FRAMES);
    HELD prepare_outputs *whole = make_outputs(), *apart = make_outputs();
    penta_drift wrong = {.dx = NAN};
    penta_prepare_state found;
    size_t count;

    o.smooth_drift = 3;
    o.flatten = PENTA_PREPARE_SERIES;
    plan = make_series_plan(ctx, &o);
    other = make_series_plan(ctx, &o);
    assert_null(penta_prepare_drifts(plan, &count));
    EXPECT_OK(ctx, penta_prepare_look(plan, &source, NULL));
    EXPECT_OK(ctx, penta_prepare_save(plan, &found));
    run_series(ctx, plan, s, 0, SERIES_FRAMES, SERIES_FRAMES, whole);

    assert_int_equal(penta_prepare_know(other, 1, &wrong), PENTA_INVALID);
    assert_non_null(penta_prepare_drifts(plan, &count));
    assert_int_equal(count, SERIES_FRAMES);
    EXPECT_OK(ctx, penta_prepare_know(other, count, penta_prepare_drifts(plan, &count)));
    EXPECT_OK(ctx, penta_prepare_load(other, &found));
    penta_prepare_state_free(&found);
    for (size_t i = SERIES_FRAMES; i-- > 0;)
        run_series(ctx, other, s, i, i + 1, 1, apart);
    expect_same_outputs(whole, apart, 0);
    assert_int_equal(penta_prepare_know(other, count, penta_prepare_drifts(plan, &count)), PENTA_INVALID);
}

TEST(levels)
{
    const uint8_t colour[] = {10, 20, 30, 200, 100, 0};
    const double grey[] = {7.5};
    float out[2];

    penta_prepare_levels(2, 1, 3, PENTA_U8, colour, PENTA_PREPARE_LUMINANCE, out);
    expect_near((double)out[0], 0.299 * 10 + 0.587 * 20 + 0.114 * 30, 1e-5);
    expect_near((double)out[1], 0.299 * 200 + 0.587 * 100, 1e-5);
    penta_prepare_levels(2, 1, 3, PENTA_U8, colour, PENTA_PREPARE_BLUE, out);
    expect_near((double)out[0], 30, 0);
    penta_prepare_levels(1, 1, 1, PENTA_F64, grey, PENTA_PREPARE_LUMINANCE, out);
    expect_near((double)out[0], 7.5, 0);
}

ON_DEVICE;
