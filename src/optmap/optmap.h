/*
 * Internal interface of the optmap workload.
 *
 *   plan*.c       the plan: options, bands of rows, copying of results
 *   design.c      the interpolation filter and the Gaussian, on the host
 *   traces*.c     a band of the movie on the device: pixels' traces, normalised, valid or not
 *   fast*.c       engine `fast`: t0 from correlations at the camera's rate (fast_shifts*.c), then shift, Gaussian and
 *                 median in one kernel (fast_filter*.c)
 *   literal*.c    engine `literal`: the thesis's steps
 *   beats*.c, velocity.c, average.c     beats.h
 *   phase.c, singularities.c, tracks.c, frequency.c   rotors.h
 */
#pragma once

#include <pentacl/optmap.h>

#include "core/core.h"

enum { OPTMAP_UNIT = 64 }; /* pitches of traces are multiples of this */

/* ---- filters (design.c) ---- */

/*
 * The interpolation filter: phase m (0 .. interp-1) of y[L n + m] = sum_k w[m][k] v[n + first + k], k = 0 .. length-1.
 * Phase 0 is v itself. From b (taps): w[m] are the taps at distances from a sample that fit, by the least-squares
 * design Phi w = g, Phi_ij = sinc(alpha (i - j)), g_i = sinc(alpha (i - m/L)), over the samples i with |L i - m| <=
 * (taps - 1) / 2, alpha = 0.5. With 8 L + 1 taps these are the 8 samples n-3 .. n+4.
 */
typedef struct optmap_filter {
    int interp, taps;
    int first, length; /* samples n + first .. n + first + length - 1 */
    double *b;         /* taps numbers: b[(taps - 1) / 2 + m - L i] = weight of sample n + i for phase m */
    double *weights;   /* interp x length: w */
} optmap_filter;

/* Checks that such filters exist. */
penta_status optmap_filter_check(penta_context *ctx, int interp, int taps);
penta_status optmap_filter_design(penta_context *ctx, int interp, int taps, optmap_filter *out);
void optmap_filter_free(optmap_filter *filter);
/* Makes the Gaussian, window x window, sum 1. */
void optmap_gaussian(int window, double sigma, double *out);

/* ---- traces (traces.c) ---- */

/* The shape that engines are made for. A band has `halo` rows above and below those with results, fewer at the frame's
 * edges. */
typedef struct optmap_shape {
    size_t width, height, frames; /* size of the movie */
    size_t rows;                  /* most rows of a band, halos included */
    size_t pitch;                 /* elements of a trace on the device: frames rounded up to OPTMAP_UNIT */
    const penta_optmap_options *options;
    const optmap_filter *filter;
    const double *gaussian; /* window x window */
} optmap_shape;

/* A band: rows first .. first + rows - 1 of the movie. Trace of pixel p = (row - first) * width + x at p * pitch;
 * elements from `frames` on are 0, and so are traces that are not valid. */
typedef struct optmap_traces {
    size_t first, rows;
    size_t from, to;     /* rows of the movie that have results: first <= from < to <= first + rows */
    penta_buffer v, low; /* float each: v rounded, and the rest; v + low has 48 bits */
    penta_buffer mean;   /* per pixel: mean of v + low over time (0 if demean is off); a double, or two floats */
    penta_buffer valid;  /* byte per pixel */
    /* The same on a device without double precision: v + low, mean and valid in host memory. Otherwise NULL. */
    struct {
        double *v, *mean;
        uint8_t *valid;
    } host;
} optmap_traces;

typedef struct optmap_loader optmap_loader;

/* Numbers of valid pixels, and of others by the first rule that they break. */
typedef struct optmap_count {
    uint32_t valid, no_f0, too_large, flat, low; /* too_large: |v| above 1e15, or F divided by 0 */
    uint32_t dark, masked;
} optmap_count;

penta_status optmap_loader_create(penta_context *ctx, const optmap_shape *shape, penta_type type, bool under,
                                  optmap_loader **out);
/* Fills band->v .. valid (allocated on the loader's first use) from the movie, for the rows in band->first and rows.
 * *valid: number of valid pixels in rows from .. to. PENTA_INVALID: a number is not finite. */
penta_status optmap_load(optmap_loader *loader, const penta_movie *movie, optmap_traces *band, size_t *valid);
/* The counts for those pixels of the last band. */
const optmap_count *optmap_loader_count(const optmap_loader *loader);
void optmap_traces_release(optmap_traces *band);
/* Most device bytes of a loader for bands of `rows` rows. */
uint64_t optmap_loader_memory(const penta_context *ctx, const optmap_shape *shape, size_t rows);
void optmap_loader_destroy(optmap_loader *loader); /* NULL is fine */

/* ---- engines ---- */

typedef struct optmap_engine {
    const char *name;
    /* Least device bytes that a band of `rows` rows needs besides the traces, for choosing bands. */
    uint64_t (*memory)(penta_context *ctx, const optmap_shape *shape, size_t rows);
    penta_status (*create)(penta_context *ctx, const optmap_shape *shape, void **state);
    /*
     * shifts: int32, (to - from) * width pixels x window^2, INT32_MIN if there is none (no full window with
     * PENTA_OPTMAP_FULL, or either pixel not valid); the pixel's own is 0. filtered: float, out frames x (to - from) x
     * width, NaN without a result. May return before the work is done.
     */
    penta_status (*run)(void *state, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered);
    void (*destroy)(void *state); /* NULL is fine */
} optmap_engine;

extern const optmap_engine optmap_fast, optmap_literal;

/* The halves of `fast`. shifts as above. */
typedef struct optmap_shifter optmap_shifter;
penta_status optmap_shifter_create(penta_context *ctx, const optmap_shape *shape, optmap_shifter **out);
penta_status optmap_shifter_run(optmap_shifter *s, optmap_traces *band, penta_buffer *shifts);
uint64_t optmap_shifter_memory(penta_context *ctx, const optmap_shape *shape, size_t rows);
void optmap_shifter_destroy(optmap_shifter *s);

typedef struct fast_filter fast_filter; /* applies shift, Gaussian, median */
penta_status fast_filter_create(penta_context *ctx, const optmap_shape *shape, fast_filter **out);
penta_status fast_filter_run(fast_filter *b, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered);
void fast_filter_destroy(fast_filter *b);

/* ---- options (options.c) ---- */

/* Resolves the options with defaults and taps, and checks the rules. known: width, height and frames are known. */
penta_status optmap_options_resolve(penta_context *ctx, size_t width, size_t height, size_t frames, bool known,
                                    const penta_optmap_options *given, penta_optmap_options *out);

/* Parses "A:B" in frames from 0, half-open; NULL: all. Errors: PENTA_INVALID. */
penta_status optmap_parse_baseline(penta_context *ctx, const char *text, size_t frames, int *begin, int *end);
/* Parses a finite number; NULL: -INFINITY. Errors: PENTA_INVALID. */
penta_status optmap_parse_min_value(penta_context *ctx, const char *text, double *out);

static inline size_t optmap_padded(size_t frames)
{
    return (frames + OPTMAP_UNIT - 1) / OPTMAP_UNIT * OPTMAP_UNIT;
}

static inline size_t optmap_out_frames(const optmap_shape *shape)
{
    return shape->options->output == PENTA_OPTMAP_INTERPOLATED ? shape->frames * (size_t)shape->options->interp
                                                               : shape->frames;
}
