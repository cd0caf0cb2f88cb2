/*
 * The lower triangle of sum over pixels of (x_i - shift_i) (x_j - shift_j), form for GPUs (triangle.clh). Sixteen
 * work-items have a pair of band tiles, each of them 8 x 8 numbers in registers: per pixel 16 numbers are read from
 * local memory for 64 products. Sums are REAL over a slice.
 *
 * pca_triangle_add: all slices, in order and in double, to both triangles of gram, and to sums.
 */
#include "pca/triangle.clh"

#define LINE (ROWS + 4) /* of local memory: the pixels of all rows */

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_triangle(__global const TYPE *restrict data, long pitch, int bands, int pixels, int slice,
                  __global const double *restrict shift, __global const int *restrict table,
                  __global REAL *restrict partial, __global REAL *restrict sums)
{
    __local REAL tile[STEP * LINE > GROUP * LOADS ? STEP * LINE : GROUP * LOADS] __attribute__((aligned(32)));
    __global const int *tiles = table + get_group_id(0) * (TILES + 2 * PAIRS), *pairs = tiles + TILES;
    int      item = get_local_id(0), pair = item / 16, y = item % 16 / 4, x = item % 4, part = get_group_id(1);
    int      first = part * slice, end = min(first + slice, pixels);
    bool     works = pair < PAIRS && pairs[2 * pair] >= 0;
    int      down = works ? pairs[2 * pair] * 32 + 4 * y : 0, across = works ? pairs[2 * pair + 1] * 32 + 4 * x : 0;
    reader_t reader = reader_of(data, pitch, bands, first, shift, tiles);
    REAL4    block[8][2];

#pragma unroll
    for (int i = 0; i < 8; i++)
        block[i][0] = block[i][1] = 0;
    if (first < end)
        read_next(&reader);
    for (int at = first; at < end; at += STEP) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int l = 0; l < LOADS; l++)
            if (reader.reads[l]) {
                REAL4         v = take(&reader, l);
                __local REAL *to = tile + 4 * part_of(l) * LINE + row_of(l);

                to[0] = v.x;
                to[LINE] = v.y;
                to[2 * LINE] = v.z;
                to[3 * LINE] = v.w;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at + STEP < end)
            read_next(&reader);
#pragma unroll 4
        for (int k = 0; k < STEP; k++) {
            __local const REAL *line = tile + k * LINE;
            REAL4 a0 = *(__local const REAL4 *)(line + down), a1 = *(__local const REAL4 *)(line + down + 16);
            REAL4 b0 = *(__local const REAL4 *)(line + across), b1 = *(__local const REAL4 *)(line + across + 16);
            REAL  a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};

#pragma unroll
            for (int i = 0; i < 8; i++) {
                block[i][0] = fma((REAL4)a[i], b0, block[i][0]);
                block[i][1] = fma((REAL4)a[i], b1, block[i][1]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (works) {
        __global REAL *to = partial + (((long)part * get_num_groups(0) + get_group_id(0)) * PAIRS + pair) * 1024;

#pragma unroll
        for (int i = 0; i < 8; i++) {
            int row = i / 4 * 16 + 4 * y + i % 4;

            *(__global REAL4 *)(to + row * 32 + 4 * x) = block[i][0];
            *(__global REAL4 *)(to + row * 32 + 16 + 4 * x) = block[i][1];
        }
    }
    put_sums(&reader, tiles, pairs, tile, sums + (long)part * ((bands + 31) / 32 * 32));
}

/* Work-items: (32 x 32 of a pair, pairs of all bundles); and once more for the sums. */
__kernel void pca_triangle_add(__global const REAL *restrict partial, __global const REAL *restrict sums_of,
                               __global const int *restrict table, int slices, int bundles, int bands,
                               __global double *restrict gram, __global double *restrict sums)
{
    int at = get_global_id(0), p = get_global_id(1), bundle = p / PAIRS, pair = p % PAIRS;

    if (p == bundles * PAIRS) {
        int padded = (bands + 31) / 32 * 32;

        for (int band = at; band < bands; band += 1024) {
            double sum = 0;

            for (int s = 0; s < slices; s++)
                sum += (double)sums_of[(long)s * padded + band];
            sums[band] = sum;
        }
    } else if (table[bundle * (TILES + 2 * PAIRS) + TILES + 2 * pair] >= 0) {
        __global const int *tiles = table + bundle * (TILES + 2 * PAIRS), *places = tiles + TILES + 2 * pair;
        int    i = tiles[places[0]] * 32 + at / 32, j = tiles[places[1]] * 32 + at % 32;
        double sum = 0;

        if (i < bands && j <= i) {
            for (int s = 0; s < slices; s++)
                sum += (double)partial[((long)s * bundles * PAIRS + p) * 1024 + at];
            gram[(long)i * bands + j] = sum;
            gram[(long)j * bands + i] = sum;
        }
    }
}
