/* Stars packed by the host, for devices without double precision: the same bits as by cl/stars/pack.cl. */
#pragma once

#include "stars/engine.h"

/* ---- wide_t of cl/stars/wide.clh: for kernels that take more digits than a float has ---- */

/* A double as the sum of two floats. */
typedef struct stars_wide {
    float high, low;
} stars_wide;

/* A buffer of wide_t that holds data: doubles, or pairs of floats where the device has no double precision. */
penta_status stars_upload_wide(penta_resources *owner, const double *data, size_t count, penta_buffer *out);

/* ---- packing ---- */

/* What a star's place and weight follow from. */
typedef struct stars_packing {
    const penta_stars_options *options;
    int roi;
    double norm, ln_base;
} stars_packing;

/* A star in the frame: the first column and row of its ROI, residuals and weight, not yet rounded. */
typedef struct stars_place {
    double column, row;
    double x, y;
    double flux, weight;
} stars_place;

stars_packing stars_packing_of(const stars_psf *psf, const penta_stars_options *o, bool moving);
stars_place stars_place_of(const stars_packing *p, const penta_stars_list *stars, size_t i);

/* A batch of stars, packed and on the device. */
typedef struct stars_host_batch {
    penta_buffer stars, cells, motion_x, motion_y; /* motions: wide_t */
    stars_packed *packed;                          /* the same on the host */
    uint32_t *cell;
    stars_wide *along_x, *along_y;
    /* Of the stars that are drawn; a star in two slabs counts in the first. */
    double flux;
    size_t drawn;
    size_t bad; /* the first star that cannot be drawn, or the batch's size */
} stars_host_batch;

/* Room for `most` stars. */
penta_status stars_host_batch_create(penta_resources *owner, size_t most, bool moving, stars_host_batch *out);
/*
 * Packs the first n stars of the list, for the slab of `rows` rows from first_row on of a frame with `width`
 * columns, and begins to send them. The list is in host memory, and not needed on return.
 */
penta_status stars_host_batch_fill(stars_host_batch *batch, const stars_packing *p, const penta_stars_list *stars,
                                   size_t n, size_t width, size_t first_row, size_t rows);
