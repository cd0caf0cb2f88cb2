/* What dust.c and dust_copy.c share. */
#ifndef PENTA_PREPARE_DUST_H
#define PENTA_PREPARE_DUST_H

#include "prepare/stages.h"

/* An image that medians are taken of: repeated by two pixels beyond its edge, rows of `pitch` elements. */
typedef struct dust_padded {
    size_t width, height, pitch;
    penta_buffer image; /* float, (height + 4) x pitch a frame */
} dust_padded;

struct prepare_dust {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    bool outliers; /* looked for: the limit is not 0 */
    size_t words;  /* of a row of a plane (cl/prepare/dust_grow.cl) */
    float key_low, key_high;
    penta_kernel ratio, blocks, block_medians, differences, count, scale, planes, grow, join, disc, fill, mask;
    penta_kernel copy, unmask;
    penta_buffer at_x, at_y;  /* places of columns and rows between nodes */
    dust_padded c, means;     /* I / B; of blocks */
    penta_buffer medians;     /* float, means.height x means.pitch a frame */
    penta_buffer d[2];        /* float, height x width a frame: d1, d2 */
    penta_buffer bins;        /* uint, 10 x 512 a frame: histograms of |d1| in bands of light, of |d2|, of slopes */
    penta_buffer scales;      /* float, 9 a frame: their scales */
    penta_buffer bits;        /* uint, 6 planes of height x words a frame */
    penta_buffer grown[2];    /* uint, 2 planes a frame */
    penta_buffer dust, whole; /* uint, a plane a frame: dust before it is grown, at last all of it; grown by the disc */
    penta_buffer filled;      /* uchar, height x width a frame: 1 where that was done; of dust `copy`, `fill` */
    penta_buffer reach;       /* int, dust_grow + 1: of the disc's rows */
};

/* copy, unmask and filled. */
penta_status dust_copy_create(prepare_dust *d);

#endif
