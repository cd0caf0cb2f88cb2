/* What registration sees of frames. Kernels: cl/prepare/see.cl. */
#include "prepare/register.h"

penta_status prepare_see_create(penta_context *ctx, const prepare_shape *shape, prepare_see *out)
{
    penta_status status = PENTA_OK;

    *out = (prepare_see){.shape = *shape};
    TRY(penta_kernel_get(ctx, "prepare/see.cl", "see_along_x", "", &out->along_x));
    TRY(penta_kernel_get(ctx, "prepare/see.cl", "see_along_y", "", &out->along_y));
    TRY(prepare_places_create(ctx, shape->nodes_x, shape->width, &out->at_x));
    TRY(prepare_places_create(ctx, shape->nodes_y, shape->height, &out->at_y));
    TRY(penta_buffer_create(ctx, 2 * shape->batch * shape->width * shape->height * sizeof(float), &out->halfway));
cleanup:
    return status;
}

penta_status prepare_see_run(prepare_see *s, prepare_batch *batch, penta_buffer *seen)
{
    penta_status status = PENTA_OK;
    size_t width = s->shape.width, height = s->shape.height;
    penta_grid grid = prepare_grid(seen->ctx, width, height, batch->count);

    TRY(penta_launch(&s->along_x, grid,
                     ARGS(&batch->grey, &batch->mask, &batch->background, &batch->level, &s->at_x, &s->at_y,
                          &s->halfway, (int)width, (int)height, (int)s->shape.nodes_x, (int)s->shape.nodes_y)));
    TRY(penta_launch(&s->along_y, grid, ARGS(&s->halfway, &batch->mask, seen, (int)width, (int)height)));
cleanup:
    return status;
}

void prepare_see_release(prepare_see *s)
{
    penta_kernel_release(&s->along_x);
    penta_kernel_release(&s->along_y);
    penta_buffer_release(&s->at_x);
    penta_buffer_release(&s->at_y);
    penta_buffer_release(&s->halfway);
}
