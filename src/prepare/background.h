/* What background.c and the files background_*.c share. */
#ifndef PENTA_PREPARE_BACKGROUND_H
#define PENTA_PREPARE_BACKGROUND_H

#include "prepare/stages.h"

enum { PREPARE_NODE_LANES = 8 }; /* the pitch of nodes is a multiple of it */

/*
 * The nodes of a plan and, on the device, what they hold: arrays of ny rows of `pitch` numbers, frame after frame,
 * those from nx on being of no node.
 */
typedef struct prepare_nodes {
    size_t nx, ny, pitch;
    double *x, *y;       /* places, px */
    penta_buffer mean;   /* float: v, of the counting pixels of the block; 0 where there is none */
    penta_buffer weight; /* float: how many they are */
    penta_buffer trend;  /* float: Q, of the polynomial, then of the planes */
    penta_buffer level;  /* double a frame: the mean of its counting pixels; 1 where that is not positive */
} prepare_nodes;

/* The pixels of a block along an axis of `size` pixels in `count` blocks: first .. end - 1. */
static inline size_t prepare_block_first(size_t i, size_t size, size_t count)
{
    return i * size / count;
}

/* ---- background_poly.c ---- */

/* The polynomial of degree flatten_degree through the nodes. */
typedef struct prepare_poly prepare_poly;
penta_status prepare_poly_create(penta_resources *own, const prepare_shape *shape, const prepare_nodes *nodes,
                                 prepare_poly **out);
/* nodes->trend of n frames from mean, weight and level, at least a 20th of level. */
penta_status prepare_poly_run(prepare_poly *p, size_t n, prepare_nodes *nodes);

/* ---- background_planes.c ---- */

typedef struct prepare_planes prepare_planes;
penta_status prepare_planes_create(penta_resources *own, const prepare_shape *shape, const prepare_nodes *nodes,
                                   prepare_planes **out);
/* trend of n frames, times the slow part of what it leaves of mean; out: the same on ny x nx nodes, float. */
penta_status prepare_planes_run(prepare_planes *p, size_t n, prepare_nodes *nodes, penta_buffer *out);

/* ---- background_survey.c, on the host ---- */

/* Blocks of frames divided by their means; nodes_y x nodes_x a frame, NaN where a block counts too little. */
typedef struct prepare_survey {
    size_t nodes, frames;
    float *means;
} prepare_survey;

/* Room for one frame more; *out is where it goes. It counts once `frames` is raised. */
penta_status prepare_survey_room(penta_context *ctx, prepare_survey *s, float **out);
/* Medians over the frames, 0 where there is none, with weight[i] = area[i] or 0. */
penta_status prepare_survey_medians(penta_context *ctx, const prepare_survey *s, const float *area, float *median,
                                    float *weight);

/* ---- background.c ---- */

struct prepare_background {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    prepare_nodes nodes;
    prepare_poly *poly;
    prepare_planes *planes; /* NULL: the polynomial alone */
    penta_kernel blocks, node_rows, node_ratio, area_rows, area_mean, take, lit;
    penta_buffer rows; /* double2, frames x ny */
    penta_buffer ones; /* float, ny x pitch */
    float *area;       /* ny x nx: pixels of the blocks */
    prepare_survey survey;
    float *illumination;   /* ny x nx, mean 1; NULL: not made yet */
    penta_buffer lighting; /* float, ny x pitch: the same */
};

/* ---- background_fit.c ---- */

/* mean and weight of the nodes. */
penta_status prepare_background_measure(prepare_background *b, prepare_batch *batch);
/* level of the nodes: sum of v n over sum of n by. */
penta_status prepare_background_divide(prepare_background *b, size_t count, penta_buffer *by);
/* B of count frames on ny x nx nodes from mean and weight. */
penta_status prepare_background_fit(prepare_background *b, size_t count, penta_buffer *out);

/* ---- background_series.c ---- */

/* B of frames from the illumination of the series. */
penta_status prepare_background_light(prepare_background *b, size_t count, penta_buffer *out);

#endif
