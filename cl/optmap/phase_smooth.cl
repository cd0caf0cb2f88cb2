/*
 * A Gaussian along one direction of a piece of a movie: out[i] = sum_k weights[k] in[i + (k - radius) * stride]. Pixel
 * (x, y) of frame n is element origin + n * frame + y * pitch + x; elements as far as the radius always exist, zeros
 * beyond a frame. A work-item does one pixel; on CPU devices 16 adjacent ones, of which up to 15 lie in the unused part
 * beyond the end of a row. Sums are reals.
 */
#pragma OPENCL FP_CONTRACT OFF

#ifdef PENTA_CPU
#define RUN   16
#define GROUP 1
#define LANES 16
#else
#define RUN   1
#define GROUP 64
#define LANES 1
#endif
#include "common/real.clh"
#include "common/vectors.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_phase_blur(__global const float *restrict in, int width, ulong origin, ulong pitch, ulong frame, ulong stride,
                  __global const real *restrict weights, int radius, __global float *restrict out)
{
    int x = get_global_id(0) * RUN;
    ulong at = origin + get_global_id(2) * frame + get_global_id(1) * pitch + x;
    VECTOR(real) sum = 0;

    if (x >= width)
        return;
    in += at - radius * stride;
    for (int k = 0; k <= 2 * radius; k++, in += stride)
        sum += weights[k] * TO_REALS(LOAD(in));
    STORE(TO(float)(sum), out + at);
}
