/*
 * Inside the shifter of the engine `fast`. With x a pixel's trace less its mean, scaled to sum x^2 = 1, N frames and
 * u[j] = sum_m x[m] b[h + j - L m] for all j, y = u + e, where e, near the two ends alone, takes what is beyond them
 * off and puts the reflected samples in. Then, for the lag t = L d + s, 0 <= s < L,
 *
 *   c[t] = uu + ue + eu + ee,     uu = sum_j R[d + j] r[s - L j],      R[d] = sum_m x_p[m] x_q[m + d],
 *                                 r[k] = sum_n b[n] b[n + k],
 *   ue = sum_m x_p[m] w_q[L m + t],  eu = sum_m x_q[m] w_p[L m - t],  w[k] = sum_n e[n] b[h + n - k],
 *   ee = sum_n e_p[n] e_q[n + t].
 *
 *   fast_shifts.c         the shifter: which pairs at a time
 *   fast_shifts_tables.c  what follows from the filter: r, bounds of errors
 *   fast_shifts_gpu.c, fast_shifts_cpu.c, fast_shifts_direct.c   three engines
 *
 * Kernels: cl/optmap/shift_*.cl, shift.clh for what they share.
 */
#ifndef PENTA_OPTMAP_FAST_SHIFTS_H
#define PENTA_OPTMAP_FAST_SHIFTS_H

#include <math.h>

#include "optmap/optmap.h"

enum {
    SHIFT_LANES = 16,
    SHIFT_PAD = 48,  /* zeros before and after a trace */
    SHIFT_GROUP = 64 /* items of work-groups on GPUs */
};

/* Sizes; the kernels' defines say the same. Ranges of j, i are first .. first + count - 1. */
typedef struct shift_sizes {
    int interp, half;         /* L; h without the filter's outer zeros */
    int phases;               /* L rounded up to SHIFT_LANES */
    int taps, first_tap;      /* j: r[s - L j] is not 0 for some s */
    int rows, first_row;      /* i: w[L i + s], 0 <= s < L, is not 0 for some s */
    int turned, first_turned; /* the same of w[-k] */
    int near;                 /* samples of an end that e depends on */
    int end;                  /* e of an end: from -h to h + L about its first or last sample */
    int w, v, e;              /* pitches of w, w turned, e in floats */
    size_t single, dbl;       /* floats and doubles of ends a pixel: two w, two w turned, two e; two w, two e */
} shift_sizes;

/* What the filter says. */
typedef struct shift_tables {
    shift_sizes size;
    size_t length;     /* M of the transforms; 0: none */
    float *single;     /* taps x phases: r[s - L j]; taps + 1 numbers of the bend; phases: sum_j r[s - L j] - slope;
                          2 near^2 x 2 end, unless near is large: products of what two samples add to e, lags
                          from -end, of both ends */
    double *dbl;       /* taps x phases; 2 near x end, 2 near x rows L: what each sample of an end adds to e, to w */
    double *filter;    /* b turned round, zeros on both sides */
    size_t filter_pad; /* zeros on each side */
    float *margin;     /* M / 2 + 1: largest error over s of linear interpolation, of the frequency's weight */
    double slope;      /* sum_j r[L j]: uu of an R that does not change */
    double most;       /* max_s sum_j |r[s - L j]| */
} shift_tables;

shift_sizes shift_sizes_of(const optmap_filter *filter);
/* Numbers of tables->single, tables->dbl. */
size_t shift_single(const shift_sizes *sizes);
size_t shift_dbl(const shift_sizes *sizes);
/* length: M, or 0. */
penta_status shift_tables_make(penta_context *ctx, const optmap_filter *filter, size_t length, shift_tables *out);
void shift_tables_free(shift_tables *tables);
/* Whether the ends of N frames are apart. */
bool shift_is_direct(const optmap_filter *filter, size_t frames);
/* Of `size` bytes at most: the defines that all kernels share. */
void shift_defines(const shift_tables *tables, const optmap_shape *shape, char *out, size_t size);

/* The kernels' `geometry`. */
typedef struct shift_geometry {
    int width, rows, first, from, to, height, frames, pitch;
    int full;    /* only full windows have results */
    int most;    /* largest lag */
    float error; /* of an R in float, at most */
} shift_geometry;

/* Buffers of a band, of every engine. */
typedef struct shift_band {
    penta_buffer geometry, taps_single, taps_dbl, filter, margin;
    penta_buffer x, precise; /* x in float, in double; rows of pitch + 2 SHIFT_PAD */
    penta_buffer ends_single, ends_dbl;
    penta_buffer bounds; /* float4 a pixel: max |x| (-1: x = 0, -2: not valid), l1 of w, norms of e, margin */
} shift_band;

/*
 * An engine makes shifts from the band's buffers. memory: device bytes beside those; length: M. run: x, ends and bounds
 * but for the margin are there, and so is the geometry; shifts are filled with INT32_MIN. spectrum: rows of 2 (M / 2 +
 * 1) floats a pixel that shall hold x and zeros when run is called; NULL: none.
 */
typedef struct shift_engine {
    uint64_t (*memory)(penta_context *ctx, const optmap_shape *shape, size_t rows);
    size_t (*length)(size_t frames);
    penta_status (*create)(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                           const char *defines, void **state);
    penta_buffer *(*spectrum)(void *state);
    penta_status (*run)(void *state, shift_band *b, const shift_geometry *g, penta_buffer *shifts);
    void (*destroy)(void *state); /* NULL is fine */
    double error;                 /* of R in float at most, over log2 M */
} shift_engine;

/* Of an R that cl/optmap/shift_near.cl sums, at most: long sums of like signs lose most. */
static inline double shift_near_error(size_t frames)
{
    return 5e-7 * (frames > 1024 ? pow((double)frames / 1024, 1.5) : 1);
}

extern const shift_engine shift_gpu, shift_cpu, shift_direct;

/* Neighbours after a pixel in reading order. */
static inline size_t shift_offsets(const optmap_shape *shape)
{
    return ((size_t)shape->options->window * (size_t)shape->options->window - 1) / 2;
}

#endif
