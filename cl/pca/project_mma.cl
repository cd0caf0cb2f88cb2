/*
 * As project_tiles.cl in double, by the matrix units of NVIDIA GPUs from compute capability 9.0 on (triangle_mma.cl): a
 * warp has a block. matrix: blocks of results x steps x 2 x OUTS x 8, the last two of results and bands.
 */
#include "pca/project_tiles.clh"
#include "pca/mma.clh"

#define DEPTH 8
#define LINE  (PIXELS + 2) /* no conflicts of banks */
#define ROOM  (OUTS * PIXEL_TILES * 4)
#define TILE  (STEP * LINE + STEP * OUTS)

/* Row `half` (0: the upper 8) of the products m: its result in the block. */
INLINED int row_of(int m, int half_of)
{
    return m * 16 + half_of * 8 + (int)get_local_id(0) % 32 / 4;
}

INLINED void put_ranges(double block[2][4][4], const bool *valid, int down, int column, bool works,
                        __local double *room, int first_out, int outs, __global double *partial)
{
    for (int largest = 0; largest < 2; largest++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            double low = INFINITY, high = -INFINITY;

#pragma unroll
            for (int k = 0; k < 8; k++)
                widen(&low, &high, block[i / 2][k / 2][i % 2 * 2 + k % 2], valid[k]);
            if (works)
                room[(down + row_of(i / 2, i % 2)) * PIXEL_TILES * 4 + column] = largest ? high : low;
        }
        put_extremes(room, largest, first_out, outs, partial);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_project(__global const TYPE *restrict data, long pitch, int bands, int outs, int pixels,
                 __global const uchar *restrict flags, int masked, __global const double *restrict matrix,
                 __global const double *restrict before, __global const double *restrict after,
                 __global double *restrict results, long out_pitch, long first, __global double *restrict partial)
{
    __local double memory[TILE > ROOM ? TILE : ROOM] __attribute__((aligned(32)));
    __local double *ms = memory, *xs = memory + STEP * OUTS;
    int    item = get_local_id(0), pair = item / 32, lane = item % 32;
    bool   works = pair < OUT_TILES * PIXEL_TILES;
    int    down = works ? pair / PIXEL_TILES * 32 : 0, across = works ? pair % PIXEL_TILES * 32 : 0;
    int    first_pixel = get_group_id(0) * PIXELS, first_out = get_group_id(1) * OUTS, steps = (bands + STEP - 1) / STEP;
    double block[2][4][4];
    bool   valid[8];
    next_t next;

    data += first_pixel;
    matrix += (long)get_group_id(1) * steps * STEP * OUTS;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int    out = first_out + down + row_of(i / 2, i % 2);
        double offset = out < outs ? after[out] : 0;

#pragma unroll
        for (int k = 0; k < 8; k++)
            block[i / 2][k / 2][i % 2 * 2 + k % 2] = offset;
    }
    read_next(&next, data, pitch, bands, 0, before, matrix);
    for (int step = 0; step < steps; step++) {
        take_step(&next, step, steps, data, pitch, bands, before, matrix, xs, LINE, ms);
        if (works) {
#pragma unroll
            for (int plane = 0; plane < STEP / DEPTH; plane++) {
                __local const double *am = ms + (plane * OUTS + down + lane / 4) * DEPTH + lane % 4 * 2;
                __local const double *bx = xs + (plane * DEPTH + lane % 4 * 2) * LINE + across + lane / 4;
                double2               a[4], b[4];

#pragma unroll
                for (int k = 0; k < 4; k++) {
                    a[k] = *(__local const double2 *)(am + k * 8 * DEPTH);
                    b[k] = (double2)(bx[k * 8], bx[k * 8 + LINE]);
                }
#pragma unroll
                for (int m = 0; m < 2; m++)
#pragma unroll
                    for (int n = 0; n < 4; n++)
                        multiply(block[m][n], a[2 * m], a[2 * m + 1], b[n]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int pixel = first_pixel + across + k / 2 * 8 + lane % 4 * 2 + k % 2;

        valid[k] = pixel < pixels && (!masked || flags[pixel] != 0);
    }
    results += first + first_pixel + across + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int              out = first_out + down + row_of(i / 2, i % 2);
        __global double *to = results + out * out_pitch;

        if (works && out < outs)
#pragma unroll
            for (int n = 0; n < 4; n++) {
                double2 v = (double2)(block[i / 2][n][i % 2 * 2], block[i / 2][n][i % 2 * 2 + 1]);

                if (first % 2 == 0)
                    *(__global double2 *)(to + n * 8) = v;
                else
                    vstore2(v, 0, to + n * 8);
            }
    }
    put_ranges(block, valid, down, pair % PIXEL_TILES * 4 + lane % 4, works, memory, first_out, outs, partial);
}
