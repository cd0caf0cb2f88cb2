/*
 * As triangle.cl, without double precision (triangle_single.clh). A pair has ITEMS work-items: 16, or 32 of pairs of
 * floats, so that their sums are in registers. Sums over a slice are integers, floats or pairs of floats;
 * pca_triangle_add adds those of all slices in order, integers as such, others as pairs, and writes doubles.
 */
#include "pca/triangle.clh"
#include "common/vectors.clh"

#define LINE   (ROWS + 4) /* of local memory: the pixels of all rows */
#define PLANE  (STEP * LINE)
#define HEIGHT (128 / ITEMS) /* rows of a work-item's sums, by 8 columns */

#if defined(PAIRED)
#define PLANES 2
#else
#define PLANES 1
#endif

/* Numbers of local memory, for pixels and then for the sums of rows. */
#define ROOM (PLANES * PLANE > 2 * GROUP * LOADS ? PLANES * PLANE : 2 * GROUP * LOADS)

/* The pixels that were read, to their line of local memory, and into the sums. */
INLINED void put_pixels(reader_t *r, int l, __local REAL *to)
{
    TYPE each[4];

    vstore4(r->next[l], 0, each);
#pragma unroll
    for (int k = 0; k < 4; k++) {
#if defined(INTEGERS)
        to[k * LINE] = each[k];
        r->sum[l] += each[k];
#else
        pair v = centred(each[k], r->centre[l]);

        to[k * LINE] = v.x;
#if PLANES == 2
        to[PLANE + k * LINE] = v.y;
        r->sum[l] = pair_sum(r->sum[l], v);
#else
        r->sum[l] = pair_sum(r->sum[l], (pair)(v.x, 0.0f));
#endif
#endif
    }
}

/* ---- products ---- */

#if defined(INTEGERS)

typedef PASTE(SUM, 4) sum4_t;
typedef long entry_t; /* of partial */

#define ADD(i, h, a, a_low, b, b_low) block[i][h] += (sum4_t)(a) * PASTE(convert_, PASTE(SUM, 4))(b)
#define PUT(i, h, to)                 vstore4(convert_long4(block[i][h]), 0, to)

#elif PLANES == 1

typedef float4 sum4_t;
typedef float entry_t;

#define ADD(i, h, a, a_low, b, b_low) block[i][h] = fma((float4)(a), b, block[i][h])
#define PUT(i, h, to)                 vstore4(block[i][h], 0, to)

#else

typedef float4 sum4_t;
typedef float2 entry_t;

#define ADD(i, h, a, a_low, b, b_low)                                                                                  \
    ADD_PAIRS(float4, block[i][h], rest[i][h], (float4)(a), (float4)(a_low), b, b_low)
#define PUT(i, h, to)                                                                                                  \
    vstore8((float8)(block[i][h].x, rest[i][h].x, block[i][h].y, rest[i][h].y, block[i][h].z, rest[i][h].z,            \
                     block[i][h].w, rest[i][h].w),                                                                     \
            0, (__global float *)(to))

#endif

/* Makes rest small, so that what is added to it next is rounded less. */
INLINED void tidy(float4 *sum, float4 *rest)
{
    float4 all = *sum + *rest;

    *rest -= all - *sum;
    *sum = all;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_triangle(__global const TYPE *restrict data, long pitch, int bands, int pixels, int slice,
                  __global const ulong *restrict shift, __global const int *restrict exponents,
                  __global const int *restrict table, __global entry_t *restrict partial, __global row_sum_t *restrict sums)
{
    __local REAL tile[ROOM] __attribute__((aligned(32)));
    __global const int *tiles = table + get_group_id(0) * (TILES + 2 * PAIRS), *pairs = tiles + TILES;
    int       item = get_local_id(0), mine = item / ITEMS, y = item % ITEMS / 4, x = item % 4;
    int       part = get_group_id(1), first = part * slice, end = min(first + slice, pixels);
    bool      works = mine < PAIRS && pairs[2 * mine] >= 0;
    int       down = works ? pairs[2 * mine] * 32 + 4 * y : 0, across = works ? pairs[2 * mine + 1] * 32 + 4 * x : 0;
    offsets_t offsets = {shift, exponents};
    reader_t  reader = reader_of(data, pitch, bands, first, offsets, tiles);
    sum4_t    block[HEIGHT][2];
#if PLANES == 2
    float4    rest[HEIGHT][2];
#endif

#pragma unroll
    for (int i = 0; i < HEIGHT; i++) {
        block[i][0] = block[i][1] = 0;
#if PLANES == 2
        rest[i][0] = rest[i][1] = 0;
#endif
    }
    if (first < end)
        read_next(&reader);
    for (int at = first; at < end; at += STEP) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int l = 0; l < LOADS; l++)
            if (reader.reads[l])
                put_pixels(&reader, l, tile + 4 * part_of(l) * LINE + row_of(l));
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at + STEP < end)
            read_next(&reader);
#pragma unroll 1
        for (int k = 0; k < STEP; k++) {
            __local const REAL *rows = tile + k * LINE + down, *columns = tile + k * LINE + across;
            REAL4 b0 = vload4(0, columns), b1 = vload4(0, columns + 16);
#if PLANES == 2
            REAL4 b0_low = vload4(0, columns + PLANE), b1_low = vload4(0, columns + PLANE + 16);
#endif

#pragma unroll
            for (int i = 0; i < HEIGHT; i++) {
                REAL a = rows[i / 4 * 16 + i % 4];
#if PLANES == 2
                REAL a_low = rows[PLANE + i / 4 * 16 + i % 4];
#endif

                ADD(i, 0, a, a_low, b0, b0_low);
                ADD(i, 1, a, a_low, b1, b1_low);
            }
        }
#if PLANES == 2
#pragma unroll
        for (int i = 0; i < HEIGHT; i++) {
            tidy(&block[i][0], &rest[i][0]);
            tidy(&block[i][1], &rest[i][1]);
        }
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (works) {
        __global entry_t *to = partial + (((long)part * get_num_groups(0) + get_group_id(0)) * PAIRS + mine) * 1024;

#pragma unroll
        for (int i = 0; i < HEIGHT; i++) {
            int row = i / 4 * 16 + 4 * y + i % 4;

            PUT(i, 0, to + row * 32 + 4 * x);
            PUT(i, 1, to + row * 32 + 16 + 4 * x);
        }
    }
    put_sums(&reader, tiles, pairs, (__local row_sum_t *)tile, sums + (long)part * ((bands + 31) / 32 * 32));
}

/* ---- slices ---- */

#if defined(INTEGERS)

INLINED ulong double_of(row_sum_t sum, int exponent)
{
    return double_of_fixed(fixed_of_long(sum));
}

#else

INLINED ulong double_of(row_sum_t sum, int exponent)
{
    return double_of_fixed(fixed_of_pair(sum, exponent));
}

#endif

#if PLANES == 1 && !defined(INTEGERS)
#define AS_SUM(entry) (pair)(entry, 0.0f)
#else
#define AS_SUM(entry) (entry)
#endif

/* Work-items: (32 x 32 of a pair, pairs of all bundles); and once more for the sums. */
__kernel void pca_triangle_add(__global const entry_t *restrict partial, __global const row_sum_t *restrict sums_of,
                               __global const int *restrict exponents, __global const int *restrict table, int slices,
                               int bundles, int bands, __global ulong *restrict gram, __global ulong *restrict sums)
{
    int at = get_global_id(0), p = get_global_id(1), bundle = p / PAIRS, which = p % PAIRS;

    if (p == bundles * PAIRS) {
        int padded = (bands + 31) / 32 * 32;

        for (int band = at; band < bands; band += 1024) {
            row_sum_t sum = 0;

            for (int s = 0; s < slices; s++)
                sum = ADD_ROWS(sum, sums_of[(long)s * padded + band]);
            sums[band] = double_of(sum, SCALE_AT(band));
        }
    } else if (table[bundle * (TILES + 2 * PAIRS) + TILES + 2 * which] >= 0) {
        __global const int *tiles = table + bundle * (TILES + 2 * PAIRS), *places = tiles + TILES + 2 * which;
        int       i = tiles[places[0]] * 32 + at / 32, j = tiles[places[1]] * 32 + at % 32;
        row_sum_t sum = 0;

        if (i < bands && j <= i) {
            for (int s = 0; s < slices; s++)
                sum = ADD_ROWS(sum, AS_SUM(partial[((long)s * bundles * PAIRS + p) * 1024 + at]));
            gram[(long)i * bands + j] = gram[(long)j * bands + i] = double_of(sum, SCALE_AT(i) + SCALE_AT(j));
        }
    }
}
