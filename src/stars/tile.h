/* The engine `tile`, GPU form: sizes that its kernels share, and the stars sorted by place. */
#pragma once

#include "stars/engine.h"

enum {
    /* cl/stars/tile.clh */
    STARS_SEGMENT = 1024,
    STARS_SORT_ITEMS = 8,  /* of a work-group that sorts, per pixel of a tile's side */
    STARS_TILE_PIXELS = 8, /* of a work-item */
    /* cl/stars/tile_bins.cl */
    STARS_MOST_BINS_PER_TILE = 128, /* pixel of a tile's side */
    STARS_FEW_BINS = 2048
};

/* What the drawing kernels take: see cl/stars/tile.clh. lists 0: the batch as it is. */
typedef struct stars_lists {
    penta_buffer *stars, *cells, *motion_x, *motion_y, *table;
    int lists, bin_shift;
} stars_lists;

/* Sorts batches for tiles of `tile` pixels a side. */
typedef struct stars_bins {
    stars_shape shape;
    size_t group;              /* work-items that sort */
    int most_lists;            /* of a short batch */
    int few_shift, many_shift; /* sides of the bins of short and long batches: 2^shift px */
    size_t few_bins, many_bins;
    penta_kernel segments, count, columns, make_table, scatter;
    penta_buffer stars, cells, motion_x, motion_y; /* sorted */
    penta_buffer table, counts, totals;
} stars_bins;

penta_status stars_bins_create(penta_resources *owner, const stars_shape *shape, int tile, const char *defines,
                               stars_bins *bins);
/* Sorts the batch for a slab of `rows`, and sets the first two numbers of `hot` to 0. */
penta_status stars_bins_sort(stars_bins *bins, const stars_batch *batch, size_t rows, penta_buffer *hot,
                             stars_lists *out);

/* After stars_tile's `begin`: the image holds the sums of other stars already. */
void stars_tile_resume(void *state);
