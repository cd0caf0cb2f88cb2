/*
 * Conditioning of cardiac optical-mapping movies, after Pingfan Meng, thesis, University of
 * California San Diego (2011; in short: P. Meng et al., Proc. IEEE EMBC 2012), chapters 3 and 5: normalisation,
 * interpolation in time, the phase-shifted spatial filter and a median in time. beats.h measures activation on the
 * result, rotors.h its phase.
 *
 * A movie is frames x height x width, x runs along a row, y down. With N frames and interpolation by L every pixel's
 * trace v has N samples and its interpolated trace y has L N, y[L n] = v[n].
 *
 *   1  v = -(F - F0) / F0, F0 the mean over the baseline; polarity up: without the sign. With drift less D - D0, D the
 *      polynomial of that degree in time with the least sum of w (v - D)^2, w = 0.01 where v > D and 1 elsewhere, which
 *      follows diastole; D0 its mean over the baseline. A pixel is valid when it is not masked, F0 is not 0 and not
 *      below min_intensity, max v - min v > min_range and max v > min_value; others take part in nothing.
 *
 *   2  y = v at L times its rate, by the least-squares low-pass interpolation that the field knows as `interp`; past
 *      its ends v goes on by odd reflection about its first and last sample.
 *
 *   3  For a valid pixel p and each valid neighbour q in the window t0(p,q) is the lag tau in -(LN-1) .. LN-1 of the
 *      largest c[tau] = sum_n y_p[n] y_q[n + tau], y being 0 outside; of equal ones, and those within 1e-12 of what
 * equal traces give, which rounding cannot tell apart, the first in the order 0, 1, .., -2, -1. Phase correlation: c is
 * the inverse transform of C of length Z, the next power of two of 2LN - 1; C(k) = conj(Y_p) Y_q / |Y_p Y_q| for |k| <=
 * Z / (2L), Y the transforms of y padded with zeros, and 0 elsewhere and where Y_p Y_q = 0. out_p[n] = sum_q g_q y_q[L
 * n + t0(p,q)], g the Gaussian of the window, y going on past its ends as `tails` says.
 *
 *   4  A median of `median` samples in time, at the output's rate; the mean of the middle two of an even number.
 */
#ifndef PENTACL_OPTMAP_H
#define PENTACL_OPTMAP_H

#include <stdbool.h>
#include <stdint.h>

#include <pentacl/array.h>
#include <pentacl/context.h>
#include <pentacl/fft.h>
#include <pentacl/group.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

enum penta_optmap_engine {
    PENTA_OPTMAP_FAST = 0, /* the same shifts as `literal` from far less work */
    PENTA_OPTMAP_LITERAL   /* every step as the thesis has it, by batched FFTs of the interpolated traces */
};

enum penta_optmap_polarity {
    PENTA_OPTMAP_DOWN = 0, /* the signal drops on depolarisation: voltage dyes */
    PENTA_OPTMAP_UP        /* it rises: calcium dyes */
};

enum penta_optmap_correlation {
    PENTA_OPTMAP_PLAIN = 0, /* as above */
    PENTA_OPTMAP_PHASE      /* the thesis's eq. 3.3: each frequency up to the camera's Nyquist frequency divided by its
                               amplitude, the others left out; literal only */
};

/* y beyond its ends, for the filter. */
enum penta_optmap_tails {
    PENTA_OPTMAP_TAILS_ODD = 0, /* reflected about its first and last sample: y[-k] = 2 y[0] - y[k] */
    PENTA_OPTMAP_TAILS_HOLD,    /* its first or last sample */
    PENTA_OPTMAP_TAILS_ZERO
};

/* A neighbour that lies in the frame and is not valid. */
enum penta_optmap_invalid {
    PENTA_OPTMAP_RENORMALISE = 0, /* the weights of the others are divided by their sum */
    PENTA_OPTMAP_ZERO             /* counts as 0, the weights of the others stay */
};

enum penta_optmap_border {
    PENTA_OPTMAP_FULL = 0, /* only pixels whose whole window lies in the frame have a result */
    PENTA_OPTMAP_SHRINK    /* every valid pixel has: weights renormalised over what lies in the frame */
};

enum penta_optmap_edges {
    PENTA_OPTMAP_PAD = 0, /* zeros beyond the ends, as medfilt1 has it */
    PENTA_OPTMAP_TRUNCATE /* the median of what there is */
};

/* Of `drift`, instead of a degree. */
enum {
    PENTA_OPTMAP_DRIFT_AUTO = -2, /* that of penta_survey (survey.h), of each movie */
    PENTA_OPTMAP_DRIFT_NONE = -1
};

enum penta_optmap_output {
    PENTA_OPTMAP_CAMERA = 0,  /* N samples */
    PENTA_OPTMAP_INTERPOLATED /* L N: out_p[n] = sum_q g_q y_q[n + t0(p,q)], and the median over neighbours there */
};

typedef struct {
    size_t size;           /* of this struct, by penta_optmap_options_init */
    int engine;            /* enum penta_optmap_engine */
    int interp;            /* L; 1: no interpolation */
    int taps;              /* of the interpolation filter, odd; 0: 8 L + 1 */
    int window;            /* px, odd: the side of the square of neighbours */
    double sigma;          /* px, of the Gaussian */
    int median;            /* samples; 0 or 1: none. An even window takes one more sample before than after */
    int median_edges;      /* enum penta_optmap_edges */
    int polarity;          /* enum penta_optmap_polarity */
    const char *baseline;  /* "A:B": F0 is the mean of frames A .. B-1; NULL: of all */
    double min_intensity;  /* of F0, with a second camera of the quotient; 0: off */
    double min_range;      /* of v */
    const char *min_value; /* a number; NULL: off */
    int drift;             /* degree of the polynomial in time that is taken off v, or PENTA_OPTMAP_DRIFT_... */
    int correlation;       /* enum penta_optmap_correlation */
    int max_lag;           /* interpolated samples; -1: any */
    bool demean;           /* correlate v less its mean over time */
    int tails;             /* enum penta_optmap_tails */
    int invalid;           /* enum penta_optmap_invalid */
    int border;            /* enum penta_optmap_border */
    int output;            /* enum penta_optmap_output */
    int fft;               /* enum penta_fft_backend, of the literal engine and GPUs */
    int elements;          /* literal: samples that a work-item of the search for t0 looks at: 2, 4, .. 128 */
    int batch;             /* rows of pixels at a time; 0: as many as the device's memory takes. Changes no result */
} penta_optmap_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_optmap_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_optmap_options_init(penta_optmap_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_optmap_option_table(), options);
}
/** thesis. `mask` is a flag of the command. */
PENTA_API const penta_preset *penta_optmap_presets(void);

/* A movie in host memory. */
typedef struct {
    penta_type type;           /* not PENTA_I64 */
    const void *const *frames; /* each height x width elements */
    const void *const *under;  /* of a second camera, by which the first is divided before all else; or NULL */
    const uint8_t *mask;       /* height x width: pixels with 0 are not valid; NULL: all may be */
} penta_movie;

/* What a run gives; NULL members are not wanted. */
typedef struct {
    float *filtered; /* out frames x height x width; NaN where there is no result. Error of the largest |v|: 1e-5 */
    float *traces;   /* frames x height x width: v (less drift); NaN where not valid */
    int32_t *shifts; /* height x width x window^2, interpolated samples: t0 of neighbours (dy, dx) from (-r, -r), dx
                        fastest; positive: the neighbour lags; INT32_MIN where there is none */
    uint8_t *valid;  /* height x width: 1 valid */
    size_t valid_pixels, batches;
} penta_optmap_result;

typedef struct penta_optmap penta_optmap;

/**
 * Every rule of the options, and of movies of this shape (all 0: not known yet). opt may be NULL. On failure returns
 * PENTA_INVALID and writes one line, which names options in backquotes, into message (which may be NULL).
 */
PENTA_API penta_status penta_optmap_check(size_t width, size_t height, size_t frames, const penta_optmap_options *opt,
                                          char *message, size_t size);

/**
 * Plan for movies of width x height pixels and `frames` frames. opt may be NULL. Errors: PENTA_INVALID (what
 * penta_optmap_check refuses), PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD. On failure *out is NULL. Without double
 * precision the traces are made on the host's cores, and shifts that floats leave open are decided there.
 */
PENTA_API penta_status penta_optmap_create(penta_context *ctx, size_t width, size_t height, size_t frames,
                                           const penta_optmap_options *opt, penta_optmap **out);

/**
 * Conditions a movie, by bands of rows that fit the device; the result is the same bits whatever the bands. Reports
 * progress. Errors: PENTA_INVALID (a number that is not finite, by frame and pixel from 0; no valid pixel),
 * PENTA_MEMORY, PENTA_DEVICE, PENTA_CANCELLED. After a failure the plan can be used again.
 */
PENTA_API penta_status penta_optmap_run(penta_optmap *plan, const penta_movie *movie, penta_optmap_result *result);

/** The degree of the drift (PENTA_OPTMAP_DRIFT_NONE: none) of the runs from now on, whatever the plan was made with:
 * for those who have surveyed the movie themselves. PENTA_INVALID: a degree beyond 9 or the frames. */
PENTA_API penta_status penta_optmap_set_drift(penta_optmap *plan, int degree);

/** Frames of the result's `filtered`. */
PENTA_API size_t penta_optmap_frames(const penta_optmap *plan);
PENTA_API const char *penta_optmap_engine_name(const penta_optmap *plan); /* "fast" or "literal" */
PENTA_API void penta_optmap_destroy(penta_optmap *plan);                  /* NULL is fine */

PENTA_END_DECLS
#endif
