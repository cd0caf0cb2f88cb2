/* Detectors for tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "support/detector_run.h"
#include "support/device.h"
#include "support/distribution.h"

penta_detector_options detector_defaults(void)
{
    penta_detector_options o;

    penta_detector_options_init(&o);
    return o;
}

void expose(penta_context *ctx, const penta_detector_options *o, size_t width, size_t height, uint32_t frame,
            const double *photons, float *dn, uint8_t *saturated)
{
    penta_detector *detector = NULL;

    EXPECT_OK(ctx, penta_detector_create(ctx, width, height, o, &detector));
    EXPECT_OK(ctx, penta_detector_run(detector, frame, photons, PENTA_F64, dn, saturated));
    penta_detector_destroy(detector);
}

void expose_flat(penta_context *ctx, const penta_detector_options *o, uint32_t frame, double photons, float *dn,
                 uint8_t *saturated)
{
    double *image = must_calloc(PIXELS, sizeof *image);

    for (size_t i = 0; i < PIXELS; i++)
        image[i] = photons;
    expose(ctx, o, SIDE, SIDE, frame, image, dn, saturated);
    free(image);
}

moments moments_of(const float *values, size_t n)
{
    double sum = 0, square = 0;

    for (size_t i = 0; i < n; i++)
        sum += (double)values[i];
    for (size_t i = 0; i < n; i++)
        square += pow((double)values[i] - sum / (double)n, 2);
    return (moments){sum / (double)n, square / (double)(n - 1)};
}

void expect_within(const char *what, double parameter, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s (%g): %.10g is not within %.3g of %.10g", what, parameter, value, tolerance, expected);
}

void expect_values_distributed(const float *values, size_t n, double (*share)(double x), const char *what)
{
    double *copy = must_calloc(n, sizeof *copy);

    for (size_t i = 0; i < n; i++)
        copy[i] = (double)values[i];
    expect_distributed(copy, n, share, what);
    free(copy);
}
