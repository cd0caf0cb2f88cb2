/* The pixel-centric engine. Kernel: cl/stars/pixel.cl. */
#include "stars/sums.h"

static penta_status create(penta_resources *owner, const stars_shape *shape, void **state)
{
    char defines[128];

    stars_psf_defines(shape->psf, shape->moving, shape->dbl, defines, sizeof defines);
    return stars_sums_create(owner, shape, "stars/pixel.cl", defines, "stars_pixel", NULL, 0, state);
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    const stars_sums *s = state;

    (void)weights;
    return stars_zero_image(&s->shape, image, rows);
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    stars_sums *s = state;
    penta_grid grid = penta_grid_groups(penta_grid_2d(s->shape.width, rows), 16, 8, 1);

    return penta_launch(&s->add, grid,
                        ARGS(batch->stars, batch->motion_x, batch->motion_y, (int)batch->n, s->shape.numbers,
                             s->shape.samples, s->shape.psf->roi, (int)s->shape.width, (int)rows, image));
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    (void)state, (void)image, (void)rows;
    return PENTA_OK;
}

const stars_engine stars_pixel = {.create = create, .begin = begin, .draw = draw, .end = end};
