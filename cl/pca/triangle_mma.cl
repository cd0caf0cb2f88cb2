/*
 * As triangle.cl in double, by matrix units (mma.clh): a warp has EACH pairs of band tiles, each as 2 x 4 blocks of 16 x 8
 * numbers, and takes eight pixels at a time. Pairs that share their rows read them once.
 */
#include "pca/triangle.clh"
#include "pca/mma.clh"

#define DEPTH 8
#define PLANE (ROWS * DEPTH + 2) /* of local memory: eight pixels of all rows; + 2: no conflicts of banks */

typedef struct {
    double sums[2][4][4];
    int    rows, columns; /* where in a plane the work-item's numbers begin */
    bool   works;
} block_t;

INLINED block_t block_of(__global const int *pairs, int pair)
{
    int     lane = get_local_id(0) % 32, mine = lane / 4 * DEPTH + lane % 4 * 2;
    block_t b = {{{{0}}}, 0, 0, pair < PAIRS && pairs[2 * pair] >= 0};

    b.rows = mine + (b.works ? pairs[2 * pair] * 32 * DEPTH : 0);
    b.columns = mine + (b.works ? pairs[2 * pair + 1] * 32 * DEPTH : 0);
    return b;
}

INLINED void get_four(__local const double *from, double2 *v)
{
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = *(__local const double2 *)(from + k * 8 * DEPTH);
}

/* Eight pixels. */
INLINED void add_plane(__local const double *plane, block_t *blocks)
{
    double2 a[4], b[4];

#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (e == 0 || blocks[e].rows != blocks[e - 1].rows)
            get_four(plane + blocks[e].rows, a);
        get_four(plane + blocks[e].columns, b);
#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
            for (int n = 0; n < 4; n++)
                multiply(blocks[e].sums[m][n], a[2 * m], a[2 * m + 1], b[n]);
    }
}

/* to: 32 x 32. */
INLINED void put_block(const block_t *b, __global double *to)
{
    int lane = get_local_id(0) % 32;

#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int n = 0; n < 4; n++) {
            int row = m * 16 + lane / 4, column = n * 8 + lane % 4 * 2;

            *(__global double2 *)(to + row * 32 + column) = (double2)(b->sums[m][n][0], b->sums[m][n][1]);
            *(__global double2 *)(to + (row + 8) * 32 + column) = (double2)(b->sums[m][n][2], b->sums[m][n][3]);
        }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_triangle(__global const TYPE *restrict data, long pitch, int bands, int pixels, int slice,
                  __global const double *restrict shift, __global const int *restrict table,
                  __global double *restrict partial, __global double *restrict sums)
{
    __local double tile[STEP / DEPTH * PLANE > GROUP * LOADS ? STEP / DEPTH * PLANE : GROUP * LOADS]
        __attribute__((aligned(16)));
    __global const int *tiles = table + get_group_id(0) * (TILES + 2 * PAIRS), *pairs = tiles + TILES;
    int      pair = get_local_id(0) / 32 * EACH, part = get_group_id(1);
    int      first = part * slice, end = min(first + slice, pixels);
    reader_t reader = reader_of(data, pitch, bands, first, shift, tiles);
    block_t  blocks[EACH];

#pragma unroll
    for (int e = 0; e < EACH; e++)
        blocks[e] = block_of(pairs, pair + e);
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
        if (blocks[0].works)
#pragma unroll
            for (int plane = 0; plane < STEP / DEPTH; plane++)
                add_plane(tile + plane * PLANE, blocks);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (blocks[e].works)
            put_block(&blocks[e],
                      partial + (((long)part * get_num_groups(0) + get_group_id(0)) * PAIRS + pair + e) * 1024);
    put_sums(&reader, tiles, pairs, tile, sums + (long)part * ((bands + 31) / 32 * 32));
}
