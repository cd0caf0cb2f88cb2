/* What registration sees of frames. Kernels: cl/prepare/see.cl. */
#include <stdlib.h>

#include "prepare/register.h"

/* The node before each of n pixels and how far beyond it, in units of their distance; outside the outer ones it goes on
 * linearly. */
static void place_pixels(size_t n, size_t nodes, int *place, float *part)
{
    for (size_t p = 0, i = 0; p < n; p++) {
        double here, next;

        while (i + 2 < nodes && 2 * p >= (i + 1) * n / nodes + (i + 2) * n / nodes - 1)
            i++;
        here = 0.5 * (double)(i * n / nodes + (i + 1) * n / nodes - 1);
        next = 0.5 * (double)((i + 1) * n / nodes + (i + 2) * n / nodes - 1);
        place[p] = (int)i;
        part[p] = nodes > 1 ? (float)(((double)p - here) / (next - here)) : 0;
    }
}

static penta_status create_tables(prepare_see *s, penta_context *ctx)
{
    penta_status status = PENTA_OK;
    size_t width = s->shape.width, count = width + s->shape.height;
    int *place = NULL;
    float *part = NULL;

    TRY(penta_calloc(ctx, count, sizeof *place, &place));
    TRY(penta_calloc(ctx, count, sizeof *part, &part));
    place_pixels(width, s->shape.nodes_x, place, part);
    place_pixels(s->shape.height, s->shape.nodes_y, place + width, part + width);
    TRY(penta_buffer_create(ctx, count * sizeof *place, &s->place));
    TRY(penta_buffer_create(ctx, count * sizeof *part, &s->part));
    TRY(penta_buffer_write(&s->place, 0, place, count * sizeof *place));
    TRY(penta_buffer_write(&s->part, 0, part, count * sizeof *part));
cleanup:
    free(place);
    free(part);
    return status;
}

penta_status prepare_see_create(penta_context *ctx, const prepare_shape *shape, prepare_see *out)
{
    penta_status status = PENTA_OK;

    *out = (prepare_see){.shape = *shape};
    TRY(penta_kernel_get(ctx, "prepare/see.cl", "see_along_x", "", &out->along_x));
    TRY(penta_kernel_get(ctx, "prepare/see.cl", "see_along_y", "", &out->along_y));
    TRY(create_tables(out, ctx));
    TRY(penta_buffer_create(ctx, 2 * shape->batch * shape->width * shape->height * sizeof(float), &out->half));
cleanup:
    return status;
}

penta_status prepare_see_run(prepare_see *s, prepare_batch *batch, penta_buffer *seen)
{
    penta_status status = PENTA_OK;
    size_t width = s->shape.width, height = s->shape.height;
    penta_grid grid = penta_is_cpu(seen->ctx) ? penta_grid_2d(height, batch->count)
                                              : penta_grid_rows(penta_grid_3d(width, height, batch->count));

    TRY(penta_launch(&s->along_x, grid,
                     ARGS(&batch->grey, &batch->mask, &batch->background, &s->place, &s->part, &s->half, (int)width,
                          (int)height, (int)s->shape.nodes_x, (int)s->shape.nodes_y)));
    TRY(penta_launch(&s->along_y, grid, ARGS(&s->half, &batch->mask, seen, (int)width, (int)height)));
cleanup:
    return status;
}

void prepare_see_release(prepare_see *s)
{
    penta_kernel_release(&s->along_x);
    penta_kernel_release(&s->along_y);
    penta_buffer_release(&s->place);
    penta_buffer_release(&s->part);
    penta_buffer_release(&s->half);
}
