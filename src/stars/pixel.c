/* The pixel-centric engine. Kernel: cl/stars/pixel.cl. */
#include <stdlib.h>

#include "stars/engine.h"

typedef struct {
    penta_context *ctx;
    stars_shape shape;
    penta_kernel draw;
} pixel_state;

static void destroy(void *memory)
{
    pixel_state *s = memory;

    penta_kernel_release(&s->draw);
    free(s);
}

static penta_status create(penta_context *ctx, const stars_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    pixel_state *s = NULL;
    char defines[128];

    TRY(penta_calloc(ctx, 1, sizeof *s, &s));
    s->ctx = ctx;
    s->shape = *shape;
    stars_psf_defines(shape->psf, shape->moving, shape->dbl, defines, sizeof defines);
    TRY(penta_kernel_get(ctx, "stars/pixel.cl", "stars_pixel", defines, &s->draw));
    *state = s;
    s = NULL;
cleanup:
    if (s)
        destroy(s);
    return status;
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    pixel_state *s = state;

    (void)weights;
    return penta_buffer_zero(image, 0, rows * s->shape.width * (s->shape.dbl ? sizeof(double) : sizeof(float)));
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    pixel_state *s = state;
    penta_grid grid = penta_grid_groups(penta_grid_2d(s->shape.width, rows), 16, 8, 1);

    return penta_launch(&s->draw, grid,
                        ARGS(batch->stars, batch->motion_x, batch->motion_y, (int)batch->n, s->shape.numbers,
                             s->shape.samples, s->shape.psf->roi, (int)s->shape.width, (int)rows, image));
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    (void)state;
    (void)image;
    (void)rows;
    return PENTA_OK;
}

const stars_engine stars_pixel = {"pixel", false, create, begin, draw, end, destroy, NULL};
