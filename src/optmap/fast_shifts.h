/*
 * Internals of the shifter of engine `fast`. Let x be a pixel's trace minus its mean, scaled to sum x^2 = 1, with N
 * frames, and u[j] = sum_m x[m] b[h + j - L m] for all j. Then y = u + e, where e is nonzero only near the two ends: it
 * removes the part of u beyond them and adds the reflected samples. For the lag t = L d + s, 0 <= s < L,
 *
 *   c[t] = uu + ue + eu + ee,     uu = sum_j R[d + j] r[s - L j],      R[d] = sum_m x_p[m] x_q[m + d],
 *                                 r[k] = sum_n b[n] b[n + k],
 *   ue = sum_m x_p[m] w_q[L m + t],  eu = sum_m x_q[m] w_p[L m - t],  w[k] = sum_n e[n] b[h + n - k],
 *   ee = sum_n e_p[n] e_q[n + t].
 *
 *   fast_shifts.c         the shifter: chooses the pairs of a launch
 *   fast_shifts_tables.c  tables that follow from the filter: r, bounds of errors
 *   fast_shifts_gpu.c, fast_shifts_cpu.c, fast_shifts_direct.c   three engines
 *   fast_shifts_host.c    what devices without double precision leave to the host
 *
 * Kernels: cl/optmap/shift_*.cl; shift.clh has what they share.
 */
#pragma once

#include <math.h>

#include "optmap/optmap.h"

enum {
    SHIFT_LANES = 16,
    SHIFT_PAD = 48,  /* zeros before and after a trace */
    SHIFT_GROUP = 64 /* work-items per group on GPUs */
};

/* Sizes, equal to the kernels' defines. Ranges of j and i are first .. first + count - 1. */
typedef struct shift_sizes {
    int interp, half;         /* L; h without the filter's outer zeros */
    int phases;               /* L rounded up to SHIFT_LANES */
    int taps, first_tap;      /* j: r[s - L j] is not 0 for some s */
    int rows, first_row;      /* i: w[L i + s], 0 <= s < L, is not 0 for some s */
    int turned, first_turned; /* the same for w[-k] */
    int near;                 /* number of samples at an end on which e depends */
    int end;                  /* length of e at an end: from -h to h + L around its first or last sample */
    int w, v, e;              /* pitches of w, w turned, e in floats */
    size_t single, dbl;       /* floats and doubles of ends per pixel: two w, two w turned, two e; two w, two e */
} shift_sizes;

/* Tables that follow from the filter. */
typedef struct shift_tables {
    shift_sizes size;
    size_t length;     /* M of the transforms; 0: none */
    float *single;     /* taps x phases: r[s - L j]; taps + 1 numbers of the bend; phases: sum_j r[s - L j] - slope;
                          2 near^2 x 2 end, unless near is large: products of what two samples add to e, lags
                          from -end, of both ends */
    double *dbl;       /* taps x phases; 2 near x end, 2 near x rows L: what each sample of an end adds to e, to w */
    double *filter;    /* b reversed, zeros on both sides */
    size_t filter_pad; /* zeros on each side */
    float *margin;     /* M / 2 + 1: largest error over s of linear interpolation, of the frequency's weight */
    double slope;      /* sum_j r[L j]: uu of a constant R equal to 1 */
    double most;       /* max_s sum_j |r[s - L j]| */
} shift_tables;

shift_sizes shift_sizes_of(const optmap_filter *filter);
/* Number of elements of tables->single and tables->dbl. */
size_t shift_single(const shift_sizes *sizes);
size_t shift_dbl(const shift_sizes *sizes);
/* length: M, or 0. */
penta_status shift_tables_make(penta_context *ctx, const optmap_filter *filter, size_t length, shift_tables *out);
void shift_tables_free(shift_tables *tables);
/* Whether N frames are so few that the ends overlap, so that shifts are summed directly. */
bool shift_is_direct(const optmap_filter *filter, size_t frames);
/* Writes the defines shared by all kernels, at most `size` bytes. */
void shift_defines(const shift_tables *tables, const optmap_shape *shape, char *out, size_t size);

/* The kernels' `geometry`. */
typedef struct shift_geometry {
    int width, rows, first, from, to, height, frames, pitch;
    int full;    /* only full windows have results */
    int most;    /* largest lag */
    float error; /* largest error of an R in float */
} shift_geometry;

typedef struct shift_host shift_host; /* below */

/* Buffers of a band, used by every engine. */
typedef struct shift_band {
    penta_buffer geometry, taps_single, taps_dbl, filter, margin;
    penta_buffer x, precise; /* x in float, in double; rows of pitch + 2 SHIFT_PAD */
    penta_buffer ends_single, ends_dbl;
    /* Without double precision `precise` and `ends_dbl` hold nothing, and the host decides what they would. */
    shift_host *host;
    const optmap_traces *traces;
    penta_buffer bounds; /* float4 per pixel: max |x| (-1: x = 0, -2: not valid), l1 of w, norms of e, margin */
} shift_band;

/*
 * An engine computes shifts from the band's buffers. memory: device bytes besides those; length: M. run: x, ends,
 * bounds (without the margin) and geometry are given, and shifts are filled with INT32_MIN. spectrum: rows of 2 (M / 2
 * + 1) floats per pixel that hold x and zeros when run is called; NULL: none.
 */
typedef struct shift_engine {
    uint64_t (*memory)(penta_context *ctx, const optmap_shape *shape, size_t rows);
    size_t (*length)(size_t frames);
    penta_status (*create)(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                           const char *defines, void **state);
    penta_buffer *(*spectrum)(void *state);
    penta_status (*run)(void *state, shift_band *b, const shift_geometry *g, penta_buffer *shifts);
    void (*destroy)(void *state); /* NULL is fine */
    double error;                 /* largest error of R in float, divided by log2 M */
} shift_engine;

/* Largest error of an R that cl/optmap/shift_near.cl sums: long sums of equal signs lose most. */
static inline double shift_near_error(size_t frames)
{
    return 5e-7 * (frames > 1024 ? pow((double)frames / 1024, 1.5) : 1);
}

extern const shift_engine shift_gpu, shift_cpu, shift_direct;

/* ---- what the host decides (fast_shifts_host.c) ---- */

/*
 * In double, for devices without double precision: pairs whose largest values of c lie so close that floats leave them
 * open, and movies whose ends meet.
 */

/* defines: of optmap/shift_ends.cl. */
penta_status shift_host_create(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                               const char *defines, shift_host **out);

/*
 * Decides what a search left open and stores it in shifts. few: entries of 3 + each int32: pixel, offset, number of
 * candidates, their lags. many: pixel, offset, with any lag. counts: entries of few (at most `room`) and of many.
 */
penta_status shift_host_decide(shift_host *h, const optmap_traces *band, shift_band *b, const shift_geometry *g,
                               size_t each, size_t room, penta_buffer *few, penta_buffer *many, penta_buffer *counts,
                               penta_buffer *shifts);

/* All pairs of a band by the definition, for movies of few frames (shift_is_direct). */
penta_status shift_host_all(shift_host *h, const optmap_traces *band, shift_band *b, const shift_geometry *g,
                            penta_buffer *shifts);

void shift_host_destroy(shift_host *h); /* NULL is fine */

/* Number of neighbours after a pixel in reading order. */
static inline size_t shift_offsets(const optmap_shape *shape)
{
    return ((size_t)shape->options->window * (size_t)shape->options->window - 1) / 2;
}
