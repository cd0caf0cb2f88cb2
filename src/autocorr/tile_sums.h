/* The tiles of a binned image, and what each of them adds to the rings of C1D. */
#pragma once

#include "autocorr/rings.h"

enum { MOST_OFFSET = 28, TILES_WANTED = 16 }; /* no more than these */

/* The binned image of one frame and its tiles. */
typedef struct {
    int factor, columns, lines, max_offset, y0, rows, stride, pitch, /* rows, stride: rounded up, as stored */
        tiles_x, tiles_y;
} tile_layout;

/* The sums over rings that the bootstrap draws from. */
typedef struct {
    size_t bins;
    double *sum, *weight, *divisor, *mean_r; /* tiles x bins, tiles x bins, bins, bins */
    int64_t *count;
} ring_sums;

static inline size_t tile_count(const tile_layout *t)
{
    return (size_t)(t->tiles_x * t->tiles_y);
}

penta_status autocorr_tile_sums_create(const tile_layout *t, ring_sums *r);
void autocorr_tile_sums_free(ring_sums *r);
/* products, weights: of the tiles at every offset. weights NULL: the pairs of the unmasked image. */
void autocorr_tile_sums_add(const tile_layout *t, const autocorr_ring_list *rings, const float *products,
                            const float *weights, ring_sums *r);
