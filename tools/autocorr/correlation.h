/* State of one run of `penta autocorr`, and what it does with a batch of frames. */
#pragma once

#include <pentacl/autocorr.h>

#include "autocorr/light.h"
#include "autocorr/pictures.h"
#include "autocorr/prepared.h"
#include "shared/frames_work.h"
#include "shared/series.h"

/* Of one frame. */
typedef struct frame_result {
    penta_autocorr_result r; /* c2d, numerators and c1d are its own; NULL on rank 0 where another rank wrote them */
    double mean_ratio;
    frame_light light;
} frame_result;

typedef struct autocorr_flags {
    const char *times, *with, *mask, *recipe, *shard, *page, *channel, *hdu;
    double interval;
    int axes; /* enum penta_io_axes */
    bool numerators, keep_going, no_plots, resume;
} autocorr_flags;

/* Everything of one run. */
typedef struct correlation {
    job job;
    autocorr_flags flags;
    penta_autocorr_options options;
    frame_list list;
    series series;
    pictures pictures;
    penta_io_image with, mask; /* data NULL: none */
    uint8_t *mask_bytes;       /* of --mask, 0 and 1 */
    prepared prepared;         /* frames prepared by --recipe */
    penta_autocorr *plan;      /* of the first member */
    penta_autocorr **plans;    /* one a member, by whom they are made when first needed; plans[0] is plan */
    penta_io_image
        first; /* size and type of the frames as they are correlated, data NULL; known when there is a plan */
    size_t max_offset;
    frame_light *lights; /* of each frame of the list; dust 0 and corner 1: not correlated */
    double *mean_ratios; /* penta_autocorr_mean_ratio of each frame of the list; NaN: not correlated */
    frames_work work;    /* its lock is over pictures, too */
} correlation;

enum { CORRELATION_BATCH = 64 }; /* frames that are given to the plan at once, at most */

/* The frames_task of `penta autocorr`, but for what follows the last frame; `run` is the correlation. */
bool correlation_has_plan(const void *run);
int correlation_compute(void *run, size_t member, size_t n, frame **frames);
int correlation_accept(void *run, frame *f);
bool correlation_write_frame(void *run, frame *f, penta_io_error *err);
bool correlation_keep(void *run, frame *f, penta_io_error *err);
void correlation_free_result(void *result);
void correlation_free_plans(correlation *c);
/* The plan of a member, made when first needed for frames like the first. */
int correlation_need_plan(correlation *c, size_t member);

/* ---- packing.c: what one rank tells another ---- */

bool correlation_pack_plan(void *run, FILE *out);
int correlation_unpack_plan(void *run, const void *bytes, size_t size);
bool correlation_pack(void *run, const frame *f, FILE *out);
bool correlation_unpack(void *run, frame *f, const void *bytes, size_t size);
