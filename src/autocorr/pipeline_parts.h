/* What the files of the pipeline share: pipeline_plan.c makes it, pipeline_upload.c fills it with frames,
 * pipeline_sums.c enqueues the sums, pipeline_results.c reads what came out. */
#pragma once

#include "autocorr/finish_host.h"
#include "autocorr/overlaps.h"
#include "autocorr/peak.h"
#include "autocorr/pipeline.h"
#include "autocorr/rings.h"
#include "autocorr/uncertainty.h"

enum { BUNDLE = 5, RING_FIELDS = 4, RING_PARTS = 64, MOST_FRAMES = 64 };
enum { SUM_N = 0, SUM_A, SUM_B, SUM_AA, SUM_BB }; /* rows of a bundle */
enum { ONES = 0, VALUES, SQUARES, HIGH_SQUARES }; /* powers of masks.cl */
enum { WHOLE = 0, HIGH, LOW };                    /* parts of a sum, estimate.clh */

typedef struct {
    penta_buffer image[2];       /* a and b as uploaded */
    penta_buffer lent[2];        /* or the caller's, where they can be used as they lie */
    penta_buffer mask, plane[2]; /* masked: mask bytes; a*m and b*m */
    penta_buffer sums, bundle, scalars, c2d, rings;
    penta_buffer pearson; /* of two images: C2D by that estimator, for the displacement */
    double *host_scalars; /* batch x AUTOCORR_SCALARS */
    /* without double precision on the device */
    double *host_bundle, *host_c2d, *host_rings;
} pipeline_slot;

struct autocorr_pipeline {
    penta_resources resources;
    penta_context *ctx;
    autocorr_settings settings;
    autocorr_shape shape;                                             /* of the main correlation */
    bool masked, on_host;                                             /* averages on the host: no double precision */
    bool averaged, needs_n, needs_sums, needs_squares, needs_moments; /* averaged: by means other than 0 */
    bool device_moments; /* the device finds the moments of frames, and not the host */
    size_t batch;
    char batch_why[120];
    autocorr_correlator *engine, *count_engine, *sum_engine, *square_engine; /* the last three: masked */
    autocorr_uncertainty *uncertainty;                                       /* NULL: not asked for */
    penta_type square_type;
    penta_kernel finish, finish_overlaps, rings, mask, mask_squares, mask_bytes, take_count, take_sum, take_square,
        whole;
    penta_port out; /* an array of the caller, for one plane */
    penta_buffer ring_start, ring_at, ring_radius;
    autocorr_ring_list ring_list;
    /* peaks are refined on circles; not of two images */
    penta_kernel circles;
    penta_buffer directions, circle_means; /* circle_means: batch x most_circles */
    double *host_directions, *host_means;
    size_t most_circles;
    peak_circles *frame_circles; /* batch */
    void *host_sums;             /* of one frame, whole plane; on_host */
    autocorr_overlaps *overlaps; /* without masks, where sums over the overlaps or moments are wanted; or NULL */
    /* masked: m in bytes, in the frames' type and in square_type; v^2 m; one correlation */
    penta_buffer bytes, ones, ones_wide, squares, masked_sums;
    pipeline_slot slots[PIPELINE_SLOTS];
    penta_autocorr_result *unjudged; /* the last that were collected */
    size_t unjudged_count;
};

static inline size_t pipeline_pixels(const autocorr_pipeline *p)
{
    return p->settings.width * p->settings.height;
}

static inline size_t pipeline_window(const autocorr_pipeline *p)
{
    return autocorr_rows(&p->shape) * autocorr_columns(&p->shape);
}

/* The image of a slot, as kernels read it. */
static inline penta_buffer *pipeline_image(pipeline_slot *slot, int which)
{
    return slot->lent[which].mem ? &slot->lent[which] : &slot->image[which];
}

/* The number of sums in the bundle. */
static inline int pipeline_rows(const autocorr_pipeline *p)
{
    return p->needs_squares ? 5 : p->needs_sums ? 3 : p->needs_n ? 1 : 0;
}

/* Uploads frame i of the slot: its images and mask, and what finishing needs to know about them. */
penta_status pipeline_upload(autocorr_pipeline *p, pipeline_slot *slot, size_t i, const autocorr_input *in);
/* Computes the sums of n frames, including those over the overlaps. */
penta_status pipeline_correlate(autocorr_pipeline *p, pipeline_slot *slot, size_t n);
/* Computes C2D and the rings of n frames on the device. */
penta_status pipeline_finish(autocorr_pipeline *p, pipeline_slot *slot, size_t n);
/* Finishes the results that were collected last: their standard errors and doubts. */
penta_status pipeline_settle(autocorr_pipeline *p);
