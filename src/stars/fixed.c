/* The fixed-point engine, GPU form. Kernels and the fixed point itself: cl/stars/fixed.cl, fixed.clh. */
#include <stdlib.h>

#include "stars/engine.h"

enum { GROUP = 128, EACH = 8 }; /* work-items and stars of a group of stars_fixed_add */

typedef struct {
    penta_context *ctx;
    stars_shape shape;
    penta_kernel add, store;
    penta_buffer sums; /* int64 a pixel of the largest slab */
    double scale;      /* units of the fixed point in 1 */
} fixed_state;

static void destroy(void *memory)
{
    fixed_state *s = memory;

    penta_kernel_release(&s->add);
    penta_kernel_release(&s->store);
    penta_buffer_release(&s->sums);
    free(s);
}

static penta_status create(penta_context *ctx, const stars_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    fixed_state *s = NULL;
    char defines[128];

    TRY(penta_calloc(ctx, 1, sizeof *s, &s));
    s->ctx = ctx;
    s->shape = *shape;
    stars_psf_defines(shape->psf, shape->moving, shape->dbl, defines, sizeof defines);
    TRY(penta_kernel_get(ctx, "stars/fixed.cl", "stars_fixed_add", defines, &s->add));
    TRY(penta_kernel_get(ctx, "stars/fixed.cl", "stars_fixed_store", defines, &s->store));
    TRY(penta_buffer_create(ctx, shape->width * shape->rows * sizeof(int64_t), &s->sums));
    *state = s;
    s = NULL;
cleanup:
    if (s)
        destroy(s);
    return status;
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    fixed_state *s = state;

    (void)image;
    s->scale = stars_fixed_scale(s->shape.psf, weights);
    return penta_buffer_zero(&s->sums, 0, rows * s->shape.width * sizeof(int64_t));
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    fixed_state *s = state;
    penta_grid grid = penta_grid_groups(penta_grid_1d((batch->n + EACH - 1) / EACH * GROUP), GROUP, 1, 1);

    (void)image;
    return penta_launch(&s->add, grid,
                        ARGS(batch->stars, batch->motion_x, batch->motion_y, (int)batch->n, s->shape.numbers,
                             s->shape.samples, s->shape.psf->roi, (int)s->shape.width, (int)rows, s->scale, &s->sums));
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    fixed_state *s = state;
    penta_grid grid = penta_grid_groups(penta_grid_2d(s->shape.width, rows), 32, 4, 1);

    return penta_launch(&s->store, grid, ARGS(&s->sums, (int)s->shape.width, (int)rows, 1 / s->scale, image));
}

const stars_engine stars_fixed = {"fixed", true, create, begin, draw, end, destroy, NULL};
