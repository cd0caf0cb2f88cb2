/* Flattening: F = (white / 2) I / B, overlay: F = (I + white - B) / 2, none: F = I. Kernel: cl/prepare/flatten.cl. */

#include "prepare/stages.h"

struct prepare_flattener {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    penta_kernel flatten;
    penta_buffer at_x, at_y; /* positions of columns and rows between nodes */
};

penta_status prepare_flattener_create(penta_resources *own, const prepare_shape *shape, prepare_flattener **out)
{
    penta_status status = PENTA_OK;
    prepare_flattener *f = NULL;
    const char *define = shape->settings->o.flatten == PENTA_PREPARE_OVERLAY        ? "-DOVERLAY"
                         : shape->settings->o.flatten == PENTA_PREPARE_FLATTEN_NONE ? "-DNONE"
                                                                                    : "";

    TRY(penta_calloc(own, 1, sizeof **out, out));
    f = *out;
    f->own = own;
    f->shape = shape;
    TRY(penta_kernel_get(own, "prepare/flatten.cl", "prepare_flatten", define, &f->flatten));
    TRY(prepare_places_create(own, shape->nodes_x, shape->width, &f->at_x));
    TRY(prepare_places_create(own, shape->nodes_y, shape->height, &f->at_y));
cleanup:
    return status;
}

penta_status prepare_flattener_run(prepare_flattener *f, prepare_batch *batch)
{
    const prepare_shape *s = f->shape;

    return penta_launch(&f->flatten, prepare_grid(f->own->ctx, s->width, s->height, batch->count),
                        ARGS(&batch->grey, &batch->background, &batch->level, &f->at_x, &f->at_y, (int)s->width,
                             (int)s->height, (int)s->nodes_x, (int)s->nodes_y, (float)s->settings->white,
                             &batch->flat));
}
