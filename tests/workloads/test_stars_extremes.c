/*
 * Numbers at the edge of what is allowed, and beyond it: every engine in both its forms draws the former as serial does
 * in double, and refuses the latter in a sentence, after which its plan works.
 */
#include "support/test.h"

#include "support/stars_run.h"

#define SKIP_ON_GPU(ctx)                                                                                               \
    if (!(ctx))                                                                                                        \
    return /* the first group did this already */

enum { SIDE = 24, PIXELS = SIDE * SIDE };

/* ---- what is allowed ---- */

/* Against serial in double. floor: of numbers that single precision, or fixed point, does not have. */
static void expect_as_serial(penta_context *ctx, penta_stars_options o, const penta_stars_list *list, double relative,
                             double floor, const char *what)
{
    penta_stars_options exact = o;
    penta_stars_result result, right;
    HELD double *got = NULL, *want = NULL;
    double most = 0;

    exact.engine = PENTA_STARS_SERIAL;
    exact.precision = PENTA_PRECISION_DOUBLE;
    want = stars_plan_frame(ctx, SIDE, SIDE, &exact, list, &right);
    got = stars_plan_frame(ctx, SIDE, SIDE, &o, list, &result);
    for (int i = 0; i < PIXELS; i++) {
        assert_true(isfinite(want[i]));
        most = fmax(most, fabs(want[i]));
    }
    for (int i = 0; i < PIXELS; i++)
        if (!(fabs(got[i] - want[i]) <= relative * most + floor))
            fail_msg("%s, %s, psf %d, sigma %g, ROI %d: pixel (%d,%d) is %.9g, not %.9g", stars_engine_name(o.engine),
                     what, o.psf, o.sigma, o.roi, i % SIDE, i / SIDE, got[i], want[i]);
    assert_int_equal(result.drawn, right.drawn);
    expect_near(result.flux_total, right.flux_total, 1e-13 * fabs(right.flux_total) + floor);
}

TEST(narrow_and_wide)
{
    static const double sigmas[] = {1e-3, 0.05, 1000}, x[] = {5, 7.0004, 12.5, 0.49}, y[] = {6, 9.9996, 3, 23.2};
    static const double flux[] = {1000, 2000, 500, 4000};
    static const int rois[] = {1, 2, 64};
    penta_stars_list list = {.n = 4, .x = x, .y = y, .flux = flux};

    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_THREADS; engine <= PENTA_STARS_FIXED; engine++)
        for (int k = 0; k < 54; k++) {
            penta_stars_options o = stars_options(engine);

            o.sigma = sigmas[k % 3];
            o.roi = rois[k / 3 % 3];
            o.psf = k / 9 % 3;
            o.precision = k / 27 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE;
            /* A place in float is off by 3e-8 px. */
            expect_as_serial(*state, o, &list, o.precision == PENTA_PRECISION_DOUBLE ? 1e-12 : 1e-6 + 1e-7 / o.sigma, 0,
                             "narrow or wide");
        }
}

TEST(odd_fluxes)
{
    static const double x[] = {5, 7.3, 12.5, 0.4, 20, 19.8, 11}, y[] = {6, 9.9, 3, 23.2, 20, 18.7, 11};
    static const double lists[][7] = {{1, -2, 0, -0.0, 1e-310, -5e-324, 3},
                                      {-1, -2, -3, -1e-10, -4, -5, -6},
                                      {1e-310, -1e-310, 5e-324, 2e-320, 0, 1e-308, 1e-309},
                                      {1e-44, 1e-42, -1e-40, 1e-39, 3e-38, 0, 1e-45},
                                      {1e30, -1e30, 1e30, 3e29, 1e29, -1e28, 1e30},
                                      {0, 0, 0, 0, 0, 0, 0}};

    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_THREADS; engine <= PENTA_STARS_FIXED; engine++)
        for (size_t k = 0; k < 2 * COUNT(lists); k++) {
            penta_stars_list list = {.n = 7, .x = x, .y = y, .flux = lists[k / 2]};
            penta_stars_options o = stars_options(engine);

            o.precision = k % 2 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE;
            expect_as_serial(*state, o, &list, k % 2 ? 1e-12 : 1e-6, k % 2 ? 1e-270 : 1e-37, "odd fluxes");
        }
}

/* The fixed point must have room for the middle of a trail that hardly moves, whatever the PSF. */
TEST(trails)
{
    static const double x[] = {5, 15.2}, y[] = {6, 14.9}, flux[] = {1000, 1000};
    static const double mx[][2] = {{1e-9, 0.01}, {3, -2}, {1e5, 1e9}, {1e99, -1e99}};
    static const double my[][2] = {{0, -0.02}, {0.5, 40}, {1e8, -1e7}, {1e99, 1e99}};

    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_THREADS; engine <= PENTA_STARS_FIXED; engine++)
        for (size_t k = 0; k < 2 * COUNT(mx); k++)
            for (size_t n = 1; n <= 2; n++) {
                penta_stars_list list = {
                    .n = n, .x = x, .y = y, .flux = flux, .motion_x = mx[k / 2], .motion_y = my[k / 2]};
                penta_stars_options o = stars_options(engine);

                o.psf = k % 2 ? PENTA_STARS_INTEGRATED : PENTA_STARS_SAMPLED;
                expect_as_serial(*state, o, &list, 1e-6, 1e-37, "trails");
            }
}

/* Samples whose sum, or whose share of it, no double holds, but whose quotient is plain. */
TEST(faint_psf_image)
{
    static const double x[] = {8.25}, y[] = {11}, flux[] = {100};
    penta_stars_list list = {.n = 1, .x = x, .y = y, .flux = flux};
    penta_stars_options o = stars_options(PENTA_STARS_TILE);
    double samples[2][9];
    float images[2][PIXELS];

    SKIP_ON_GPU(*state);
    o.psf = PENTA_STARS_IMAGE;
    for (int k = 0; k < 2; k++) {
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;
        penta_stars_result result = {.image = images[k]};

        for (int i = 0; i < 9; i++)
            samples[k][i] = (i == 4 ? 2 : 1) * (k ? 0x1p-1070 : 1);
        EXPECT_OK(*state, penta_stars_create(*state, SIDE, SIDE, &o, &plan));
        EXPECT_OK(*state, penta_stars_set_psf(plan, 3, 3, 1000, samples[k]));
        EXPECT_OK(*state, penta_stars_set_psf(plan, 3, 3, 1, samples[k]));
        EXPECT_OK(*state, penta_stars_run(plan, &list, &result));
    }
    for (int i = 0; i < PIXELS; i++)
        expect_near((double)images[1][i], (double)images[0][i], 1e-6);
}

/* ---- what is not ---- */

/* A list of three stars of which the middle one has a bad number somewhere. */
typedef struct {
    double x, y, magnitude, flux, motion_x;
    bool fluxes, moving;
    const char *says;
} bad_star;

static const bad_star bad_stars[] = {
    {.x = NAN, .says = "which is no place"},
    {.x = INFINITY, .says = "which is no place"},
    {.y = NAN, .says = "which is no place"},
    {.y = -INFINITY, .fluxes = true, .says = "which is no place"},
    {.magnitude = NAN, .says = "magnitude nan"},
    {.magnitude = INFINITY, .says = "magnitude inf"},
    {.magnitude = -INFINITY, .says = "magnitude -inf"},
    {.magnitude = -75, .says = "at most 1e+30"},
    {.magnitude = -1e308, .says = "at most 1e+30"},
    {.flux = NAN, .fluxes = true, .says = "flux nan"},
    {.flux = INFINITY, .fluxes = true, .says = "flux inf"},
    {.flux = -INFINITY, .fluxes = true, .says = "flux -inf"},
    {.flux = -1.1e30, .fluxes = true, .says = "at most 1e+30"},
    {.motion_x = NAN, .moving = true, .says = "motion"},
    {.motion_x = -INFINITY, .moving = true, .says = "motion"},
    {.motion_x = 1e200, .moving = true, .says = "motion"},
};

/* good: the same without the bad number, but where numbers are needed. */
static penta_status run_bad(penta_stars *plan, const bad_star *b, bool good, penta_stars_result *result)
{
    bad_star s = good ? (bad_star){.fluxes = b->fluxes, .moving = b->moving} : *b;
    double x[] = {3, 4 + s.x, 9}, y[] = {3, 5 + s.y, 17}, m[] = {0, s.magnitude, 0}, f[] = {1, s.flux, 1};
    double mx[] = {0, s.motion_x, 0}, my[] = {1, 0, 0};
    penta_stars_list list = {.n = 3,
                             .x = x,
                             .y = y,
                             .magnitude = s.fluxes ? NULL : m,
                             .flux = s.fluxes ? f : NULL,
                             .motion_x = s.moving ? mx : NULL,
                             .motion_y = s.moving ? my : NULL};

    return penta_stars_run(plan, &list, result);
}

TEST(refused)
{
    float image[PIXELS];

    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++) {
        penta_stars_options o = stars_options(engine);
        penta_stars_result result = {.image = image};
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;

        EXPECT_OK(*state, penta_stars_create(*state, SIDE, SIDE, &o, &plan));
        for (size_t k = 0; k < COUNT(bad_stars); k++) {
            penta_status status = run_bad(plan, &bad_stars[k], false, &result);

            if (status != PENTA_INVALID)
                fail_msg("%s took a bad star (%zu: '%s')", stars_engine_name(engine), k, bad_stars[k].says);
            expect_text(penta_last_error(*state), "star 1");
            expect_text(penta_last_error(*state), bad_stars[k].says);
            EXPECT_OK(*state, run_bad(plan, &bad_stars[k], true, &result));
            assert_int_equal(result.drawn, 3);
        }
    }
}

/* A PSF image that is refused leaves the one before it, or none. */
TEST(refused_psf_image)
{
    enum { WIDE = 90 };
    static double wide[WIDE * WIDE], narrow[9] = {0, 1, 0, 1, 4, 1, 0, 1, 0}, nan[1] = {NAN}, dark[1] = {0};
    static const double x[] = {8.25}, y[] = {11}, flux[] = {100};
    penta_stars_list list = {.n = 1, .x = x, .y = y, .flux = flux};
    float before[PIXELS], after[PIXELS];

    SKIP_ON_GPU(*state);
    for (int i = 0; i < WIDE * WIDE; i++)
        wide[i] = 1;
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++) {
        penta_stars_options o = stars_options(engine);
        penta_stars_result result = {.image = before};
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;
        int roi;

        o.psf = PENTA_STARS_IMAGE;
        o.flux_tolerance = 0.01;
        EXPECT_OK(*state, penta_stars_create(*state, SIDE, SIDE, &o, &plan));
        assert_int_equal(penta_stars_set_psf(plan, WIDE, WIDE, 1, wide), PENTA_INVALID);
        expect_text(penta_last_error(*state), "no ROI");
        assert_int_equal(penta_stars_run(plan, &list, &result), PENTA_INVALID);
        expect_text(penta_last_error(*state), "missing");
        EXPECT_OK(*state, penta_stars_set_psf(plan, 3, 3, 1, narrow));
        roi = penta_stars_roi(plan);
        EXPECT_OK(*state, penta_stars_run(plan, &list, &result));
        assert_int_equal(penta_stars_set_psf(plan, WIDE, WIDE, 1, wide), PENTA_INVALID);
        assert_int_equal(penta_stars_set_psf(plan, 1, 1, 1, nan), PENTA_INVALID);
        assert_int_equal(penta_stars_set_psf(plan, 1, 1, 1, dark), PENTA_INVALID);
        assert_int_equal(penta_stars_set_psf(plan, 0, 1, 1, narrow), PENTA_INVALID);
        assert_int_equal(penta_stars_set_psf(plan, 3, 3, NAN, narrow), PENTA_INVALID);
        assert_int_equal(penta_stars_roi(plan), roi);
        result.image = after;
        EXPECT_OK(*state, penta_stars_run(plan, &list, &result));
        if (engine != PENTA_STARS_STAR)
            assert_memory_equal(before, after, sizeof before);
    }
}

ON_DEVICE;
RUN(AS_GPU, "forms for GPUs", open_gpu_tiles, close_device);
