/* Action potentials at times predicted by the mean one. */
#define ONE_PIXEL
#include "optmap/beats.clh"

/* ---- action potentials ---- */

enum { ACTIVATION, REPOLARISATION, APD, RISE = APD + 4, AMPLITUDE, SNR, MAPS };
/* Numbers of a beat: frames relative to the activation, or lengths in frames (src/optmap/beats_matched.h). */
enum { BASE_FROM, BASE_TO, PEAK, FACTOR, HALF_PEAK, HALF_RISE, LONGER, HALF, SHIFT = HALF + 4, SHAPE = SHIFT + 4 };

__constant real levels[] = {0.3, 0.5, 0.8, 0.9}; /* penta_apd_levels */

/* The middle of the parabola through 2 m + 1 samples around n (Savitzky-Golay). */
APART real smooth(__global const float *trace, ulong step, int frames, int n, int m)
{
    real sum = 0, all = (2.0 * m - 1) * (2 * m + 1) * (2 * m + 3) / 3;

    if (m == 0)
        return AT(clamp(n, 0, frames - 1));
    for (int k = -m; k <= m; k++)
        sum += (3.0 * m * m + 3 * m - 1 - 5.0 * k * k) * AT(clamp(n + k, 0, frames - 1));
    return sum / all;
}

static inline real mean(__global const float *trace, ulong step, int frames, real from, real to)
{
    int first = max((int)ceil(from), 0), last = min((int)floor(to), frames - 1);
    real sum = 0;

    for (int n = first; n <= last; n++)
        sum += AT(n);
    return last - first + 1 >= 0.25 * (to - from) && last >= first ? sum / (last - first + 1) : NAN;
}

/* The mean of the first and the last time at which the smoothed trace falls to the value, at most its window apart. */
APART real fall(__global const float *trace, ulong step, int frames, int from, int end, int m, real value)
{
    real before = smooth(trace, step, frames, from, m), first = NAN, last = NAN;

    for (int n = from + 1; n < end && !(n > first + 2 * m + 2); n++) {
        real now = smooth(trace, step, frames, n, m);

        if (now <= value && before > value) {
            last = n - 1 + (value - before) / (now - before);
            first = isnan(first) ? last : first;
        }
        before = now;
    }
    return 0.5 * (first + last);
}

/* The same for the upstroke, from `from` on in direction `way`. */
APART real reach(__global const float *trace, ulong step, int frames, int from, int most, int way, int m,
                         real value)
{
    real before = smooth(trace, step, frames, from, m);

    for (int n = from + way, k = 0; k < most && n >= 0 && n < frames; n += way, k++) {
        real now = smooth(trace, step, frames, n, m);

        if (way < 0 ? now <= value : now >= value) {
            real part = before == now ? 1 : (value - before) / (now - before);

            return fabs(part) <= 2 * m + 2 ? n - way + way * part : NAN;
        }
        before = now;
    }
    return NAN;
}

static inline void measure(__global const float *trace, ulong step, int frames, int2 beat, real at,
                           __global const real *restrict s, real ms, real noise, real *v)
{
    real base = mean(trace, step, frames, at + s[BASE_FROM], at + s[BASE_TO]), top = at + s[PEAK], part, amplitude;
    int from = (int)floor(top), middle = clamp((int)rint(at), beat.x, beat.y - 1), far = (int)ceil(s[PEAK]) + 1;

    v[ACTIVATION] = at * ms;
    part = top - from;
    amplitude = s[FACTOR] * ((1 - part) * smooth(trace, step, frames, from, (int)s[HALF_PEAK]) +
                             part * smooth(trace, step, frames, from + 1, (int)s[HALF_PEAK]) - base);
    if (!(amplitude > 0) || from + 1 >= beat.y)
        return;
    for (int k = 0; k < 4; k++)
        v[APD + k] = (fall(trace, step, frames, from, beat.y, (int)s[HALF + k], base + (1 - levels[k]) * amplitude) +
                      s[SHIFT + k] - at) *
                     ms;
    v[REPOLARISATION] = v[ACTIVATION] + v[APD + 2];
    v[RISE] = (reach(trace, step, frames, middle, 2 * far + 8, 1, (int)s[HALF_RISE], base + 0.9 * amplitude) -
               reach(trace, step, frames, middle, middle - beat.x, -1, (int)s[HALF_RISE], base + 0.1 * amplitude) -
               s[LONGER]) *
              ms;
    v[AMPLITUDE] = amplitude;
    v[SNR] = noise > 0 ? 20 * log10(amplitude / noise) : NAN;
}

/* Work-item (pixel, beat). times: ms, NaN: no values. shapes: SHAPE numbers per beat. maps: MAPS x beats x pitch. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_levels(__global const float *restrict movie, int frames, uint count, ulong pitch,
                    __global const float *restrict times, __global const float *restrict noise,
                    __global const int2 *restrict beats, __global const real *restrict shapes, real ms,
                    __global float *restrict maps)
{
    uint begin = get_global_id(0) * RUN, beat = get_global_id(1), size = get_global_size(1);

    for (uint p = begin; p < min(begin + RUN, count); p++) {
        real values[MAPS], at = times[beat * pitch + p] / ms;

        for (int k = 0; k < MAPS; k++)
            values[k] = NAN;
        if (isfinite(at))
            measure(TRACE(movie, p, frames), STEP(pitch), frames, beats[beat], at, shapes + beat * SHAPE, ms, noise[p],
                    values);
        for (int k = 0; k < MAPS; k++)
            maps[((ulong)k * size + beat) * pitch + p] = values[k];
    }
}
