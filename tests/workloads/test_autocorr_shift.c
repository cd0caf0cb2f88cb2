/*
 * Displacements by cross-correlation: textures that are shifted exactly (sums of waves, evaluated at shifted places),
 * a well with a rod in it, a simulated mixture whose coarse images start at other places of a finer grid, independent
 * noise, and images that have nothing to do with one another.
 */
#include "support/test.h"

#include <pentacl/autocorr.h>
#include <pentacl/spinodal.h>

#include "support/autocorr_run.h"
#include "support/random.h"

enum { WAVES = 100, FINE = 256, CELLS = 110 };

typedef struct {
    double kx[WAVES], ky[WAVES], phase[WAVES];
} texture;

/* Waves of Gaussian spectrum: the correlation falls as exp(-r^2 / 4 length^2). */
static void make_texture(texture *t, double length)
{
    for (int i = 0; i < WAVES; i++) {
        t->kx[i] = random_normal() / (sqrt(2) * length);
        t->ky[i] = random_normal() / (sqrt(2) * length);
        t->phase[i] = 6.283185307179586 * random_uniform();
    }
}

/* The texture moved by (dx, dy), of variance 1, with noise. */
static void draw(const texture *t, size_t width, size_t height, double dx, double dy, double noise, float *out)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double sum = 0;

            for (int i = 0; i < WAVES; i++)
                sum += cos(t->kx[i] * ((double)x - dx) + t->ky[i] * ((double)y - dy) + t->phase[i]);
            out[y * width + x] = (float)(sum / sqrt(WAVES / 2.0) + noise * random_normal());
        }
}

typedef struct {
    int demean;        /* of penta_autocorr_options */
    size_t max_offset; /* 0: the default */
    int estimator;
} how;

static penta_displacement measure_so(penta_context *ctx, how h, size_t width, size_t height, const float *image,
                                     const float *with)
{
    penta_autocorr_options o;
    penta_autocorr_frame frame = {image, with, NULL};
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r;
    penta_displacement d;
    size_t R;

    penta_autocorr_options_init(&o);
    o.bootstrap = 0;
    o.demean = h.demean;
    o.estimator = h.estimator;
    o.max_offset = h.max_offset;
    if (!penta_context_device(ctx)->fp64)
        o.precision = PENTA_PRECISION_SINGLE;
    EXPECT_OK(ctx, penta_autocorr_create(ctx, width, height, PENTA_F32, &o, &plan));
    R = penta_autocorr_max_offset(plan);
    r = autocorr_arrays(R, false);
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &r));
    d = r.displacement;
    return d;
}

static penta_displacement measure(penta_context *ctx, size_t width, size_t height, const float *image,
                                  const float *with)
{
    return measure_so(ctx, (how){PENTA_AUTOCORR_DEMEAN_MEAN, 0, PENTA_AUTOCORR_UNBIASED}, width, height, image, with);
}

static void expect_shift(penta_displacement d, double dx, double dy, double tolerance)
{
    if (d.status != PENTA_DISPLACEMENT_OK || !(hypot(d.dx - dx, d.dy - dy) < tolerance) || !(d.score > 0.4))
        fail_msg("(%.3f, %.3f), score %.2f, %.1f sigmas, %s; the truth is (%.3f, %.3f)", d.dx, d.dy, d.score, d.sigmas,
                 penta_displacement_status_name(d.status), dx, dy);
}

DEVICE_TEST(shifted_textures)
{
    static const struct {
        size_t width, height;
        double length, dx, dy, noise, tolerance;
    } cases[] = {{150, 110, 1.5, 0.5, -0.25, 0, 0.03},  {110, 150, 1.5, -7.3, 11.8, 1, 0.08},
                 {160, 160, 3, 12.75, 3.125, 0, 0.08},  {160, 160, 3, -0.1, 0.1, 0.5, 0.1},
                 {200, 130, 2, -20.45, -15.55, 1, 0.1}, {130, 130, 1, 4.9, -4.1, 2, 0.12}};
    float *image = must_calloc(2 * 200 * 200, sizeof *image), *with = image + 200 * 200;
    static texture t;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        random_seed(1000 + i);
        make_texture(&t, cases[i].length);
        draw(&t, cases[i].width, cases[i].height, 0, 0, cases[i].noise, image);
        draw(&t, cases[i].width, cases[i].height, cases[i].dx, cases[i].dy, cases[i].noise, with);
        expect_shift(measure(ctx, cases[i].width, cases[i].height, image, with), cases[i].dx, cases[i].dy,
                     cases[i].tolerance);
    }
    free(image);
}

/* Errors of dx and dy over the stated ones: about 1 where noise moves the peak, less without noise. */
DEVICE_TEST(errors)
{
    enum { W = 128, RUNS = 20 };
    float *image = must_calloc(2 * W * W, sizeof *image), *with = image + W * W;
    static texture t;

    for (int noise = 0; noise <= 2; noise++) {
        double square = 0;

        random_seed(400 + (uint64_t)noise);
        for (int run = 0; run < RUNS; run++) {
            double dx = 16 * random_uniform() - 8, dy = 16 * random_uniform() - 8;
            penta_displacement d;

            make_texture(&t, 2 + run % 2);
            draw(&t, W, W, 0, 0, noise, image);
            draw(&t, W, W, dx, dy, noise, with);
            d = measure_so(ctx, (how){PENTA_AUTOCORR_DEMEAN_MEAN, 0, PENTA_AUTOCORR_PEARSON}, W, W, image, with);
            assert_int_equal(d.status, PENTA_DISPLACEMENT_OK);
            square += (pow((d.dx - dx) / d.dx_se, 2) + pow((d.dy - dy) / d.dy_se, 2)) / (2 * RUNS);
        }
        if (!(sqrt(square) < 1.4) || !(sqrt(square) > (noise ? 0.6 : 0.1)))
            fail_msg("noise %d: the errors are %.2f times the stated ones", noise, sqrt(square));
    }
    free(image);
}

/* One thing that lies in both images. What is left of it elsewhere is nothing, so that no division by the overlap may
 * move it, whatever the estimator of C2D; nor may a mask. */
DEVICE_TEST(single_blob)
{
    enum { W = 64 };
    static const double sizes[] = {2, 3, 4, 5, 6}, shifts[][2] = {{3, -2}, {-4.4, 1.3}};
    float *image = must_calloc(2 * W * W, sizeof *image), *with = image + W * W;

    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 2; k++) {
            penta_displacement d;

            for (int p = 0; p < W * W; p++) {
                double x = p % W - 30, y = p / W - 28, s = 2 * sizes[i] * sizes[i];

                image[p] = (float)exp(-(x * x + y * y) / s);
                with[p] = (float)exp(-(pow(x - shifts[k][0], 2) + pow(y - shifts[k][1], 2)) / s);
            }
            for (int way = 0; way < (i == 2 ? 12 : 6); way++) {
                image[0] = way < 6 ? image[0] : NAN;
                d = measure_so(ctx, (how){way / 3 % 2, 0, way % 3}, W, W, image, with);
                if (d.status == PENTA_DISPLACEMENT_OK && !(hypot(d.dx - shifts[k][0], d.dy - shifts[k][1]) < 0.05))
                    fail_msg("size %g, way %d: (%.3f, %.3f)", sizes[i], way, d.dx, d.dy);
                if (sizes[i] < 5)
                    assert_int_equal(d.status, PENTA_DISPLACEMENT_OK);
            }
        }
    free(image);
}

/* What is the same all along a line tells nothing of that direction. */
DEVICE_TEST(one_dimension)
{
    enum { W = 120 };
    static const double angles[] = {0, 30, 45, 77, 90, 135};
    float *image = must_calloc(2 * W * W, sizeof *image), *with = image + W * W;
    double k[20], phase[20];

    random_seed(61);
    for (int i = 0; i < 20; i++) {
        k[i] = random_normal() / 4;
        phase[i] = 7 * random_uniform();
    }
    for (int estimator = PENTA_AUTOCORR_EQ1; estimator <= PENTA_AUTOCORR_PEARSON; estimator++)
        for (size_t a = 0; a < 6; a++)
            for (int noise = 0; noise < 2; noise++) {
                penta_displacement d;

                for (int p = 0; p < W * W; p++) {
                    double across = p % W * cos(angles[a] * 0.0174532925) + p / W * sin(angles[a] * 0.0174532925);
                    double here = 0, there = 0;

                    for (int i = 0; i < 20; i++) {
                        here += cos(k[i] * across + phase[i]);
                        there += cos(k[i] * (across - 3.3) + phase[i]);
                    }
                    image[p] = (float)(here + 0.3 * noise * random_normal());
                    with[p] = (float)(there + 0.3 * noise * random_normal());
                }
                d = measure_so(ctx, (how){PENTA_AUTOCORR_DEMEAN_MEAN, 0, estimator}, W, W, image, with);
                if (d.status == PENTA_DISPLACEMENT_OK)
                    fail_msg("%g degrees, estimator %d, noise %d: (%.2f +- %.2f, %.2f +- %.2f) is ok", angles[a],
                             estimator, noise, d.dx, d.dx_se, d.dy, d.dy_se);
            }
    free(image);
}

/* The peak lies up to three pixels from the edge of C2D, and is cut off there. */
DEVICE_TEST(near_the_edge)
{
    enum { W = 200, R = 12 };
    static const double shifts[][2] = {{9.2, 0.9}, {-3.7, 10.6}, {-10.4, -9.7}};
    float *image = must_calloc(2 * W * W, sizeof *image), *with = image + W * W;
    static texture t;

    for (uint64_t seed = 1; seed <= 3; seed++)
        for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
            penta_displacement d;

            random_seed(10 * seed + i);
            make_texture(&t, 4);
            draw(&t, W, W, 0, 0, 0.2, image);
            draw(&t, W, W, shifts[i][0], shifts[i][1], 0.2, with);
            d = measure_so(ctx, (how){PENTA_AUTOCORR_DEMEAN_MEAN, R, PENTA_AUTOCORR_UNBIASED}, W, W, image, with);
            assert_true(d.status == PENTA_DISPLACEMENT_OK || d.status == PENTA_DISPLACEMENT_AMBIGUOUS);
            if (!(hypot(d.dx - shifts[i][0], d.dy - shifts[i][1]) < 0.4))
                fail_msg("seed %d: (%.2f, %.2f), not (%.2f, %.2f)", (int)seed, d.dx, d.dy, shifts[i][0], shifts[i][1]);
        }
    free(image);
}

/* Light that falls off from the middle or to a side stays where it is while the texture moves. */
DEVICE_TEST(light_that_stays)
{
    enum { W = 256, R = 20 };
    static const double shifts[][2] = {{9.2, 0.9}, {-7.75, 3.8}, {6.6, -0.45}};
    float *image = must_calloc(2 * W * W, sizeof *image), *with = image + W * W;
    static texture t;

    for (int seed = 1; seed <= 8; seed++)
        for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
            double middle = W * (0.4 + 0.05 * (seed % 4)), depth = seed, error;
            penta_displacement d;

            random_seed(100 * (uint64_t)seed + i);
            make_texture(&t, 4);
            draw(&t, W, W, 0, 0, 0.2, image);
            draw(&t, W, W, shifts[i][0], shifts[i][1], 0.2, with);
            for (size_t p = 0; p < (size_t)W * W; p++) {
                double x = ((double)(p % W) - middle) / W, y = ((double)(p / W) - middle) / W;
                double light = depth * (seed % 2 ? -4 * (x * x + y * y) : x + y / 2);

                image[p] += (float)light;
                with[p] += (float)light;
            }
            d = measure_so(ctx, (how){PENTA_AUTOCORR_DEMEAN_MEAN, R, PENTA_AUTOCORR_UNBIASED}, W, W, image, with);
            error = hypot(d.dx - shifts[i][0], d.dy - shifts[i][1]);
            if (d.status == PENTA_DISPLACEMENT_OK && !(error < 0.5))
                fail_msg("light %d: (%.2f, %.2f) is not (%.2f, %.2f), and nothing says so", seed, d.dx, d.dy,
                         shifts[i][0], shifts[i][1]);
            if (seed % 2 == 0)
                expect_shift(
                    measure_so(ctx, (how){PENTA_AUTOCORR_DEMEAN_PLANE, R, PENTA_AUTOCORR_UNBIASED}, W, W, image, with),
                    shifts[i][0], shifts[i][1], 0.15);
        }
    free(image);
}

/* 1 within, 0 outside, over a pixel in between; depth: pixels within. */
static double within(double depth)
{
    return depth > 0.5 ? 1 : depth < -0.5 ? 0 : 0.5 + depth;
}

/* A round well in the dark, cut off by the frame, with a rod and a bubble with a bright rim in it, moved by (dx, dy);
 * what fills it stays where it is. */
static void draw_well(const float *filling, size_t width, double dx, double dy, float *out)
{
    for (size_t p = 0; p < width * width; p++) {
        double x = (double)(p % width) - dx, y = (double)(p / width) - dy, size = (double)width;
        double well = within(0.47 * size - hypot(x - 0.5 * size, y - 0.44 * size));
        double along = fmin(fmax(0, ((x - 0.42 * size) * 0.4 + (y - 0.33 * size) * 0.9) / 0.97), 0.35 * size) / 0.97;
        double rod = within(0.02 * size - hypot(x - 0.42 * size - 0.4 * along, y - 0.33 * size - 0.9 * along));
        double bubble = hypot(x - 0.13 * size, y - 0.36 * size);
        double rim = within(0.085 * size - bubble) - within(0.06 * size - bubble);

        out[p] = (float)(well * (1 - rod) * within(bubble - 0.06 * size) * (1 + 0.2 * (double)filling[p] + rim));
    }
}

/* What fills the well has become another in the second image: edges alone tell the displacement, and the broad peak of
 * the bright well is no use. */
DEVICE_TEST(well)
{
    enum { W = 220, R = 60 };
    static const double shifts[][2] = {{4.4, 20.7}, {-13.25, -6.5}, {0.3, 31.9}};
    float *image = must_calloc(3 * W * W, sizeof *image), *with = image + W * W, *filling = with + W * W;
    static texture t;

    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        penta_displacement d;

        random_seed(70 + i);
        make_texture(&t, 2);
        draw(&t, W, W, 0, 0, 0.3, filling);
        draw_well(filling, W, 0, 0, image);
        make_texture(&t, 2);
        draw(&t, W, W, 0, 0, 0.3, filling);
        draw_well(filling, W, shifts[i][0], shifts[i][1], with);
        for (int demean = PENTA_AUTOCORR_DEMEAN_MEAN; demean <= PENTA_AUTOCORR_DEMEAN_PLANE; demean++) {
            d = measure_so(ctx, (how){demean, R, PENTA_AUTOCORR_UNBIASED}, W, W, image, with);
            if (!(hypot(d.dx - shifts[i][0], d.dy - shifts[i][1]) < 0.5))
                fail_msg("(%.2f, %.2f), %s, is not (%.2f, %.2f)", d.dx, d.dy, penta_displacement_status_name(d.status),
                         shifts[i][0], shifts[i][1]);
        }
    }
    free(image);
}

/* Images of other textures, of noise, and of the same texture beyond R. */
DEVICE_TEST(unrelated)
{
    enum { W = 140, H = 120 };
    float *image = must_calloc(2 * W * H, sizeof *image), *with = image + W * H;
    static texture a, b;

    for (uint64_t seed = 1; seed <= 6; seed++) {
        penta_displacement d;

        random_seed(50 * seed);
        make_texture(&a, seed < 4 ? 2 : 4);
        make_texture(&b, seed < 4 ? 2 : 4);
        draw(&a, W, H, 0, 0, seed % 2, image);
        draw(seed == 6 ? &a : &b, W, H, seed == 6 ? 90 : 0, 0, seed % 2, with);
        d = measure(ctx, W, H, image, with);
        if (d.status == PENTA_DISPLACEMENT_OK || d.score > 0.4)
            fail_msg("seed %d: (%.1f, %.1f), C %.2f, score %.2f, %.1f sigmas", (int)seed, d.dx, d.dy, d.peak, d.score,
                     d.sigmas);
    }
    free(image);
}

/* A lattice, square or hexagonal, agrees with itself at many offsets; a constant image at none. */
DEVICE_TEST(lattice_and_flat)
{
    enum { W = 120 };
    float *image = must_calloc(2 * W * W, sizeof *image), *with = image + W * W;
    penta_displacement d;

    for (int k = 0; k < 24; k++) {
        int waves = k % 2 ? 3 : 2, estimator = k / 8;
        double turn = 0.3 * (k / 2 % 4), wave = 0.35 + 0.02 * k;

        memset(image, 0, 2 * W * W * sizeof *image);
        for (int i = 0; i < W * W; i++)
            for (int w = 0; w < waves; w++) {
                double x = wave * cos(turn + 3.14159265 * w / waves), y = wave * sin(turn + 3.14159265 * w / waves);

                image[i] += (float)cos(x * (i % W) + y * (i / W));
                with[i] += (float)cos(x * (i % W - 4) + y * (i / W - 3));
            }
        d = measure_so(ctx, (how){PENTA_AUTOCORR_DEMEAN_MEAN, 0, estimator}, W, W, image, with);
        if (d.status != PENTA_DISPLACEMENT_AMBIGUOUS && !(hypot(d.dx - 4, d.dy - 3) < 0.1))
            fail_msg("%d waves, estimator %d: (%.2f, %.2f) is %s", waves, estimator, d.dx, d.dy,
                     penta_displacement_status_name(d.status));
    }
    for (int i = 0; i < W * W; i++)
        with[i] = 3;
    assert_int_equal(measure(ctx, W, W, image, with).status, PENTA_DISPLACEMENT_FLAT);
    free(image);
}

/* Means of 2 x 2 cells of a simulated mixture, from cell (x0, y0) on. */
static void coarse(const double *u, size_t x0, size_t y0, double noise, float *out)
{
    for (size_t y = 0; y < CELLS; y++)
        for (size_t x = 0; x < CELLS; x++) {
            const double *at = u + (y0 + 2 * y) * FINE + x0 + 2 * x;

            out[y * CELLS + x] = (float)(at[0] + at[1] + at[FINE] + at[FINE + 1] + noise * random_normal());
        }
}

/* Images of a mixture that start elsewhere on a grid of half their pixels. */
DEVICE_TEST(mixture)
{
    static const size_t starts[][2] = {{1, 0}, {0, 1}, {7, 13}, {20, 5}};
    penta_spinodal_options o;
    penta_spinodal *s = NULL;
    double *u;
    float *image, *with;

    if (lacks_double(ctx, "spinodal decomposition"))
        return;
    u = must_calloc(FINE * FINE, sizeof *u);
    image = must_calloc(2 * CELLS * CELLS, sizeof *image);
    with = image + CELLS * CELLS;
    penta_spinodal_options_init(&o);
    o.seed = 31;
    o.step = 0.5;
    EXPECT_OK(ctx, penta_spinodal_create(ctx, FINE, FINE, &o, &s));
    EXPECT_OK(ctx, penta_spinodal_advance(s, 40));
    EXPECT_OK(ctx, penta_spinodal_read(s, u));
    penta_spinodal_destroy(s);
    random_seed(8);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        coarse(u, 0, 0, 1, image);
        coarse(u, starts[i][0], starts[i][1], 1, with);
        expect_shift(measure(ctx, CELLS, CELLS, image, with), -(double)starts[i][0] / 2, -(double)starts[i][1] / 2,
                     0.15);
    }
    free(image);
    free(u);
}

enum { SCENE_W = 130, SCENE_H = 120, VIEW_W = 100, VIEW_H = 90, REACH = 16 };

/* Noise smoothed by three passes of a 7 x 7 box, as 0..255. */
static void make_scene(double *scene)
{
    double *pass = must_calloc(SCENE_W * SCENE_H, sizeof *pass), low = INFINITY, high = -INFINITY;

    reference_hash_image(PENTA_F64, SCENE_W, SCENE_H, 77, scene);
    for (int p = 0; p < 3; p++) {
        memcpy(pass, scene, SCENE_W * SCENE_H * sizeof *pass);
        for (int i = 0; i < SCENE_W * SCENE_H; i++) {
            scene[i] = 0;
            for (int k = 0; k < 49; k++) {
                int x = i % SCENE_W + k % 7 - 3, y = i / SCENE_W + k / 7 - 3;

                scene[i] += pass[(y + SCENE_H) % SCENE_H * SCENE_W + (x + SCENE_W) % SCENE_W];
            }
        }
    }
    for (int i = 0; i < SCENE_W * SCENE_H; i++) {
        low = fmin(low, scene[i]);
        high = fmax(high, scene[i]);
    }
    for (int i = 0; i < SCENE_W * SCENE_H; i++)
        scene[i] = 255 * (scene[i] - low) / (high - low);
    free(pass);
}

/* A view of the scene from (left, top). */
static void look(const double *scene, int left, int top, penta_type type, void *out)
{
    for (int i = 0; i < VIEW_W * VIEW_H; i++) {
        double v = scene[(i / VIEW_W + top) * SCENE_W + i % VIEW_W + left];

        if (type == PENTA_U8)
            ((uint8_t *)out)[i] = (uint8_t)lround(v);
        else
            ((float *)out)[i] = (float)v;
    }
}

/* J is I moved by (-5,-3): that is where they correlate best. */
TEST(registration)
{
    static const int ways[][2] = {{PENTA_AUTOCORR_EQ1, PENTA_AUTOCORR_DEMEAN_MEAN},
                                  {PENTA_AUTOCORR_UNBIASED, PENTA_AUTOCORR_DEMEAN_MEAN},
                                  {PENTA_AUTOCORR_PEARSON, PENTA_AUTOCORR_DEMEAN_NONE},
                                  {PENTA_AUTOCORR_EQ1, PENTA_AUTOCORR_DEMEAN_PLANE}};
    const penta_type types[] = {PENTA_U8, PENTA_F32};
    HELD double *scene = must_calloc(SCENE_W * SCENE_H, sizeof *scene);
    float image[VIEW_W * VIEW_H], with[VIEW_W * VIEW_H];

    make_scene(scene);
    for (int i = 0; i < 8; i++) {
        reference_autocorr c = {VIEW_W, VIEW_H, REACH, types[i / 4], image, with, NULL, ways[i % 4][0], ways[i % 4][1]};
        penta_autocorr_options options =
            autocorr_case_options(&c, (autocorr_variant){PENTA_AUTOCORR_AUTO, PENTA_FFT_AUTO});
        HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(REACH, false);
        bool exact = c.type == PENTA_U8 && c.demean != PENTA_AUTOCORR_DEMEAN_PLANE;
        int best = 0;

        if (!exact && !penta_context_device(device_of(state))->fp64)
            options.precision = PENTA_PRECISION_SINGLE;

        look(scene, 10, 12, c.type, image);
        look(scene, 15, 15, c.type, with);
        autocorr_run_case(device_of(state), &c, &options, &r);
        for (int k = 0; k < (2 * REACH + 1) * (2 * REACH + 1); k++)
            best = r.c2d[k] > r.c2d[best] ? k : best;
        assert_int_equal(best % (2 * REACH + 1) - REACH, -5);
        assert_int_equal(best / (2 * REACH + 1) - REACH, -3);
        if (c.estimator == PENTA_AUTOCORR_PEARSON)
            expect_near(r.c2d[best], 1, 1e-6);
    }
}

ON_DEVICE;
