/* Per-trace values of a block: range, noise, number of climbs, and sums over pixels. */
#include "optmap/beats.clh"

#ifndef PENTA_CPU
/* max - min over the frames; NaN if a number is not finite. For CPU devices the host finds it (beats_blocks.c). */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_range(__global const float *restrict movie, int frames, uint count, ulong pitch,
                   __global float *restrict range)
{
    uint p = get_global_id(0) * RUN;
    numbers least = INFINITY, most = -INFINITY, wrong = 0;

    if (p >= count)
        return;
    for (int n = 0; n < frames; n++) {
        numbers x = LOAD(movie + n * pitch + p);

        wrong = isfinite(x) ? wrong : (numbers)1;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    STORE(wrong == 0 ? most - least : (numbers)NAN, range + p);
}
#endif

/* |second difference| from frame n on. */
static inline numbers second(__global const float *trace, ulong step, int n)
{
    numbers here = LOAD(trace + (n + 1) * step);

    return fabs((LOAD(trace + n * step) - here) - (here - LOAD(trace + (n + 2) * step)));
}

/* |third difference| from frame n on. */
static inline reals third(__global const float *trace, ulong step, int n)
{
    return fabs((AT(n + 3) - AT(n)) - 3 * (AT(n + 2) - AT(n + 1)));
}

static inline numbers difference(__global const float *trace, ulong step, int n, int order)
{
    return order == 2 ? second(trace, step, n) : TO(float)(third(trace, step, n));
}

/* The lower median of all |second or third differences|, found two bits at a time: bits of nonnegative floats sort like
 * the floats. frames > order. kept: room for the differences on CPU devices, where they are computed once. */
static inline words lower_median(__global const float *trace, ulong step, int frames, int order, __global float *kept)
{
    words middle = 0, rank = (frames - order - 1) / 2;

#ifdef PENTA_CPU
    for (int n = 0; n + order < frames; n++)
        STORE(difference(trace, step, n, order), kept + n * step);
#endif

#pragma unroll 1
    for (int bit = 30; bit >= 0; bit -= 2) {
        words part = (words)(1u << bit), below[3] = {0, 0, 0};

        for (int n = 0; n + order < frames; n++) {
#ifdef PENTA_CPU
            words d = AS(uint)(LOAD(kept + n * step));
#else
            words d = AS(uint)(difference(trace, step, n, order));
#endif

            for (int k = 0; k < 3; k++)
                below[k] += d < middle + (uint)(k + 1) * part ? (words)1 : (words)0;
        }
        middle += (below[0] > rank ? (words)0 : part) + (below[1] > rank ? (words)0 : part) +
                  (below[2] > rank ? (words)0 : part);
    }
    return middle;
}

#define MANY   2.5    /* standard deviations: larger differences belong to the signal */
#define WITHIN 0.9546 /* standard deviation of normal numbers that are cut off there */

/*
 * middles: the lower median of |x[n-1] - 2 x[n] + x[n+1]|; 0 for fewer than 3 frames.
 * white, if it is wanted: standard deviation of white noise from third differences d: the root mean square of those
 * within MANY times (median |d| / 0.6745), divided by sqrt(20). NaN if a number is not finite, or for fewer than 4
 * frames.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_noise(__global const float *restrict movie, int frames, uint count, ulong pitch,
                   __global const float *restrict range, __global float *restrict kept, int wants_white,
                   __global float *restrict middles, __global float *restrict white)
{
    uint p = get_global_id(0) * RUN;
    __global const float *trace = TRACE(movie, p, frames);
    const ulong step = STEP(pitch);
    reals squares = 0, inside = 0, most = 0;

    if (p >= count)
        return;
#ifdef PENTA_CPU
#pragma unroll 1
#else
#pragma unroll
#endif
    for (int order = 2; order <= 3; order++) {
        numbers middle = 0;

        if (frames > order && (order == 2 || wants_white))
            middle = AS(float)(lower_median(trace, step, frames, order, TRACE(kept, p, frames)));
        if (order == 2)
            STORE(middle, middles + p);
        most = MANY / 0.6745 * TO_REALS(middle);
    }
    for (int n = 0; n + 3 < frames && wants_white; n++) {
        reals d = third(trace, step, n);

        inside += d <= most ? (reals)1 : (reals)0;
        squares += d <= most ? d * d : (reals)0;
    }
    if (wants_white)
        STORE(isfinite(LOAD(range + p)) ? TO(float)(sqrt(squares / inside / 20) / (real)WITHIN) : (numbers)NAN,
              white + p);
}

/*
 * out: row 0: number of climbs of the trace by `share` of its range, each ended by an equal fall or by the end of the
 * movie; row 1: its variance. Rows are pitch apart.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_climbs(__global const float *restrict movie, int frames, uint count, ulong pitch,
                    __global const float *restrict range, float share, __global float *restrict out)
{
    uint p = get_global_id(0) * RUN;
    __global const float *trace = TRACE(movie, p, frames);
    const ulong step = STEP(pitch);
    numbers least, low = INFINITY, high = -INFINITY, rising = 0, climbs = 0;
    reals sum = 0, squares = 0;

    if (p >= count)
        return;
    least = share * LOAD(range + p);
    for (int n = 0; n < frames; n++) {
        numbers x = LOAD(trace + n * step), fell = rising > 0 && x <= high - least ? (numbers)1 : (numbers)0, rose;

        rising = fell > 0 ? (numbers)0 : rising;
        low = fell > 0 ? x : fmin(low, x);
        high = fmax(high, x);
        rose = rising == 0 && x > low && x >= low + least ? (numbers)1 : (numbers)0;
        climbs += rose;
        rising += rose;
        high = rose > 0 ? x : high;
        low = rising > 0 ? (numbers)INFINITY : low;
        sum += TO_REALS(x);
    }
    sum /= frames;
    for (int n = 0; n < frames; n++)
        squares += (AT(n) - sum) * (AT(n) - sum);
    STORE(climbs, out + p);
    STORE(TO(float)(squares / frames), out + pitch + p);
}

#define SUM_LANES 64

/*
 * Adds the block to sums (frames x 2 x SUM_LANES): of the values of valid pixels, and of the squares of positive
 * slopes. Lane i adds pixels i, i + SUM_LANES, .. in order, so that the result does not depend on blocks of a multiple
 * of SUM_LANES pixels.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void optmap_beats_sums(__global const float *restrict movie,
                                                                                   int frames, uint count, ulong pitch,
                                                                                   __global const float *restrict range,
                                                                                   __global real *restrict sums)
{
    uint lane = get_global_id(0) * RUN;
    int n = get_global_id(1);
    __global real *values = sums + (ulong)n * 2 * SUM_LANES + lane, *climbs = values + SUM_LANES;
    reals value = LOAD(values), climb = LOAD(climbs);
    const ulong step = STEP(pitch);

    for (uint p = lane; p < count; p += SUM_LANES) {
        __global const float *trace = TRACE(movie, p, frames);
        reals good = TO_REALS(LOAD(range + p)), x = AT(n), d = frames > 1 ? slope(trace, step, n, frames) : (reals)0;

        value += good >= 0 ? x : (reals)0;
        climb += good >= 0 && d > 0 ? d * d : (reals)0;
    }
    STORE(value, values);
    STORE(climb, climbs);
}

/* ---- upstrokes by a matched filter ---- */

/* The trace filtered by an odd filter; taps: for distances 1 .. radius. */
static inline reals filtered(__global const float *trace, ulong step, int frames, int n,
                             __global const float *restrict taps, int radius)
{
    reals sum = 0;

    for (int k = 1; k <= radius; k++)
        sum += (real)taps[k - 1] * (AT(min(n + k, frames - 1)) - AT(max(n - k, 0)));
    return sum;
}

/*
 * Work-item (pixels, beat): the time at which the filtered trace is largest, refined by a parabola, within `reach`
 * frames of the expected time (ms; NaN: in the whole beat). NaN if that is at an end of the search range, or nothing
 * rises.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_steepest(__global const float *restrict movie, int frames, uint count, ulong pitch,
                      __global const float *restrict range, __global const int2 *restrict beats,
                      __global const float *restrict expected, real reach, __global const float *restrict taps,
                      int radius, real ms, __global float *restrict times)
{
    uint p = get_global_id(0) * RUN, beat = get_global_id(1);
    __global const float *trace = TRACE(movie, p, frames);
    const ulong step = STEP(pitch);
    int2 bounds = beats[beat];
    reals middle, most = 0, before = 0, last = 0, at = NAN, from = bounds.x, to = bounds.y;
    int first = bounds.y, end = bounds.x;

    if (p >= count)
        return;
    middle = TO_REALS(LOAD(expected + beat * pitch + p)) / ms;
    from = isfinite(middle) ? fmax(from, ceil(middle - reach)) : from;
    to = isfinite(middle) ? fmin(to, floor(middle + reach) + 1) : to;
    for (uint i = 0; i < min((uint)RUN, count - p); i++) {
        first = min(first, (int)((real *)&from)[i]);
        end = max(end, (int)((real *)&to)[i]);
    }
    for (int n = first; n < end; n++) { /* last: value at n - 1; before: at n - 2 */
        reals d = filtered(trace, step, frames, n, taps, radius), here = n;
        reals inside = here >= from && here < to ? (reals)1 : (reals)0;
        reals top = inside > 0 && here >= from + 2 && last > most && last > before && last >= d ? (reals)1 : (reals)0;

        at = top > 0 ? here - 1 + (real)0.5 * (before - d) / (before - 2 * last + d) : at;
        most = top > 0 ? last : most;
        before = inside > 0 ? last : before;
        last = inside > 0 ? d : last;
    }
    STORE(isfinite(LOAD(range + p)) ? TO(float)(at * ms) : (numbers)NAN, times + beat * pitch + p);
}

/* One program with all else that beats need, because each program takes a compiler a tenth of a second before its first
 * line. */
#include "optmap/beats_measure.clh"
#include "optmap/beats_matched.clh"
#include "optmap/beats_align.clh"
