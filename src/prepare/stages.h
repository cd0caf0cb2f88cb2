/*
 * Inside the prepare workload.
 *
 *   prepare.c                   the plan; plan.h: what is in it
 *   options.c                   its options, text options included
 *   look.c                      what must be known of a whole series first
 *   run.c                       frames through the stages; explain.c: why one is not OK
 *   state.c                     what a series carries: rewind, save, load
 *   levels.c                    grey levels of dark and flat frames
 *   batch.c                     the device buffers of a batch of frames
 *   places.c                    where pixels lie between nodes
 *   load.c                      raw frames to the device, crop, grey, dark and flat
 *   background.c                B on nodes: _fit by _poly and _planes, _series and _survey find one for a series
 *   flatten.c                   F from I and B
 *   dust.c, dust_copy.c         the mask, copies
 *   blank.c                     frames in which there is nothing to register
 *   register.c                  drifts: _kept has the series, _see what is compared, _turn and _fft the angle and the
 *                               shift roughly, _fine and _sums parts of a pixel, _periods places that fit as well
 *   rigid.c                     angle and growth, by tiles; register_grow.c: growth, roughly
 *   drift.c                     drifts smoothed, on the host
 *   resample.c                  the content moved back
 *   contrast.c, histogram.c     percentiles, output types
 *   selftest.c                  known answers
 *
 * A stage is an object with create and run over a prepare_batch; it keeps its kernels and scratch buffers, and all of
 * it belongs to the list of resources that it was created with. run only enqueues unless it says otherwise. Results do
 * not depend on how frames are batched: every sum over a frame has an order of its own. Stages have GPU and CPU forms
 * where it pays; both give what the reference gives, within the bounds of docs/workloads/prepare.md.
 */
#ifndef PENTA_PREPARE_STAGES_H
#define PENTA_PREPARE_STAGES_H

#include <pentacl/prepare.h>

#include "core/core.h"

enum {
    PREPARE_NODE = 16,   /* px: nodes of the background are about so far apart */
    PREPARE_BINS = 4096, /* of histograms */
    PREPARE_TILE = 128   /* px: side of the tiles over which registration sums */
};

/* What the options say in text (options.c). */
typedef struct prepare_settings {
    penta_prepare_options o;
    size_t crop_x, crop_y, crop_width, crop_height;
    bool has_key, has_contrast;
    double key[2];      /* grey levels */
    double contrast[2]; /* percentiles, 0 <= LO < HI <= 100 */
    double white;       /* grey level */
    double sigma;       /* px */
} prepare_settings;

/* Pixels of dust are given values and count again. */
static inline bool prepare_is_filled(const prepare_settings *s)
{
    return s->o.dust == PENTA_PREPARE_DUST_COPY || s->o.dust == PENTA_PREPARE_DUST_FILL;
}

/* Resolves and checks. Errors: PENTA_INVALID. */
penta_status prepare_settings_make(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                                   const penta_prepare_options *given, prepare_settings *out);

/*
 * What stages are made for. Node (i, j) stands for the block of pixels x from i * width / nodes_x (rounded down) to
 * before (i + 1) * width / nodes_x, likewise y; its place is the block's middle.
 */
typedef struct prepare_shape {
    size_t in_width, in_height, channels;
    penta_type type;
    size_t width, height; /* cropped */
    size_t nodes_x, nodes_y;
    size_t batch; /* frames at a time, at most */
    const prepare_settings *settings;
} prepare_shape;

/* Frames on the device; all buffers are made by prepare_batch_create for shape->batch frames, frame after frame. */
typedef struct prepare_batch {
    size_t count;            /* frames in it now */
    penta_buffer grey;       /* float, height x width: I; 0 where a pixel is not finite */
    penta_buffer usable;     /* uchar, height x width: 1; 0 not finite, or no light in the flat frame */
    penta_buffer mask;       /* uchar, height x width: 1 counts; 0 dust, or not usable */
    penta_buffer background; /* float, nodes_y x nodes_x: B, positive */
    penta_buffer level;      /* float: B0, the mean of B over pixels, each node by the area of its block */
    penta_buffer flat;       /* float, height x width: F */
    penta_buffer moved;      /* float, height x width: F moved back */
    penta_buffer moved_mask; /* uchar, height x width */
    penta_buffer out;        /* height x width of the output's type */
    penta_buffer counts;     /* uint, 2: dust pixels of the frame; how many of them a copy filled */
} prepare_batch;

penta_type prepare_output_type(const prepare_shape *shape); /* options.c */
penta_status prepare_batch_create(penta_resources *own, const prepare_shape *shape, prepare_batch *out);
uint64_t prepare_batch_bytes(const prepare_shape *shape); /* of one frame */

/* ---- places.c ---- */

/* For cl/prepare/nodes.clh: where `size` columns or rows lie between their n nodes. Release the buffer in any case. */
penta_status prepare_places_create(penta_resources *own, size_t n, size_t size, penta_buffer *out);
/* Of kernels by cl/prepare/pixels.clh. */
penta_grid prepare_grid(const penta_context *ctx, size_t width, size_t height, size_t frames);

/* ---- 1: load.c ---- */

typedef struct prepare_loader prepare_loader;
penta_status prepare_loader_create(penta_resources *own, const prepare_shape *shape, prepare_loader **out);
penta_status prepare_loader_calibrate(prepare_loader *l, const float *dark, const float *flat);
/* Enqueues the upload of n frames (of their crop, penta_buffer_write_rows); they may follow while an earlier batch is
 * worked on: two raw buffers take turns. */
penta_status prepare_loader_send(prepare_loader *l, size_t n, const void *const *images);
/* The frames sent longest ago into grey, usable, mask (the same) and count; counts: pixels that are not usable, 0. */
penta_status prepare_loader_take(prepare_loader *l, prepare_batch *batch);
/* Frames that were sent and not taken will not be. */
void prepare_loader_forget(prepare_loader *l);

/* ---- 2: background.c ---- */

typedef struct prepare_background prepare_background;
penta_status prepare_background_create(penta_resources *own, const prepare_shape *shape, prepare_background **out);
/* background and level from grey and mask. A block counts by its pixels; where nothing counts far around, B is level.
 * Flatten `none`, where dust is looked for by it, is as gaussian. */
penta_status prepare_background_run(prepare_background *b, prepare_batch *batch);
/* Means of the blocks of batch, divided by each frame's mean, into the survey; reads them back. */
penta_status prepare_background_survey(prepare_background *b, prepare_batch *batch);
size_t prepare_background_surveyed(const prepare_background *b);
/* Keeps the first `frames` of the survey. */
void prepare_background_unsurvey(prepare_background *b, size_t frames);
/* The survey's illumination, nodes_y x nodes_x, made when first asked for; NULL: nothing surveyed or loaded. */
penta_status prepare_background_illumination(prepare_background *b, const float **out);
penta_status prepare_background_load(prepare_background *b, const float *illumination);

/* ---- 3: dust.c, dust_copy.c ---- */

typedef struct prepare_dust prepare_dust;
penta_status prepare_dust_create(penta_resources *own, const prepare_shape *shape, prepare_dust **out);
/* Sets mask and counts from usable, grey and background. Noise is estimated over the pixels that count by mask when
 * this is called: first all usable ones, later the ones without dust. */
penta_status prepare_dust_run(prepare_dust *d, prepare_batch *batch);
/* Replaces masked pixels of flat by copies, or extrapolates from the pixels around them; filled pixels count again in
 * mask. Only for settings that fill dust. */
penta_status prepare_dust_copy(prepare_dust *d, prepare_batch *batch);

/* ---- before 4: blank.c ---- */

typedef struct prepare_blank prepare_blank;
penta_status prepare_blank_create(penta_resources *own, const prepare_shape *shape, prepare_blank **out);
/* blank[i]: there is nothing to register in frame i of the batch, from grey and mask. frames: as they came. Waits. */
penta_status prepare_blank_run(prepare_blank *b, prepare_batch *batch, const penta_prepare_frame *frames, bool *blank);

/* ---- 4: register.c, register_kept.c; their parts in register_parts.h and below ---- */

typedef struct prepare_register prepare_register;
penta_status prepare_register_create(penta_resources *own, const prepare_shape *shape, prepare_register **out);
/*
 * Drifts of the frames of a batch, in order, those with skip[i] left out and as they are; from grey and mask. Waits.
 * The first frame ever becomes the key with drift 0. drift[i].score below min_score: not found, and the series goes on
 * without.
 */
penta_status prepare_register_run(prepare_register *r, prepare_batch *batch, const bool *skip, penta_drift *drift);
/* frames, key, last, key_image, last_image of the state. When it cannot be loaded the series stays as it was. */
penta_status prepare_register_save(prepare_register *r, penta_prepare_state *state);
penta_status prepare_register_load(prepare_register *r, const penta_prepare_state *state);
/* The series as it is now; return goes back to the last mark (a rewind is before any frame): for errors midway. */
void prepare_register_mark(prepare_register *r);
void prepare_register_return(prepare_register *r);
void prepare_register_rewind(prepare_register *r);

/*
 * Of register_sums.c, for register.c and rigid.c: `see` is what registration sees, float height x width, 0 where
 * masked, with its mask. Over the tiles of the key f, for a trial and each shift s = (sx, sy) of 3 x 3 about it: n,
 * sum f, sum g, sum f f, sum g g, sum f g, over the pixels p of the tile with f(p) unmasked and g(where p + s is in the
 * frame) unmasked. A pixel p counts for all nine shifts or for none of them: by its place under the middle one it must
 * be unmasked 3 x 3 about, in the frame, and |g - a - b f| <= limit there (g between its whole places by (px, py)).
 * So dust that was not found, which is still where it was, drops out: rounds of a run narrow the limit.
 */
typedef struct prepare_trial {
    int frame;         /* in the batch */
    float dx, dy;      /* whole numbers where angle and grow are 0: then nothing is interpolated; else g is, linearly */
    float angle;       /* radians */
    float grow;        /* the content's growth: g is looked at in c + (1 + grow) T (p - c) + (dx, dy) */
    float px, py;      /* parts of a pixel at which the middle is compared, linearly interpolated */
    float a, b, limit; /* limit INFINITY: all count */
} prepare_trial;
typedef struct prepare_sums prepare_sums;
penta_status prepare_sums_create(penta_resources *own, const prepare_shape *shape, prepare_sums **out);
/* sums: trials x tiles_y x tiles_x x 9 x 6 floats, read back. f, f_mask: one frame; g, g_mask: the batch. Waits. */
penta_status prepare_sums_run(prepare_sums *s, penta_buffer *f, penta_buffer *f_mask, penta_buffer *g,
                              penta_buffer *g_mask, size_t trials, const prepare_trial *trial, float *sums);
/* Correlation coefficients of 9 shifts from 9 x 6 sums; NaN where under `least` pixels overlap or one is constant. */
void prepare_coefficients(const double *sums, double least, double *r);
/* The maximum of a quadratic in the logarithm of 3 x 3 positive coefficients (of themselves where one is not), as the
 * shift from the middle; false where it is not within 1 px of the middle. */
bool prepare_peak(const double *r, double *sx, double *sy, double *top);
/*
 * Shift, growth and, where `rotate`, angle of a frame of the batch, from the shifts of its tiles; drift, *grow: a start
 * within a pixel, and the answer. A coarsening pattern expands, by which the shift of the whole frame would be a mean
 * over displacements that differ: what is at q from the middle of f is at (1 + *grow) T q + (dx, dy) from that of g.
 * The score becomes the coefficient there. Where too few tiles are found nothing changes, but for a growth
 * that was given and its shift.
 */
penta_status prepare_rigid_run(prepare_sums *s, const prepare_shape *shape, penta_buffer *f, penta_buffer *f_mask,
                               penta_buffer *g, penta_buffer *g_mask, int frame, bool rotate, penta_drift *drift,
                               double *grow);

/* ---- 5: flatten.c ---- */

typedef struct prepare_flattener prepare_flattener;
penta_status prepare_flattener_create(penta_resources *own, const prepare_shape *shape, prepare_flattener **out);
/* flat from grey, background, level. */
penta_status prepare_flattener_run(prepare_flattener *f, prepare_batch *batch);

/* ---- 6: resample.c ---- */

typedef struct prepare_resampler prepare_resampler;
penta_status prepare_resampler_create(penta_resources *own, const prepare_shape *shape, prepare_resampler **out);
/* moved and moved_mask from flat and mask; drift: batch->count ones. Not called where nothing is registered. */
penta_status prepare_resampler_run(prepare_resampler *r, prepare_batch *batch, const penta_drift *drift);

/* ---- 7: contrast.c ---- */

typedef struct prepare_contrast prepare_contrast;
penta_status prepare_contrast_create(penta_resources *own, const prepare_shape *shape, penta_type to,
                                     prepare_contrast **out);
/* out from image and mask (flat and mask, or moved and moved_mask). limits: 2 a frame; given where `known`, else those
 * of each frame are found and returned (which waits), NaN without contrast. */
penta_status prepare_contrast_run(prepare_contrast *c, prepare_batch *batch, penta_buffer *image, penta_buffer *mask,
                                  bool known, double *limits);

/* ---- of several stages: histogram.c ---- */

/*
 * Histograms of n frames: bin b of PREPARE_BINS counts unmasked pixels with b <= (value - low) / step < b + 1, those
 * below and above going to the first and the last. range: float2 (low, step) a frame. bins: uint, cleared by this.
 */
typedef struct prepare_histogram {
    penta_kernel count, quantile;
    const prepare_shape *shape;
} prepare_histogram;
penta_status prepare_histogram_create(penta_resources *own, const prepare_shape *shape, prepare_histogram *out);
penta_status prepare_histogram_run(prepare_histogram *h, size_t n, penta_buffer *image, penta_buffer *mask,
                                   penta_buffer *range, penta_buffer *bins);
/* value[i] of n frames: the quantile q of its histogram, linear within a bin; 0 for an empty histogram. */
penta_status prepare_histogram_quantile(prepare_histogram *h, size_t n, penta_buffer *bins, penta_buffer *range,
                                        double q, penta_buffer *value);

#endif
