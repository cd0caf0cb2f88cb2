/*
 * Tiles of sums on CPU devices, for the engines `tile` and `fixed`: stars are sorted into tiles of the slab, each tile
 * sums its stars in memory of its own, pixels gather from the tiles around. Kernels: cl/stars/sort_cpu.cl, tile_cpu.cl.
 */
#pragma once

#include "stars/engine.h"

/* tiling_t of cl/stars/tiling_cpu.clh. */
typedef struct {
    int32_t tiles_x, width, height;
    int32_t stride, rows;
    uint32_t inverse_width, inverse_height;
    int32_t chunk, hot;
} stars_tiling;

typedef struct stars_tiles {
    stars_shape shape;
    stars_tiling tiling;
    size_t numbers; /* of tiles of the largest slab, rounded up to whole vectors */
    size_t group;   /* rows of tiles whose sums are in memory at a time */
    bool rounds;    /* pixels are of less precision than sums */
    size_t batches; /* that the slab has got; set to 0 to begin one, which may hold anything */
    penta_kernel count, places, move, draw, combine;
    penta_buffer on_device; /* the tiling */
    penta_buffer counts, start, sorted, sorted_x, sorted_y, slots;
    penta_buffer rest; /* where it rounds: float a pixel, what was rounded off */
} stars_tiles;

/* fixed: sums are 64-bit integers. */
penta_status stars_tiles_create(penta_resources *owner, const stars_shape *shape, bool fixed, stars_tiles *tiles);
/*
 * Adds a batch to rows x width pixels: real, or with `fixed` int64 in units of 1 / scale. The first batch overwrites
 * what they held.
 */
penta_status stars_tiles_draw(stars_tiles *tiles, penta_buffer *pixels, size_t rows, const stars_batch *batch,
                              double scale);

/* Defines of the kernels that include cl/stars/rows_cpu.clh. */
void stars_rows_defines(const stars_shape *shape, bool fixed, char *text, size_t size);
