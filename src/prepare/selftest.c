/*
 * Self-test with known answers: a pattern that moves by (3.25, -1.5) px, light that falls to half across the frame, and
 * a speck that does not move. The drift must be found, the light removed, the speck masked.
 */
#include <math.h>
#include <stdlib.h>

#include "prepare/stages.h"

enum { WIDTH = 160, HEIGHT = 128, PIXELS = WIDTH * HEIGHT, SPECK_X = 60, SPECK_Y = 70, SPECK = 3 };

static const double moved_x = 3.25, moved_y = -1.5, flat_white = 65535 / 2.0;

static bool is_speck(int x, int y)
{
    return (x - SPECK_X) * (x - SPECK_X) + (y - SPECK_Y) * (y - SPECK_Y) <= SPECK * SPECK;
}

/* Mean 1; incommensurate wavelengths of 10 to 25 px. */
static double pattern(double x, double y)
{
    return 1 + 0.1 * (sin(0.41 * x + 0.17 * y) + sin(0.33 * y - 0.26 * x + 1) + sin(0.24 * x + 0.39 * y + 2));
}

static void draw(double dx, double dy, float *image)
{
    for (int i = 0; i < PIXELS; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        double light = 0.6 - 0.3 * x / WIDTH;

        image[i] = is_speck(x, y) ? 0.01F : (float)(light * pattern(x - dx, y - dy));
    }
}

static penta_status check_drift(penta_context *ctx, const penta_prepare_result *r)
{
    const penta_drift *d = &r[1].drift;

    if (r[0].status != PENTA_PREPARED_OK || r[1].status != PENTA_PREPARED_OK)
        return penta_fail(ctx, PENTA_INTERNAL, "the frames are %s and %s, not ok", penta_prepared_name(r[0].status),
                          penta_prepared_name(r[1].status));
    if (!(fabs(d->dx - moved_x) < 0.02 && fabs(d->dy - moved_y) < 0.02))
        return penta_fail(ctx, PENTA_INTERNAL, "the drift is (%.4f, %.4f) px, not (%.2f, %.2f)", d->dx, d->dy, moved_x,
                          moved_y);
    return PENTA_OK;
}

/* Checks frame `name`: unmasked pixels equal the pattern of the first frame, except `margin` px at the edges that moved
 * in. */
static penta_status check_image(penta_context *ctx, const char *name, const uint16_t *image, const uint8_t *mask,
                                int margin)
{
    double sum = 0, count = 0;

    for (int y = margin; y < HEIGHT - margin; y++)
        for (int x = margin; x < WIDTH - margin; x++) {
            double d = image[y * WIDTH + x] / flat_white - pattern(x, y);

            if (mask[y * WIDTH + x]) {
                sum += d * d;
                count++;
            }
        }
    if (!(count > 0.9 * PIXELS * (1 - 2.0 * margin / HEIGHT) * (1 - 2.0 * margin / WIDTH) && sqrt(sum / count) < 0.02))
        return penta_fail(ctx, PENTA_INTERNAL, "the %s frame is off by %.4f of its mean over %.0f pixels", name,
                          sqrt(sum / count), count);
    return PENTA_OK;
}

static penta_status check_speck(penta_context *ctx, const uint8_t *mask)
{
    for (int i = 0; i < PIXELS; i++)
        if (is_speck(i % WIDTH, i / WIDTH) && mask[i])
            return penta_fail(ctx, PENTA_INTERNAL, "pixel (%d,%d) of the speck is not masked", i % WIDTH, i / WIDTH);
    return PENTA_OK;
}

static penta_status selftest(penta_context *ctx)
{
    penta_status status = PENTA_OK;
    penta_prepare *plan = NULL;
    float *frames = NULL;
    uint16_t *images = NULL;
    uint8_t *masks = NULL;
    penta_prepare_frame in[2] = {{0}};
    penta_prepare_result out[2] = {{0}};

    TRY(penta_calloc(ctx, 2 * PIXELS, sizeof *frames, &frames));
    TRY(penta_calloc(ctx, 2 * PIXELS, sizeof *images, &images));
    TRY(penta_calloc(ctx, 2 * PIXELS, 1, &masks));
    draw(0, 0, frames);
    draw(moved_x, moved_y, frames + PIXELS);
    for (int i = 0; i < 2; i++) {
        in[i].image = frames + i * PIXELS;
        out[i] = (penta_prepare_result){.image = images + i * PIXELS, .mask = masks + i * PIXELS};
    }
    TRY(penta_prepare_create(ctx, WIDTH, HEIGHT, 1, PENTA_F32, NULL, &plan));
    TRY(penta_prepare_run(plan, 2, in, out));
    TRY(check_drift(ctx, out));
    TRY(check_speck(ctx, masks));
    TRY(check_image(ctx, "first", images, masks, 0));
    TRY(check_image(ctx, "second", images + PIXELS, masks + PIXELS, 8));
cleanup:
    penta_prepare_destroy(plan);
    free(frames);
    free(images);
    free(masks);
    return status;
}

/* In cl/prepare/usual.cl, with these defines: those of the default options and 16 bits. */
static const penta_program_name usual[] = {
    {"prepare/load.cl", "-DPIXEL=ushort -DCHANNELS=1"},
    {"prepare/contrast.cl", "-DOUT=ushort -DINTEGER"},
    {"prepare/blank.cl", ""},
    {"prepare/flatten.cl", ""},
    {"prepare/resample.cl", "-DTAPS=4"},
    {"prepare/background.cl", ""},
    {"prepare/background_planes.cl", ""},
    {"prepare/background_poly.cl", "-DDEGREE=2"},
    {"prepare/dust.cl", "-DFACTOR=6"},
    {"prepare/dust_grow.cl", ""},
    {"prepare/dust_scale.cl", ""},
    {"prepare/register.cl", ""},
    {"prepare/see.cl", ""},
    {"prepare/sums_cpu.cl", ""},
    {"common/fft_simd.cl", ""},
    {NULL, NULL},
};

const penta_workload penta_prepare_workload = {
    .name = "prepare",
    .summary = "clean and register a series of photographs",
    .selftest = selftest,
    .tables = {PENTA_WORKLOAD_OPTIONS(prepare)},
    .usual = usual,
};
