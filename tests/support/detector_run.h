/* What the tests of the detector share: detectors of one frame, and statistics of their frames. */
#ifndef PENTA_TESTS_DETECTOR_RUN_H
#define PENTA_TESTS_DETECTOR_RUN_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/detector.h>

enum { SIDE = 1024, PIXELS = SIDE * SIDE };

/* As open_device; on a device without double precision the program ends once that was refused. */
int open_detector_device(void **state);

penta_detector_options detector_defaults(void);

/* One frame of a detector made for it. */
void expose(penta_context *ctx, const penta_detector_options *o, size_t width, size_t height, uint32_t frame,
            const double *photons, float *dn, uint8_t *saturated);
/* SIDE x SIDE pixels of the same number of photons. */
void expose_flat(penta_context *ctx, const penta_detector_options *o, uint32_t frame, double photons, float *dn,
                 uint8_t *saturated);

typedef struct {
    double mean, variance;
} moments;

moments moments_of(const float *values, size_t n);

/* expect_distributed of n values. */
void expect_values_distributed(const float *values, size_t n, double (*share)(double x), const char *what);

/* parameter: what the text of a failure gives beside the name. */
void expect_within(const char *what, double parameter, double value, double expected, double tolerance);

#endif
