/*
 * Dust replaced by the image a little way off: of a masked pixel p the value of the first unmasked q = p + k step e in
 * the frame, k = 1 .. TRIALS, e the eight directions in turn. Pixels that are read stay as they are: those that were
 * filled have FILLED in the mask until prepare_dust_filled makes it 1. counts[2 frame + 1] of them.
 */
#include "prepare/pixels.clh"

#define TRIALS 16
#define FILLED 2

__constant int2 directions[8] = {(int2)(1, 0), (int2)(-1, 0), (int2)(0, 1),  (int2)(0, -1),
                                 (int2)(1, 1), (int2)(-1, 1), (int2)(1, -1), (int2)(-1, -1)};

/* Whether (x, y) was filled. */
static inline int filled(__global float *flat, __global uchar *mask, int width, int height, int step, int x, int y)
{
    size_t p = (size_t)y * width + x;

    for (int k = 0; k < 8 * TRIALS; k++) {
        int u = x + (k / 8 + 1) * step * directions[k % 8].x, v = y + (k / 8 + 1) * step * directions[k % 8].y;
        size_t q = (size_t)v * width + u;

        if (u >= 0 && u < width && v >= 0 && v < height && mask[q] == 1) {
            flat[p] = flat[q];
            mask[p] = FILLED;
            return 1;
        }
    }
    return 0;
}

#ifdef PENTA_CPU
PIXELS_KERNEL void prepare_dust_copy(__global float *flat, __global uchar *mask, int width, int height, int step,
                                     __global uint *counts)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t first = (size_t)frame * height * width;
    uint count = 0;

    FOR_PIXELS (x, width)
        if (!mask[first + (size_t)y * width + x])
            count += filled(flat + first, mask + first, width, height, step, x, y);
    if (count)
        atomic_add(counts + 2 * frame + 1, count);
}
#else
/* Grid: pixels, in groups along x. */
__kernel void prepare_dust_copy(__global float *flat, __global uchar *mask, int width, int height, int step,
                                __global uint *counts)
{
    __local uint count;
    int x = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    size_t first = (size_t)frame * height * width;

    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width && !mask[first + (size_t)y * width + x] &&
        filled(flat + first, mask + first, width, height, step, x, y))
        atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && count)
        atomic_add(counts + 2 * frame + 1, count);
}
#endif

PIXELS_KERNEL void prepare_dust_filled(__global uchar *mask, int width, int height)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t row = ((size_t)frame * height + y) * width;

    FOR_PIXELS (x, width)
        if (mask[row + x] == FILLED)
            mask[row + x] = 1;
}
