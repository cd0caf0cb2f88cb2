/* Every engine against the formulas in double, in its form for this device and, on a CPU device, in its form for GPUs.
 */
#include "support/test.h"

#include "support/stars_run.h"

#define SKIP_ON_GPU(ctx)                                                                                               \
    if (!(ctx))                                                                                                        \
    return /* the first group did this already */

static stars_scene oracle_scene(void)
{
    static const double x[] = {7.25, 8, 0.4, -1.2, 12.5}, y[] = {8.60, 8, 15.7, 3.3, 12.5}, m[] = {3, 0, 2, 1, -1};
    stars_scene s = stars_scene_alloc(5);

    memcpy(s.x, x, sizeof x);
    memcpy(s.y, y, sizeof y);
    memcpy(s.m, m, sizeof m);
    return s;
}

static double sum_of(const double *frame, size_t pixels)
{
    double sum = 0;

    for (size_t i = 0; i < pixels; i++)
        sum += frame[i];
    return sum;
}

/* Known sums and pixels of the scene, and the reference for all others. */
TEST(oracle)
{
    static const double sums[2][2] = {{3712.041409988578, 3712.221328062116}, {3708.184759533680, 3708.468468942048}};
    static const double pixels[2][2] = {{115.586094119850, 13.976567220437}, {109.247060475017, 13.368738907867}};
    HELD_BY(stars_scene_free) stars_scene scene = oracle_scene();
    penta_stars_list list = stars_scene_list(&scene);

    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++)
        for (int k = 0; k < 8; k++) {
            penta_stars_options o = stars_options(engine);
            double tolerance;
            HELD double *got = NULL, *want = NULL;
            penta_stars_result result;

            o.psf = k % 2;
            o.roi = k / 2 % 2 ? 64 : 10;
            o.precision = k / 4 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE;
            tolerance = k / 4 ? 1e-12 : 1e-6;
            got = stars_plan_frame(*state, 16, 16, &o, &list, &result);
            want = stars_reference_frame(16, 16, &o, &scene);
            stars_expect_near(got, want, 16, 16, tolerance, k / 4 ? 1e-15 : 1e-12, stars_engine_name(engine));
            assert_true(fabs(sum_of(got, 256) / sums[o.psf][o.roi == 64] - 1) < tolerance);
            assert_true(fabs(got[8 * 16 + 8] / pixels[o.psf][0] - 1) < tolerance);
            assert_true(fabs(got[15 * 16] / pixels[o.psf][1] - 1) < tolerance);
            assert_int_equal(result.drawn, 5);
            assert_true(fabs(result.flux_total - 4131.651337905) < 1e-8);
            assert_string_equal(result.engine, stars_engine_name(engine));
        }
}

/* Stars on pixel centres, between pixels, on edges and corners, just in and just out of the frame. */
static stars_scene edge_scene(size_t width, size_t height, int roi)
{
    static const double fractions[] = {0, 0.5, 0.49999999, -0.5, 0.25};
    double xs[] = {-0.5 * roi,
                   -0.5 * roi - 1,
                   -0.5,
                   0,
                   (double)(width / 2),
                   (double)width - 1,
                   (double)width - 0.5,
                   (double)width + 0.5 * roi - 1,
                   (double)width + 0.5 * roi};
    enum { PLACES = sizeof xs / sizeof *xs };
    stars_scene s = stars_scene_alloc(5 * PLACES);
    double over = (double)height / (double)width;

    for (size_t i = 0; i < s.n; i++) {
        s.x[i] = xs[i % PLACES] + fractions[i / PLACES];
        s.y[i] = xs[(i * 4 + i / PLACES) % PLACES] * over + fractions[(i + 2) % 5];
        s.m[i] = (double)(i % 7);
    }
    return s;
}

static void check_edges(penta_context *ctx, int engine, int psf, int roi, size_t width, size_t height)
{
    penta_stars_options o = stars_options(engine);
    HELD_BY(stars_scene_free) stars_scene scene = edge_scene(width, height, roi);
    penta_stars_list list = stars_scene_list(&scene);
    HELD double *got = NULL, *want = NULL;
    char what[96];

    o.roi = roi;
    o.psf = psf;
    o.sigma = psf == PENTA_STARS_INTEGRATED ? 0.4 : 0.3 + 0.08 * roi;
    o.sigma_y = 1.1 * o.sigma;
    snprintf(what, sizeof what, "%s, psf %d, ROI %d", stars_engine_name(engine), psf, roi);
    got = stars_plan_frame(ctx, width, height, &o, &list, NULL);
    want = stars_reference_frame(width, height, &o, &scene);
    stars_expect_near(got, want, width, height, 1e-6, 1e-9, what);
}

TEST(every_roi)
{
    static const size_t sizes[][2] = {{33, 21}, {1, 1}, {7, 3}, {1, 200}, {130, 70}, {64, 64}};

    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++)
        for (int roi = 1; roi <= 64; roi++) {
            const size_t *size = sizes[roi % 6];

            check_edges(*state, engine, PENTA_STARS_SAMPLED, roi, size[0], size[1]);
            if (roi % 3 == 1)
                check_edges(*state, engine, PENTA_STARS_INTEGRATED, roi, size[0], size[1]);
        }
}

/* 2^17 stars (2^12 for the pixel engine, which looks at each star in each pixel) against serial in double. */
TEST(many_stars)
{
    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_THREADS; engine <= PENTA_STARS_FIXED; engine++) {
        bool slow = engine == PENTA_STARS_PIXEL;
        size_t n = slow ? 1 << 12 : 1 << 17, side = slow ? 200 : 1024;
        HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(n, side, side - 7, 5);
        penta_stars_list list = stars_scene_list(&scene);
        penta_stars_options o = stars_options(engine), exact = stars_options(PENTA_STARS_SERIAL);
        HELD double *got = stars_plan_frame(*state, side, side - 7, &o, &list, NULL), *want = NULL, *twice = NULL;

        exact.precision = PENTA_PRECISION_DOUBLE;
        want = stars_plan_frame(*state, side, side - 7, &exact, &list, NULL);
        stars_expect_near(got, want, side, side - 7, 1e-5, 0, stars_engine_name(engine));
        twice = stars_plan_frame(*state, side, side - 7, &o, &list, NULL);
        if (engine != PENTA_STARS_STAR) /* its additions come in any order */
            assert_memory_equal(got, twice, side * (side - 7) * sizeof *got);
    }
}

/* So many additions to one pixel that a float would lose most of them. */
TEST(million_on_one_pixel)
{
    enum { N = 1000000, SIDE = 40 };
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_alloc(N), one = stars_scene_alloc(1);
    penta_stars_list list = stars_scene_list(&scene);

    SKIP_ON_GPU(*state);
    for (size_t i = 0; i < N; i++) {
        scene.x[i] = 17.3;
        scene.y[i] = 20.6;
        scene.m[i] = 2;
    }
    one.x[0] = 17.3;
    one.y[0] = 20.6;
    one.m[0] = 2;
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++) {
        penta_stars_options o = stars_options(engine);
        HELD double *got = stars_plan_frame(*state, SIDE, SIDE, &o, &list, NULL);
        HELD double *want = stars_reference_frame(SIDE, SIDE, &o, &one);

        for (size_t i = 0; i < SIDE * SIDE; i++)
            want[i] *= N;
        stars_expect_near(got, want, SIDE, SIDE, 1e-6, 1e-12, stars_engine_name(engine));
    }
}

/* The centre of light of a star anywhere is its place. */
TEST(centroid)
{
    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++)
        for (int k = 0; k < 8; k++) {
            HELD_BY(stars_scene_free) stars_scene scene = stars_scene_alloc(1);
            penta_stars_list list = stars_scene_list(&scene);
            penta_stars_options o = stars_options(engine);
            double *frame, sum = 0, cx = 0, cy = 0;

            scene.x[0] = 40 + k / 8.0;
            scene.y[0] = 30.4 + k / 11.0;
            o.sigma = 1.5;
            o.roi = 40;
            frame = stars_plan_frame(*state, 80, 64, &o, &list, NULL);
            for (int i = 0; i < 80 * 64; i++) {
                sum += frame[i];
                cx += frame[i] * (i % 80);
                cy += frame[i] * (i / 80);
            }
            assert_true(fabs(cx / sum - scene.x[0]) <= 1e-6);
            assert_true(fabs(cy / sum - scene.y[0]) <= 1e-6);
            free(frame);
        }
}

/* No star, one star far outside, and a frame drawn over an older one by the same plan. */
TEST(nothing_to_draw)
{
    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++) {
        penta_stars_options o = stars_options(engine);
        double x[] = {1e300, -1e5, 5}, y[] = {3, 1e18, 5}, m[] = {0, 0, 0};
        penta_stars_list far = {.n = 2, .x = x, .y = y, .magnitude = m}, none = {.n = 0};
        penta_stars_list near = {.n = 3, .x = x, .y = y, .magnitude = m};
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;
        float image[77];
        penta_stars_result result = {.image = image};

        EXPECT_OK(*state, penta_stars_create(*state, 11, 7, &o, &plan));
        EXPECT_OK(*state, penta_stars_run(plan, &near, &result));
        assert_int_equal(result.drawn, 1);
        assert_true(image[5 * 11 + 5] > 100);
        EXPECT_OK(*state, penta_stars_run(plan, &far, &result));
        assert_int_equal(result.drawn, 0);
        for (int i = 0; i < 77; i++)
            assert_true(image[i] >= 0 && image[i] <= 0);
        EXPECT_OK(*state, penta_stars_run(plan, &near, &result));
        EXPECT_OK(*state, penta_stars_run(plan, &none, &result));
        assert_int_equal(result.drawn, 0);
        for (int i = 0; i < 77; i++)
            assert_true(image[i] >= 0 && image[i] <= 0);
    }
}

ON_DEVICE;
RUN(AS_GPU, "forms for GPUs", open_gpu_tiles, close_device);
