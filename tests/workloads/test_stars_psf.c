/* Point-spread functions that are no product of two factors, moving stars, the ROI of a tolerance, and part fluxes. */
#include "support/test.h"

#include "support/stars_run.h"

#define SKIP_ON_GPU(ctx)                                                                                               \
    if (!(ctx))                                                                                                        \
    return /* the first group did this already */

enum { WIDTH = 45, HEIGHT = 37 };

static double sum_of(const double *frame, size_t pixels)
{
    double sum = 0;

    for (size_t i = 0; i < pixels; i++)
        sum += frame[i];
    return sum;
}

static void check_all_engines(penta_context *ctx, penta_stars_options o, const stars_scene *scene, const double *want,
                              double tolerance, const char *what)
{
    penta_stars_list list = stars_scene_list(scene);

    for (o.engine = PENTA_STARS_SERIAL; o.engine <= PENTA_STARS_FIXED; o.engine++)
        for (o.precision = PENTA_PRECISION_SINGLE; o.precision <= PENTA_PRECISION_DOUBLE; o.precision++) {
            bool dbl = o.precision == PENTA_PRECISION_DOUBLE;
            bool on_device = o.engine >= PENTA_STARS_PIXEL && o.engine <= PENTA_STARS_TILE;
            HELD double *got = NULL;

            if (dbl && on_device && lacks_double(ctx, stars_engine_name(o.engine)))
                continue;
            got = stars_plan_frame(ctx, WIDTH, HEIGHT, &o, &list, NULL);

            print_message("%s, %s, %s\n", what, stars_engine_name(o.engine), dbl ? "double" : "single");
            stars_expect_near(got, want, WIDTH, HEIGHT,
                              fmax(tolerance, dbl                               ? 1e-12
                                              : penta_context_device(ctx)->fp64 ? 1e-6
                                                                                : 1e-5),
                              dbl ? 1e-14 : 1e-9, what);
        }
}

TEST(rotated_ellipse)
{
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(30, WIDTH, HEIGHT, 3);
    penta_stars_options o = stars_options(PENTA_STARS_AUTO);
    HELD double *want = NULL;

    SKIP_ON_GPU(*state);
    o.sigma = 2.5;
    o.sigma_y = 1.1;
    o.angle = 33;
    o.roi = 17;
    want = stars_reference_frame(WIDTH, HEIGHT, &o, &scene);
    check_all_engines(*state, o, &scene, want, 0, "rotated ellipse");
}

TEST(moffat)
{
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(30, WIDTH, HEIGHT, 4);
    penta_stars_options o = stars_options(PENTA_STARS_AUTO);
    HELD double *want = NULL;

    SKIP_ON_GPU(*state);
    o.psf = PENTA_STARS_MOFFAT;
    o.sigma = 1.4;
    o.beta = 2.7;
    o.roi = 21;
    want = stars_reference_frame(WIDTH, HEIGHT, &o, &scene);
    check_all_engines(*state, o, &scene, want, 0, "Moffat");
}

/* The quadrature of a turned circle is the closed form of the circle: sigma_y differs too little to matter. */
TEST(quadrature)
{
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(20, WIDTH, HEIGHT, 5);
    penta_stars_options o = stars_options(PENTA_STARS_AUTO), turned;
    HELD double *want = NULL;

    SKIP_ON_GPU(*state);
    o.psf = PENTA_STARS_INTEGRATED;
    o.sigma = 0.8;
    turned = o;
    turned.sigma_y = 0.8 * (1 + 1e-11);
    turned.angle = 20;
    want = stars_reference_frame(WIDTH, HEIGHT, &o, &scene);
    check_all_engines(*state, turned, &scene, want, 1e-6, "quadrature");
}

/* Moving stars against the mean over 2000 places on their way. */
TEST(moving)
{
    static const double mx[] = {3.5, 0, -2, 1e-9, 5}, my[] = {0, 2.25, 4, 0, -5};
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(5, WIDTH, HEIGHT, 6);
    penta_stars_options o = stars_options(PENTA_STARS_AUTO);
    penta_stars_list list = stars_scene_list(&scene);
    reference_stars r = {
        .width = WIDTH, .height = HEIGHT, .roi = 24, .sigma_x = 1.3, .sigma_y = 1.3, .amplitude = 1000, .base = 2.512};

    SKIP_ON_GPU(*state);
    o.sigma = 1.3;
    o.roi = 24;
    list.motion_x = mx;
    list.motion_y = my;
    for (int k = 0; k < 2; k++)
        for (o.engine = PENTA_STARS_SERIAL; o.engine <= PENTA_STARS_FIXED; o.engine++) {
            HELD double *want = must_calloc(WIDTH * HEIGHT, sizeof *want), *got = NULL;

            o.psf = k ? PENTA_STARS_INTEGRATED : PENTA_STARS_SAMPLED;
            r.integrated = k;
            for (int i = 0; i < 5; i++)
                reference_stars_add_moving(&r, scene.x[i], scene.y[i], scene.m[i], mx[i], my[i], want);
            got = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &list, NULL);
            stars_expect_near(got, want, WIDTH, HEIGHT, 1e-5, 1e-6, stars_engine_name(o.engine)); /* 2000 places */
        }
}

/* A finely sampled Gaussian, given as an image, draws what the Gaussian draws. */
TEST(image_of_a_gaussian)
{
    enum { SIDE = 161, OVER = 8 };
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(20, WIDTH, HEIGHT, 7);
    penta_stars_list list = stars_scene_list(&scene);
    penta_stars_options o = stars_options(PENTA_STARS_AUTO), gaussian;
    HELD double *samples = must_calloc(SIDE * SIDE, sizeof *samples), *want = NULL;

    SKIP_ON_GPU(*state);
    o.sigma = 1.5;
    o.roi = 12;
    gaussian = o;
    want = stars_reference_frame(WIDTH, HEIGHT, &gaussian, &scene);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double dx = (i % SIDE - SIDE / 2) / (double)OVER, dy = (i / SIDE - SIDE / 2) / (double)OVER;

        samples[i] = 7 * exp(-(dx * dx + dy * dy) / (2 * 1.5 * 1.5));
    }
    o.psf = PENTA_STARS_IMAGE;
    for (o.engine = PENTA_STARS_SERIAL; o.engine <= PENTA_STARS_FIXED; o.engine++) {
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;
        float single[WIDTH * HEIGHT];
        double got[WIDTH * HEIGHT];
        penta_stars_result result = {.image = single};

        EXPECT_OK(*state, penta_stars_create(*state, WIDTH, HEIGHT, &o, &plan));
        assert_int_equal(penta_stars_run(plan, &list, &result), PENTA_INVALID);
        expect_text(penta_last_error(*state), "penta_stars_set_psf");
        EXPECT_OK(*state, penta_stars_set_psf(plan, SIDE, SIDE, OVER, samples));
        EXPECT_OK(*state, penta_stars_run(plan, &list, &result));
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            got[i] = (double)single[i];
        stars_expect_near(got, want, WIDTH, HEIGHT, 2e-3, 2e-5, stars_engine_name(o.engine)); /* cubic interpolation */
    }
}

/* Centred even ROI 10 holds 0.99828 (sigma 1.5), 0.975 (2), 0.818 (3). */
TEST(captured_flux)
{
    static const double sigma[] = {1.5, 2, 3}, held[] = {0.99828, 0.975, 0.818};

    SKIP_ON_GPU(*state);
    for (int i = 0; i < 3; i++) {
        penta_stars_options o = stars_options(PENTA_STARS_AUTO);
        double x = 20.5, y = 20.5, flux[1] = {500}, out[1], part[1]; /* x - 5 rounds to the ROI around 20.5 */
        penta_stars_list list = {.n = 1, .x = &x, .y = &y, .flux = flux};
        penta_stars *plan = NULL;
        penta_stars_result result;
        HELD double *frame = NULL;

        o.sigma = sigma[i];
        o.psf = PENTA_STARS_INTEGRATED;
        EXPECT_OK(*state, penta_stars_create(*state, WIDTH, HEIGHT, &o, &plan));
        EXPECT_OK(*state, penta_stars_fluxes(plan, &list, out, part));
        penta_stars_destroy(plan);
        expect_near(out[0], 500, 0);
        frame = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &list, &result);
        expect_near(part[0], sum_of(frame, WIDTH * HEIGHT), 1e-4);
        expect_near(part[0] / 500, held[i], 6e-4);
        expect_near(result.flux_total, 500, 0);
    }
}

/* Pixel by pixel: each star's own frame, times 1 - vignetting r^2 / R^2. */
TEST(vignetted_flux)
{
    static const double vignetting[] = {0, 0.35, 1};
    double x[] = {20.3, 1.2, 39.6}, y[] = {11.7, 28.4, -1.1}, flux[] = {500, 800, 300}, mx[] = {3, -2, 0},
           my[] = {1, 4, 0}, part[3];

    SKIP_ON_GPU(*state);
    for (int i = 0; i < 12; i++) {
        penta_stars_options o = stars_options(PENTA_STARS_SERIAL);
        bool moving = i / 3 == 3;
        penta_stars_list list = {.n = 3, .x = x, .y = y, .flux = flux};
        penta_stars *plan = NULL;
        penta_stars_result result;

        o.precision = PENTA_PRECISION_DOUBLE;
        o.psf = i / 3 == 1 ? PENTA_STARS_INTEGRATED : i / 3 == 2 ? PENTA_STARS_MOFFAT : PENTA_STARS_SAMPLED;
        list.motion_x = moving ? mx : NULL;
        list.motion_y = moving ? my : NULL;
        EXPECT_OK(*state, penta_stars_create(*state, WIDTH, HEIGHT, &o, &plan));
        EXPECT_OK(*state, penta_stars_vignetted(plan, &list, vignetting[i % 3], part));
        assert_int_equal(penta_stars_vignetted(plan, &list, 1.01, part), PENTA_INVALID);
        EXPECT_OK(*state, penta_stars_vignetted(plan, &list, vignetting[i % 3], part));
        penta_stars_destroy(plan);
        for (int star = 0; star < 3; star++) {
            penta_stars_list one = {.n = 1, .x = x + star, .y = y + star, .flux = flux + star};
            double *frame, sum = 0, cx = (WIDTH - 1) / 2.0, cy = (HEIGHT - 1) / 2.0;

            one.motion_x = moving ? mx + star : NULL;
            one.motion_y = moving ? my + star : NULL;
            frame = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &one, &result);
            for (int p = 0; p < WIDTH * HEIGHT; p++)
                sum += frame[p] * (1 - vignetting[i % 3] * (pow(p % WIDTH - cx, 2) + pow(p / WIDTH - cy, 2)) /
                                           (cx * cx + cy * cy));
            expect_near(part[star], sum, 1e-9 * flux[star]);
            free(frame);
        }
    }
}

TEST(roi_of_a_tolerance)
{
    penta_stars_options o = stars_options(PENTA_STARS_AUTO);
    double x = 20.5, y = 20, flux = 1, part;
    penta_stars_list list = {.n = 1, .x = &x, .y = &y, .flux = &flux};
    penta_stars *plan = NULL;

    SKIP_ON_GPU(*state);
    for (int k = 1; k <= 4; k++) {
        double tolerance = pow(10, -k);
        int roi;

        o.flux_tolerance = tolerance;
        EXPECT_OK(*state, penta_stars_create(*state, 64, 64, &o, &plan));
        roi = penta_stars_roi(plan);
        EXPECT_OK(*state, penta_stars_fluxes(plan, &list, NULL, &part));
        assert_true(part >= 1 - tolerance);
        penta_stars_destroy(plan);
        o.flux_tolerance = 0;
        o.roi = roi - 2;
        EXPECT_OK(*state, penta_stars_create(*state, 64, 64, &o, &plan));
        EXPECT_OK(*state, penta_stars_fluxes(plan, &list, NULL, &part));
        assert_true(part < 1 - tolerance); /* two pixels less would not do */
        penta_stars_destroy(plan);
        o.roi = 10;
    }
    o.sigma = 100;
    o.flux_tolerance = 0.01;
    assert_int_equal(penta_stars_create(*state, 64, 64, &o, &plan), PENTA_INVALID);
    expect_text(penta_last_error(*state), "64 px hold");
    assert_null(plan);
}

TEST(refusals)
{
    double good[] = {1, 2, 3}, nan[] = {1, NAN, 3}, inf[] = {1, 2, -INFINITY}, motion[] = {0, 1, 2};
    penta_stars_list lists[] = {{.n = 3, .x = nan, .y = good, .magnitude = good},
                                {.n = 3, .x = good, .y = inf, .magnitude = good},
                                {.n = 3, .x = good, .y = good, .magnitude = nan},
                                {.n = 3, .x = good, .y = good, .magnitude = inf},
                                {.n = 3, .x = good, .y = good, .flux = inf},
                                {.n = 3, .x = good, .y = good, .magnitude = good, .motion_x = nan, .motion_y = motion},
                                {.n = 3, .x = good, .y = good, .magnitude = good, .motion_x = motion},
                                {.n = 3, .x = good, .y = good}};
    static const char *const texts[] = {"star 1 ", "star 2 ", "star 1 ", "star 2 ",
                                        "star 2 ", "star 1",  "belong",  "lacks"};

    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++) {
        penta_stars_options o = stars_options(engine);
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;
        float image[100];
        penta_stars_result result = {.image = image};
        penta_stars_list fine = {.n = 3, .x = good, .y = good, .magnitude = good};

        EXPECT_OK(*state, penta_stars_create(*state, 10, 10, &o, &plan));
        for (size_t i = 0; i < COUNT(lists); i++) {
            assert_int_equal(penta_stars_run(plan, &lists[i], &result), PENTA_INVALID);
            expect_text(penta_last_error(*state), texts[i]);
        }
        EXPECT_OK(*state, penta_stars_run(plan, &fine, &result)); /* the plan stays usable */
        assert_true(isfinite(image[11]) && image[11] > 0);
    }
}

TEST(bad_options)
{
    penta_stars_options o = stars_options(PENTA_STARS_AUTO), bad;
    penta_stars *plan = NULL;

    SKIP_ON_GPU(*state);
    bad = o, bad.sigma = 0;
    assert_int_equal(penta_stars_create(*state, 10, 10, &bad, &plan), PENTA_INVALID);
    bad = o, bad.sigma = -1;
    assert_int_equal(penta_stars_create(*state, 10, 10, &bad, &plan), PENTA_INVALID);
    bad = o, bad.sigma = NAN;
    assert_int_equal(penta_stars_create(*state, 10, 10, &bad, &plan), PENTA_INVALID);
    bad = o, bad.roi = 0;
    assert_int_equal(penta_stars_create(*state, 10, 10, &bad, &plan), PENTA_INVALID);
    bad = o, bad.roi = 65;
    assert_int_equal(penta_stars_create(*state, 10, 10, &bad, &plan), PENTA_INVALID);
    bad = o, bad.sigma_y = 1e-9;
    assert_int_equal(penta_stars_create(*state, 10, 10, &bad, &plan), PENTA_INVALID);
    assert_int_equal(penta_stars_create(*state, 0, 10, &o, &plan), PENTA_INVALID);
    assert_int_equal(penta_stars_create(*state, 10, 70000, &o, &plan), PENTA_INVALID);
    assert_null(plan);
}

ON_DEVICE;
RUN(AS_GPU, "forms for GPUs", open_gpu_tiles, close_device);
