/*
 * As project_cpu.cl, for few outputs, where reading the pixels is the work: DEPTH bands of a block at a time go from
 * memory to registers, in long runs. All OUTS outputs of WIDTH vectors of pixels stay in registers for these bands and
 * in the scratch, [OUTS][BLOCK], between them; penalties are behind. What the strip AHEAD strips later needs is fetched
 * meanwhile.
 *
 * matrix: [ins][OUTS]. Defines: those of vectors_cpu.clh; OUTS, at most 12.
 */
#define BLOCK 256 /* pixels, as in src/pca/project_cpu.c */

#include "pca/project_cpu.clh"

#define DEPTH 16
#define AHEAD 3 /* strips */

/* Registers: OUTS * WIDTH sums, WIDTH vectors of pixels. */
#if REGISTER == 64
#define WIDTH (OUTS <= 6 ? 4 : 2)
#else
#define WIDTH (OUTS <= 2 ? 4 : OUTS <= 6 ? 2 : 1)
#endif
#define STRIP (WIDTH * LANES)

typedef struct {
    __global const real *after, *penalty;
    __global real *sums, *results, *extremes;
    long out_pitch;
    int aligned; /* results are */
} outputs_t;     /* of a strip's pixels */

/* `count` bands of a strip's pixels. later: to fetch. begun: the sums hold something; last: they become results. */
static inline void add_bands(__global const PIXEL *data, __global const PIXEL *later, long pitch, int count,
                             __global const real *matrix, __global const number *before, const outputs_t *to, int begun,
                             int last)
{
    reals sum[OUTS][WIDTH];

#pragma unroll
    for (int o = 0; o < OUTS; o++)
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            sum[o][w] = begun ? LOAD(to->sums + o * BLOCK + w * LANES) : (reals)to->after[o];
    for (int b = 0; b < count; b++) {
        reals x[WIDTH];
        offset_t offset = OFFSET_OF(before[b]);

#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            PREFETCH(later + b * pitch + w * LANES);
            x[w] = less(data + b * pitch + w * LANES, offset);
        }
#pragma unroll
        for (int o = 0; o < OUTS; o++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum[o][w] = fma((reals)matrix[b * OUTS + o], x[w], sum[o][w]);
    }
#pragma unroll
    for (int o = 0; o < OUTS; o++)
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            if (last) {
                widen(to->extremes + o * 2 * LANES, sum[o][w], LOAD(to->penalty + w * LANES));
                put(to->results + o * to->out_pitch + w * LANES, sum[o][w], to->aligned);
            } else
                STORE(sum[o][w], to->sums + o * BLOCK + w * LANES);
}

/* The pixels AHEAD strips after p of the bands from `from` on: of the block, of its next bands or of the next block. */
static inline __global const PIXEL *later_pixels(__global const PIXEL *block, long pitch, int ins, int from, int p)
{
    int then = p + AHEAD * STRIP;

    if (then < BLOCK)
        return block + from * pitch + then;
    return from + DEPTH < ins ? block + (from + DEPTH) * pitch + then - BLOCK : block + then;
}

__kernel void pca_project_few_cpu(__global const PIXEL *restrict data, long pitch, int ins, __global const uchar *flags,
                                  int flagged, long pixels, long blocks, __global const real *restrict matrix,
                                  __global const number *restrict before, __global const real *restrict after,
                                  long first, long out_pitch, __global real *restrict scratch,
                                  __global real *restrict results, __global real *restrict extremes)
{
    int item = get_global_id(0), items = get_global_size(0);
    __global real *sums = scratch + (long)item * (OUTS + 1) * BLOCK, *penalty = sums + OUTS * BLOCK;
    outputs_t to = {after, 0, 0, 0, extremes + (long)item * OUTS * 2 * LANES, out_pitch, 0};

    to.aligned = is_aligned(results + first) && is_aligned(results + first + out_pitch);
    for (int o = 0; o < OUTS; o++)
        clear_extremes(to.extremes + o * 2 * LANES);
    for (long block = blocks * item / items; block < blocks * (item + 1) / items; block++) {
        __global const PIXEL *of_block = data + block * BLOCK;

        fill_penalty(flags, flagged, block * BLOCK, pixels, penalty);
        for (int from = 0; from < ins; from += DEPTH)
            for (int p = 0; p < BLOCK; p += STRIP) {
                to.penalty = penalty + p;
                to.sums = sums + p;
                to.results = results + first + block * BLOCK + p;
                add_bands(of_block + from * pitch + p, later_pixels(of_block, pitch, ins, from, p), pitch,
                          min(DEPTH, ins - from), matrix + from * OUTS, before + from, &to, from > 0,
                          from + DEPTH >= ins);
            }
    }
}
