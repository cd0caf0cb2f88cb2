/* Traces at the interpolated rate: y (pixels x samples, reals), samples = INTERP frames. */
#include "optmap/literal.clh"

/* Sample i of v + low, continued by repeated odd reflection about its first and last sample. */
static inline real sample(__global const float *v, __global const float *low, int frames, int i)
{
    real sum = 0, sign = 1;

    while (i < 0 || i >= frames) {
        int about = i < 0 ? 0 : frames - 1;

        sum += sign * 2 * ((real)v[about] + low[about]);
        sign = -sign;
        i = 2 * about - i;
    }
    return sum + sign * ((real)v[i] + low[i]);
}

/* Interpolates traces. weights: INTERP x LENGTH, of samples n + FIRST .. Grid (samples, width, rows). */
__kernel void literal_interpolate(__global const float *restrict v, __global const float *restrict low,
                                  __global const real *restrict weights, int frames, int pitch,
                                  __global real *restrict y)
{
    int j = get_global_id(0), n = j / INTERP, m = j % INTERP;
    long pixel = get_global_id(2) * (long)get_global_size(1) + get_global_id(1);
    real sum = 0;

    if (n >= frames)
        return;
    for (int k = 0; k < LENGTH; k++)
        sum += weights[m * LENGTH + k] * sample(v + pixel * pitch, low + pixel * pitch, frames, n + FIRST + k);
    y[pixel * frames * INTERP + j] = sum;
}

/* A power of two near 1 / |v - mean|, over all frames: two pixels share a transform, and neither may drown the other;
 * with it one tie limit suits all pairs. Grid (pixels). */
__kernel void literal_scale(__global const float *restrict v, __global const real *restrict mean, int frames, int pitch,
                            int pixels, __global real *restrict scale)
{
    int pixel = get_global_id(0);
    real sum = 0;

    if (pixel >= pixels)
        return;
    for (int n = 0; n < frames; n++) {
        real x = v[(long)pixel * pitch + n] - mean[pixel];

        sum += x * x;
    }
    scale[pixel] = sum > 0 ? ldexp(1.0, -ilogb(sqrt(sum))) : 1;
}
