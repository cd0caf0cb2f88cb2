/* Frames with known drifts on the device, for the tests of registration. */
#pragma once

#include "prepare/stages.h"

typedef struct {
    penta_context *ctx;
    prepare_settings settings;
    prepare_shape shape;
    penta_resources own; /* the batch, and stages of the tests */
    prepare_batch batch;
} prepare_frames;

/* o NULL: the default options. */
void open_frames(penta_context *ctx, const penta_prepare_options *o, size_t width, size_t height, size_t batch,
                 prepare_frames *out);
void close_frames(prepare_frames *f);

/*
 * A disordered pattern (waves of all directions, wavelengths about `period` px), displaced by the drift and stretched
 * by 1 + grow about the middle of the first frame. Standard deviation 0.2. Each seed gives another pattern.
 */
void make_pattern(size_t width, size_t height, double period, double grow, const penta_drift *drift, unsigned seed,
                  float *out);

/* Puts count frames I and masks into the batch, with a background of 1. */
void put_frames(prepare_frames *f, size_t count, const float *grey, const uint8_t *mask);
