/*
 * As project_cpu.cl, in pairs of floats (project_pairs.clh). A work-item has a run of blocks of BLOCK pixels; all bands of a
 * block go to its scratch, [band][BLOCK], high parts and then low ones, and the products of OUTS results with them stay
 * in registers, STRIP pixels at a time. extremes[item][outs][least, largest], as order_of has them. No barriers.
 *
 * Defines: PIXEL (TYPE is another name of it), KIND (centre.clh).
 */
#define TYPE PIXEL
#include "pca/vectors_cpu.clh"

#define OUTS 4 /* as in src/pca/project_cpu.c */
#include "pca/project_pairs.clh"

#define BLOCK 64 /* likewise */
#define AHEAD 16 /* bands between roundings */

#if REGISTER == 64
#define WIDTH 2
#else
#define WIDTH 1
#endif
#define STRIP (WIDTH * LANES)

static inline void fill(__global const PIXEL *data, centre_t centre, __global float *high, __global float *low)
{
    for (int p = 0; p < BLOCK; p++) {
        pair d = centred(data[p], centre);

        high[p] = d.x;
        low[p] = d.y;
    }
}

typedef struct {
    reals sum[OUTS][WIDTH], rest[OUTS][WIDTH];
} tile_t;

static inline void add_bands(tile_t *t, int count, __global const float *high, __global const float *low,
                             __global const float2 *matrix)
{
    for (int b = 0; b < count; b++) {
        reals x[WIDTH], x_low[WIDTH];

#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            x[w] = LOAD(high + b * BLOCK + w * LANES);
            x_low[w] = LOAD(low + b * BLOCK + w * LANES);
        }
#pragma unroll
        for (int o = 0; o < OUTS; o++) {
            float2 m = matrix[b * OUTS + o];

#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                ADD_PAIRS(reals, t->sum[o][w], t->rest[o][w], (reals)m.x, (reals)m.y, x[w], x_low[w]);
        }
    }
#pragma unroll
    for (int o = 0; o < OUTS; o++)
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            reals sum = t->sum[o][w] + t->rest[o][w];

            t->rest[o][w] -= sum - t->sum[o][w];
            t->sum[o][w] = sum;
        }
}

static inline void map_strip(tile_t *t, int bands, __global const float *high, __global const float *low,
                             __global const float2 *matrix)
{
#pragma unroll
    for (int o = 0; o < OUTS; o++)
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            t->sum[o][w] = 0;
            t->rest[o][w] = 0;
        }
    for (int b = 0; b < bands; b += AHEAD)
        add_bands(t, min(AHEAD, bands - b), high + b * BLOCK, low + b * BLOCK, matrix + b * OUTS);
}

/* Result o of a tile's pixels, those from `pixel` on; what counts widens the extremes. */
static inline void put(const tile_t *t, int o, int scale, ulong after, long pixel, long pixels,
                       __global const uchar *flags, int flagged, __global ulong *to, __global long *extremes)
{
    const float *high = (const float *)t->sum[o], *low = (const float *)t->rest[o];

    for (int k = 0; k < STRIP; k++) {
        ulong value = result_of((pair)(high[k], low[k]), scale, after);

        to[k] = value;
        if (pixel + k < pixels && (!flagged || flags[pixel + k] != 0) && !is_nan_double(value)) {
            extremes[0] = min(extremes[0], order_of(value));
            extremes[1] = max(extremes[1], order_of(value));
        }
    }
}

__kernel void pca_project_cpu(__global const PIXEL *restrict data, long pitch, int ins, __global const uchar *flags,
                              int flagged, long pixels, long blocks, __global const float2 *restrict matrix,
                              __global const ulong *restrict before, __global const ulong *restrict after,
                              __global const int *restrict exponents, __global const int *restrict scales, int outs,
                              long first, long out_pitch, __global float *restrict scratch,
                              __global ulong *restrict results, __global long *restrict extremes)
{
    int item = get_global_id(0), items = get_global_size(0);
    __global float *high = scratch + (long)item * ins * BLOCK * 2, *low = high + (long)ins * BLOCK;

    extremes += (long)item * outs * 2;
    for (int o = 0; o < outs; o++) {
        extremes[2 * o] = order_of(DOUBLE_INFINITY);
        extremes[2 * o + 1] = order_of(DOUBLE_INFINITY | DOUBLE_SIGN);
    }
    for (long block = blocks * item / items; block < blocks * (item + 1) / items; block++) {
        for (int b = 0; b < ins; b++)
            fill(data + b * pitch + block * BLOCK, centre_of(before[b], scale_of(exponents[b])), high + b * BLOCK,
                 low + b * BLOCK);
        for (int p = 0; p < BLOCK; p += STRIP)
            for (int from = 0; from < outs; from += OUTS) {
                tile_t t;

                map_strip(&t, ins, high + p, low + p, matrix + (long)from * ins);
                for (int o = from; o < min(from + OUTS, outs); o++)
                    put(&t, o - from, scales[o], after[o], block * BLOCK + p, pixels, flags, flagged,
                        results + o * out_pitch + first + block * BLOCK + p, extremes + 2 * o);
            }
    }
}

/* One work-item per output: widens the range by the extremes of all items. */
__kernel void pca_project_cpu_widen(__global const long *restrict extremes, int items, __global ulong *restrict range)
{
    int o = get_global_id(0), outs = get_global_size(0);
    long least = order_of(range[2 * o]), largest = order_of(range[2 * o + 1]);

    for (int item = 0; item < items; item++) {
        least = min(least, extremes[((long)item * outs + o) * 2]);
        largest = max(largest, extremes[((long)item * outs + o) * 2 + 1]);
    }
    range[2 * o] = double_of_order(least);
    range[2 * o + 1] = double_of_order(largest);
}
