/* The action potential of a pixel in a beat: include/pentacl/beats.h. */
#define ONE_PIXEL
#include "optmap/beats.clh"

enum { ACTIVATION, REPOLARISATION, APD, RISE = APD + 4, AMPLITUDE, SNR, MAPS };

__constant real levels[] = {0.3, 0.5, 0.8, 0.9}; /* penta_apd_levels */

#define ONSET 0.1 /* of the steepest slope: before this is diastole */
#define NEAR  5   /* samples whose mean is the level at the onset */
#define TAIL                                                                                                           \
    0.25 /* of the height above that level: what is higher before the onset belongs to the previous action potential   \
          */

/* The subframe time at which the line from sample n to n + 1 has the value. */
static inline real crossing(__global const float *trace, ulong step, int n, real value)
{
    return n + (value - AT(n)) / (AT(n + 1) - AT(n));
}

APART real slope_at(__global const float *trace, ulong step, int n, int frames)
{
    return slope(trace, step, n, frames);
}

static inline int steepest(__global const float *trace, ulong step, int frames, int2 beat)
{
    int at = beat.x;
    real most = -INFINITY;

    for (int n = beat.x; n < beat.y; n++) {
        real d = slope(trace, step, n, frames);

        at = d > most ? n : at;
        most = fmax(most, d);
    }
    return at;
}

/* Top of the parabola through the slopes around their largest, at most half a frame away. */
static inline real refine(__global const float *trace, ulong step, int frames, int n)
{
    real a, b, c, bend;

    if (n == 0 || n == frames - 1)
        return n;
    a = slope_at(trace, step, n - 1, frames);
    b = slope_at(trace, step, n, frames);
    c = slope_at(trace, step, n + 1, frames);
    bend = a - 2 * b + c;
    return bend < 0 ? n + clamp(0.5 * (a - c) / bend, -0.5, 0.5) : n;
}

APART real mean(__global const float *trace, ulong step, int from, int to)
{
    real sum = 0;

    for (int i = from; i <= to; i++)
        sum += AT(i);
    return sum / (to - from + 1);
}

/*
 * The diastolic level before the upstroke that is steepest at n and has its peak at `peak`: the mean over the later
 * half, without the last eighth, of the interval between the previous action potential (of which the recording may have
 * only the end) and the onset. NaN if the beat has no onset.
 */
static inline real baseline(__global const float *trace, ulong step, int frames, int first, int n, int peak)
{
    real enough = ONSET * slope_at(trace, step, n, frames), level;
    int onset = n, from;

    while (onset >= first && slope_at(trace, step, onset, frames) > enough)
        onset--;
    if (onset < first)
        return NAN;
    level = mean(trace, step, max(first, onset - NEAR + 1), onset);
    level += TAIL * (AT(peak) - level);
    for (from = onset; from > first; from--)
        if (AT(from - 1) > level && (from - 1 == first || AT(from - 2) > level))
            break;
    return mean(trace, step, onset - (onset - from) / 2, onset - (onset - from) / 8);
}

static inline int highest(__global const float *trace, ulong step, int n, int end)
{
    int at = n;
    real most = AT(n);

    for (int i = n + 1; i < end; i++) {
        real x = AT(i);

        at = x > most ? i : at;
        most = fmax(most, x);
    }
    return at;
}

/* Frames from 10 % to 90 % of the upstroke to its peak. */
static inline real rise(__global const float *trace, ulong step, int first, int peak, real base, real amplitude)
{
    real low = base + 0.1 * amplitude, high = base + 0.9 * amplitude;
    int from = peak - 1, to;

    while (from >= first && AT(from) > low)
        from--;
    if (from < first)
        return NAN;
    for (to = from; AT(to + 1) < high; to++)
        ;
    return crossing(trace, step, to, high) - crossing(trace, step, from, low);
}

/* The first time after the peak at which the trace falls to the value. */
APART real fall(__global const float *trace, ulong step, int peak, int end, real value)
{
    for (int n = peak + 1; n < end; n++)
        if (AT(n) <= value)
            return crossing(trace, step, n - 1, value);
    return NAN;
}

static inline void measure(__global const float *trace, ulong step, int frames, int2 beat, real ms, real noise, real *v)
{
    int n = steepest(trace, step, frames, beat), peak;
    real activation, base, amplitude;

    if (!(slope_at(trace, step, n, frames) > 0))
        return;
    activation = refine(trace, step, frames, n);
    peak = highest(trace, step, n, beat.y);
    base = baseline(trace, step, frames, beat.x, n, peak);
    amplitude = AT(peak) - base;
    if (amplitude <= 0)
        return;
    v[ACTIVATION] = activation * ms;
    if (isnan(amplitude))
        return;
    for (int k = 0; k < 4; k++)
        v[APD + k] = (fall(trace, step, peak, beat.y, base + (1 - levels[k]) * amplitude) - activation) * ms;
    v[REPOLARISATION] = v[ACTIVATION] + v[APD + 2];
    v[RISE] = rise(trace, step, beat.x, peak, base, amplitude) * ms;
    v[AMPLITUDE] = amplitude;
    v[SNR] = noise > 0 ? 20 * log10(amplitude / noise) : NAN;
}

/*
 * Work-item (pixel, beat). beats: first frame, end. ms: per frame. noise: the median of the second differences
 * (beats.cl). maps: MAPS x beats x pitch, NaN without a value.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_measure(__global const float *restrict movie, int frames, uint count, ulong pitch,
                     __global const float *restrict range, __global const float *restrict noise,
                     __global const int2 *restrict beats, real ms, __global float *restrict maps)
{
    uint first = get_global_id(0) * RUN, beat = get_global_id(1), size = get_global_size(1);

    for (uint p = first; p < min(first + RUN, count); p++) {
        real values[MAPS];

        for (int k = 0; k < MAPS; k++)
            values[k] = NAN;
        if (isfinite(range[p]))
            measure(TRACE(movie, p, frames), STEP(pitch), frames, beats[beat], ms, noise[p] / 1.65, values);
        for (int k = 0; k < MAPS; k++)
            maps[((ulong)k * size + beat) * pitch + p] = values[k];
    }
}
