/*
 * The star-centric engine, GPU form. Kernels: cl/stars/star.cl.
 *
 * A float sum of N terms is off by up to N/2 roundings, and atomic additions leave no room for a better sum. So stars
 * are counted in cells of the size of a region of interest, and once a cell has more than MOST_IN_CELL (a pixel then at
 * most four times as many), this batch and all later ones of the slab are added in double, into sums of their own;
 * without double precision the engine `tile` draws them.
 */
#include <stdio.h>

#include "stars/sums.h"
#include "stars/tile.h"

enum {
    COUNT_GROUP = 256, /* work-items of a group of stars_star_count */
    MOST_IN_CELL = 64,
    LEAST_SIDE = 4 /* px, of a cell */
};

typedef struct {
    penta_resources *owner;
    stars_shape shape;
    char defines[128];
    penta_kernel add, count, add_crowded, merge; /* the last three in single precision only */
    penta_buffer counts, crowded, sums;          /* likewise; sums: double a pixel, made when needed */
    int side;                                    /* px, of a cell */
    size_t cells_x, cells_y;
    size_t stars; /* of this slab so far */
    bool in_double;
    void *tiles; /* the state of the engine `tile`, without double precision; NULL until needed */
    bool in_tiles;
} star_state;

static penta_status create_counts(star_state *s)
{
    penta_status status = PENTA_OK;
    int roi = s->shape.psf->roi;

    s->side = roi < LEAST_SIDE ? LEAST_SIDE : roi;
    s->cells_x = (s->shape.width + STARS_MARGIN) / (size_t)s->side + 1;
    s->cells_y = (s->shape.rows + STARS_MARGIN) / (size_t)s->side + 1;
    TRY(penta_kernel_get(s->owner, "stars/star.cl", "stars_star_count", s->defines, &s->count));
    TRY(penta_buffer_create(s->owner, s->cells_x * s->cells_y * sizeof(uint32_t), &s->counts));
    TRY(penta_buffer_create(s->owner, sizeof(uint32_t), &s->crowded));
cleanup:
    return status;
}

/* Four floats in one addition need compute capability 9: the driver of an older NVIDIA GPU refuses to build that. */
static penta_status get_add(star_state *s)
{
    penta_status status = PENTA_BUILD;
    char defines[160];

    snprintf(defines, sizeof defines, "%s -DPENTA_RED_V4", s->defines);
    if (penta_is_nvidia(s->owner->ctx) && !s->shape.dbl)
        status = penta_kernel_get(s->owner, "stars/star.cl", "stars_star_add", defines, &s->add);
    if (status == PENTA_OK)
        status = penta_kernel_ready(&s->add);
    if (status == PENTA_BUILD)
        status = penta_kernel_get(s->owner, "stars/star.cl", "stars_star_add", s->defines, &s->add);
    return status;
}

static penta_status create(penta_resources *owner, const stars_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    star_state *s;

    TRY(penta_calloc(owner, 1, sizeof *s, state));
    s = *state;
    s->owner = owner;
    s->shape = *shape;
    stars_psf_defines(shape->psf, shape->moving, shape->dbl, s->defines, sizeof s->defines);
    TRY(get_add(s));
    if (!shape->dbl)
        TRY(create_counts(s));
cleanup:
    return status;
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    penta_status status = PENTA_OK;
    star_state *s = state;

    (void)weights;
    s->stars = 0;
    s->in_double = s->in_tiles = false;
    TRY(stars_zero_image(&s->shape, image, rows));
    if (!s->shape.dbl) {
        TRY(penta_buffer_zero(&s->counts, 0, s->cells_x * s->cells_y * sizeof(uint32_t)));
        TRY(penta_buffer_zero(&s->crowded, 0, sizeof(uint32_t)));
    }
cleanup:
    return status;
}

/* ---- crowds ---- */

static penta_status is_crowded(star_state *s, const stars_batch *batch, bool *out)
{
    penta_status status = PENTA_OK;
    penta_grid grid = penta_grid_groups(penta_grid_1d(batch->n), COUNT_GROUP, 1, 1);
    uint32_t crowded = 0;

    TRY(penta_launch(
        &s->count, grid,
        ARGS(batch->cells, (int)batch->n, s->side, (int)s->cells_x, MOST_IN_CELL, &s->counts, &s->crowded)));
    if (s->stars > MOST_IN_CELL)
        TRY(penta_buffer_read(&s->crowded, 0, &crowded, sizeof crowded));
    *out = crowded != 0;
cleanup:
    return status;
}

static penta_status begin_double(star_state *s, size_t rows)
{
    penta_status status = PENTA_OK;
    char defines[160];

    snprintf(defines, sizeof defines, "%s -DSTARS_CROWDED", s->defines);
    if (!s->add_crowded.handle)
        TRY(penta_kernel_get(s->owner, "stars/star.cl", "stars_star_add", defines, &s->add_crowded));
    if (!s->merge.handle)
        TRY(penta_kernel_get(s->owner, "stars/star.cl", "stars_star_merge", defines, &s->merge));
    if (!s->sums.mem)
        TRY(penta_buffer_create(s->owner, s->shape.width * s->shape.rows * sizeof(double), &s->sums));
    TRY(penta_buffer_zero(&s->sums, 0, s->shape.width * rows * sizeof(double)));
    s->in_double = true;
cleanup:
    return status;
}

static penta_status begin_tiles(star_state *s, penta_buffer *image, size_t rows)
{
    penta_status status = PENTA_OK;

    if (!s->tiles)
        TRY(stars_tile.create(s->owner, &s->shape, &s->tiles));
    TRY(stars_tile.begin(s->tiles, image, rows, 0));
    stars_tile_resume(s->tiles);
    s->in_tiles = true;
cleanup:
    return status;
}

/* ---- drawing ---- */

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    penta_status status = PENTA_OK;
    star_state *s = state;
    bool crowded = false;

    s->stars += batch->n;
    if (!s->shape.dbl && !s->in_double && !s->in_tiles)
        TRY(is_crowded(s, batch, &crowded));
    if (crowded)
        TRY(penta_context_device(s->owner->ctx)->fp64 ? begin_double(s, rows) : begin_tiles(s, image, rows));
    if (s->in_tiles)
        return stars_tile.draw(s->tiles, image, rows, batch);
    TRY(penta_launch(s->in_double ? &s->add_crowded : &s->add, stars_groups(batch->n),
                     ARGS(batch->stars, batch->motion_x, batch->motion_y, (int)batch->n, s->shape.numbers,
                          s->shape.samples, s->shape.psf->roi, (int)s->shape.width, (int)rows,
                          s->in_double ? &s->sums : image)));
cleanup:
    return status;
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    star_state *s = state;

    if (!s->in_double)
        return PENTA_OK;
    return penta_launch(&s->merge, stars_pixels(&s->shape, rows),
                        ARGS(&s->sums, (int)s->shape.width, (int)rows, image));
}

const stars_engine stars_star = {.create = create, .begin = begin, .draw = draw, .end = end};
