/*
 * Internal interface of the prepare workload.
 *
 *   prepare.c                   the plan; plan.h: its members
 *   options.c                   options, with parsing of text options
 *   look.c                      passes over a whole series before it is run
 *   run.c                       runs frames through the stages; explain.c: why a frame is not OK
 *   state.c                     the state of a series: rewind, save, load
 *   levels.c                    grey levels of dark and flat frames
 *   batch.c                     the device buffers of a batch of frames
 *   places.c                    positions of pixels between nodes
 *   load.c                      raw frames to the device: crop, grey, dark and flat
 *   background.c                B on nodes: _fit by _poly and _planes; _series and _survey for a whole series
 *   flatten.c                   F from I and B
 *   dust.c, dust_copy.c         the dust mask, filling of dust
 *   blank.c                     frames with nothing to register
 *   register.c                  drifts: _kept holds the series, _see filters frames, _turn and _fft find rough shifts,
 *                               _fine and _sums subpixel shifts, _periods alternative shifts, _moves parts
 *   rigid.c                     angle and growth from tiles; register_grow.c: rough growth
 *   drift.c                     smooths drifts, on the host
 *   resample.c                  moves the content back
 *   contrast.c, histogram.c     percentiles, output types
 *   selftest.c                  self-test with known answers
 *
 * A stage is an object with create and run over a prepare_batch. It owns its kernels and scratch buffers through the
 * resource list that it was created with. run only enqueues unless its comment says that it waits. Results do not
 * depend on the batch size: every sum over a frame has a fixed order. Some stages have a GPU form and a CPU form; both
 * agree with the reference within the bounds of docs/mathematics/prepare.md.
 */
#pragma once

#include <pentacl/prepare.h>

#include "core/core.h"

enum {
    PREPARE_NODE = 16,   /* px, approximate distance of background nodes */
    PREPARE_BINS = 4096, /* bins of a histogram */
    PREPARE_TILE = 128   /* px, side of the tiles over which registration sums */
};

/* The resolved options, with text options parsed (options.c). */
typedef struct prepare_settings {
    penta_prepare_options o;
    size_t crop_x, crop_y, crop_width, crop_height;
    bool has_key, has_contrast;
    double key[2];      /* grey levels */
    double contrast[2]; /* percentiles, 0 <= LO < HI <= 100 */
    double white;       /* grey level */
    double sigma;       /* px */
} prepare_settings;

/* Whether pixels of dust are filled and count again. */
static inline bool prepare_is_filled(const prepare_settings *s)
{
    return s->o.dust == PENTA_PREPARE_DUST_COPY || s->o.dust == PENTA_PREPARE_DUST_FILL;
}

/* Resolves and checks the options. Errors: PENTA_INVALID. */
penta_status prepare_settings_make(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                                   const penta_prepare_options *given, prepare_settings *out);

/*
 * The shape that stages are created for. Node (i, j) stands for the block of pixels x from i * width / nodes_x (rounded
 * down) to before (i + 1) * width / nodes_x, likewise y; its position is the block's middle.
 */
typedef struct prepare_shape {
    size_t in_width, in_height, channels;
    penta_type type;
    size_t width, height; /* cropped */
    size_t nodes_x, nodes_y;
    size_t batch; /* frames per batch, at most */
    const prepare_settings *settings;
} prepare_shape;

/* Frames on the device. prepare_batch_create makes all buffers for shape->batch frames, frame after frame. */
typedef struct prepare_batch {
    size_t count;            /* frames in the batch now */
    penta_buffer grey;       /* float, height x width: I; 0 where a pixel is not finite */
    penta_buffer usable;     /* uchar, height x width: 1 usable; 0 not finite, or no light in the flat frame */
    penta_buffer mask;       /* uchar, height x width: 1 unmasked; 0 dust or not usable */
    penta_buffer background; /* float, nodes_y x nodes_x: B, positive */
    penta_buffer level;      /* float: B0, the mean of B over nodes weighted by block area */
    penta_buffer flat;       /* float, height x width: F */
    penta_buffer moved;      /* float, height x width: F moved back */
    penta_buffer moved_mask; /* uchar, height x width */
    penta_buffer out;        /* height x width, output type */
    penta_buffer counts;     /* uint, 2 per frame: dust pixels; how many of them were filled */
} prepare_batch;

penta_type prepare_output_type(const prepare_shape *shape); /* options.c */
penta_status prepare_batch_create(penta_resources *own, const prepare_shape *shape, prepare_batch *out);
uint64_t prepare_batch_bytes(const prepare_shape *shape); /* bytes of one frame */

/* ---- places.c ---- */

/* Positions of `size` columns or rows between their n nodes, for cl/prepare/nodes.clh. Always release the buffer. */
penta_status prepare_places_create(penta_resources *own, size_t n, size_t size, penta_buffer *out);
/* Grid of kernels that use cl/prepare/pixels.clh. */
penta_grid prepare_grid(const penta_context *ctx, size_t width, size_t height, size_t frames);
/* Grid of work-items that each do much; on a CPU one a group, so that threads share them and a kernel is compiled once
 * for all sizes of frames. */
penta_grid prepare_rows(const penta_context *ctx, penta_grid grid);

/* The backend for an option `fft`, for penta_fft_create (register_fft.c). */
enum penta_fft_backend prepare_fft_backend(const penta_context *ctx, int option);

/* ---- 1: load.c ---- */

typedef struct prepare_loader prepare_loader;
penta_status prepare_loader_create(penta_resources *own, const prepare_shape *shape, prepare_loader **out);
penta_status prepare_loader_calibrate(prepare_loader *l, const float *dark, const float *flat);
/* Enqueues the upload of the crop of n frames. May be called while an earlier batch is processed: two raw buffers
 * alternate. */
penta_status prepare_loader_send(prepare_loader *l, size_t n, const void *const *images);
/* Converts the oldest sent frames into grey, usable and mask (equal to usable) and sets count. counts: number of
 * unusable pixels, 0. */
penta_status prepare_loader_take(prepare_loader *l, prepare_batch *batch);
/* Drops frames that were sent but not taken. */
void prepare_loader_forget(prepare_loader *l);

/* ---- 2: background.c ---- */

typedef struct prepare_background prepare_background;
penta_status prepare_background_create(penta_resources *own, const prepare_shape *shape, prepare_background **out);
/* Computes background and level from grey and mask. A block counts by its unmasked pixels; where there are none far
 * around, B is level. With flatten `none`, dust detection uses the gaussian background. */
penta_status prepare_background_run(prepare_background *b, prepare_batch *batch);
/* Adds block means of the batch, divided by each frame's mean, to the survey; reads them back. */
penta_status prepare_background_survey(prepare_background *b, prepare_batch *batch);
size_t prepare_background_surveyed(const prepare_background *b);
/* Keeps the first `frames` of the survey. */
void prepare_background_unsurvey(prepare_background *b, size_t frames);
/* The survey's illumination, nodes_y x nodes_x, computed on first use; NULL: nothing surveyed or loaded. */
penta_status prepare_background_illumination(prepare_background *b, const float **out);
penta_status prepare_background_load(prepare_background *b, const float *illumination);

/* ---- 3: dust.c, dust_copy.c ---- */

typedef struct prepare_dust prepare_dust;
penta_status prepare_dust_create(penta_resources *own, const prepare_shape *shape, prepare_dust **out);
/* Sets mask and counts from usable, grey and background. Estimates noise over the pixels that are unmasked on entry: at
 * first all usable ones, later those without dust. */
penta_status prepare_dust_run(prepare_dust *d, prepare_batch *batch);
/* Fills masked pixels of flat by copying or interpolation and unmasks them. Only for settings that fill dust. */
penta_status prepare_dust_copy(prepare_dust *d, prepare_batch *batch);

/* ---- before 4: blank.c ---- */

typedef struct prepare_blank prepare_blank;
penta_status prepare_blank_create(penta_resources *own, const prepare_shape *shape, prepare_blank **out);
/* blank[i]: frame i of the batch has nothing to register, from grey and mask. frames: the raw frames. Waits. */
penta_status prepare_blank_run(prepare_blank *b, prepare_batch *batch, const penta_prepare_frame *frames, bool *blank);

/* ---- 4: register.c, register_kept.c; their parts in register_parts.h and below ---- */

typedef struct prepare_register prepare_register;
penta_status prepare_register_create(penta_resources *own, const prepare_shape *shape, prepare_register **out);
/*
 * Finds drifts of the frames of a batch, in order, from grey and mask; skips frames with skip[i]. Waits. The first
 * frame of a series becomes the key with drift 0. drift[i].score below min_score: not found; the series continues
 * without it.
 */
penta_status prepare_register_run(prepare_register *r, prepare_batch *batch, const bool *skip, penta_drift *drift);
/* Save or load frames, key, last, key_image and last_image of the state. A failed load leaves the series unchanged. */
penta_status prepare_register_save(prepare_register *r, penta_prepare_state *state);
penta_status prepare_register_load(prepare_register *r, const penta_prepare_state *state);
/* mark remembers the series, return restores the last mark, for errors midway; rewind starts a new series. */
void prepare_register_mark(prepare_register *r);
void prepare_register_return(prepare_register *r);
void prepare_register_rewind(prepare_register *r);

/*
 * One trial of register_sums.c, for register.c and rigid.c. f and g are filtered images, float height x width, 0 where
 * masked, with their masks. Over each tile of the key f, for each shift s = (sx, sy) of 3 x 3 about the trial, the sums
 * are: n, sum f, sum g, sum f f, sum g g, sum f g, over the pixels p of the tile.
 *
 * A pixel p counts for all nine shifts or for none: f(p) must be unmasked, the 3 x 3 pixels of g at its place under the
 * middle shift must be in the frame and unmasked, and |g - a - b f| <= limit there, g interpolated at (px, py). So
 * undetected dust, which does not move, drops out as rounds narrow the limit.
 */
typedef struct prepare_trial {
    int frame;    /* index in the batch */
    float dx, dy; /* whole numbers if angle and grow are 0: no interpolation; otherwise g is interpolated linearly */
    float angle;  /* radians */
    float grow;   /* the content's growth: g is sampled at c + (1 + grow) T (p - c) + (dx, dy) */
    float px, py; /* subpixel position at which the middle is compared, by linear interpolation */
    float a, b, limit; /* limit INFINITY: no pixel is clipped */
} prepare_trial;
typedef struct prepare_sums prepare_sums;
penta_status prepare_sums_create(penta_resources *own, const prepare_shape *shape, prepare_sums **out);
/* sums: trials x tiles_y x tiles_x x 9 x 6 floats, read back. f, f_mask: one frame; g, g_mask: the batch. Waits. */
penta_status prepare_sums_run(prepare_sums *s, penta_buffer *f, penta_buffer *f_mask, penta_buffer *g,
                              penta_buffer *g_mask, size_t trials, const prepare_trial *trial, float *sums);
/* Correlation coefficients of 9 shifts from 9 x 6 sums; NaN if fewer than `least` pixels overlap or one image is
 * constant. */
void prepare_coefficients(const double *sums, double least, double *r);
/* Maximum of a quadratic fitted to the logarithm of 3 x 3 positive coefficients (or to the coefficients, if one is not
 * positive), as a shift from the middle; false if it is not within 1 px of the middle. */
bool prepare_peak(const double *r, double *sx, double *sy, double *top);
/*
 * Refines shift, growth and, if `rotate`, angle of a frame of the batch, from the shifts of its tiles. drift and *grow
 * are a start within a pixel, and the answer: the content at q from the middle of f is at (1 + *grow) T q + (dx, dy)
 * from that of g. A coarsening pattern expands, so the shift of the whole frame would average displacements that
 * differ. The score becomes the coefficient there. If too few tiles are found, only a given growth and its shift are
 * refined.
 */
penta_status prepare_rigid_run(prepare_sums *s, const prepare_shape *shape, penta_buffer *f, penta_buffer *f_mask,
                               penta_buffer *g, penta_buffer *g_mask, int frame, bool rotate, penta_drift *drift,
                               double *grow);

/* ---- 5: flatten.c ---- */

typedef struct prepare_flattener prepare_flattener;
penta_status prepare_flattener_create(penta_resources *own, const prepare_shape *shape, prepare_flattener **out);
/* Computes flat from grey, background and level. */
penta_status prepare_flattener_run(prepare_flattener *f, prepare_batch *batch);

/* ---- 6: resample.c ---- */

typedef struct prepare_resampler prepare_resampler;
penta_status prepare_resampler_create(penta_resources *own, const prepare_shape *shape, prepare_resampler **out);
/* Computes moved and moved_mask from flat and mask; drift: batch->count drifts. Not called without registration. */
penta_status prepare_resampler_run(prepare_resampler *r, prepare_batch *batch, const penta_drift *drift);

/* ---- 7: contrast.c ---- */

typedef struct prepare_contrast prepare_contrast;
penta_status prepare_contrast_create(penta_resources *own, const prepare_shape *shape, penta_type to,
                                     prepare_contrast **out);
/* Computes out from image and mask (flat and mask, or moved and moved_mask). limits: 2 per frame; given if `known`,
 * otherwise found per frame and returned (which waits), NaN without contrast. */
penta_status prepare_contrast_run(prepare_contrast *c, prepare_batch *batch, penta_buffer *image, penta_buffer *mask,
                                  bool known, double *limits);

/* ---- shared by stages: histogram.c ---- */

/*
 * Histograms of n frames: bin b of PREPARE_BINS counts unmasked pixels with b <= (value - low) / step < b + 1; the
 * first and last bin also count values below and above. range: float2 (low, step) per frame. bins: uint, cleared first.
 */
typedef struct prepare_histogram {
    penta_kernel count, quantile;
    const prepare_shape *shape;
} prepare_histogram;
penta_status prepare_histogram_create(penta_resources *own, const prepare_shape *shape, prepare_histogram *out);
penta_status prepare_histogram_run(prepare_histogram *h, size_t n, penta_buffer *image, penta_buffer *mask,
                                   penta_buffer *range, penta_buffer *bins);
/* value[i]: quantile q of the histogram of frame i of n, linear within a bin; 0 for an empty histogram. */
penta_status prepare_histogram_quantile(prepare_histogram *h, size_t n, penta_buffer *bins, penta_buffer *range,
                                        double q, penta_buffer *value);
