/* The drift of frames to a pixel by FFT, and the series of frames that others are compared with. */
#include "prepare/prepare.h"

penta_status prepare_register_create(penta_context *ctx, const prepare_shape *shape, prepare_register **out)
{
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_register_create: to be written");
}

penta_status prepare_register_run(prepare_register *r, prepare_batch *batch, const bool *skip, penta_drift *drift)
{
    (void)r;
    (void)batch;
    (void)skip;
    (void)drift;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_register_run: to be written");
}

penta_status prepare_register_save(prepare_register *r, penta_prepare_state *state)
{
    (void)r;
    (void)state;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_register_save: to be written");
}

penta_status prepare_register_restore(prepare_register *r, const penta_prepare_state *state)
{
    (void)r;
    (void)state;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_register_restore: to be written");
}

void prepare_register_rewind(prepare_register *r)
{
    (void)r;
}

void prepare_register_destroy(prepare_register *r)
{
    (void)r;
}
