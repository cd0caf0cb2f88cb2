/* Percentiles become black and white; output types. */
#include "prepare/prepare.h"

penta_status prepare_contrast_create(penta_context *ctx, const prepare_shape *shape, penta_type to,
                                     prepare_contrast **out)
{
    (void)shape;
    (void)to;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_contrast_create: to be written");
}

penta_status prepare_contrast_run(prepare_contrast *c, prepare_batch *batch, penta_buffer *image, penta_buffer *mask,
                                  bool known, double *limits)
{
    (void)c;
    (void)batch;
    (void)image;
    (void)mask;
    (void)known;
    (void)limits;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_contrast_run: to be written");
}

void prepare_contrast_destroy(prepare_contrast *c)
{
    (void)c;
}
