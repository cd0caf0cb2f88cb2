/*
 * Raw photographs of one scene to a clean, registered series: what section 3 of P. J. Lu et al., J. Real-Time Image
 * Proc. 5 (2010) 179-193 does by hand, as one plan that autocorr.h can follow.
 *
 * Conventions. A frame is height x width, row-major; x runs along a row, y down; pixel centres are at integers. Grey
 * levels keep the unit of the input. A mask is 1 where a pixel counts and 0 where it does not.
 *
 * A frame goes through these steps in this order; docs/mathematics/prepare.md has the formulas.
 *
 *   1  crop, colour to grey, dark and flat frame: I
 *   2  background B, of I over blocks of 16 px, dust left out once it is known
 *   3  dust: pixels beyond the key, or outliers of I / B, grown
 *   4  registration with the first frame, of the contrast of I with what is near, dust left out: drift
 *   5  flattened F = (white / 2) I / B (overlay: (I + white - B) / 2; none: I), so that the mean of every frame is
 *      half of white; dust copied or drawn over where that is asked for
 *   6  the content moved back by the drift
 *   7  contrast, and rounding to the output's type
 */
#ifndef PENTACL_PREPARE_H
#define PENTACL_PREPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/array.h>
#include <pentacl/context.h>
#include <pentacl/fft.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

enum penta_prepare_grey {
    PENTA_PREPARE_LUMINANCE = 0, /* (299 R + 587 G + 114 B) / 1000, not rounded */
    PENTA_PREPARE_MEAN,
    PENTA_PREPARE_RED,
    PENTA_PREPARE_GREEN,
    PENTA_PREPARE_BLUE
};

enum penta_prepare_flatten {
    PENTA_PREPARE_GAUSSIAN = 0, /* divided by a polynomial and planes under a wide Gaussian, to the very edge */
    PENTA_PREPARE_OVERLAY,      /* the paper's: the inverted blurred copy laid over at 50 % */
    PENTA_PREPARE_POLY,         /* divided by a polynomial in x and y, fitted robustly */
    PENTA_PREPARE_SERIES,       /* divided by the illumination of the whole series: penta_prepare_survey */
    PENTA_PREPARE_FLATTEN_NONE
};

enum penta_prepare_dust {
    PENTA_PREPARE_DUST_MASK = 0, /* 0 in the mask, pixels as they are */
    PENTA_PREPARE_DUST_COPY,     /* replaced by pixels a little way off, as in the paper */
    PENTA_PREPARE_DUST_NONE,
    PENTA_PREPARE_DUST_FILL /* drawn on from around it */
};

enum penta_prepare_register {
    PENTA_PREPARE_SHIFT = 0,
    PENTA_PREPARE_RIGID, /* shift and rotation */
    PENTA_PREPARE_REGISTER_NONE
};

/* Of the FFT that finds the shift to a pixel; parts of a pixel always come from normalised correlation in space. */
enum penta_prepare_correlation {
    PENTA_PREPARE_PLAIN = 0, /* right on smooth pictures, where phase correlation finds no shift */
    PENTA_PREPARE_PHASE      /* each frequency divided by its amplitude: fine detail, repetitive scenes */
};

enum penta_prepare_interpolation { PENTA_PREPARE_CUBIC = 0, PENTA_PREPARE_LINEAR, PENTA_PREPARE_NEAREST };

enum penta_prepare_contrast_of {
    PENTA_PREPARE_CONTRAST_FRAME = 0, /* each frame's own percentiles */
    PENTA_PREPARE_CONTRAST_FIRST      /* the first frame's for all */
};

enum penta_prepare_depth { PENTA_PREPARE_U16 = 0, PENTA_PREPARE_U8, PENTA_PREPARE_F32, PENTA_PREPARE_AS_INPUT };

typedef struct {
    size_t size;          /* of this struct, by penta_prepare_options_init */
    const char *crop;     /* "X,Y,W,H" in px; NULL: the whole frame */
    int grey;             /* enum penta_prepare_grey, of colour */
    double white;         /* grey level of white; 0: 255, 65535, or 1 of a floating input */
    int flatten;          /* enum penta_prepare_flatten */
    double flatten_sigma; /* px, of the Gaussian; 0: an 8th of the shorter side, at least 16 */
    int flatten_degree;   /* of the polynomial; 0: the Gaussian alone (poly: a constant); -1: 4 of poly, else 2 */
    int dust;             /* enum penta_prepare_dust */
    const char *dust_key; /* "LO,HI" grey levels of I: dust lies outside; NULL: no key */
    double dust_limit;    /* robust standard deviations beyond which a pixel of I / B is dust; 0: the key alone */
    int dust_size;        /* px, of the largest piece that the limit shall find */
    int dust_grow;        /* px, by which dust is grown */
    double dust_most;     /* share of a frame beyond which it is PENTA_PREPARED_DUST */
    int registration;     /* enum penta_prepare_register; the option's name is register */
    int correlation;      /* enum penta_prepare_correlation */
    int max_drift;        /* px, along x and along y; 0: up to three quarters of the frame */
    double max_angle;     /* degrees, of rigid */
    double min_score;     /* PENTA_PREPARED_LOST below it */
    double key_score;     /* the frame before becomes the one to compare with when the score falls below this */
    int smooth_drift;     /* frames to each side over which penta_drift_smooth is to work; 0: as measured */
    int interpolation;    /* enum penta_prepare_interpolation */
    const char *contrast; /* "LO,HI" percentiles that become black and white; NULL: levels stay */
    int contrast_of;      /* enum penta_prepare_contrast_of */
    int depth;            /* enum penta_prepare_depth, of the output. Integers span black to white */
    int fft;              /* enum penta_fft_backend */
    int batch;            /* frames at a time; 0: as many as pay and fit. Changes no result */
} penta_prepare_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_prepare_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_prepare_options_init(penta_prepare_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_prepare_option_table(), options);
}

/**
 * Whether a plan for such frames can have these options: all rules of penta_prepare_create but those of the device. opt
 * may be NULL for the defaults. width and height 0: the frames are not known yet, and the rules that need none are
 * checked. PENTA_INVALID: message (or NULL) gets one line, cut to size bytes, with options in backquotes.
 */
PENTA_API penta_status penta_prepare_check(size_t width, size_t height, size_t channels, penta_type type,
                                           const penta_prepare_options *opt, char *message, size_t size);

enum { PENTA_DRIFT_OTHERS = 8 }; /* places that are told, at most */

/**
 * Where the content of a frame lies: what is at p in the first frame is at c + T (p - c) + (dx, dy) in this one, c the
 * centre of the frame ((width - 1) / 2, (height - 1) / 2), T = [cos a, -sin a; sin a, cos a].
 */
typedef struct {
    double dx, dy; /* px */
    double angle;  /* a, degrees from x to y (clockwise as seen) */
    double score;  /* correlation coefficient with the frame it was compared with, 1 of the first; -1: no place fits
                      clearly better than others; NaN: not measured. With others: divided by 1 + others */
    size_t others; /* places that fit as well as this one: a regular pattern moved by its periods. The nearest of them
                      are looked for, and the drift is ambiguous where there are any */
    double other_dx[PENTA_DRIFT_OTHERS], other_dy[PENTA_DRIFT_OTHERS]; /* px; the nearest first */
} penta_drift;

enum penta_prepared {
    PENTA_PREPARED_OK = 0,
    PENTA_PREPARED_DUST, /* more than dust_most of the frame is dust or not a number */
    PENTA_PREPARED_LOST, /* it matches neither the frame before nor the first: score below min_score */
    PENTA_PREPARED_BLANK /* there is nothing in it to register: all its pixels are alike, dust aside */
};

/** "ok", "dust", "lost" or "blank". */
PENTA_API const char *penta_prepared_name(enum penta_prepared status);

/** One frame's input. */
typedef struct {
    const void *image;        /* in_height x in_width x channels of the plan's type; pixels not finite count as dust */
    const penta_drift *drift; /* known already: not measured, and none is compared with it; NULL: measured */
    size_t number; /* of the frame in the series that penta_prepare_look has gone over, whose drift it is given; from 0.
                      Of no effect without, or where drift is set */
} penta_prepare_frame;

/** What one frame gives. A frame that is not OK leaves the series as if it had not been, its arrays undefined. */
typedef struct {
    void *image;   /* height x width of penta_prepare_type; NULL: not wanted, the frame is only measured */
    uint8_t *mask; /* height x width; NULL: not wanted. 0: dust (mask), no content (moved in from outside) */
    enum penta_prepared status;
    penta_drift drift;
    size_t dust_pixels; /* found in the frame as it came, after growing */
    double low, high;   /* levels that became black and white; NaN without contrast */
} penta_prepare_result;

typedef struct penta_prepare penta_prepare;

/**
 * Plan for a series of frames of width x height pixels of `type` (PENTA_U8, U16, F32, F64), 1 or 3 (R, G, B) numbers
 * each. opt may be NULL. Errors: PENTA_INVALID (an option out of range or in contradiction, an empty image, a crop that
 * is not inside or under 16 x 16 px), PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD.
 * On failure *out is NULL. Without double precision drifts are within 1e-3 px of those with it.
 */
PENTA_API penta_status penta_prepare_create(penta_context *ctx, size_t width, size_t height, size_t channels,
                                            penta_type type, const penta_prepare_options *opt, penta_prepare **out);

/** Of the output, cropped. */
PENTA_API void penta_prepare_size(const penta_prepare *plan, size_t *width, size_t *height);
PENTA_API penta_type penta_prepare_type(const penta_prepare *plan);
/** The number of frames that a run handles best at a time. */
PENTA_API size_t penta_prepare_batch(const penta_prepare *plan);

/**
 * Dark and flat frame, in_height x in_width grey levels each, or NULL: I = (I - dark) m / (flat - dark), m the mean of
 * flat - dark over the crop; pixels where flat - dark is below m / 20 or not finite are dust in every frame. Before the
 * first run or survey. Errors: PENTA_INVALID (called too late, no light: m <= 0), PENTA_MEMORY, PENTA_DEVICE.
 */
PENTA_API penta_status penta_prepare_calibrate(penta_prepare *plan, const float *dark, const float *flat);

/**
 * Grey levels of a dark or flat frame of width x height pixels of `type`, 1 or 3 numbers each, by `grey` (enum
 * penta_prepare_grey) of colour: for penta_prepare_calibrate. out: height x width.
 */
PENTA_API void penta_prepare_levels(size_t width, size_t height, size_t channels, penta_type type, const void *image,
                                    int grey, float *out);

enum { PENTA_PREPARE_SURVEY = 256 }; /* frames that the illumination is estimated from, at most */

/**
 * Flatten `series`, before the first run: takes n frames into the estimate of the illumination (the median over frames
 * of their blocks, each frame divided by its mean). A long series is represented by PENTA_PREPARE_SURVEY frames spread
 * evenly. Errors: PENTA_INVALID (too many, too late, another flatten), PENTA_MEMORY, PENTA_DEVICE, PENTA_CANCELLED.
 */
PENTA_API penta_status penta_prepare_survey(penta_prepare *plan, size_t n, const void *const *images);

/* What a pass over a series is for. */
enum penta_prepare_pass { PENTA_PREPARE_PASS_ILLUMINATION = 0, PENTA_PREPARE_PASS_DRIFT };

/** "illumination" or "drift". */
PENTA_API const char *penta_prepare_pass_name(enum penta_prepare_pass pass);

/**
 * The frames of a series, for penta_prepare_look. The functions return PENTA_OK; anything else ends the look, which
 * returns it. They may read ahead: a pass goes over the frames that it was begun with, in their order, each of them
 * being read once and then released.
 */
typedef struct {
    size_t count; /* frames in the series */
    size_t most;  /* frames that may be read and not yet released at a time; 0: penta_prepare_batch */
    void *data;   /* for the functions */
    /* A pass over frames index[0] < index[1] < ... < index[n-1] begins; NULL: no need to know. index stays until its
     * last frame is released. */
    penta_status (*begin)(void *data, enum penta_prepare_pass pass, size_t n, const size_t *index);
    /* *image: the frame's pixels as in penta_prepare_frame, which stay until it is released; NULL: it cannot be used,
     * and is left out. */
    penta_status (*read)(void *data, size_t index, const void **image);
    /* The frame was read and is not needed any more; NULL: no need to know. */
    void (*release)(void *data, size_t index);
} penta_prepare_source;

/**
 * What must be known of a whole series before its first frame is run. With flatten `series`: penta_prepare_survey of at
 * most PENTA_PREPARE_SURVEY frames, spread evenly, of which 3 at least must be usable. With smooth_drift and
 * registration: the drifts of all frames are measured and smoothed (penta_drift_smooth), and frames that are run
 * afterwards get them by their number; those whose drift was not found are then PENTA_PREPARED_LOST. Otherwise nothing.
 * *measured (may be NULL): frames whose drift was found; 0 where none was to be. Smoothing over fewer than 3 changes
 * nothing; over as many frames to each side as there are it draws nearly a straight line.
 * Errors: PENTA_INVALID (after a run, too few frames for a survey), PENTA_MEMORY, PENTA_DEVICE, PENTA_CANCELLED, what a
 * function of the source returns.
 */
PENTA_API penta_status penta_prepare_look(penta_prepare *plan, const penta_prepare_source *source, size_t *measured);

/**
 * Runs the next n frames of the series, results[i] belonging to frames[i]. Whatever the pieces that a series comes in,
 * results are the same bits. Errors: PENTA_INVALID (series without a survey, a drift that is known but not finite or
 * not to be used: register `none`), PENTA_MEMORY, PENTA_DEVICE, PENTA_CANCELLED. After an error the series is where it
 * was before the call and the plan stays usable.
 */
PENTA_API penta_status penta_prepare_run(penta_prepare *plan, size_t n, const penta_prepare_frame *frames,
                                         penta_prepare_result *results);

/**
 * One line on why a frame is not OK, without its name ("its shift cannot be found: ..."), into text, with options in
 * backquotes; "" of an OK frame.
 */
PENTA_API void penta_prepare_explain(const penta_prepare *plan, const penta_prepare_result *result, char *text,
                                     size_t size);

/** Forgets the frames of the series (not calibration, survey and look): the next one is the first. */
PENTA_API void penta_prepare_rewind(penta_prepare *plan);

/* ---- going on later ---- */

/** All that a series carries from one frame to the next. */
typedef struct {
    size_t frames; /* that were OK */
    size_t width, height, nodes_x, nodes_y;
    penta_drift key, last; /* of the frame that new ones are compared with, and of the last one */
    float *key_image;      /* height x width: what registration sees of it, NaN where masked; NULL: no registration */
    float *last_image;     /* likewise of the last one; NULL: it is the same */
    float *illumination;   /* nodes_y x nodes_x, mean 1; NULL: not flatten `series` */
    double low, high;      /* contrast of the first frame; NaN: none */
    double last_grow;      /* of the last frame's content against that of the key: sizes are 1 + this of the key's */
} penta_prepare_state;

/** The state after the last run; free it with penta_prepare_state_free. Errors: PENTA_MEMORY, PENTA_DEVICE. */
PENTA_API penta_status penta_prepare_save(penta_prepare *plan, penta_prepare_state *out);
/** Makes the series of a plan of the same size and options go on from this state, with the same bits. The plan keeps
 * nothing of the struct. Errors: PENTA_INVALID (of another size, not finite), PENTA_MEMORY, PENTA_DEVICE. */
PENTA_API penta_status penta_prepare_load(penta_prepare *plan, const penta_prepare_state *state);
PENTA_API void penta_prepare_state_free(penta_prepare_state *state);

/* ---- a series whose frames several plans run, each on a device of its own ---- */

/** The smoothed drifts of penta_prepare_look, one a frame of the series; NULL: there are none. */
PENTA_API const penta_drift *penta_prepare_drifts(const penta_prepare *plan, size_t *count);
/** Gives a plan the drifts that the look of another one has found, before its first frame. Errors: PENTA_INVALID (too
 * late, known already, not finite, register `none`), PENTA_MEMORY. */
PENTA_API penta_status penta_prepare_know(penta_prepare *plan, size_t n, const penta_drift *drift);

/**
 * Smooths the drifts of n frames in place, but for their scores: at each frame the robust local straight line over
 * `frames` to each side (tricube weights, two rounds of bisquare reweighting; Cleveland 1979), the first staying at 0.
 * Drifts whose score is NaN take no part and get values between their neighbours'. frames 0 changes nothing.
 * Errors: PENTA_MEMORY.
 */
PENTA_API penta_status penta_drift_smooth(size_t n, penta_drift *drift, size_t frames);

PENTA_API void penta_prepare_destroy(penta_prepare *plan); /* NULL is fine */

PENTA_END_DECLS
#endif
