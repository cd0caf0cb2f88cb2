/*
 * Spectra of pixels and of pairs of them, on GPUs. Spectra are those of src/math/fft.h: rows of `bins` complex numbers,
 * bins = M / 2 + 1.
 */
#include "optmap/shift.clh"

/* bounds.w = 1 / M sum_k |X(k)|^2 margin(k). A work-group a pixel. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void optmap_shift_margin(__global const float2 *restrict spectrum, __global const float *restrict margin, int bins,
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
 * product[pixel - first][offset - first_offset] = scale conj(X_p) X_q, 0 where there is no such pair. Items along x are
 * frequencies, along y pixels.
 */
__kernel void optmap_shift_product(__global const float2 *restrict spectrum, __global const float4 *restrict bounds,
                                   __global const geometry *restrict g, __global float2 *restrict product, int bins,
                                   int first, int first_offset, int offsets, float scale)
{
    const int k = get_global_id(0), pixel = first + get_global_id(1), width = g->width;
    const int x = pixel % width, y = pixel / width;
    __global float2 *out = product + (long)get_global_id(1) * offsets * bins + k;
    float2 a;

    if (k >= bins)
        return;
    a = y < g->rows && bounds[pixel].x > 0 ? scale * spectrum[(long)pixel * bins + k] : (float2)(0);
    for (int o = 0; o < offsets; o++, out += bins) {
        const int n = CENTRE + 1 + first_offset + o, qx = x + n % WINDOW - RADIUS, qy = y + n / WINDOW - RADIUS;
        float2 b = 0;

        if (qx >= 0 && qx < width && qy < g->rows)
            b = spectrum[(long)(qy * width + qx) * bins + k];
        *out = (float2)(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
    }
}
