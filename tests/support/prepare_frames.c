/* Frames with known drifts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/prepare_frames.h"
#include "support/random.h"

#define PI 3.14159265358979323846

enum { WAVES = 60 };

void open_frames(penta_context *ctx, const penta_prepare_options *o, size_t width, size_t height, size_t batch,
                 prepare_frames *out)
{
    *out = (prepare_frames){.ctx = ctx, .own = {.ctx = ctx}};
    EXPECT_OK(ctx, prepare_settings_make(ctx, width, height, 1, PENTA_F32, o, &out->settings));
    out->shape = (prepare_shape){.in_width = width,
                                 .in_height = height,
                                 .channels = 1,
                                 .type = PENTA_F32,
                                 .width = width,
                                 .height = height,
                                 .nodes_x = (width + PREPARE_NODE - 1) / PREPARE_NODE,
                                 .nodes_y = (height + PREPARE_NODE - 1) / PREPARE_NODE,
                                 .batch = batch};
    out->shape.settings = &out->settings;
    EXPECT_OK(ctx, prepare_batch_create(&out->own, &out->shape, &out->batch));
}

void close_frames(prepare_frames *f)
{
    penta_resources_release(&f->own);
}

/* A plane wave as products of exponentials of x and of y. */
static void add_wave(size_t width, size_t height, double kx, double ky, double phase, double *out)
{
    double *cx = must_calloc(width, sizeof *cx), *sx = must_calloc(width, sizeof *sx);

    for (size_t x = 0; x < width; x++) {
        cx[x] = cos(kx * (double)x + phase);
        sx[x] = sin(kx * (double)x + phase);
    }
    for (size_t y = 0; y < height; y++) {
        double c = cos(ky * (double)y), s = sin(ky * (double)y);

        for (size_t x = 0; x < width; x++)
            out[y * width + x] += cx[x] * c - sx[x] * s;
    }
    free(cx);
    free(sx);
}

void make_pattern(size_t width, size_t height, double period, double grow, const penta_drift *drift, unsigned seed,
                  float *out)
{
    double *sum = must_calloc(width * height, sizeof *sum), a = drift->angle * PI / 180;
    double cx = 0.5 * ((double)width - 1), cy = 0.5 * ((double)height - 1);

    random_seed(seed);
    for (int i = 0; i < WAVES; i++) {
        double direction = 2 * PI * (i + random_uniform()) / WAVES, phase = 2 * PI * random_uniform();
        double k = 2 * PI / period * (0.85 + 0.3 * random_uniform());
        double kx = k * cos(direction), ky = k * sin(direction), qx, qy;

        /* content at p is at c + (1 + grow) T (p - c) + d: k (p - c) = q (p' - c - d), q = T k / (1 + grow) */
        qx = (cos(a) * kx - sin(a) * ky) / (1 + grow);
        qy = (sin(a) * kx + cos(a) * ky) / (1 + grow);
        add_wave(width, height, qx, qy, phase - qx * (cx + drift->dx) - qy * (cy + drift->dy), sum);
    }
    for (size_t p = 0; p < width * height; p++)
        out[p] = (float)(1 + 0.2 * sum[p] / sqrt(WAVES / 2.0));
    free(sum);
}

void put_frames(prepare_frames *f, size_t count, const float *grey, const uint8_t *mask)
{
    size_t pixels = count * f->shape.width * f->shape.height, nodes = count * f->shape.nodes_x * f->shape.nodes_y;
    float *ones = must_calloc(nodes + count, sizeof *ones);

    for (size_t i = 0; i < nodes + count; i++)
        ones[i] = 1;
    f->batch.count = count;
    EXPECT_OK(f->ctx, penta_buffer_write(&f->batch.grey, 0, grey, pixels * sizeof *grey));
    EXPECT_OK(f->ctx, penta_buffer_write(&f->batch.mask, 0, mask, pixels));
    EXPECT_OK(f->ctx, penta_buffer_write(&f->batch.background, 0, ones, nodes * sizeof *ones));
    EXPECT_OK(f->ctx, penta_buffer_write(&f->batch.level, 0, ones, count * sizeof *ones));
    free(ones);
}
