/* Dominant frequency of pixels 2 i and 2 i + 1 from row i of the spectra (phase.cl). */
#define ONE_PIXEL
#include "optmap/beats.clh"

/* Power of line k, 0 .. frames / 2. Z(k) = A(k) + i B(k), where A and B are spectra of real traces. */
static inline real power(__global const real2 *restrict z, int frames, int k, bool second)
{
    real2 a = z[k], b = z[k == 0 ? 0 : frames - k] * (real2)(1, -1), sum = second ? a - b : a + b;

    return dot(sum, sum);
}

/* out: frequency, then regularity, pitch each; lines first .. last are `step` Hz apart. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_frequency(__global const real2 *restrict data, int frames, uint count, ulong pitch,
                 __global const real *restrict means, int first, int last, real step, __global float *restrict out)
{
    uint from = get_global_id(0) * RUN;

    for (uint p = from; p < min(from + RUN, count); p++) {
        __global const real2 *z = data + (ulong)(p / 2) * frames;
        bool second = p % 2;
        real all = 0, most = -1, near = 0, at;
        int best = first;

        for (int k = first; k <= last; k++) {
            real line = power(z, frames, k, second);

            all += line;
            best = line > most ? k : best;
            most = fmax(most, line);
        }
        at = best;
        if (2 * best < frames - 1) {
            real a = log(power(z, frames, best - 1, second)), b = log(most),
                   c = log(power(z, frames, best + 1, second)), bend = a - 2 * b + c;

            if (isfinite(bend) && bend < 0)
                at = clamp(at + clamp(0.5 * (a - c) / bend, -0.5, 0.5), (real)first, (real)last);
        }
        for (int k = max(best - 1, first); k <= min(best + 1, last); k++)
            near += power(z, frames, k, second);
        at = !isnan(means[p]) && all > 0 ? at : NAN;
        out[p] = at * step;
        out[pitch + p] = isnan(at) ? NAN : near / all;
    }
}
