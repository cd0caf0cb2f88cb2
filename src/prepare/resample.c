/* The content of frames moved back by their drift. */
#include "prepare/prepare.h"

penta_status prepare_resampler_create(penta_context *ctx, const prepare_shape *shape, prepare_resampler **out)
{
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_resampler_create: to be written");
}

penta_status prepare_resampler_run(prepare_resampler *r, prepare_batch *batch, const penta_drift *drift)
{
    (void)r;
    (void)batch;
    (void)drift;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_resampler_run: to be written");
}

void prepare_resampler_destroy(prepare_resampler *r)
{
    (void)r;
}
