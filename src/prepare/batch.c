/* The device buffers of a batch of frames. */
#include "prepare/prepare.h"

penta_status prepare_batch_create(penta_context *ctx, const prepare_shape *shape, prepare_batch *out)
{
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_batch_create: to be written");
}

void prepare_batch_release(prepare_batch *batch)
{
    (void)batch;
}

uint64_t prepare_batch_bytes(const prepare_shape *shape)
{
    (void)shape;
    return 0;
}
