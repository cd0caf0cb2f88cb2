/*
 * As triangle.cl for integers of 8 or 16 bits, exactly, by the matrix units of NVIDIA GPUs from compute capability 8.0 on
 * (PTX: mma.m16n8k32 of u8, sums in 32 bits). A number of 16 bits is 256 high + low: the products high high, high low +
 * low high and low low have sums of their own, which hold 16384 pixels (host: no slice is longer). Signed numbers are
 * shifted by 32768; its contribution to a block is subtracted with the sums of its bands.
 *
 * A row of local memory, PLANES of 32 bytes, is 64 bytes of pixels of a band: of u8 64 pixels; of 16 bits 32 pixels, low
 * bytes, then high bytes.
 *
 * Defined by the host: GROUP, PAIRS, TILES, SIZE (bytes of a number), BIAS (0 or 32768).
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define STEP   (64 / SIZE)
#define PARTS  4 /* of 16 bytes, in a row */
#define PLANES 2
#define ROWS   (TILES * 32)
#define LOADS  ((ROWS * PARTS + GROUP - 1) / GROUP)
#define KINDS  (SIZE == 2 ? 3 : 1) /* of products */

#define INLINED static inline __attribute__((always_inline))

typedef struct {
    __global const uchar *from[LOADS];
    bool                  reads[LOADS];
    uint                  sum[LOADS];
    uint4                 next[LOADS];
} reader_t;

INLINED int row_of(int l)
{
    return (l * GROUP + (int)get_local_id(0)) / PARTS;
}

INLINED int part_of(int l)
{
    return (l * GROUP + (int)get_local_id(0)) % PARTS;
}

INLINED reader_t reader_of(__global const uchar *data, long pitch, int bands, int first, __global const int *tiles)
{
    reader_t r;

#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        int row = row_of(l), tile = row < ROWS ? tiles[row / 32] : -1;
        int band = min(max(tile, 0) * 32 + row % 32, bands - 1);

        r.reads[l] = tile >= 0;
        r.from[l] = data + (band * pitch + first) * SIZE + 16 * part_of(l);
        r.sum[l] = 0;
    }
    return r;
}

INLINED void read_next(reader_t *r)
{
#pragma unroll
    for (int l = 0; l < LOADS; l++)
        if (r->reads[l]) {
            r->next[l] = *(__global const uint4 *)r->from[l];
            r->from[l] += 64;
        }
}

INLINED uint permute(uint a, uint b, uint order)
{
    uint v;

    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(order));
    return v;
}

/* What was read to local memory, and into the sums. */
INLINED void put_next(reader_t *r, __local uchar *tile)
{
#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        uint4 v = r->next[l];

        if (!r->reads[l])
            continue;
#if SIZE == 2
#if BIAS
        v ^= 0x80008000u;
#endif
        uint2 low = (uint2)(permute(v.x, v.y, 0x6420), permute(v.z, v.w, 0x6420));
        uint2 high = (uint2)(permute(v.x, v.y, 0x7531), permute(v.z, v.w, 0x7531));
        uint4 halves = (v & 0xFFFFu) + (v >> 16);

        *(__local uint2 *)(tile + row_of(l) * 32 + part_of(l) * 8) = low;
        *(__local uint2 *)(tile + (ROWS + row_of(l)) * 32 + part_of(l) * 8) = high;
        r->sum[l] += halves.x + halves.y + halves.z + halves.w;
#else
        uint4 pairs = (v & 0x00FF00FFu) + (v >> 8 & 0x00FF00FFu);
        uint  sum = pairs.x + pairs.y + pairs.z + pairs.w;

        *(__local uint4 *)(tile + (part_of(l) / 2 * ROWS + row_of(l)) * 32 + part_of(l) % 2 * 16) = v;
        r->sum[l] += (sum & 0xFFFFu) + (sum >> 16);
#endif
    }
}

/* c += a b, 16 x 8 += 16 x 32 times 32 x 8: mma.clh, four bytes in a word; a work-item's eight are 8 (lane % 4) .. + 7. */
INLINED void multiply(uint *c, uint2 upper, uint2 lower, uint2 b)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(upper.x), "r"(lower.x), "r"(upper.y), "r"(lower.y), "r"(b.x), "r"(b.y));
}

/* A plane of rows times a plane of columns. */
INLINED void multiply_planes(uint block[2][4][4], __local const uchar *rows, __local const uchar *columns)
{
    uint2 a[4];

#pragma unroll
    for (int k = 0; k < 4; k++)
        a[k] = *(__local const uint2 *)(rows + k * 8 * 32);
#pragma unroll
    for (int n = 0; n < 4; n++) {
        uint2 b = *(__local const uint2 *)(columns + n * 8 * 32);

        multiply(block[0][n], a[0], a[1], b);
        multiply(block[1][n], a[2], a[3], b);
    }
}

/* Sums of all rows to sums_of, and of those with a pair (I, I) to sums[band]. */
INLINED void put_sums(const reader_t *r, __global const int *tiles, __global const int *pairs, int pixels,
                      __local uint *room, __local long *sums_of, __global double *sums)
{
#pragma unroll
    for (int l = 0; l < LOADS; l++)
        room[l * GROUP + get_local_id(0)] = r->sum[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = get_local_id(0); row < ROWS; row += GROUP)
        sums_of[row] = (long)room[PARTS * row] + room[PARTS * row + 1] + room[PARTS * row + 2] + room[PARTS * row + 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = 0; p < PAIRS; p++)
        if (pairs[2 * p] >= 0 && pairs[2 * p] == pairs[2 * p + 1] && get_local_id(0) < 32)
            sums[tiles[pairs[2 * p]] * 32 + get_local_id(0)] =
                (double)(sums_of[pairs[2 * p] * 32 + get_local_id(0)] - (long)BIAS * pixels);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_triangle(__global const uchar *restrict data, long pitch, int bands, int pixels, int slice,
                  __global const double *restrict shift, __global const int *restrict table,
                  __global double *restrict partial, __global double *restrict sums)
{
    __local uchar tile[PLANES * ROWS * 32] __attribute__((aligned(16)));
    __local uint  room[GROUP * LOADS];
    __local long  sums_of[ROWS];
    __global const int *tiles = table + get_group_id(0) * (TILES + 2 * PAIRS), *pairs = tiles + TILES;
    int      item = get_local_id(0), pair = item / 32, lane = item % 32, part = get_group_id(1);
    int      first = part * slice, end = min(first + slice, pixels);
    bool     works = pair < PAIRS && pairs[2 * pair] >= 0;
    int      down = works ? pairs[2 * pair] * 32 : 0, across = works ? pairs[2 * pair + 1] * 32 : 0;
    __local const uchar *rows = tile + (down + lane / 4) * 32 + lane % 4 * 8;
    __local const uchar *columns = tile + (across + lane / 4) * 32 + lane % 4 * 8;
    reader_t reader = reader_of(data, pitch, bands, first, tiles);
    uint     block[KINDS][2][4][4] = {{{{0}}}};

    if (first < end)
        read_next(&reader);
    for (int at = first; at < end; at += STEP) {
        barrier(CLK_LOCAL_MEM_FENCE);
        put_next(&reader, tile);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at + STEP < end)
            read_next(&reader);
        if (works) {
            multiply_planes(block[0], rows, columns);
#if SIZE == 2
            multiply_planes(block[1], rows, columns + ROWS * 32);
            multiply_planes(block[1], rows + ROWS * 32, columns);
            multiply_planes(block[2], rows + ROWS * 32, columns + ROWS * 32);
#else
            multiply_planes(block[0], rows + ROWS * 32, columns + ROWS * 32);
#endif
        }
    }
    put_sums(&reader, tiles, pairs, max(end - first, 0), room, sums_of, sums + (long)part * ((bands + 31) / 32 * 32));
    if (works) {
        __global double *to = partial + (((long)part * get_num_groups(0) + get_group_id(0)) * PAIRS + pair) * 1024;

#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
            for (int n = 0; n < 4; n++)
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    int  row = m * 16 + k / 2 * 8 + lane / 4, column = n * 8 + lane % 4 * 2 + k % 2;
                    long sum = block[0][m][n][k];

#if SIZE == 2
                    sum += ((long)block[1][m][n][k] << 8) + ((long)block[2][m][n][k] << 16);
#endif
#if BIAS
                    sum += (long)BIAS * ((long)BIAS * (end - first) - sums_of[down + row] - sums_of[across + column]);
#endif
                    to[row * 32 + column] = (double)sum;
                }
    }
}
