/*
 * The background on nodes; src/prepare/background.c has the layouts, docs/mathematics/prepare.md the formulas. Rows of
 * nodes have `pitch` numbers, a multiple of 8; from nx on the weight is 0.
 */
#include "common/real.clh"

/* ---- blocks: mean and weight from grey and mask ---- */

static inline int block_first(int i, int size, int count)
{
    return (long)i * size / count;
}

#ifdef PENTA_CPU
/* Work-item (j, f): row j of blocks. Blocks are at most 16 px wide, frames at least. */
__kernel void prepare_nodes(__global const float *restrict grey, __global const uchar *restrict mask, int width,
                            int height, int nx, int ny, int pitch, __global float *restrict mean,
                            __global float *restrict weight)
{
    int j = get_global_id(0), f = get_global_id(1), y0, y1;
    long row = ((long)f * ny + j) * pitch;

    if (j >= ny)
        return;
    y0 = block_first(j, height, ny);
    y1 = block_first(j + 1, height, ny);
    for (int i = 0; i < nx; i++) {
        int x0 = block_first(i, width, nx), x1 = block_first(i + 1, width, nx), from = min(x0, width - 16);
        int16 x = from + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), in = x >= x0 & x < x1;
        float16 sum = 0, count = 0;

        for (int y = y0; y < y1; y++) {
            long at = ((long)f * height + y) * width + from;
            int16 counts = in & (convert_int16(vload16(0, mask + at)) != 0);

            sum += counts ? vload16(0, grey + at) : (float16)0;
            count += counts ? (float16)1 : (float16)0;
        }
        float8 s = sum.lo + sum.hi, c = count.lo + count.hi;
        float4 s4 = s.lo + s.hi, c4 = c.lo + c.hi;
        float s1 = (s4.x + s4.z) + (s4.y + s4.w), c1 = (c4.x + c4.z) + (c4.y + c4.w);

        mean[row + i] = c1 > 0 ? s1 / c1 : 0;
        weight[row + i] = c1;
    }
    for (int i = nx; i < pitch; i++)
        mean[row + i] = weight[row + i] = 0;
}
#else
/* Work-groups of 256 do 16 blocks of row j, one work-item per column of a block. Grid (16 pitch, ny, frames). No item
 * returns before the last barrier. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
prepare_nodes(__global const float *restrict grey, __global const uchar *restrict mask, int width, int height, int nx,
              int ny, int pitch, __global float *restrict mean, __global float *restrict weight)
{
    __local float sums[256], counts[256];
    int item = get_local_id(0), i = get_global_id(0) / 16, j = get_global_id(1), f = get_global_id(2);
    int x = block_first(min(i, nx), width, nx) + item % 16;
    bool inside = i < nx && x < block_first(i + 1, width, nx);
    int y0 = block_first(j, height, ny), y1 = block_first(j + 1, height, ny);
    float sum = 0, count = 0;

    for (int y = y0; y < y1; y++) {
        long at = ((long)f * height + y) * width + x;

        if (inside && mask[at]) {
            sum += grey[at];
            count++;
        }
    }
    sums[item] = sum;
    counts[item] = count;
    for (int reach = 8; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item % 16 < reach) {
            sums[item] += sums[item + reach];
            counts[item] += counts[item + reach];
        }
    }
    if (item % 16 == 0 && i < pitch) {
        long to = ((long)f * ny + j) * pitch + i;

        mean[to] = counts[item] > 0 ? sums[item] / counts[item] : 0;
        weight[to] = counts[item];
    }
}
#endif

/* ---- sums over nodes, in two steps ---- */

/* Work-item (j, f): sums of v n and of n by over row j. by: one frame, used for all. */
__kernel void prepare_node_rows(__global const float *restrict v, __global const float *restrict n,
                                __global const float *restrict by, int nx, int ny, int pitch,
                                __global real2 *restrict rows)
{
    int j = get_global_id(0), f = get_global_id(1);
    long row = ((long)f * ny + j) * pitch;
    real2 sum = 0;

    if (j >= ny)
        return;
    for (int i = 0; i < nx; i++)
        sum += (real2)((real)v[row + i] * n[row + i], (real)n[row + i] * by[(long)j * pitch + i]);
    rows[(long)f * ny + j] = sum;
}

/* Work-item f: the ratio of the two sums; 1 where it is not positive. */
__kernel void prepare_node_ratio(__global const real2 *restrict rows, int n, int ny, __global real *restrict ratio)
{
    int f = get_global_id(0);
    real2 sum = 0;

    if (f >= n)
        return;
    for (int j = 0; j < ny; j++)
        sum += rows[(long)f * ny + j];
    ratio[f] = sum.x > 0 && sum.y > 0 ? sum.x / sum.y : 1;
}

/* Work-item (j, f): the sum of B times the area of its block, over row j. */
__kernel void prepare_area_rows(__global const float *restrict background, int width, int height, int nx, int ny,
                                __global real2 *restrict rows)
{
    int j = get_global_id(0), f = get_global_id(1);
    real sum = 0;

    if (j >= ny)
        return;
    for (int i = 0; i < nx; i++)
        sum += (real)background[((long)f * ny + j) * nx + i] *
               (block_first(i + 1, width, nx) - block_first(i, width, nx));
    sum *= block_first(j + 1, height, ny) - block_first(j, height, ny);
    rows[(long)f * ny + j] = (real2)(sum, 0);
}

/* Work-item f: B0. */
__kernel void prepare_area_mean(__global const real2 *restrict rows, int n, int ny, real pixels,
                                __global float *restrict mean)
{
    int f = get_global_id(0);
    real sum = 0;

    if (f >= n)
        return;
    for (int j = 0; j < ny; j++)
        sum += rows[(long)f * ny + j].x;
    mean[f] = sum / pixels;
}

/* ---- B without a fit ---- */

/* Work-item (x, f): B = v, copied from rows of pitch to rows of nx. */
__kernel void prepare_take(__global const float *restrict v, int nx, int ny, int pitch,
                           __global float *restrict background)
{
    int x = get_global_id(0), f = get_global_id(1);

    if (x < nx * ny)
        background[(long)f * nx * ny + x] = v[((long)f * ny + x / nx) * pitch + x % nx];
}

/* Work-item (x, f): B = ratio illumination, from rows of pitch to rows of nx. */
__kernel void prepare_lit(__global const float *restrict illumination, __global const real *restrict ratio, int nx,
                          int ny, int pitch, __global float *restrict background)
{
    int x = get_global_id(0), f = get_global_id(1);

    if (x < nx * ny)
        background[(long)f * nx * ny + x] = ratio[f] * illumination[(long)(x / nx) * pitch + x % nx];
}
