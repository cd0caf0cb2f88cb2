/* Options of the optmap workload: defaults, ranges, contradictions, and what they make of plans. */
#include "support/test.h"

#include <pentacl/optmap.h>

static penta_optmap_options with_defaults(void)
{
    penta_optmap_options o;

    penta_optmap_options_init(&o);
    return o;
}

TEST(has_the_thesis_defaults)
{
    penta_optmap_options o = with_defaults();

    assert_int_equal(o.engine, PENTA_OPTMAP_FAST);
    assert_int_equal(o.interp, 10);
    assert_int_equal(o.taps, 0);
    assert_int_equal(o.window, 5);
    expect_near(o.sigma, 1.179, 0);
    assert_int_equal(o.median, 5);
    assert_int_equal(o.median_edges, PENTA_OPTMAP_PAD);
    assert_int_equal(o.polarity, PENTA_OPTMAP_DOWN);
    assert_null(o.baseline);
    expect_near(o.min_range, 0, 0);
    assert_null(o.min_value);
    assert_int_equal(o.drift, PENTA_OPTMAP_DRIFT_AUTO);
    assert_int_equal(o.correlation, PENTA_OPTMAP_PLAIN);
    assert_int_equal(o.max_lag, -1);
    assert_false(o.demean);
    assert_int_equal(o.tails, PENTA_OPTMAP_TAILS_ODD);
    assert_int_equal(o.invalid, PENTA_OPTMAP_RENORMALISE);
    assert_int_equal(o.border, PENTA_OPTMAP_FULL);
    assert_int_equal(o.output, PENTA_OPTMAP_CAMERA);
    assert_int_equal(o.batch, 0);
}

static void refuse(penta_context *ctx, size_t width, size_t height, size_t frames, const penta_optmap_options *o,
                   const char *text)
{
    penta_optmap *plan = (penta_optmap *)&plan;

    assert_int_equal(penta_optmap_create(ctx, width, height, frames, o, &plan), PENTA_INVALID);
    assert_null(plan);
    expect_text(penta_last_error(ctx), text);
}

#define REFUSE(field, value, text)                                                                                     \
    do {                                                                                                               \
        penta_optmap_options o_ = with_defaults();                                                                     \
                                                                                                                       \
        o_.field = value;                                                                                              \
        refuse(ctx, 20, 10, 50, &o_, text);                                                                            \
    } while (0)

DEVICE_TEST(refuses_what_is_out_of_range)
{
    REFUSE(engine, 2, "`engine`");
    REFUSE(interp, 0, "`interp` is 0");
    REFUSE(taps, 80, "`taps` is 80; it must be odd");
    REFUSE(taps, 19, "between 21 and 161");
    REFUSE(taps, 163, "between 21 and 161");
    REFUSE(window, 4, "`window` is 4 px; it must be odd");
    REFUSE(window, 33, "`window` is 33");
    REFUSE(window, 11, "`window` 11 does not fit in frames of 20 x 10");
    REFUSE(sigma, 0, "`sigma`");
    REFUSE(median, 64, "`median`");
    REFUSE(drift, 10, "`drift`");
    REFUSE(correlation, PENTA_OPTMAP_PHASE, "`correlation` phase needs `engine` literal");
    REFUSE(elements, 24, "`elements` is 24; it must be a power of 2");
    REFUSE(batch, -1, "`batch`");
    REFUSE(baseline, "0:51", "`baseline` 0:51 goes beyond the movie's 50 frames");
    REFUSE(baseline, "9:9", "`baseline` 9:9 has no frame");
    REFUSE(baseline, "9", "`baseline` needs frames A:B");
    REFUSE(min_value, "half", "`min_value` needs a number");
}

DEVICE_TEST(refuses_movies_without_use)
{
    penta_optmap_options o = with_defaults();

    refuse(ctx, 0, 10, 50, NULL, "0 x 10 pixels");
    refuse(ctx, 10, 10, 1, NULL, "1 frame;");
    refuse(ctx, 10, 4, 50, NULL, "`window` 5 does not fit");
    refuse(ctx, 10, 10, (size_t)1 << 40, NULL, "too large");
    o.drift = 3;
    refuse(ctx, 10, 10, 3, &o, "`drift` 3 leaves nothing of 3 frames");
}

DEVICE_TEST(names_engine_and_frames)
{
    static const struct {
        int engine, correlation, output;
        const char *name;
        size_t frames;
    } cases[] = {{PENTA_OPTMAP_FAST, PENTA_OPTMAP_PLAIN, PENTA_OPTMAP_CAMERA, "fast", 50},
                 {PENTA_OPTMAP_LITERAL, PENTA_OPTMAP_PLAIN, PENTA_OPTMAP_INTERPOLATED, "literal", 500},
                 {PENTA_OPTMAP_LITERAL, PENTA_OPTMAP_PHASE, PENTA_OPTMAP_CAMERA, "literal", 50}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        penta_optmap_options o = with_defaults();
        HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;

        o.engine = cases[i].engine;
        o.correlation = cases[i].correlation;
        o.output = cases[i].output;
        EXPECT_OK(ctx, penta_optmap_create(ctx, 12, 10, 50, &o, &plan));
        assert_string_equal(penta_optmap_engine_name(plan), cases[i].name);
        assert_int_equal(penta_optmap_frames(plan), cases[i].frames);
    }
    penta_optmap_destroy(NULL);
}

ON_DEVICE;
