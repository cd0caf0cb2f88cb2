/* F = (white / 2) I / B, of overlay (I + white - B) / 2, of none I. Kernel: cl/prepare/flatten.cl. */
#include <stdlib.h>

#include "prepare/stages.h"

struct prepare_flattener {
    penta_context *ctx; /* borrowed */
    const prepare_shape *shape;
    penta_kernel flatten;
    penta_buffer at_x, at_y; /* places of columns and rows between nodes */
};

penta_status prepare_flattener_create(penta_context *ctx, const prepare_shape *shape, prepare_flattener **out)
{
    penta_status status = PENTA_OK;
    prepare_flattener *f = NULL;
    const char *define = shape->settings->o.flatten == PENTA_PREPARE_OVERLAY        ? "-DOVERLAY"
                         : shape->settings->o.flatten == PENTA_PREPARE_FLATTEN_NONE ? "-DNONE"
                                                                                    : "";

    *out = NULL;
    TRY(penta_calloc(ctx, 1, sizeof *f, &f));
    f->ctx = ctx;
    f->shape = shape;
    TRY(penta_kernel_get(ctx, "prepare/flatten.cl", "prepare_flatten", define, &f->flatten));
    TRY(prepare_places_create(ctx, shape->nodes_x, shape->width, &f->at_x));
    TRY(prepare_places_create(ctx, shape->nodes_y, shape->height, &f->at_y));
    *out = f;
    f = NULL;
cleanup:
    prepare_flattener_destroy(f);
    return status;
}

penta_status prepare_flattener_run(prepare_flattener *f, prepare_batch *batch)
{
    const prepare_shape *s = f->shape;

    return penta_launch(&f->flatten, prepare_grid(f->ctx, s->width, s->height, batch->count),
                        ARGS(&batch->grey, &batch->background, &batch->level, &f->at_x, &f->at_y, (int)s->width,
                             (int)s->height, (int)s->nodes_x, (int)s->nodes_y, (float)s->settings->white,
                             &batch->flat));
}

void prepare_flattener_destroy(prepare_flattener *f)
{
    if (!f)
        return;
    penta_kernel_release(&f->flatten);
    penta_buffer_release(&f->at_x);
    penta_buffer_release(&f->at_y);
    free(f);
}
