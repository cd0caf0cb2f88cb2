/* Per-trace values of a block in one pass: range, noise, number of climbs, and sums over pixels. */
#include "optmap/beats.clh"

/* max - min over the frames; NaN if a number is not finite. */
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

/* The lower median of |x[n-1] - 2 x[n] + x[n+1]|, found bit by bit: bits of nonnegative floats sort like the floats.
 * frames > 2. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_noise(__global const float *restrict movie, int frames, uint count, ulong pitch,
                   __global float *restrict noise)
{
    uint p = get_global_id(0) * RUN;
    words middle = 0, rank = (frames - 3) / 2;

    if (p >= count)
        return;
    for (int bit = 30; bit >= 0; bit--) {
        words trial = middle | (words)(1u << bit), below = 0;
        numbers before = LOAD(movie + p), here = LOAD(movie + pitch + p);

        for (int n = 2; n < frames; n++) {
            numbers after = LOAD(movie + n * pitch + p);

            below += AS(uint)(fabs((before - here) - (here - after))) < trial ? (words)1 : (words)0;
            before = here;
            here = after;
        }
        middle = below > rank ? middle : trial;
    }
    STORE(AS(float)(middle), noise + p);
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
    __global const float *trace = movie + p;
    numbers least, low = INFINITY, high = -INFINITY, rising = 0, climbs = 0;
    reals sum = 0, squares = 0;

    if (p >= count)
        return;
    least = share * LOAD(range + p);
    for (int n = 0; n < frames; n++) {
        numbers x = LOAD(movie + n * pitch + p), fell = rising > 0 && x <= high - least ? (numbers)1 : (numbers)0, rose;

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

    for (uint p = lane; p < count; p += SUM_LANES) {
        __global const float *trace = movie + p;
        reals good = TO_REALS(LOAD(range + p)), x = AT(n), d = frames > 1 ? slope(trace, pitch, n, frames) : (reals)0;

        value += good >= 0 ? x : (reals)0;
        climb += good >= 0 && d > 0 ? d * d : (reals)0;
    }
    STORE(value, values);
    STORE(climb, climbs);
}
