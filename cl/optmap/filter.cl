/*
 * Shift, Gaussian and median, form for GPUs. A group of LANES x SLOTS work-items has PIXELS pixels of a row and TILE
 * samples in time. LANES work-items have a pixel and take four samples each, which need LENGTH + 3 consecutive samples
 * of a trace: read as float4, from the multiple of 4 before. Sums lie in local memory, where the medians turn them.
 */
typedef float samples;
#define SPACE __local
#include "optmap/filter.clh"

#define PIXELS 16
#define LANES  32
#define SLOTS  8
#define TILE   128
#define RESULTS (TILE - (MEDIAN - 1)) /* the rest is the medians' halo */

#define QUADS  ((LENGTH + 9) / 4)                               /* float4 that hold LENGTH + 3 samples from any place */
#define SPAN   (TILE / STEP + (STEP > 1 ? 2 : 0))               /* camera samples of a tile, at most */
#define BLOCKS ((SPAN + 3) / 4 * STEP)                          /* of four sums */
#define ROUNDS ((BLOCKS + LANES - 1) / LANES)
#define AT_ONCE (LANES * SLOTS / PIXELS)                        /* samples of all pixels that a group's items turn */

/* sum_k w[k] x[o + r + k], r = 0 .. 3, for an o that the compiler knows. */
static inline float4 filtered(const float *x, __constant float *w, int o)
{
    float4 sum = 0;

#pragma unroll
    for (int k = 0; k < LENGTH; k++)
        sum = fma((float4)w[k], (float4)(x[o + k], x[o + k + 1], x[o + k + 2], x[o + k + 3]), sum);
    return sum;
}

/* y[t + L i] .. y[t + L (i + 3)] of samples that go on by reflection about the first and the last one. */
static inline float4 reflected(const movie of, __global const float *restrict trace, __constant float *weights, int t,
                               int i)
{
    const int n = sample_of(t);
    float x[LENGTH + 3];

    weights += (t - n * INTERP) * LENGTH;
#pragma unroll
    for (int k = 0; k < LENGTH + 3; k++)
        x[k] = continued_once(trace, of.frames, i + n + FIRST + k);
    return filtered(x, weights, 0);
}

/* y beyond an end, whose sample is at `end`. */
static inline float4 beyond(const movie of, __global const float *restrict trace, __constant float *weights, int end,
                            int t, int i)
{
#if defined(TAILS_ODD)
    return 2 * y_within(trace, weights, of.frames, end) -
           reflected(of, trace, weights, 2 * end - t - INTERP * (2 * i + 3), i).wzyx;
#elif defined(TAILS_HOLD)
    return y_within(trace, weights, of.frames, end);
#else
    return 0;
#endif
}

/* The same where some of the samples may lie beyond the ends of y. */
static inline float4 at_ends(const movie of, __global const float *restrict trace, __constant float *weights, int t,
                             int i)
{
    const int last = INTERP * of.frames - 1, j = t + INTERP * i;
    const int4 at = (int4)(j, j + INTERP, j + 2 * INTERP, j + 3 * INTERP), frame = (int4)(i, i + 1, i + 2, i + 3);
    float4 y = reflected(of, trace, weights, t, i);

    if (at.x < 0)
        y = select(y, beyond(of, trace, weights, 0, t, i), at < 0);
    if (at.w > last)
        y = select(y, beyond(of, trace, weights, last, t, i), at > last);
    return select((float4)(0), y, frame >= 0 && frame < of.frames);
}

/* y[t + L i] .. y[t + L (i + 3)]; 0 where i is no frame. */
static inline float4 aligned(const movie of, __global const float *restrict trace, __constant float *weights, int t,
                             int i)
{
    int n = sample_of(t), first = i + n + FIRST, at = first & ~3;
    float x[4 * QUADS], y[4];

    if (first >= 0 && first + LENGTH + 3 <= of.frames && (ulong)(at + 4 * QUADS) <= of.pitch) {
        weights += (t - n * INTERP) * LENGTH;
#pragma unroll
        for (int k = 0; k < QUADS; k++)
            vstore4(((__global const float4 *)(trace + at))[k], k, x);
        switch (first & 3) {
        case 0:
            return filtered(x, weights, 0);
        case 1:
            return filtered(x, weights, 1);
        case 2:
            return filtered(x, weights, 2);
        default:
            return filtered(x, weights, 3);
        }
    }
    if (min(i + n, i) > 8 + LENGTH - of.frames && max(i + n, i) < 2 * of.frames - 8 - LENGTH &&
        abs(n) < of.frames - 8 - LENGTH)
        return at_ends(of, trace, weights, t, i);
#pragma unroll
    for (int r = 0; r < 4; r++)
        y[r] = i + r >= 0 && i + r < of.frames ? y_at(trace, weights, of.frames, INTERP * (i + r) + t) : 0;
    return (float4)(y[0], y[1], y[2], y[3]);
}

/* Sums over the neighbours of a pixel, whose trace and shifts these are, at places t + L i .. t + L (i + 3). */
static inline float4 blended(const movie of, __global const float *restrict trace, __global const int *restrict shifts,
                             __constant float *weights, __constant float *gaussian, int t, int i)
{
    float4 sum = 0;

#pragma unroll 1
    for (int k = 0; k < NEIGHBOURS; k++) {
        long apart = (long)(k / WINDOW - RADIUS) * of.width + k % WINDOW - RADIUS;

        if (shifts[k] != INT_MIN)
            sum = fma((float4)gaussian[k], aligned(of, trace + apart * (long)of.pitch, weights, shifts[k] + t, i), sum);
    }
    return sum;
}

static inline float median_of(__local const float *x, int n, int all)
{
#if MEDIAN == 1
    return x[0];
#else
#ifdef NETWORK
    float window[MEDIAN];

#ifdef TRUNCATE
    if (n < BEFORE || n + AFTER >= all)
        return median_at(x, n, all);
#endif
    for (int k = 0; k < MEDIAN; k++)
        window[k] = x[k];
    return median_by_network(window);
#else
    return median_at(x, n, all);
#endif
#endif
}

/* Rows from .. are those of the results; the traces' first row is `above` rows before. */
__kernel __attribute__((reqd_work_group_size(LANES *SLOTS, 1, 1))) void
optmap_blend(__global const float *restrict v, __global const int *restrict shifts, __constant float *weights,
             __constant float *gaussian, int frames, int width, int height, ulong pitch, int from, int above, int rows,
             __global float *restrict filtered_out)
{
    const movie of = {frames, width, height, pitch};
    __local float tile[PIXELS][TILE + 1];
    int item = get_local_id(0), slot = item / LANES, lane = item % LANES, row = get_group_id(2);
    int left = get_group_id(0) * PIXELS, all = STEP * frames, begin = (int)get_group_id(1) * RESULTS - BEFORE;
    int sample = (begin + STEP * 64) / STEP - 64; /* rounded down: begin is above -64 */

    shifts += (ulong)row * width * NEIGHBOURS;
    v += (ulong)(row + above) * width * pitch;
    for (int turn = 0; turn < PIXELS / SLOTS; turn++) {
        int pixel = turn * SLOTS + slot, x = left + pixel;
        bool there = x < width && shifts[(ulong)x * NEIGHBOURS + OWN] != INT_MIN;
        float scale = there ? 1 / sum_of_weights(of, shifts + (ulong)x * NEIGHBOURS, gaussian, x, from + row) : 0;

        for (int round = 0; round < ROUNDS; round++) {
            int block = round * LANES + lane, i = sample + block / STEP * 4, t = block % STEP;
            float4 sum = 0;
            float each[4];

            if (there)
                sum = scale * blended(of, v + (ulong)x * pitch, shifts + (ulong)x * NEIGHBOURS, weights, gaussian, t, i);
            vstore4(sum, 0, each);
            for (int r = 0; r < 4; r++) {
                int n = STEP * (i + r) + t, place = n - begin;

                if (place >= 0 && place < TILE)
                    tile[pixel][place] = n >= 0 && n < all ? each[r] : 0;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < (RESULTS + AT_ONCE - 1) / AT_ONCE; round++) {
        int pixel = item % PIXELS, x = left + pixel, place = round * AT_ONCE + item / PIXELS;
        int n = begin + BEFORE + place;

        if (x < width && place < RESULTS && n < all)
            filtered_out[((ulong)n * rows + row) * width + x] =
                shifts[(ulong)x * NEIGHBOURS + OWN] == INT_MIN ? NAN : median_of(tile[pixel] + place, n, all);
    }
}
