/*
 * Spectra of pixels and of pairs of them, on GPUs, in the layout of src/math/fft.h: rows of `bins` complex numbers,
 * bins = M / 2 + 1.
 */
#include "optmap/shift.clh"

/* bounds.w = 1 / M sum_k |X(k)|^2 margin(k). One work-group per pixel. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_shift_margin(__global const float2 *restrict spectrum, __global const float *restrict margin, int bins,
                    float scale, __global float4 *restrict bounds)
{
    const int item = get_local_id(0);
    const long pixel = get_group_id(0);
    __local float part[GROUP];
    float sum = 0;

    for (int from = 0; from < bins; from += GROUP)
        if (from + item < bins) {
            const float2 a = spectrum[pixel * bins + from + item];

            sum += (a.x * a.x + a.y * a.y) * margin[from + item];
        }
    part[item] = sum;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            part[item] += part[item + step];
    }
    if (item == 0)
        bounds[pixel].w = part[0] * scale;
}

/*
 * product[i] = scale conj(X_p) X_q of pair first + i of `pairs` (pixel, offset), 0 after the last one. Items along x
 * are frequencies, along y pairs.
 */
__kernel void optmap_shift_product(__global const float2 *restrict spectrum, __global const geometry *restrict g,
                                   __global const int2 *restrict pairs, int bins, int first, int count, float scale,
                                   __global float2 *restrict product)
{
    const int k = get_global_id(0), row = get_global_id(1);
    float2 a = 0, b = 0;

    if (k >= bins)
        return;
    if (row < count) {
        const int2 pair = pairs[first + row];
        const int n = CENTRE + 1 + pair.y, q = pair.x + (n / WINDOW - RADIUS) * g->width + n % WINDOW - RADIUS;

        a = scale * spectrum[(long)pair.x * bins + k];
        b = spectrum[(long)q * bins + k];
    }
    product[(long)row * bins + k] = (float2)(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
}
