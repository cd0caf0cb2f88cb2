/* Block means, and the background fitted to them: per frame, or once to the medians of a series. */
#include "prepare/background.h"

enum { BLOCK_COLUMNS = 16 }; /* work-items per block, as in the kernel */

penta_status prepare_background_measure(prepare_background *b, prepare_batch *batch)
{
    const prepare_shape *s = b->shape;
    prepare_nodes *n = &b->nodes;
    size_t groups = (n->pitch + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    penta_grid grid = penta_is_cpu(b->own->ctx)
                          ? prepare_rows(b->own->ctx, penta_grid_2d(n->ny, batch->count))
                          : penta_grid_groups(penta_grid_3d(groups * 256, n->ny, batch->count), 256, 1, 1);

    return penta_launch(&b->blocks, grid,
                        ARGS(&batch->grey, &batch->mask, (int)s->width, (int)s->height, (int)n->nx, (int)n->ny,
                             (int)n->pitch, &n->mean, &n->weight));
}

penta_status prepare_background_divide(prepare_background *b, size_t count, penta_buffer *by)
{
    penta_status status = PENTA_OK;
    prepare_nodes *n = &b->nodes;

    TRY(penta_launch(&b->node_rows, prepare_rows(b->own->ctx, penta_grid_2d(n->ny, count)),
                     ARGS(&n->mean, &n->weight, by, (int)n->nx, (int)n->ny, (int)n->pitch, &b->rows)));
    TRY(penta_launch(&b->node_ratio, prepare_rows(b->own->ctx, penta_grid_1d(count)),
                     ARGS(&b->rows, (int)count, (int)n->ny, &n->level)));
cleanup:
    return status;
}

penta_status prepare_background_fit(prepare_background *b, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    prepare_nodes *n = &b->nodes;

    TRY(prepare_background_divide(b, count, &b->ones));
    TRY(prepare_poly_run(b->poly, count, n));
    if (b->shape->settings->o.flatten == PENTA_PREPARE_POLY)
        TRY(penta_launch(&b->take, prepare_rows(b->own->ctx, penta_grid_2d(n->nx * n->ny, count)),
                         ARGS(&n->trend, (int)n->nx, (int)n->ny, (int)n->pitch, out)));
    else
        TRY(prepare_planes_run(b->planes, count, n, out));
cleanup:
    return status;
}
