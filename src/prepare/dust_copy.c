/* Replaces dust by nearby image pixels, or interpolates it from its surroundings. Kernels: cl/prepare/dust_copy.cl. */
#include "prepare/dust.h"

penta_status dust_copy_create(prepare_dust *d)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = d->shape;

    TRY(penta_kernel_get(d->own, "prepare/dust_copy.cl", "prepare_dust_copy", "", &d->copy));
    TRY(penta_kernel_get(d->own, "prepare/dust_copy.cl", "prepare_dust_filled", "", &d->unmask));
    TRY(penta_buffer_create(d->own, s->batch * s->height * s->width, &d->filled));
cleanup:
    return status;
}

penta_status prepare_dust_copy(prepare_dust *d, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const penta_prepare_options *o = &d->shape->settings->o;
    int width = (int)d->shape->width, height = (int)d->shape->height, draw = o->dust == PENTA_PREPARE_DUST_FILL;
    int step = o->dust_size / 4 > 2 ? o->dust_size / 4 : 2, most = o->dust_size + 2 * o->dust_grow + 1;
    penta_grid pixels = prepare_grid(d->own->ctx, d->shape->width, d->shape->height, batch->count);

    TRY(penta_launch(
        &d->copy, pixels,
        ARGS(&batch->mask, width, height, draw, draw ? most : step, &batch->flat, &d->filled, &batch->counts)));
    TRY(penta_launch(&d->unmask, pixels, ARGS(&d->filled, width, height, &batch->mask)));
cleanup:
    return status;
}
