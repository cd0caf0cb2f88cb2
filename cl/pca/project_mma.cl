/*
 * pca_project for many results by the matrix units of NVIDIA GPUs from compute capability 9.0 on. A warp has 32 pixels x
 * NS * 8 results, pixels as the rows of the products, a work-group OUT_TILES x PIXEL_TILES warps; its grid is (blocks of
 * pixels, blocks of results).
 *
 * PARTS 1: in double (mma.clh). matrix: blocks of results x steps x 2 x OUTS x 8, the last two of results and bands.
 * PARTS 2: in float, from products of halves that have 11 bits (mma_halves.clh). matrix: instead of each two bands four
 * numbers, the upper halves and the lower ones.
 */
#define OUTS      (OUT_TILES * NS * 8)
#define ROOM_LINE (PIXEL_TILES * 8)
#define MATRIX    (STEP * OUTS * PARTS)
#include "pca/project_tiles.clh"

#define DEPTH 8
#define LINE  (PIXELS + 2 * PARTS) /* no conflicts of banks */
#define ROOM  (OUTS * ROOM_LINE)
#define TILE  (STEP * LINE + MATRIX)

#if PARTS == 1
#include "pca/mma.clh"

/* Eight bands. */
INLINED void add_plane(__local const double *ax, __local const double *bm, double sums[2][NS][4])
{
    double2 a[4];

#pragma unroll
    for (int k = 0; k < 4; k++)
        a[k] = (double2)(ax[k * 8], ax[k * 8 + LINE]);
#pragma unroll
    for (int n = 0; n < NS; n++) {
        double2 b = *(__local const double2 *)(bm + n * 8 * DEPTH);

#pragma unroll
        for (int m = 0; m < 2; m++)
            multiply(sums[m][n], a[2 * m], a[2 * m + 1], b);
    }
}

INLINED void add_step(__local const double *ax, __local const double *bm, double sums[2][NS][4])
{
#pragma unroll
    for (int plane = 0; plane < STEP / DEPTH; plane++)
        add_plane(ax + plane * DEPTH * LINE, bm + plane * OUTS * DEPTH, sums);
}
#else
#include "pca/mma_halves.clh"

/* Eight bands. */
INLINED void add_plane(__local const float *ax, __local const float *bm, float sums[2][NS][4])
{
    halves_t a[4][2];

#pragma unroll
    for (int k = 0; k < 4; k++) {
        a[k][0] = halves_of(ax[k * 8]);
        a[k][1] = halves_of(ax[k * 8 + LINE]);
    }
#pragma unroll
    for (int n = 0; n < NS; n++) {
        uint4 b = as_uint4(*(__local const float4 *)(bm + n * 8 * DEPTH * PARTS));

#pragma unroll
        for (int m = 0; m < 2; m++)
            multiply_halves(sums[m][n], a[2 * m], a[2 * m + 1], b);
    }
}

/* The units cut off what they add; so only 16 bands are added there, and these sums by ordinary additions. */
INLINED void add_step(__local const float *ax, __local const float *bm, float sums[2][NS][4])
{
    float some[2][NS][4];

#pragma unroll
    for (int i = 0; i < 8 * NS; i++)
        some[i / (4 * NS)][i / 4 % NS][i % 4] = 0;
#pragma unroll
    for (int plane = 0; plane < STEP / DEPTH; plane++)
        add_plane(ax + plane * DEPTH * LINE, bm + plane * OUTS * DEPTH * PARTS, some);
#pragma unroll
    for (int i = 0; i < 8 * NS; i++)
        sums[i / (4 * NS)][i / 4 % NS][i % 4] += some[i / (4 * NS)][i / 4 % NS][i % 4];
}
#endif

/* sums: pixels 16 m + lane / 4 (+ 8), results 8 n + 2 (lane % 4) (+ 1) of the warp's. */
INLINED void put_ranges(REAL sums[2][NS][4], const bool *valid, int down, int column, __local REAL *room,
                        int first_out, int outs, __global REAL *partial)
{
    for (int largest = 0; largest < 2; largest++) {
#pragma unroll
        for (int n = 0; n < NS; n++)
#pragma unroll
            for (int c = 0; c < 2; c++) {
                REAL low = INFINITY, high = -INFINITY;

#pragma unroll
                for (int k = 0; k < 4; k++)
                    widen(&low, &high, sums[k / 2][n][k % 2 * 2 + c], valid[k]);
                room[(down + 8 * n + c) * ROOM_LINE + column] = largest ? high : low;
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
    __local REAL *ms = memory, *xs = memory + MATRIX;
    int    warp = get_local_id(0) / 32, lane = get_local_id(0) % 32;
    int    down = warp / PIXEL_TILES * NS * 8, across = warp % PIXEL_TILES * 32 + lane / 4;
    int    first_pixel = get_group_id(0) * PIXELS, first_out = get_group_id(1) * OUTS, steps = (bands + STEP - 1) / STEP;
    __local const REAL *ax = xs + lane % 4 * 2 * LINE + across;
    __local const REAL *bm = ms + ((down + lane / 4) * DEPTH + lane % 4 * 2) * PARTS;
    REAL   sums[2][NS][4];
    bool   valid[4];
    next_t next;

    down += lane % 4 * 2;
    data += first_pixel;
    matrix += (long)get_group_id(1) * steps * MATRIX;
#pragma unroll
    for (int n = 0; n < NS; n++)
#pragma unroll
        for (int c = 0; c < 2; c++) {
            int    out = first_out + down + 8 * n + c;
            REAL   offset = out < outs ? REAL_OF(after[out]) : 0;

            sums[0][n][c] = sums[0][n][2 + c] = sums[1][n][c] = sums[1][n][2 + c] = offset;
        }
    read_next(&next, data, pitch, bands, 0, before, matrix);
    for (int step = 0; step < steps; step++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        put_next(&next, xs, LINE, ms);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step + 1 < steps)
            read_next(&next, data, pitch, bands, (step + 1) * STEP, before, matrix + (step + 1) * MATRIX);
        add_step(ax, bm, sums);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int pixel = first_pixel + across + 8 * k;

        valid[k] = pixel < pixels && (!masked || flags[pixel] != 0);
    }
    results += first + first_pixel + across;
#pragma unroll
    for (int n = 0; n < NS; n++)
#pragma unroll
        for (int c = 0; c < 2; c++) {
            int out = first_out + down + 8 * n + c;

            if (out < outs)
#pragma unroll
                for (int k = 0; k < 4; k++)
                    results[out * out_pitch + 8 * k] = sums[k / 2][n][k % 2 * 2 + c];
        }
    put_ranges(sums, valid, down, warp % PIXEL_TILES * 8 + lane / 4, memory, first_out, outs, partial);
}
