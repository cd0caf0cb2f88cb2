/*
 * Shift, Gaussian and median, GPU form. A group of LANES x SLOTS work-items does PIXELS pixels of a row and TILE
 * samples in time. LANES work-items share a pixel and take four samples each. These need LENGTH + 3 consecutive samples
 * of a trace, read as float4 from the multiple of 4 before. Sums are in local memory, where the medians read them
 * across.
 */
typedef float samples;
#define SPACE __local
#include "optmap/filter.clh"

#define PIXELS  16
#define LANES   32
#define SLOTS   8
#define TILE    128
#define RESULTS (TILE - (MEDIAN - 1)) /* results per tile; the rest is the medians' halo */

#define QUADS   ((LENGTH + 9) / 4)                 /* float4 that hold LENGTH + 3 samples at any offset */
#define SPAN    (TILE / STEP + (STEP > 1 ? 2 : 0)) /* largest number of camera samples in a tile */
#define BLOCKS  ((SPAN + 3) / 4 * STEP)            /* blocks of four sums */
#define ROUNDS  ((BLOCKS + LANES - 1) / LANES)
#define PER     (LANES * SLOTS / NEIGHBOURS > 0 ? LANES * SLOTS / NEIGHBOURS : 1) /* postponed blocks at a time */
#define AT_ONCE (LANES * SLOTS / PIXELS) /* samples per pixel that a group's items read across at a time */

/* sum_k w[k] x[o + r + k], r = 0 .. 3; o is known at compile time. */
static inline float4 filtered(const float *x, __constant float *w, int o)
{
    float4 sum = 0;

#pragma unroll
    for (int k = 0; k < LENGTH; k++)
        sum = fma((float4)w[k], (float4)(x[o + k], x[o + k + 1], x[o + k + 2], x[o + k + 3]), sum);
    return sum;
}

/* y[t + L i] .. y[t + L (i + 3)] of samples continued by reflection about the first and the last one. */
static inline float4 reflected(const movie of, __global const float *restrict trace, __constant float *weights, int t,
                               int i)
{
    const int n = sample_of(t), first = i + n + FIRST;
    float4 sum = 0, x = (float4)(0, continued_once(trace, of.frames, first), continued_once(trace, of.frames, first + 1),
                                 continued_once(trace, of.frames, first + 2));

    weights += (t - n * INTERP) * LENGTH;
#pragma unroll 4 /* with all LENGTH samples in registers this rare case would decide how many the kernel takes */
    for (int k = 0; k < LENGTH; k++) {
        x = (float4)(x.yzw, continued_once(trace, of.frames, first + k + 3));
        sum = fma((float4)weights[k], x, sum);
    }
    return sum;
}

/* y beyond an end; `end` is the sample at the end. */
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

/* The same if some of the samples may lie beyond the ends of y. */
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

/* Whether y[t + L i] .. y[t + L (i + 3)] need only samples in whole float4 of the trace. */
static inline bool is_inner(const movie of, int t, int i)
{
    const int first = i + sample_of(t) + FIRST;

    return first >= 0 && first + LENGTH + 3 <= of.frames && (ulong)((first & ~3) + 4 * QUADS) <= of.pitch;
}

static inline float4 inner(__global const float *restrict trace, __constant float *weights, int t, int i)
{
    const int n = sample_of(t), first = i + n + FIRST, at = first & ~3;
    float x[4 * QUADS];

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

/*
 * y[t + L i] .. y[t + L (i + 3)] anywhere; 0 where i is not a frame. Not inlined, because every work-item would then
 * need its registers.
 */
__attribute__((noinline)) static float4 aligned(const movie of, __global const float *restrict trace,
                                                __constant float *weights, int t, int i)
{
    const int n = sample_of(t);
    float y[4];

    if (is_inner(of, t, i))
        return inner(trace, weights, t, i);
    if (min(i + n, i) > 8 + LENGTH - of.frames && max(i + n, i) < 2 * of.frames - 8 - LENGTH &&
        abs(n) < of.frames - 8 - LENGTH)
        return at_ends(of, trace, weights, t, i);
#pragma unroll
    for (int r = 0; r < 4; r++)
        y[r] = i + r >= 0 && i + r < of.frames ? y_at(trace, weights, of.frames, INTERP * (i + r) + t) : 0;
    return (float4)(y[0], y[1], y[2], y[3]);
}

/*
 * Sums over the neighbours of a pixel with this trace and these shifts, at t + L i .. t + L (i + 3), if all of them are
 * inner; otherwise returns false.
 */
static inline bool blended(const movie of, __global const float *restrict trace, __global const int *restrict shifts,
                           __constant float *weights, __constant float *gaussian, int t, int i, float4 *sum)
{
#pragma unroll 1
    for (int k = 0; k < NEIGHBOURS; k++) {
        const long apart = (long)(k / WINDOW - RADIUS) * of.width + k % WINDOW - RADIUS;

        if (shifts[k] == INT_MIN)
            continue;
        if (!is_inner(of, shifts[k] + t, i))
            return false;
        *sum = fma((float4)gaussian[k], inner(trace + apart * (long)of.pitch, weights, shifts[k] + t, i), *sum);
    }
    return true;
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

/* A work-item's share of the sums. */
typedef struct {
    movie of;
    __global const float *v;    /* of the pixels' row */
    __global const int *shifts; /* of the pixels' row */
    __constant float *weights, *gaussian;
    __local float *tile; /* PIXELS x (TILE + 1) */
    int left, row, begin, all;
} share;

/* Block `block` of pixel `pixel`: samples of its trace from t + STEP i on. */
typedef struct {
    int pixel, x, i, t;
    bool there; /* whether it has results */
} block;

static inline block block_of(const share *s, int pixel, int number)
{
    const int sample = (s->begin + STEP * 64) / STEP - 64; /* rounded down, as begin > -64 */
    block b = {pixel, s->left + pixel, sample + number / STEP * 4, number % STEP, false};

    b.there =
        b.x < s->of.width && b.i + 3 >= 0 && b.i < s->of.frames && s->shifts[(ulong)b.x * NEIGHBOURS + OWN] != INT_MIN;
    return b;
}

static inline void put_sums(const share *s, const block *b, float4 sum)
{
    float each[4];

    if (b->there)
        sum *= 1 / sum_of_weights(s->of, s->shifts + (ulong)b->x * NEIGHBOURS, s->gaussian, b->x, s->row);
    vstore4(sum, 0, each);
    for (int r = 0; r < 4; r++) {
        const int n = STEP * (b->i + r) + b->t, place = n - s->begin;

        if (place >= 0 && place < TILE)
            s->tile[b->pixel * (TILE + 1) + place] = n >= 0 && n < s->all ? each[r] : 0;
    }
}

/* Writes the sums of a block to the tile; false if it is not inner. */
static inline bool put_block(const share *s, int pixel, int number)
{
    const block b = block_of(s, pixel, number);
    float4 sum = 0;

    if (b.there && !blended(s->of, s->v + (ulong)b.x * s->of.pitch, s->shifts + (ulong)b.x * NEIGHBOURS, s->weights,
                            s->gaussian, b.t, b.i, &sum))
        return false;
    put_sums(s, &b, sum);
    return true;
}

/* Adds neighbour k's part of a postponed block; number: pixel * BLOCKS + block. */
static inline void put_part(const share *s, int number, int k, __local float4 *out)
{
    const block b = block_of(s, number / BLOCKS, number % BLOCKS);
    const int t0 = s->shifts[(ulong)b.x * NEIGHBOURS + k];
    const long other = b.x + (long)(k / WINDOW - RADIUS) * s->of.width + k % WINDOW - RADIUS;

    *out = t0 == INT_MIN ? 0
                         : s->gaussian[k] * aligned(s->of, s->v + other * (long)s->of.pitch, s->weights, t0 + b.t, b.i);
}

static inline void put_sum(const share *s, int number, __local const float4 *parts)
{
    const block b = block_of(s, number / BLOCKS, number % BLOCKS);
    float4 sum = 0;

    for (int k = 0; k < NEIGHBOURS; k++)
        sum += parts[k];
    put_sums(s, &b, sum);
}

/*
 * Results are rows from `from` on; the traces begin `above` rows before. Blocks of samples near a trace's ends take
 * much longer, so they are postponed until all others are done and then shared by all items.
 */
__kernel __attribute__((reqd_work_group_size(LANES * SLOTS, 1, 1))) void
optmap_blend(__global const float *restrict v, __global const int *restrict shifts, __constant float *weights,
             __constant float *gaussian, int frames, int width, int height, ulong pitch, int from, int above, int rows,
             __global float *restrict filtered_out)
{
    __local float tile[PIXELS * (TILE + 1)];
    __local ushort late[PIXELS * BLOCKS];
    __local int lates;
    __local float4 parts[PER * NEIGHBOURS];
    const int item = get_local_id(0), row = get_group_id(2), left = get_group_id(0) * PIXELS;
    const int all = STEP * frames, begin = (int)get_group_id(1) * RESULTS - BEFORE;
    const share s = {{frames, width, height, pitch},
                     v + (ulong)(row + above) * width * pitch,
                     shifts + (ulong)row * width * NEIGHBOURS,
                     weights,
                     gaussian,
                     tile,
                     left,
                     from + row,
                     begin,
                     all};

    if (item == 0)
        lates = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int turn = 0; turn < PIXELS / SLOTS; turn++)
        for (int round = 0; round < ROUNDS; round++) {
            const int pixel = turn * SLOTS + item / LANES, block = round * LANES + item % LANES;

            if (block < BLOCKS && !put_block(&s, pixel, block))
                late[atomic_inc(&lates)] = pixel * BLOCKS + block;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = 0; first < lates; first += PER) {
        for (int k0 = 0; k0 < PER * NEIGHBOURS; k0 += LANES * SLOTS) {
            const int k = k0 + item;

            if (k < PER * NEIGHBOURS && first + k / NEIGHBOURS < lates)
                put_part(&s, late[first + k / NEIGHBOURS], k % NEIGHBOURS, parts + k);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < PER && first + item < lates)
            put_sum(&s, late[first + item], parts + item * NEIGHBOURS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < (RESULTS + AT_ONCE - 1) / AT_ONCE; round++) {
        const int pixel = item % PIXELS, x = left + pixel, place = round * AT_ONCE + item / PIXELS;
        const int n = begin + BEFORE + place;

        if (x < width && place < RESULTS && n < all)
            filtered_out[((ulong)n * rows + row) * width + x] =
                s.shifts[(ulong)x * NEIGHBOURS + OWN] == INT_MIN ? NAN
                                                                 : median_of(tile + pixel * (TILE + 1) + place, n, all);
    }
}
