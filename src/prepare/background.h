/* Shared by background.c and the files background_*.c. */
#pragma once

#include "prepare/stages.h"

enum { PREPARE_NODE_LANES = 8 }; /* the pitch of node rows is a multiple of this */

/*
 * The nodes of a plan and their values on the device: arrays of ny rows of `pitch` numbers, frame after frame. Columns
 * from nx on are padding.
 */
typedef struct prepare_nodes {
    size_t nx, ny, pitch;
    double *x, *y;       /* positions, px */
    penta_buffer mean;   /* float: v, mean of the block's unmasked pixels; 0 if it has none */
    penta_buffer weight; /* float: n, number of unmasked pixels */
    penta_buffer trend;  /* float: Q after the polynomial fit, later after the planes */
    penta_buffer level;  /* double per frame: mean of its unmasked pixels; 1 if that is not positive */
} prepare_nodes;

/* Block i of `count` along an axis of `size` pixels starts at this pixel and ends before the first of block i + 1. */
static inline size_t prepare_block_first(size_t i, size_t size, size_t count)
{
    return i * size / count;
}

/* ---- background_poly.c ---- */

/* The polynomial of degree flatten_degree through the nodes. */
typedef struct prepare_poly prepare_poly;
penta_status prepare_poly_create(penta_resources *own, const prepare_shape *shape, const prepare_nodes *nodes,
                                 prepare_poly **out);
/* Computes nodes->trend of n frames from mean, weight and level; trend is at least level / 20. */
penta_status prepare_poly_run(prepare_poly *p, size_t n, prepare_nodes *nodes);

/* ---- background_planes.c ---- */

typedef struct prepare_planes prepare_planes;
penta_status prepare_planes_create(penta_resources *own, const prepare_shape *shape, const prepare_nodes *nodes,
                                   prepare_planes **out);
/* Multiplies trend of n frames by the slow part of mean / trend; out: the result on ny x nx nodes, float. */
penta_status prepare_planes_run(prepare_planes *p, size_t n, prepare_nodes *nodes, penta_buffer *out);

/* ---- background_series.c, on the host ---- */

/* Block means divided by the frame's mean; nodes_y x nodes_x per frame, NaN where a block has too few pixels. */
typedef struct prepare_survey {
    size_t nodes, frames;
    float *means;
} prepare_survey;

/* ---- background.c ---- */

struct prepare_background {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    prepare_nodes nodes;
    prepare_poly *poly;
    prepare_planes *planes; /* NULL: polynomial only */
    penta_kernel blocks, node_rows, node_ratio, area_rows, area_mean, take, lit;
    penta_buffer rows; /* double2, frames x ny */
    penta_buffer ones; /* float, ny x pitch */
    float *area;       /* ny x nx: pixels per block */
    prepare_survey survey;
    float *illumination;   /* ny x nx, mean 1; NULL: not computed yet */
    penta_buffer lighting; /* float, ny x pitch: illumination on the device */
};

/* ---- background_fit.c ---- */

/* Computes mean and weight of the nodes. */
penta_status prepare_background_measure(prepare_background *b, prepare_batch *batch);
/* level = (sum of v n) / (sum of n by). */
penta_status prepare_background_divide(prepare_background *b, size_t count, penta_buffer *by);
/* Computes B of count frames on ny x nx nodes from mean and weight. */
penta_status prepare_background_fit(prepare_background *b, size_t count, penta_buffer *out);

/* ---- background_series.c ---- */

/* Computes B of count frames by scaling the illumination of the series. */
penta_status prepare_background_light(prepare_background *b, size_t count, penta_buffer *out);
