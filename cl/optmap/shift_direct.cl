/*
 * Shifts of movies so short that the ends of a trace meet: computes y of every pixel, then the sums c[t] directly, in
 * double.
 */
#include "optmap/shift.clh"

/* x~[m]: odd reflection about the first and the last sample, repeated if the trace is shorter. */
static inline double reflected(__global const double *x, int frames, int m)
{
    const int period = 2 * (frames - 1), turn = m >= 0 ? m / period : -((-m + period - 1) / period);
    const int at = m - turn * period;
    const double rise = 2 * (x[frames - 1] - x[0]);

    return turn * rise + (at < frames ? x[at] : 2 * x[frames - 1] - x[period - at]);
}

/* y of a pixel, INTERP * frames numbers. */
__kernel void optmap_shift_interpolate(__global const double *restrict precise, __global const double *restrict filter,
                                       __global const geometry *restrict g, long count, __global double *restrict y)
{
    const long i = get_global_id(0);
    const int samples = INTERP * g->frames;

    if (i < count) {
        const long pixel = i / samples;
        const int j = (int)(i % samples);
        __global const double *x = precise + pixel * (g->pitch + 2 * PAD) + PAD, *b = filter + FILTER_PAD + HALF;
        double sum = 0;

        for (int m = floor_divide(j - HALF + INTERP - 1); INTERP * m <= j + HALF; m++)
            sum += reflected(x, g->frames, m) * b[INTERP * m - j];
        y[i] = sum;
    }
}

/* One work-item per pair. */
__kernel void optmap_shift_sums(__global const double *restrict y, __global const float4 *restrict bounds,
                                __global const geometry *restrict g, long count, __global int *restrict shifts)
{
    const long i = get_global_id(0);
    const int samples = INTERP * g->frames;

    if (i < count) {
        const int offset = (int)(i % OFFSETS), p = (int)(i / OFFSETS), n = CENTRE + 1 + offset;
        const int px = p % g->width, py = p / g->width, qx = px + n % WINDOW - RADIUS, qy = py + n / WINDOW - RADIUS;
        const bool inside = qx >= 0 && qx < g->width && qy < g->rows;
        const int q = inside ? qy * g->width + qx : p;

        if (inside && bounds[p].x != INVALID && bounds[q].x != INVALID) {
            __global const double *yp = y + (long)p * samples, *yq = y + (long)q * samples;
            winner best = nobody();

            for (int t = -g->most; t <= g->most; t++) {
                double c = 0;

                for (int k = max(0, -t); k < min(samples, samples - t); k++)
                    c += yp[k] * yq[k + t];
                best = better(best, c, t);
            }
            put_pair(g, shifts, px, py, offset, best.at, best.turned);
        }
    }
}
