/* A series of photographs, and the outputs of plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "support/device.h"
#include "support/prepare_series.h"
#include "support/random.h"

static uint8_t shade(int x, int y, double t, double change)
{
    double px = x - 1.3 * t, py = y + 0.6 * t, light = 1 - 0.5 * x / SERIES_W + 0.2 * y / SERIES_H;
    double v = sin(0.5 * px + 0.1 * py) + sin(0.35 * py - 0.3 * px + change * t) + sin(0.21 * px + 0.44 * py + 2);

    if (hypot(x - 30, y - 40) < 4 || hypot(x - 100, y - 90) < 3)
        return 5;
    return (uint8_t)lround(fmin(120 * light * (1 + 0.15 * v) + 2 * random_normal(), 255));
}

prepare_series *make_series(double change)
{
    prepare_series *s = must_calloc(1, sizeof *s);

    random_seed(11);
    for (int t = 0; t < SERIES_FRAMES; t++)
        for (int i = 0; i < SERIES_PIXELS; i++)
            s->image[t][i] = shade(i % SERIES_W, i / SERIES_W, t, change);
    return s;
}

prepare_outputs *make_outputs(void)
{
    prepare_outputs *o = must_calloc(1, sizeof *o);

    for (int t = 0; t < SERIES_FRAMES; t++) {
        o->r[t].image = o->image[t];
        o->r[t].mask = o->mask[t];
    }
    return o;
}

penta_prepare_options series_defaults(void)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    return o;
}

penta_prepare_options series_nothing(void)
{
    penta_prepare_options o = series_defaults();

    o.flatten = PENTA_PREPARE_FLATTEN_NONE;
    o.dust = PENTA_PREPARE_DUST_NONE;
    o.registration = PENTA_PREPARE_REGISTER_NONE;
    return o;
}

penta_prepare *make_series_plan(penta_context *ctx, const penta_prepare_options *o)
{
    penta_prepare *plan = NULL;

    EXPECT_OK(ctx, penta_prepare_create(ctx, SERIES_W, SERIES_H, 1, PENTA_U8, o, &plan));
    return plan;
}

void survey_series(penta_context *ctx, penta_prepare *plan, const penta_prepare_options *o, const prepare_series *s,
                   size_t count)
{
    const void *images[SERIES_FRAMES];

    for (size_t t = 0; t < count; t++)
        images[t] = s->image[t];
    if (o->flatten == PENTA_PREPARE_SERIES)
        EXPECT_OK(ctx, penta_prepare_survey(plan, count, images));
}

void run_series(penta_context *ctx, penta_prepare *plan, const prepare_series *s, size_t from, size_t to, size_t step,
                prepare_outputs *o)
{
    penta_prepare_frame frames[SERIES_FRAMES] = {{0}};

    for (size_t t = from; t < to; t++)
        frames[t].image = s->image[t];
    for (size_t t = from; t < to; t += step)
        EXPECT_OK(ctx, penta_prepare_run(plan, t + step < to ? step : to - t, frames + t, o->r + t));
}

void expect_same_outputs(const prepare_outputs *a, const prepare_outputs *b, size_t from)
{
    for (size_t t = from; t < SERIES_FRAMES; t++) {
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
