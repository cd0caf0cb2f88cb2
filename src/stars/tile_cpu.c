/* The engine `tile` on CPU devices. */
#include <stdlib.h>

#include "stars/tiles_cpu.h"

static void destroy(void *memory)
{
    stars_tiles_release(memory);
    free(memory);
}

static penta_status create(penta_context *ctx, const stars_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    stars_tiles *tiles = NULL;

    TRY(penta_calloc(ctx, 1, sizeof *tiles, &tiles));
    TRY(stars_tiles_create(ctx, shape, false, tiles));
    *state = tiles;
    tiles = NULL;
cleanup:
    if (tiles)
        destroy(tiles);
    return status;
}

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    stars_tiles *tiles = state;

    (void)image;
    (void)rows;
    (void)weights;
    tiles->batches = 0;
    return PENTA_OK;
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    return stars_tiles_draw(state, image, rows, batch, 1);
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    const stars_tiles *tiles = state;
    size_t pixel = tiles->shape.dbl ? sizeof(double) : sizeof(float);

    return tiles->batches == 0 ? penta_buffer_zero(image, 0, rows * tiles->shape.width * pixel) : PENTA_OK;
}

const stars_engine stars_tile_cpu = {"tile", false, create, begin, draw, end, destroy, NULL};
