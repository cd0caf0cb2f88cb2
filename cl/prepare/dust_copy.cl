/*
 * Dust replaced by the image a little way off: of a masked pixel p the value of the first unmasked q = p + k step e in
 * the frame, k = 1 .. TRIALS, e the eight directions in turn. Pixels that are read stay as they are, and the mask does
 * while any is looked for: what was filled, counts[2 frame + 1] pixels, is noted, and prepare_dust_filled unmasks it.
 */
#include "prepare/pixels.clh"

#define TRIALS 16

__constant int2 directions[8] = {(int2)(1, 0), (int2)(-1, 0), (int2)(0, 1),  (int2)(0, -1),
                                 (int2)(1, 1), (int2)(-1, 1), (int2)(1, -1), (int2)(-1, -1)};

/* Fills (x, y) if it is masked; whether it could. */
static inline uchar fill(__global float *flat, __global const uchar *mask, int width, int height, int step, int x,
                         int y)
{
    size_t p = (size_t)y * width + x;

    for (int k = 0; !mask[p] && k < 8 * TRIALS; k++) {
        int u = x + (k / 8 + 1) * step * directions[k % 8].x, v = y + (k / 8 + 1) * step * directions[k % 8].y;
        size_t q = (size_t)v * width + u;

        if (u >= 0 && u < width && v >= 0 && v < height && mask[q] == 1) {
            flat[p] = flat[q];
            return 1;
        }
    }
    return 0;
}

#ifdef PENTA_CPU
PIXELS_KERNEL void prepare_dust_copy(__global float *flat, __global const uchar *mask, int width, int height, int step,
                                     __global uchar *filled, __global uint *counts)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t first = (size_t)frame * height * width;
    uint count = 0;

    filled += first + (size_t)y * width;
    FOR_PIXELS (x, width) {
        filled[x] = fill(flat + first, mask + first, width, height, step, x, y);
        count += filled[x];
    }
    if (count)
        atomic_add(counts + 2 * frame + 1, count);
}
#else
/* Grid: pixels, in groups along x. */
__kernel void prepare_dust_copy(__global float *flat, __global const uchar *mask, int width, int height, int step,
                                __global uchar *filled, __global uint *counts)
{
    __local uint count;
    int x = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    size_t first = (size_t)frame * height * width;

    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width) {
        uchar done = fill(flat + first, mask + first, width, height, step, x, y);

        filled[first + (size_t)y * width + x] = done;
        if (done)
            atomic_inc(&count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && count)
        atomic_add(counts + 2 * frame + 1, count);
}
#endif

PIXELS_KERNEL void prepare_dust_filled(__global const uchar *restrict filled, int width, int height,
                                       __global uchar *restrict mask)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t row = ((size_t)frame * height + y) * width;

    FOR_PIXELS (x, width)
        mask[row + x] |= filled[row + x];
}
