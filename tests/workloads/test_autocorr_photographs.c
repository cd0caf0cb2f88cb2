/*
 * Displacements in photographs that others took (PENTACL_TEST_DATA, described in its SOURCES.md): a part of one is cut
 * out at two places, at full and at half the resolution, with noise; and a well on two days, whose rod and notch were
 * measured in the pictures by eye.
 */
#include "support/test.h"

#include <pentacl/autocorr.h>
#include <pentacl/io/image.h>

#include "support/autocorr_run.h"
#include "support/random.h"

enum { MARGIN = 20 };

typedef struct {
    size_t width, height;
    float *values;
} photograph;

/* false: the pictures are not here. */
static bool read_photograph(const char *name, photograph *out)
{
    const char *directory = getenv("PENTACL_TEST_DATA");
    penta_io_error err = {""};
    penta_io_image image;
    char path[1024];

    if (!directory) {
        leave_out("PENTACL_TEST_DATA names no directory with autocorrelation/");
        return false;
    }
    snprintf(path, sizeof path, "%s/autocorrelation/%s", directory, name);
    EXPECT_IO(penta_io_image_read(path, &image, &err), err);
    *out = (photograph){image.width, image.height, must_calloc(image.width * image.height, sizeof(float))};
    for (size_t i = 0; i < image.width * image.height; i++)
        out->values[i] = (float)penta_io_image_value(&image, i);
    penta_io_image_free(&image);
    return true;
}

static penta_displacement measure(penta_context *ctx, size_t width, size_t height, size_t max_offset,
                                  const float *image, const float *with)
{
    penta_autocorr_options o;
    penta_autocorr_frame frame = {image, with, NULL};
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(max_offset, false);
    penta_displacement d;

    penta_autocorr_options_init(&o);
    o.bootstrap = 0;
    o.max_offset = max_offset;
    if (!penta_context_device(ctx)->fp64)
        o.precision = PENTA_PRECISION_SINGLE;
    EXPECT_OK(ctx, penta_autocorr_create(ctx, width, height, PENTA_F32, &o, &plan));
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &r));
    d = r.displacement;
    return d;
}

/* Pixels of this width from (x, y) on, with noise. */
static void cut(const photograph *p, size_t x, size_t y, size_t pixel, double noise, size_t width, size_t height,
                float *out)
{
    for (size_t j = 0; j < height; j++)
        for (size_t i = 0; i < width; i++) {
            double sum = 0;

            for (size_t v = 0; v < pixel; v++)
                for (size_t u = 0; u < pixel; u++)
                    sum += (double)p->values[(y + pixel * j + v) * p->width + x + pixel * i + u];
            out[j * width + i] = (float)(sum / (double)(pixel * pixel) + noise * random_normal());
        }
}

static size_t random_below(size_t n)
{
    return (size_t)((double)n * random_uniform());
}

enum { CUTS = 6 };

/* Parts 300 x 240 pixels large, each cut out at two places up to 20 pixels apart along each axis. All are found, and so
 * many are ok. */
static int check_cuts(penta_context *ctx, const photograph *p, size_t pixel, double noise)
{
    size_t width = 300 / pixel, height = 240 / pixel;
    float *image = must_calloc(2 * width * height, sizeof *image), *with = image + width * height;
    int ok = 0;

    for (int i = 0; i < CUTS; i++) {
        size_t x = random_below(p->width - 300 - 2 * MARGIN), y = random_below(p->height - 240 - 2 * MARGIN);
        size_t x2 = random_below(2 * MARGIN), y2 = random_below(2 * MARGIN);
        double dx = (MARGIN - (double)x2) / (double)pixel, dy = (MARGIN - (double)y2) / (double)pixel;
        penta_displacement d;

        cut(p, x + MARGIN, y + MARGIN, pixel, noise, width, height, image);
        cut(p, x + x2, y + y2, pixel, noise, width, height, with);
        d = measure(ctx, width, height, 60 / pixel, image, with);
        ok += d.status == PENTA_DISPLACEMENT_OK;
        if (!(hypot(d.dx - dx, d.dy - dy) < 0.3))
            fail_msg("from (%zu, %zu), pixels of %zu, noise %g: (%.2f, %.2f), not (%.2f, %.2f)", x, y, pixel, noise,
                     d.dx, d.dy, dx, dy);
    }
    free(image);
    return ok;
}

DEVICE_TEST(cuts)
{
    static const char *const names[] = {"p4a5s20_10x_z080_xy0_188.png", "p4a5s20_10x_z080_xy0_247.png"};
    int ok = 0, all = 0;

    random_seed(17);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        photograph p;

        if (!read_photograph(names[i], &p))
            return;
        for (size_t pixel = 1; pixel <= 2; pixel++)
            for (int noise = 0; noise <= 15; noise += 15, all += CUTS)
                ok += check_cuts(ctx, &p, pixel, noise);
        free(p.values);
    }
    if (4 * ok < all) /* 22 of 48 are: light is left in */
        fail_msg("only %d of %d are ok", ok, all);
}

/* Day 15 and day 74. The corner of the rod has moved by (9, 88) pixels, its other corner by (8, 86), the notch of the
 * well on the right by (8, 84); the pictures are put together from 3 x 4, which do not fit to the pixel. */
DEVICE_TEST(two_days)
{
    photograph first, second;
    penta_displacement d;

    if (!read_photograph("p4a5s20_10x_z080_xy0_188.png", &first))
        return;
    assert_true(read_photograph("p4a5s20_10x_z080_xy0_247.png", &second));
    d = measure(ctx, first.width, first.height, 150, first.values, second.values);
    if (!(hypot(d.dx - 9, d.dy - 87) < 3))
        fail_msg("(%.2f, %.2f) is not (9, 87)", d.dx, d.dy);
    free(first.values);
    free(second.values);
}

ON_DEVICE;
