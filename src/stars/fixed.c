/* The fixed-point engine, GPU form. Kernels and the fixed point itself: cl/stars/fixed.cl, fixed.clh. */
#include "stars/sums.h"

static penta_status create(penta_resources *owner, const stars_shape *shape, void **state)
{
    char defines[128];

    stars_psf_defines(shape->psf, shape->moving, shape->dbl, defines, sizeof defines);
    return stars_sums_create(owner, shape, "stars/fixed.cl", defines, "stars_fixed_add", "stars_fixed_store",
                             shape->width * shape->rows * sizeof(int64_t), state);
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    stars_sums *s = state;

    (void)image;
    s->scale = stars_fixed_scale(s->shape.psf, weights);
    return penta_buffer_zero(&s->sums, 0, rows * s->shape.width * sizeof(int64_t));
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    stars_sums *s = state;

    (void)image;
    return penta_launch(&s->add, stars_groups(batch->n),
                        ARGS(batch->stars, batch->motion_x, batch->motion_y, (int)batch->n, s->shape.numbers,
                             s->shape.samples, s->shape.psf->roi, (int)s->shape.width, (int)rows, s->scale, &s->sums));
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    stars_sums *s = state;

    return penta_launch(&s->store, stars_pixels(&s->shape, rows),
                        ARGS(&s->sums, (int)s->shape.width, (int)rows, 1 / s->scale, image));
}

const stars_engine stars_fixed = {.bounded = true, .create = create, .begin = begin, .draw = draw, .end = end};
