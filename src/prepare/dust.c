/* Dust: pixels beyond the key, outliers at two scales, grown. */
#include "prepare/prepare.h"

penta_status prepare_duster_create(penta_context *ctx, const prepare_shape *shape, prepare_duster **out)
{
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_duster_create: to be written");
}

penta_status prepare_duster_run(prepare_duster *d, prepare_batch *batch)
{
    (void)d;
    (void)batch;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_duster_run: to be written");
}

penta_status prepare_duster_copy(prepare_duster *d, prepare_batch *batch)
{
    (void)d;
    (void)batch;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_duster_copy: to be written");
}

void prepare_duster_destroy(prepare_duster *d)
{
    (void)d;
}
