/* The flattened image from the image and its background. */
#include "prepare/prepare.h"

penta_status prepare_flattener_create(penta_context *ctx, const prepare_shape *shape, prepare_flattener **out)
{
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_flattener_create: to be written");
}

penta_status prepare_flattener_run(prepare_flattener *f, prepare_batch *batch)
{
    (void)f;
    (void)batch;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_flattener_run: to be written");
}

void prepare_flattener_destroy(prepare_flattener *f)
{
    (void)f;
}
