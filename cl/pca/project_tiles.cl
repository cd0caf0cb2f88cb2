/*
 * pca_project for many results (project_tiles.clh): sixteen work-items have a block, each of them 8 results x 8 pixels
 * in registers. matrix: blocks of results x steps x STEP x OUTS, zeros beyond.
 */
#include "pca/project_tiles.clh"

#define LINE (PIXELS + 4)
#define ROOM (OUTS * PIXEL_TILES * 4)
#define TILE (STEP * LINE + STEP * OUTS)

INLINED void put_ranges(REAL4 block[8][2], const bool *valid, int down, int column, bool works, __local REAL *room,
                        int first_out, int outs, __global REAL *partial)
{
    for (int largest = 0; largest < 2; largest++) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            REAL low = INFINITY, high = -INFINITY;
            REAL v[8] = {block[i][0].x, block[i][0].y, block[i][0].z, block[i][0].w,
                         block[i][1].x, block[i][1].y, block[i][1].z, block[i][1].w};

#pragma unroll
            for (int k = 0; k < 8; k++)
                widen(&low, &high, v[k], valid[k]);
            if (works)
                room[(down + i / 4 * 16 + i % 4) * PIXEL_TILES * 4 + column] = largest ? high : low;
        }
        put_extremes(room, largest, first_out, outs, partial);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_project(__global const TYPE *restrict data, long pitch, int bands, int outs, int pixels,
                 __global const uchar *restrict flags, int masked, __global const REAL *restrict matrix,
                 __global const number *restrict before, __global const number *restrict after,
                 long out_pitch, long first, __global REAL *restrict results, __global REAL *restrict partial)
{
    __local REAL memory[TILE > ROOM ? TILE : ROOM] __attribute__((aligned(32)));
    __local REAL *xs = memory, *ms = memory + STEP * LINE;
    int    item = get_local_id(0), pair = item / 16, y = item % 16 / 4, x = item % 4;
    bool   works = pair < OUT_TILES * PIXEL_TILES;
    int    down = works ? pair / PIXEL_TILES * 32 + 4 * y : 0, across = works ? pair % PIXEL_TILES * 32 + 4 * x : 0;
    int    first_pixel = get_group_id(0) * PIXELS, first_out = get_group_id(1) * OUTS, steps = (bands + STEP - 1) / STEP;
    REAL4  block[8][2];
    bool   valid[8];
    next_t next;

    data += first_pixel;
    matrix += (long)get_group_id(1) * steps * STEP * OUTS;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        REAL offset = first_out + down + i / 4 * 16 + i % 4 < outs ? REAL_OF(after[first_out + down + i / 4 * 16 + i % 4]) : 0;

        block[i][0] = block[i][1] = (REAL4)offset;
    }
    read_next(&next, data, pitch, bands, 0, before, matrix);
    for (int step = 0; step < steps; step++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        put_next(&next, xs, LINE, ms);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step + 1 < steps)
            read_next(&next, data, pitch, bands, (step + 1) * STEP, before, matrix + (step + 1) * STEP * OUTS);
#pragma unroll 4
        for (int k = 0; k < STEP; k++) {
            REAL4 a0 = *(__local const REAL4 *)(ms + k * OUTS + down);
            REAL4 a1 = *(__local const REAL4 *)(ms + k * OUTS + down + 16);
            REAL4 b0 = *(__local const REAL4 *)(xs + k * LINE + across);
            REAL4 b1 = *(__local const REAL4 *)(xs + k * LINE + across + 16);
            REAL  a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};

#pragma unroll
            for (int i = 0; i < 8; i++) {
                block[i][0] = fma((REAL4)a[i], b0, block[i][0]);
                block[i][1] = fma((REAL4)a[i], b1, block[i][1]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    results += first + first_pixel + across;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int pixel = first_pixel + across + k / 4 * 16 + k % 4;

        valid[k] = pixel < pixels && (!masked || flags[pixel] != 0);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int out = first_out + down + i / 4 * 16 + i % 4;

        if (works && out < outs) {
            put_four(results + out * out_pitch, block[i][0], first % 4 == 0);
            put_four(results + out * out_pitch + 16, block[i][1], first % 4 == 0);
        }
    }
    put_ranges(block, valid, down, pair % PIXEL_TILES * 4 + x, works, memory, first_out, outs, partial);
}
