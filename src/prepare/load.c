/* Raw frames to the device: crop, grey, dark and flat frames. */
#include "prepare/prepare.h"

penta_status prepare_loader_create(penta_context *ctx, const prepare_shape *shape, prepare_loader **out)
{
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_loader_create: to be written");
}

penta_status prepare_loader_calibrate(prepare_loader *l, const float *dark, const float *flat)
{
    (void)l;
    (void)dark;
    (void)flat;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_loader_calibrate: to be written");
}

penta_status prepare_loader_send(prepare_loader *l, size_t n, const void *const *images)
{
    (void)l;
    (void)n;
    (void)images;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_loader_send: to be written");
}

penta_status prepare_loader_take(prepare_loader *l, prepare_batch *batch)
{
    (void)l;
    (void)batch;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_loader_take: to be written");
}

void prepare_loader_destroy(prepare_loader *l)
{
    (void)l;
}
