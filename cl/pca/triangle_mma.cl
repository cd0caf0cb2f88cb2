/*
 * As triangle.cl in double, by matrix units (mma.clh): a warp has a pair of band tiles, 2 x 4 blocks of 16 x 8 numbers,
 * and takes eight pixels at a time.
 */
#include "pca/triangle.clh"
#include "pca/mma.clh"

#define DEPTH 8
#define PLANE (ROWS * DEPTH + 2) /* of local memory: eight pixels of all rows; + 2: no conflicts of banks */

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_triangle(__global const TYPE *restrict data, long pitch, int bands, int pixels, int slice,
                  __global const double *restrict shift, __global const int *restrict table,
                  __global double *restrict partial, __global double *restrict sums)
{
    __local double tile[STEP / DEPTH * PLANE > GROUP * LOADS ? STEP / DEPTH * PLANE : GROUP * LOADS]
        __attribute__((aligned(16)));
    __global const int *tiles = table + get_group_id(0) * (TILES + 2 * PAIRS), *pairs = tiles + TILES;
    int      item = get_local_id(0), pair = item / 32, lane = item % 32, part = get_group_id(1);
    int      first = part * slice, end = min(first + slice, pixels);
    bool     works = pair < PAIRS && pairs[2 * pair] >= 0;
    int      mine = lane / 4 * DEPTH + lane % 4 * 2;
    int      down = works ? pairs[2 * pair] * 32 * DEPTH + mine : 0;
    int      across = works ? pairs[2 * pair + 1] * 32 * DEPTH + mine : 0;
    reader_t reader = reader_of(data, pitch, bands, first, shift, tiles);
    double   block[2][4][4] = {{{0}}};

    if (first < end)
        read_next(&reader);
    for (int at = first; at < end; at += STEP) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int l = 0; l < LOADS; l++)
            if (reader.reads[l]) {
                double4          v = take(&reader, l);
                int              pixel = 4 * part_of(l);
                __local double2 *to = (__local double2 *)(tile + pixel / DEPTH * PLANE + row_of(l) * DEPTH +
                                                          pixel % DEPTH);

                to[0] = v.xy;
                to[1] = v.zw;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at + STEP < end)
            read_next(&reader);
        if (works) {
#pragma unroll
            for (int plane = 0; plane < STEP / DEPTH; plane++) {
                __local const double *from = tile + plane * PLANE;
                double2               a[4], b[4];

#pragma unroll
                for (int k = 0; k < 4; k++) {
                    a[k] = *(__local const double2 *)(from + down + k * 8 * DEPTH);
                    b[k] = down == across ? a[k] : *(__local const double2 *)(from + across + k * 8 * DEPTH);
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
    if (works) {
        __global double *to = partial + (((long)part * get_num_groups(0) + get_group_id(0)) * PAIRS + pair) * 1024;

#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
            for (int n = 0; n < 4; n++) {
                int row = m * 16 + lane / 4, column = n * 8 + lane % 4 * 2;

                *(__global double2 *)(to + row * 32 + column) = (double2)(block[m][n][0], block[m][n][1]);
                *(__global double2 *)(to + (row + 8) * 32 + column) = (double2)(block[m][n][2], block[m][n][3]);
            }
    }
    put_sums(&reader, tiles, pairs, tile, sums + (long)part * ((bands + 31) / 32 * 32));
}
