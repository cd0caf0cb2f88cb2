/* Filters frames for registration. Kernels: cl/prepare/see.cl. */
#include <math.h>
#include <stdlib.h>

#include "prepare/register_parts.h"

enum { MOST_BLOCK = 16, LEVEL_ITEMS = 256 }; /* px, at most CHUNK of the kernels; as in the kernel */
#define WIDE        32.0 /* standard deviation of the wide Gaussian: the shorter side divided by this, */
#define LEAST_WIDE  4.0  /* but at least this, px */
#define BLOCK       3.0  /* blocks per standard deviation */
#define BORDER      2.5  /* border, in standard deviations, */
#define MOST_BORDER 8    /* but at most the shorter side divided by this */
#define WIDE_REACH  3.0  /* the Gaussian is cut off here, standard deviations */
#define FEW         0.05 /* least fraction of unmasked pixels under the wide Gaussian */

/* Creates weights exp(-k^2 b^2 / 2 s^2) for k = 0 .. reach, b the side of a block. */
static penta_status create_weights(penta_resources *own, double sigma, prepare_see *s)
{
    penta_status status = PENTA_OK;
    float *weights = NULL;
    double sum = -1; /* sum over -reach .. reach */

    s->reach = (int)ceil(WIDE_REACH * sigma / s->block);
    TRY(penta_calloc(own->ctx, (size_t)s->reach + 1, sizeof *weights, &weights));
    for (int k = 0; k <= s->reach; k++) {
        weights[k] = (float)exp(-0.5 * pow(k * s->block / sigma, 2));
        sum += 2 * (double)weights[k];
    }
    s->few = (float)(FEW * sum * sum * s->block * s->block);
    TRY(penta_buffer_upload(own, weights, ((size_t)s->reach + 1) * sizeof *weights, &s->weights));
cleanup:
    free(weights);
    return status;
}

static penta_status create_wide(penta_resources *own, prepare_see *s)
{
    penta_status status = PENTA_OK;
    const prepare_shape *shape = &s->shape;
    double side = (double)prepare_shorter_side(shape), sigma = fmax(side / WIDE, LEAST_WIDE);
    size_t block, nodes;

    s->block = (int)fmin(floor(sigma / BLOCK + 0.5), MOST_BLOCK);
    s->border = (int)fmin(floor(BORDER * sigma + 0.5), floor(side / MOST_BORDER));
    block = (size_t)s->block;
    s->nodes_x = (shape->width + block - 1) / block;
    s->nodes_y = (shape->height + block - 1) / block;
    nodes = shape->batch * s->nodes_x * s->nodes_y;
    TRY(create_weights(own, sigma, s));
    TRY(penta_buffer_create(own, 2 * nodes * sizeof(float), &s->sums));
    TRY(penta_buffer_create(own, 2 * nodes * sizeof(float), &s->filled));
    TRY(penta_buffer_create(own, nodes * sizeof(float), &s->wide));
    TRY(penta_buffer_create(own, shape->batch * sizeof(float), &s->level));
cleanup:
    return status;
}

penta_status prepare_see_create(penta_resources *own, const prepare_shape *shape, prepare_see *out)
{
    penta_status status = PENTA_OK;

    *out = (prepare_see){.shape = *shape};
    TRY(create_wide(own, out));
    TRY(penta_kernels_get(own, "prepare/see.cl", "",
                          KERNELS({&out->blocks, "see_blocks"}, {&out->mean, "see_level"}, {&out->fill, "see_fill"},
                                  {&out->wide_x, "see_wide_x"}, {&out->wide_y, "see_wide_y"},
                                  {&out->along_x, "see_along_x"}, {&out->along_y, "see_along_y"})));
    TRY(penta_buffer_create(own, 2 * shape->batch * shape->width * shape->height * sizeof(float), &out->halfway));
cleanup:
    return status;
}

static penta_status average(prepare_see *s, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = batch->grey.ctx;
    int nodes_x = (int)s->nodes_x, nodes_y = (int)s->nodes_y;
    size_t items = penta_is_cpu(ctx) ? 1 : LEVEL_ITEMS;
    penta_grid frames = penta_grid_groups(penta_grid_1d(batch->count * items), items, 1, 1);
    penta_grid grid = prepare_grid(ctx, s->nodes_x, s->nodes_y, batch->count);

    TRY(penta_launch(&s->blocks, grid,
                     ARGS(&batch->grey, &batch->mask, &s->sums, (int)s->shape.width, (int)s->shape.height, nodes_x,
                          nodes_y, s->block)));
    TRY(penta_launch(&s->mean, frames, ARGS(&s->sums, nodes_x * nodes_y, &s->level)));
    TRY(penta_launch(&s->fill, grid, ARGS(&s->sums, &s->level, &s->filled, nodes_x, nodes_y, s->block)));
    TRY(penta_launch(&s->wide_x, grid, ARGS(&s->filled, &s->weights, s->reach, &s->sums, nodes_x, nodes_y)));
    TRY(penta_launch(&s->wide_y, grid, ARGS(&s->sums, &s->weights, s->reach, &s->wide, nodes_x, nodes_y, s->few)));
cleanup:
    return status;
}

penta_status prepare_see_run(prepare_see *s, prepare_batch *batch, penta_buffer *seen, penta_buffer *seen_mask)
{
    penta_status status = PENTA_OK;
    size_t width = s->shape.width, height = s->shape.height;
    penta_grid grid = prepare_grid(seen->ctx, width, height, batch->count);

    TRY(average(s, batch));
    TRY(penta_launch(&s->along_x, grid, ARGS(&batch->grey, &batch->mask, &s->halfway, (int)width, (int)height)));
    TRY(penta_launch(&s->along_y, grid,
                     ARGS(&s->halfway, &batch->mask, &s->wide, &s->level, seen, seen_mask, (int)width, (int)height,
                          (int)s->nodes_x, (int)s->nodes_y, s->block, s->border)));
cleanup:
    return status;
}
