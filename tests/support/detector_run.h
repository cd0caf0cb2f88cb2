/* Shared by the tests of the detector: exposing single frames, and statistics of frames. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <pentacl/detector.h>

enum { SIDE = 1024, PIXELS = SIDE * SIDE };

penta_detector_options detector_defaults(void);

/* Exposes one frame with a detector of its own. */
void expose(penta_context *ctx, const penta_detector_options *o, size_t width, size_t height, uint32_t frame,
            const double *photons, float *dn, uint8_t *saturated);
/* Exposes SIDE x SIDE pixels with the same number of photons each. */
void expose_flat(penta_context *ctx, const penta_detector_options *o, uint32_t frame, double photons, float *dn,
                 uint8_t *saturated);

typedef struct {
    double mean, variance;
} moments;

moments moments_of(const float *values, size_t n);

/* expect_distributed for n values. */
void expect_values_distributed(const float *values, size_t n, double (*share)(double x), const char *what);

/* parameter: a number for the message of a failure. */
void expect_within(const char *what, double parameter, double value, double expected, double tolerance);
