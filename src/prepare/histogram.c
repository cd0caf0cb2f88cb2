/* Histograms of frames on the device, and quantiles from them. */
#include "prepare/prepare.h"

penta_status prepare_histogram_create(penta_context *ctx, const prepare_shape *shape, bool magnitude,
                                      prepare_histogram *out)
{
    (void)magnitude;
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_histogram_create: to be written");
}

penta_status prepare_histogram_run(prepare_histogram *h, size_t n, penta_buffer *image, penta_buffer *mask,
                                   penta_buffer *range, penta_buffer *bins)
{
    (void)h;
    (void)n;
    (void)image;
    (void)mask;
    (void)range;
    (void)bins;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_histogram_run: to be written");
}

penta_status prepare_histogram_quantile(prepare_histogram *h, size_t n, penta_buffer *bins, penta_buffer *range,
                                        double q, penta_buffer *value)
{
    (void)h;
    (void)n;
    (void)bins;
    (void)range;
    (void)q;
    (void)value;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_histogram_quantile: to be written");
}

void prepare_histogram_release(prepare_histogram *h)
{
    (void)h;
}
