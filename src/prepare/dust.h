/* Shared by dust.c and dust_copy.c. */
#pragma once

#include "prepare/stages.h"

/* Input of a median filter: an image whose edge is repeated by two pixels, with rows of `pitch` elements. */
typedef struct dust_padded {
    size_t width, height, pitch;
    penta_buffer image; /* float, (height + 4) x pitch per frame */
} dust_padded;

struct prepare_dust {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    bool outliers; /* search for outliers: the limit is not 0 */
    size_t words;  /* words per row of a plane (cl/prepare/dust_grow.cl) */
    float key_low, key_high;
    penta_kernel ratio, blocks, block_medians, differences, count, scale, planes, grow, join, disc, fill, mask;
    penta_kernel copy, unmask;
    penta_buffer at_x, at_y; /* positions of columns and rows between nodes */
    dust_padded c, means;    /* I / B; means of blocks */
    penta_buffer medians;    /* float, means.height x means.pitch per frame */
    penta_buffer d[2];       /* float, height x width per frame: d1, d2 */
    penta_buffer bins;       /* uint, 10 x 512 per frame: histograms of |d1| in bands of light, of |d2|, of slopes */
    penta_buffer scales;     /* float, 9 per frame: scales of d1 in bands, of d2 */
    penta_buffer bits;       /* uint, 6 planes of height x words per frame */
    penta_buffer grown[2];   /* uint, 2 planes per frame */
    penta_buffer dust,
        whole;           /* uint, one plane per frame: dust before growth, finally all dust; dust grown by the disc */
    penta_buffer filled; /* uchar, height x width per frame: 1 where dust was filled; only for dust `copy` and `fill` */
    penta_buffer reach;  /* int, dust_grow + 1: half-widths of the disc's rows */
};

/* Grows seeds of `bits` into pixels that may be dust of the same sign. *seeds: the buffer with the result, `planes`
 * planes per frame. */
penta_status prepare_dust_grow(prepare_dust *d, size_t n, penta_buffer **seeds, int *planes);

/* ---- dust_copy.c ---- */

/* Creates copy, unmask and filled. */
penta_status dust_copy_create(prepare_dust *d);
