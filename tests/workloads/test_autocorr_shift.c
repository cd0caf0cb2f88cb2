/*
 * Displacements by cross-correlation: textures that are shifted exactly (sums of waves, evaluated at shifted places),
 * a simulated mixture whose coarse images start at other places of a finer grid, independent noise, and images that
 * have nothing to do with one another.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pentacl/autocorr.h>
#include <pentacl/spinodal.h>

#include "support/autocorr_run.h"
#include "support/device.h"
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

static penta_displacement measure(penta_context *ctx, size_t width, size_t height, const float *image,
                                  const float *with)
{
    penta_autocorr_options o;
    penta_autocorr_frame frame = {image, with, NULL};
    penta_autocorr *plan = NULL;
    penta_autocorr_result r;
    penta_displacement d;
    size_t R;

    penta_autocorr_options_init(&o);
    o.bootstrap = 0;
    if (!penta_context_device(ctx)->fp64)
        o.precision = PENTA_PRECISION_SINGLE;
    EXPECT_OK(ctx, penta_autocorr_create(ctx, width, height, PENTA_F32, &o, &plan));
    R = penta_autocorr_max_offset(plan);
    r = autocorr_arrays(R, false);
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &r));
    d = penta_displacement_find(r.c2d, R);
    penta_autocorr_destroy(plan);
    autocorr_arrays_free(&r);
    return d;
}

static void expect_shift(penta_displacement d, double dx, double dy, double tolerance)
{
    if (d.status != PENTA_DISPLACEMENT_OK || !(hypot(d.dx - dx, d.dy - dy) < tolerance) || !(d.score > 0.4))
        fail_msg("(%.3f, %.3f), score %.2f, %.1f sigmas, %s; the truth is (%.3f, %.3f)", d.dx, d.dy, d.score, d.sigmas,
                 penta_displacement_status_name(d.status), dx, dy);
}

static void test_shifted_textures(void **state)
{
    static const struct {
        size_t width, height;
        double length, dx, dy, noise, tolerance;
    } cases[] = {{150, 110, 1.5, 0.5, -0.25, 0, 0.03},  {110, 150, 1.5, -7.3, 11.8, 1, 0.08},
                 {160, 160, 3, 12.75, 3.125, 0, 0.08},  {160, 160, 3, -0.1, 0.1, 0.5, 0.1},
                 {200, 130, 2, -20.45, -15.55, 1, 0.1}, {130, 130, 1, 4.9, -4.1, 2, 0.12}};
    penta_context *ctx = device_of(state);
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

/* Images of other textures, of noise, and of the same texture beyond R. */
static void test_unrelated(void **state)
{
    enum { W = 140, H = 120 };
    penta_context *ctx = device_of(state);
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

/* A lattice agrees with itself at many offsets; a constant image at none. */
static void test_lattice_and_flat(void **state)
{
    enum { W = 120 };
    penta_context *ctx = device_of(state);
    float *image = must_calloc(2 * W * W, sizeof *image), *with = image + W * W;

    for (int i = 0; i < W * W; i++) {
        int x = i % W, y = i / W;

        image[i] = (float)(cos(x * 0.6) + cos(y * 0.6));
        with[i] = (float)(cos((x - 4) * 0.6) + cos((y - 3) * 0.6));
    }
    assert_int_equal(measure(ctx, W, W, image, with).status, PENTA_DISPLACEMENT_AMBIGUOUS);
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
static void test_mixture(void **state)
{
    static const size_t starts[][2] = {{1, 0}, {0, 1}, {7, 13}, {20, 5}};
    penta_context *ctx = device_of(state);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shifted_textures), cmocka_unit_test(test_unrelated),
                                       cmocka_unit_test(test_lattice_and_flat), cmocka_unit_test(test_mixture)};

    return cmocka_run_group_tests_name("shift", tests, open_device, close_device);
}
