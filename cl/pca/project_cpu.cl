/*
 * Affine maps of pixels on CPU devices: y = matrix (x - before) + after, and least and largest y.
 *
 * pca_project_cpu: work-item `item` has a run of blocks of BLOCK pixels. DEPTH bands of a block at a time go to its
 * scratch as strips of STRIP pixels, strip[band][STRIP], converted, less `before`; the products of all outputs with
 * them follow while they stay in the cache, ROWS outputs of a strip at once in registers. More than DEPTH bands add to
 * what the results hold of those before. Extremes of valid pixels: extremes[item][outs][least, largest][LANES]. No
 * barriers.
 *
 * pca_project_cpu_widen: the range with all items' extremes.
 *
 * matrix: [group of GROUP outputs][ins][GROUP], zeros behind the last output. results: outs x out_pitch.
 * Defines: those of vectors_cpu.clh.
 */
#include "pca/vectors_cpu.clh"

/* As in src/pca/project_cpu.c. */
#define BLOCK 256 /* pixels */
#define DEPTH 256 /* bands */
#define GROUP 8   /* outputs */

#define CHUNK 128         /* outputs whose rows of the matrix stay in the second cache */
#define STRIP (2 * LANES) /* pixels */

#if REGISTER == 64
#define ROWS 8
#else
#define ROWS 4
#endif

/* ---- strips ---- */

/* `count` bands of a block. */
static inline void fill_strips(__global const PIXEL *data, long pitch, int count, __global const double *before,
                               __global real *strips)
{
    for (int b = 0; b < count; b++) {
        double shift = before[b];
        real high = (real)shift, low = (real)(shift - high);
        __global real *to = strips + b * STRIP;

        for (int p = 0; p < BLOCK; p += LANES) {
#ifdef EXACT_IN_REAL
            reals x = (TO_REALS(LOAD(0, data + b * pitch + p)) - high) - low;
#else
            reals x = TO_REALS(TO_DOUBLES(LOAD(0, data + b * pitch + p)) - shift);
#endif
            STORE(x, 0, to + p / STRIP * count * STRIP + p % STRIP);
        }
    }
}

/* 0 for pixels that count, infinity for those that are left out or not there. */
static inline void fill_penalty(__global const uchar *flags, int flagged, long first, long pixels,
                                __global real *penalty)
{
    for (int p = 0; p < BLOCK; p++)
        penalty[p] = first + p < pixels && (!flagged || flags[first + p]) ? 0 : INFINITY;
}

/* ---- products ---- */

typedef struct {
    int count;       /* bands */
    int begun, last; /* the results hold something; nothing follows */
    long out_pitch;
    __global const real *penalty; /* of the strip's pixels */
} step_t;

static inline void widen(__global real *extremes, reals y, reals penalty)
{
    reals least = LOAD(0, extremes), largest = LOAD(1, extremes), low = y + penalty, high = y - penalty;

    STORE(low < least ? low : least, 0, extremes);
    STORE(high > largest ? high : largest, 1, extremes);
}

/* What a strip gives to ROWS outputs, of which `outs` are there. matrix: of the first of them. */
static inline void add_tile(const step_t *step, __global const real *strip, __global const real *matrix, int outs,
                            __global const real *after, __global real *results, __global real *extremes)
{
    reals a[ROWS], b[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        a[r] = 0;
        b[r] = 0;
    }
    for (int k = 0; k < step->count; k++) {
        reals x = LOAD(0, strip + k * STRIP), y = LOAD(1, strip + k * STRIP);

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            a[r] = fma((reals)matrix[k * GROUP + r], x, a[r]);
            b[r] = fma((reals)matrix[k * GROUP + r], y, b[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (r < outs) {
            __global real *to = results + r * step->out_pitch;

            if (step->begun) {
                a[r] += LOAD(0, to);
                b[r] += LOAD(1, to);
            }
            if (step->last) {
                a[r] += after[r];
                b[r] += after[r];
                widen(extremes + r * 2 * LANES, a[r], LOAD(0, step->penalty));
                widen(extremes + r * 2 * LANES, b[r], LOAD(1, step->penalty));
            }
            STORE(a[r], 0, to);
            STORE(b[r], 1, to);
        }
}

/* Bands `from` .. of a block, in its strips: all outputs, into the block's results. */
static inline void add_block(step_t *step, __global const real *strips, __global const real *penalty,
                             __global const real *matrix, int ins, int from, int outs, __global const real *after,
                             __global real *results, __global real *extremes)
{
    for (int chunk = 0; chunk < outs; chunk += CHUNK)
        for (int p = 0; p < BLOCK; p += STRIP) {
            step->penalty = penalty + p;
            for (int o = chunk; o < min(chunk + CHUNK, outs); o += ROWS)
                add_tile(step, strips + p * step->count, matrix + ((long)(o / GROUP) * ins + from) * GROUP + o % GROUP,
                         outs - o, after + o, results + o * step->out_pitch + p, extremes + o * 2 * LANES);
        }
}

__kernel void pca_project_cpu(__global const PIXEL *restrict data, long pitch, int ins, __global const uchar *flags,
                              int flagged, long pixels, long blocks, __global const real *restrict matrix,
                              __global const double *restrict before, __global const real *restrict after, int outs,
                              __global real *restrict scratch, __global real *restrict results, long first,
                              long out_pitch, __global real *restrict extremes)
{
    int item = get_global_id(0), items = get_global_size(0), depth = min(ins, DEPTH);
    __global real *penalty = scratch + (long)item * (depth + 1) * BLOCK, *strips = penalty + BLOCK;
    step_t step = {0, 0, 0, out_pitch, 0};

    extremes += (long)item * outs * 2 * LANES;
    for (int o = 0; o < outs; o++) {
        STORE((reals)INFINITY, 2 * o, extremes);
        STORE((reals)-INFINITY, 2 * o + 1, extremes);
    }
    for (long block = blocks * item / items; block < blocks * (item + 1) / items; block++) {
        fill_penalty(flags, flagged, block * BLOCK, pixels, penalty);
        for (int from = 0; from < ins; from += depth) {
            step.count = min(depth, ins - from);
            step.begun = from > 0;
            step.last = from + depth >= ins;
            fill_strips(data + from * pitch + block * BLOCK, pitch, step.count, before + from, strips);
            add_block(&step, strips, penalty, matrix, ins, from, outs, after, results + first + block * BLOCK,
                      extremes);
        }
    }
}

/* A work-item an output. */
__kernel void pca_project_cpu_widen(__global const real *restrict extremes, int items, __global double *restrict range)
{
    int o = get_global_id(0), outs = get_global_size(0);
    real least = INFINITY, largest = -INFINITY;

    for (int item = 0; item < items; item++) {
        __global const real *of = extremes + ((long)item * outs + o) * 2 * LANES;

        for (int l = 0; l < LANES; l++) {
            least = of[l] < least ? of[l] : least;
            largest = of[LANES + l] > largest ? of[LANES + l] : largest;
        }
    }
    range[2 * o] = fmin(range[2 * o], (double)least);
    range[2 * o + 1] = fmax(range[2 * o + 1], (double)largest);
}
