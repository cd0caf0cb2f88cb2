/*
 * Affine maps of pixels on CPU devices: y = matrix (x - before) + after, and least and largest y.
 *
 * Work-item `item` has a run of blocks of BLOCK pixels. DEPTH bands of a block at a time go to its scratch as strips of
 * STRIP pixels, strip[band][STRIP], converted, less `before`; the products of all outputs with them follow while they
 * stay in the cache, ROWS outputs of a strip at once in registers. More than DEPTH bands add to the results
 * of those before. Extremes of valid pixels: extremes[item][outs][least, largest][LANES]. No barriers.
 *
 * matrix: [group of GROUP outputs][ins][GROUP], zeros behind the last output. results: outs x out_pitch.
 * Defines: those of vectors_cpu.clh.
 */
#include "pca/project_cpu.clh"

/* As in src/pca/project_cpu.c. */
#define DEPTH 256 /* bands */
#define GROUP 8   /* outputs */

#define CHUNK 128         /* outputs whose rows of the matrix stay in the second cache */
#define STRIP (2 * LANES) /* pixels */

#if REGISTER == 64
#define ROWS 8
#else
#define ROWS 4
#endif

/* `count` bands of a block. */
static inline void fill_strips(__global const PIXEL *data, long pitch, int count, __global const number *before,
                               __global real *strips)
{
    for (int b = 0; b < count; b++) {
        offset_t offset = OFFSET_OF(before[b]);

        for (int p = 0; p < BLOCK; p += LANES)
            STORE(less(data + b * pitch + p, offset), strips + (p / STRIP * count + b) * STRIP + p % STRIP);
    }
}

typedef struct {
    int count;       /* bands */
    int begun, last; /* the results hold something; nothing follows */
    int aligned;     /* results are */
    long out_pitch;
    __global const real *penalty; /* of the strip's pixels */
} step_t;

/* LANES results of an output. */
static inline void finish(const step_t *step, reals sum, reals penalty, real after, __global real *to,
                          __global real *extremes)
{
    if (step->begun)
        sum += LOAD(to);
    if (step->last) {
        sum += after;
        widen(extremes, sum, penalty);
        put(to, sum, step->aligned);
    } else
        STORE(sum, to);
}

/* The contribution of a strip to ROWS outputs; `outs` of them exist. matrix: of the first of them. */
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
        reals x = LOAD(strip + k * STRIP), y = LOAD(strip + k * STRIP + LANES);

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

            finish(step, a[r], LOAD(step->penalty), after[r], to, extremes + r * 2 * LANES);
            finish(step, b[r], LOAD(step->penalty + LANES), after[r], to + LANES, extremes + r * 2 * LANES);
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
                              __global const number *restrict before, __global const real *restrict after, int outs,
                              long first, long out_pitch, __global real *restrict scratch,
                              __global real *restrict results, __global real *restrict extremes)
{
    int item = get_global_id(0), items = get_global_size(0), depth = min(ins, DEPTH);
    __global real *penalty = scratch + (long)item * (depth + 1) * BLOCK, *strips = penalty + BLOCK;
    step_t step = {0, 0, 0, is_aligned(results + first) && is_aligned(results + first + out_pitch), out_pitch, 0};

    extremes += (long)item * outs * 2 * LANES;
    for (int o = 0; o < outs; o++)
        clear_extremes(extremes + o * 2 * LANES);
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
