/* One stage of the prepare workload with a batch of its own, for tests that fill the batch themselves. */
#pragma once

#include "prepare/stages.h"

typedef struct prepare_stage {
    prepare_settings settings;
    prepare_shape shape;
    penta_resources own; /* the batch, and the stage under test, which is stored below */
    prepare_batch batch;
    prepare_dust *dust;
    prepare_flattener *flattener;
    prepare_resampler *resampler;
    prepare_contrast *contrast;
    prepare_histogram histogram;
    size_t frames, pixels, nodes; /* pixels and nodes of one frame */
} prepare_stage;

penta_prepare_options default_prepare_options(void);

/* Grey frames of `type`; the batch is full. The running test fails on errors. */
prepare_stage *open_stage(penta_context *ctx, size_t width, size_t height, size_t frames, penta_type type,
                          const penta_prepare_options *o);
void close_stage(prepare_stage *s);

/* Fills a buffer of the batch. */
void fill(penta_context *ctx, penta_buffer *buffer, const void *data, size_t bytes);
/* Its contents, to be freed. */
void *contents(penta_context *ctx, penta_buffer *buffer, size_t bytes);

/* Fills background and level with a rough background that falls 4 : 1 from one corner to the other. Returns its nodes,
 * to be freed: frames x nodes_y x nodes_x. */
float *fill_background(penta_context *ctx, prepare_stage *s, double level);
/* B at a pixel, from the nodes of one frame: bilinear, extrapolated linearly beyond the outer nodes. */
double stage_background(const prepare_shape *shape, const float *nodes, double x, double y);
