/* The engines `pixel` and `star` on CPU devices: sums of a whole slab. Kernels: cl/stars/slab_cpu.cl. */
#include <stdlib.h>

#include "stars/tiles_cpu.h"

enum {
    LANES = 8,
    MOST_COPIES = 8, /* of the slab, one for each work-item of `star` */
    /* A copy is zeroed and added up once: worth it when that is a small part of the drawing. */
    ADDITIONS_PER_PIXEL = 4,
    MOST_BYTES = 256 << 20 /* of all copies but the first */
};

typedef struct {
    stars_shape shape;
    size_t copies;
    size_t stride; /* doubles */
    penta_kernel draw, sum;
    penta_buffer sums; /* copies x rows x stride */
} slab_state;

static void destroy(void *memory)
{
    slab_state *s = memory;

    penta_kernel_release(&s->draw);
    penta_kernel_release(&s->sum);
    penta_buffer_release(&s->sums);
    free(s);
}

static penta_grid single_items(size_t n)
{
    return penta_grid_groups(penta_grid_1d(n), 1, 1, 1);
}

static size_t copy_bytes(const slab_state *s, size_t rows)
{
    return rows * s->stride * sizeof(double);
}

/* From sizes alone, so that a sum has the same bits for any number of threads. */
static size_t copies_for_stars(const slab_state *s)
{
    size_t roi = (size_t)s->shape.psf->roi, pixels = s->shape.width * s->shape.rows;
    size_t work = s->shape.batch * roi * roi / (pixels * ADDITIONS_PER_PIXEL);
    size_t fit = MOST_BYTES / copy_bytes(s, s->shape.rows) + 1, copies = work < MOST_COPIES ? work : MOST_COPIES;

    copies = copies < fit ? copies : fit;
    return copies > 1 ? copies : 1;
}

static penta_status create(penta_context *ctx, const stars_shape *shape, bool by_stars, void **state)
{
    penta_status status = PENTA_OK;
    slab_state *s = NULL;
    size_t roi = (size_t)shape->psf->roi;
    char defines[192];

    TRY(penta_calloc(ctx, 1, sizeof *s, &s));
    s->shape = *shape;
    s->stride = shape->width + roi - 1 + (roi + LANES - 1) / LANES * LANES;
    s->copies = by_stars ? copies_for_stars(s) : 1;
    stars_rows_defines(shape, false, defines, sizeof defines);
    TRY(penta_kernel_get(ctx, "stars/slab_cpu.cl", by_stars ? "stars_star_cpu" : "stars_pixel_cpu", defines, &s->draw));
    TRY(penta_kernel_get(ctx, "stars/slab_cpu.cl", "stars_slab_sum", defines, &s->sum));
    TRY(penta_buffer_create(ctx, s->copies * copy_bytes(s, shape->rows), &s->sums));
    *state = s;
    s = NULL;
cleanup:
    if (s)
        destroy(s);
    return status;
}

static penta_status create_pixel(penta_context *ctx, const stars_shape *shape, void **state)
{
    return create(ctx, shape, false, state);
}

static penta_status create_star(penta_context *ctx, const stars_shape *shape, void **state)
{
    return create(ctx, shape, true, state);
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    slab_state *s = state;

    (void)image;
    (void)weights;
    return penta_buffer_zero(&s->sums, 0, s->copies * copy_bytes(s, rows));
}

static penta_status draw_pixel(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    slab_state *s = state;

    (void)image;
    return penta_launch(&s->draw, single_items(rows),
                        ARGS(batch->stars, batch->cells, batch->motion_x, batch->motion_y, (int)batch->n,
                             s->shape.numbers, s->shape.samples, s->shape.psf->roi, (int)s->stride, &s->sums));
}

static penta_status draw_star(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    slab_state *s = state;
    int slice = (int)((batch->n + s->copies - 1) / s->copies);

    (void)image;
    return penta_launch(&s->draw, single_items(s->copies),
                        ARGS(batch->stars, batch->motion_x, batch->motion_y, (int)batch->n, slice, s->shape.numbers,
                             s->shape.samples, s->shape.psf->roi, (int)rows, (int)s->stride, &s->sums));
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    slab_state *s = state;

    return penta_launch(
        &s->sum, single_items(rows),
        ARGS(&s->sums, (int)s->copies, s->shape.psf->roi, (int)s->shape.width, (int)rows, (int)s->stride, image));
}

const stars_engine stars_pixel_cpu = {"pixel", false, create_pixel, begin, draw_pixel, end, destroy, NULL};
const stars_engine stars_star_cpu = {"star", false, create_star, begin, draw_star, end, destroy, NULL};
