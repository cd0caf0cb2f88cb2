/*
 * As triangle_mma.cl, for up to 64 bands: numbers go from memory straight to the registers of the matrix units, without
 * local memory and without barriers, so that many loads are on their way at a time. TEAMS teams of TILES warps share a
 * work-group; each team takes every TEAMS-th step of 16 pixels of its slice, and warp w of it the rows of blocks
 * HIGH - w and w of the triangle of blocks of 16 x 8, which are the same number for all warps. The sums of the teams are
 * added in their order. Partial sums as in triangle.clh, with one bundle whose pairs are all those of the tiles, row by
 * row.
 */
#include "pca/triangle.clh"
#include "pca/mma.clh"

#define WARP   32
#define HIGH   (2 * TILES - 1)
#define OCTETS (4 * TILES)     /* of bands */
#define BLOCKS (4 * TILES + 2) /* of a warp */
#define LANES  (TILES * WARP)  /* of a team */

#define ROOM   (LANES * BLOCKS * 4 > GROUP * 4 ? LANES * BLOCKS * 4 : GROUP * 4)

/* Eight pixels of a work-item and those of three neighbours: two of each octet's band lane / 4. */
#define DEPTH 8

typedef struct {
    __global const TYPE *from; /* of the work-item's band in octet 0, its first pixel of the slice */
    long                 pitch;
    int                  bands; /* of octets > 0 that are read: 8 n + lane / 4 < bands */
    __local const double *centres;
} source_t;

typedef struct {
    double blocks[BLOCKS][4];
    double rows[4]; /* of numbers: of the bands of octets 2 (HIGH - w), the next, 2 w, the next */
} sums_t;

INLINED void read_octets(const source_t *s, int octets, int pixel, TYPE2 *next)
{
    int band = get_local_id(0) % WARP / 4;

#pragma unroll
    for (int n = 0; n < OCTETS; n++)
        if (n < octets) {
            long skipped = n * 8 + band < s->bands ? n * 8 : 0;

            next[n] = *(__global const TYPE2 *)(s->from + skipped * s->pitch + pixel);
        }
}

INLINED void centre_octets(const source_t *s, int octets, const TYPE2 *next, double2 *v)
{
    volatile __local const double *centres = s->centres + get_local_id(0) % WARP / 4; /* volatile: not in registers */

#pragma unroll
    for (int n = 0; n < OCTETS; n++)
        if (n < octets)
            v[n] = convert_double2(next[n]) - centres[n * 8];
}

/* w: a constant. Block i is of row HIGH - w for the columns that this has, then of row w. */
INLINED void add_octets(int w, const double2 *v, sums_t *sums)
{
    int high = HIGH - w, octets = 2 * high + 2;

#pragma unroll
    for (int i = 0; i < BLOCKS; i++) {
        int row = i < octets ? high : w, column = i < octets ? i : i - octets;

        multiply(sums->blocks[i], v[2 * row], v[2 * row + 1], v[column]);
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
        sums->rows[k] += v[2 * high + k].x + v[2 * high + k].y;
        sums->rows[2 + k] += v[2 * w + k].x + v[2 * w + k].y;
    }
}

/* Pixels at, at + TEAMS * STEP, .. < end of the slice, STEP of each. */
INLINED void add_pixels(int w, const source_t *s, int at, int end, sums_t *sums)
{
    int     octets = 2 * (HIGH - w) + 2;
    TYPE2   next[OCTETS];
    double2 v[OCTETS];

    if (at < end)
        read_octets(s, octets, at, next);
    for (; at < end; at += TEAMS * STEP) {
        centre_octets(s, octets, next, v);
        read_octets(s, octets, at + DEPTH, next);
        add_octets(w, v, sums);
        centre_octets(s, octets, next, v);
        if (at + TEAMS * STEP < end)
            read_octets(s, octets, at + TEAMS * STEP, next);
        add_octets(w, v, sums);
    }
}

/* Where block i of warp w begins in the 32 x 32 of its pair, and which that is. */
INLINED __global double *place_of(__global double *partial, int w, int i)
{
    int high = HIGH - w, octets = 2 * high + 2, lane = get_local_id(0) % WARP;
    int row = i < octets ? high : w, column = i < octets ? i : i - octets;
    int tile = row / 2, pair = tile * (tile + 1) / 2 + column / 4;

    return partial + pair * 1024 + (row % 2 * 16 + lane / 4) * 32 + column % 4 * 8 + lane % 4 * 2;
}

/* The sums of all teams, to partial. */
INLINED void put_blocks(const sums_t *sums, int team, int w, __local double *room, __global double *partial)
{
    __local double *mine = room + get_local_id(0) % LANES;

    for (int t = 0; t < TEAMS; t++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t == team)
#pragma unroll
            for (int i = 0; i < BLOCKS; i++) {
                __global double *to = place_of(partial, w, i);
                double           sum[4];

#pragma unroll
                for (int c = 0; c < 4; c++) {
                    __local double *at = mine + (i * 4 + c) * LANES;

                    sum[c] = t > 0 ? *at + sums->blocks[i][c] : sums->blocks[i][c];
                    *at = sum[c];
                }
                if (t == TEAMS - 1) {
                    *(__global double2 *)to = (double2)(sum[0], sum[1]);
                    *(__global double2 *)(to + 8 * 32) = (double2)(sum[2], sum[3]);
                }
            }
    }
}

/* Likewise of the bands. Each has four numbers of each team, those of its four work-items. */
INLINED void put_rows(const sums_t *of, int team, int w, __local double *room, __global double *sums)
{
    int lane = get_local_id(0) % WARP;

    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int band = (k < 2 ? HIGH - w : w) * 16 + k % 2 * 8 + lane / 4;

        room[(team * OCTETS * 8 + band) * 4 + lane % 4] = of->rows[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int band = get_local_id(0); band < OCTETS * 8; band += GROUP) {
        double sum = 0;

        for (int t = 0; t < TEAMS; t++)
            for (int k = 0; k < 4; k++)
                sum += room[(t * OCTETS * 8 + band) * 4 + k];
        sums[band] = sum;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_triangle(__global const TYPE *restrict data, long pitch, int bands, int pixels, int slice,
                  __global const double *restrict shift, __global const int *restrict table,
                  __global double *restrict partial, __global double *restrict sums)
{
    __local double room[ROOM], centres[OCTETS * 8];
    int      lane = get_local_id(0) % WARP, warp = get_local_id(0) / WARP, team = warp / TILES, w = warp % TILES;
    int      part = get_group_id(1), first = part * slice, count = min(slice, pixels - first);
    source_t source = {data + min(lane / 4, bands - 1) * pitch + first + lane % 4 * 2, pitch, bands, centres};
    sums_t   mine;

    for (int band = get_local_id(0); band < OCTETS * 8; band += GROUP)
        centres[band] = shift[min(band, bands - 1)];
#pragma unroll
    for (int i = 0; i < 4 * BLOCKS; i++)
        mine.blocks[i / 4][i % 4] = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        mine.rows[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (w == 0)
        add_pixels(0, &source, team * STEP, count, &mine);
#if TILES > 1
    if (w == 1)
        add_pixels(1, &source, team * STEP, count, &mine);
#endif
    put_blocks(&mine, team, w, room, partial + (long)part * PAIRS * 1024);
    put_rows(&mine, team, w, room, sums + (long)part * TILES * 32);
}
