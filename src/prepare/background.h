/* What background.c, background_poly.c and background_survey.c share. */
#ifndef PENTA_PREPARE_BACKGROUND_H
#define PENTA_PREPARE_BACKGROUND_H

#include "prepare/prepare.h"

/*
 * The nodes of a plan and, on the device, what they hold: arrays of ny rows of `pitch` numbers, frame after frame,
 * those from nx on being of no node.
 */
typedef struct prepare_nodes {
    size_t nx, ny, pitch;
    double *x, *y;       /* places, px */
    penta_buffer mean;   /* float: v, of the counting pixels of the block; 0 where there is none */
    penta_buffer weight; /* float: how many they are */
    penta_buffer trend;  /* float: the polynomial Q */
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
penta_status prepare_poly_create(penta_context *ctx, const prepare_shape *shape, const prepare_nodes *nodes,
                                 prepare_poly **out);
/* nodes->trend of n frames from mean, weight and level, at least a 20th of level. */
penta_status prepare_poly_run(prepare_poly *p, size_t n, prepare_nodes *nodes);
void prepare_poly_destroy(prepare_poly *p);

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

#endif
