/* The engines `pixel` and `star` on CPU devices: sums of a whole slab. Kernels: cl/stars/slab_cpu.cl. */
#include "stars/sums.h"
#include "stars/tiles_cpu.h"

enum {
    LANES = 8,
    MOST_COPIES = 8, /* of the slab, one for each work-item of `star` */
    /* A copy is zeroed and added up once: worth it when that is a small part of the drawing. */
    ADDITIONS_PER_PIXEL = 4,
    MOST_BYTES = 256 << 20 /* of all copies but the first */
};

static penta_grid single_items(size_t n)
{
    return penta_grid_groups(penta_grid_1d(n), 1, 1, 1);
}

/* Doubles of a row. */
static size_t stride_of(const stars_shape *shape)
{
    size_t roi = (size_t)shape->psf->roi;

    return shape->width + roi - 1 + (roi + LANES - 1) / LANES * LANES;
}

static size_t copy_bytes(const stars_shape *shape, size_t rows)
{
    return rows * stride_of(shape) * sizeof(double);
}

/* Copies of the slab that lie in `sums`. */
static size_t copies_in(const stars_sums *s)
{
    return s->sums.bytes / copy_bytes(&s->shape, s->shape.rows);
}

/* From sizes alone, so that a sum has the same bits for any number of threads. */
static size_t copies_for_stars(const stars_shape *shape)
{
    size_t roi = (size_t)shape->psf->roi, pixels = shape->width * shape->rows;
    size_t work = shape->batch * roi * roi / (pixels * ADDITIONS_PER_PIXEL);
    size_t fit = MOST_BYTES / copy_bytes(shape, shape->rows) + 1, copies = work < MOST_COPIES ? work : MOST_COPIES;

    copies = copies < fit ? copies : fit;
    return copies > 1 ? copies : 1;
}

static penta_status create(penta_resources *owner, const stars_shape *shape, const char *add, size_t copies,
                           void **state)
{
    char defines[192];

    stars_rows_defines(shape, false, defines, sizeof defines);
    return stars_sums_create(owner, shape, "stars/slab_cpu.cl", defines, add, "stars_slab_sum",
                             copies * copy_bytes(shape, shape->rows), state);
}

static penta_status create_pixel(penta_resources *owner, const stars_shape *shape, void **state)
{
    return create(owner, shape, "stars_pixel_cpu", 1, state);
}

static penta_status create_star(penta_resources *owner, const stars_shape *shape, void **state)
{
    return create(owner, shape, "stars_star_cpu", copies_for_stars(shape), state);
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    stars_sums *s = state;

    (void)image, (void)weights;
    return penta_buffer_zero(&s->sums, 0, copies_in(s) * copy_bytes(&s->shape, rows));
}

static penta_status draw_pixel(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    stars_sums *s = state;

    (void)image;
    return penta_launch(&s->add, single_items(rows),
                        ARGS(batch->stars, batch->cells, batch->motion_x, batch->motion_y, (int)batch->n,
                             s->shape.numbers, s->shape.samples, s->shape.psf->roi, (int)stride_of(&s->shape),
                             &s->sums));
}

static penta_status draw_star(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    stars_sums *s = state;
    size_t copies = copies_in(s);
    int slice = (int)((batch->n + copies - 1) / copies);

    (void)image;
    return penta_launch(&s->add, single_items(copies),
                        ARGS(batch->stars, batch->motion_x, batch->motion_y, (int)batch->n, slice, s->shape.numbers,
                             s->shape.samples, s->shape.psf->roi, (int)rows, (int)stride_of(&s->shape), &s->sums));
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    stars_sums *s = state;

    return penta_launch(&s->store, single_items(rows),
                        ARGS(&s->sums, (int)copies_in(s), s->shape.psf->roi, (int)s->shape.width, (int)rows,
                             (int)stride_of(&s->shape), image));
}

const stars_engine stars_pixel_cpu = {.create = create_pixel, .begin = begin, .draw = draw_pixel, .end = end};
const stars_engine stars_star_cpu = {.create = create_star, .begin = begin, .draw = draw_star, .end = end};
