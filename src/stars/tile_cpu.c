/* The engines `tile` and `fixed` on CPU devices: tiles of real sums, or of 64-bit integers. */
#include "stars/sums.h"
#include "stars/tiles_cpu.h"

enum { STORED_AT_ONCE = 1 << 14 }; /* pixels of a work-item of stars_tile_to_image */

typedef struct {
    stars_tiles tiles;
    bool fixed;         /* else what follows is unused, but for scale = 1 */
    penta_kernel store; /* makes the image of the sums */
    penta_buffer sums;  /* int64 a pixel of the largest slab */
    double scale;       /* units of the fixed point in 1 */
} tile_state;

static penta_status create(penta_resources *owner, const stars_shape *shape, bool fixed, void **state)
{
    penta_status status = PENTA_OK;
    char defines[192];
    tile_state *s;

    TRY(penta_calloc(owner, 1, sizeof *s, state));
    s = *state;
    s->fixed = fixed;
    TRY(stars_tiles_create(owner, shape, fixed, &s->tiles));
    if (fixed) {
        stars_rows_defines(shape, true, defines, sizeof defines);
        TRY(penta_kernel_get(owner, "stars/tile_cpu.cl", "stars_tile_to_image", defines, &s->store));
        TRY(penta_buffer_create(owner, shape->width * shape->rows * sizeof(int64_t), &s->sums));
    }
cleanup:
    return status;
}

static penta_status create_tile(penta_resources *owner, const stars_shape *shape, void **state)
{
    return create(owner, shape, false, state);
}

static penta_status create_fixed(penta_resources *owner, const stars_shape *shape, void **state)
{
    return create(owner, shape, true, state);
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    tile_state *s = state;

    (void)image, (void)rows;
    s->tiles.batches = 0;
    s->scale = s->fixed ? stars_fixed_scale(s->tiles.shape.psf, weights) : 1;
    return PENTA_OK;
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    tile_state *s = state;

    return stars_tiles_draw(&s->tiles, s->fixed ? &s->sums : image, rows, batch, s->scale);
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    tile_state *s = state;
    size_t pixels = rows * s->tiles.shape.width, pieces = (pixels + STORED_AT_ONCE - 1) / STORED_AT_ONCE;
    penta_grid grid = penta_grid_groups(penta_grid_1d(pieces), 1, 1, 1);

    if (s->tiles.batches == 0)
        return stars_zero_image(&s->tiles.shape, image, rows);
    if (!s->fixed)
        return PENTA_OK;
    return penta_launch(&s->store, grid, ARGS(&s->sums, 1 / s->scale, STORED_AT_ONCE, (long)pixels, image));
}

const stars_engine stars_tile_cpu = {
    .create = create_tile, .begin = begin, .draw = draw, .end = end, .few = &stars_few_cpu};
const stars_engine stars_fixed_cpu = {
    .bounded = true, .create = create_fixed, .begin = begin, .draw = draw, .end = end};
