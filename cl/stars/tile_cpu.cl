/*
 * Tiles of sums for CPU devices, of the engines `tile` (doubles) and `fixed` (PENTA_FIXED: 64-bit integers).
 *
 * The sorted stars (sort_cpu.cl) of a group of rows of tiles are cut into chunks of about `chunk`, one for each
 * work-item, which adds those of a tile to the tile's slot: all pixels that they can touch, so that no star is cut and
 * none is drawn twice. Chunks end at ends of tiles, but a tile of more than `hot` stars also ends at each multiple of
 * `hot`, counted from the group's first star; its first piece has the tile's slot, the piece from k * hot on has the
 * slot (tiles of the group + k). Then each pixel of the slab gets the sum of the up to four tiles that reach it. Every
 * order of additions follows from the list alone.
 */
#include "stars/rows_cpu.clh"
#include "stars/tiling_cpu.clh"

#define MOST_WIDTH 256 /* of a tile: tile_side of src/stars/tiles_cpu.c */

/* ---- drawing ---- */

/* The tile of the sorted star `place`. */
static inline int tile_at(__global const int *start, int first_tile, int end_tile, int place)
{
    while (end_tile - first_tile > 1) {
        int middle = (first_tile + end_tile) / 2;

        if (start[middle] <= place)
            first_tile = middle;
        else
            end_tile = middle;
    }
    return first_tile;
}

/* Where the chunk begins that would begin at `place`, a number within the group. */
static inline int boundary(__global const int *start, __constant tiling_t *tiling, int first_tile, int end_tile,
                           int place)
{
    int base = start[first_tile], total = start[end_tile] - base, tile, begin;

    if (place >= total)
        return total;
    tile = tile_at(start, first_tile, end_tile, base + place);
    begin = start[tile] - base;
    return start[tile + 1] - start[tile] > tiling->hot ? max(begin, place - place % tiling->hot) : begin;
}

/* Grid: chunks of the group, or more. scale: of fixed point. */
__kernel SINGLE_ITEM void stars_tile_draw(__global const star_t *restrict stars,
                                          __global const double *restrict motion_x,
                                          __global const double *restrict motion_y, PSF_ARGUMENTS,
                                          __constant tiling_t *restrict tiling, __global const int *restrict start,
                                          int first_tile, int end_tile, double scale, __global sum_t *restrict slots)
{
    int place = get_global_id(0) * tiling->chunk, base = start[first_tile], tile;
    int begin = boundary(start, tiling, first_tile, end_tile, place);
    int end = boundary(start, tiling, first_tile, end_tile, place + tiling->chunk);
    int stride = tiling->stride;
    long size = (long)stride * tiling->rows;

    if (begin == end)
        return;
    for (tile = tile_at(start, first_tile, end_tile, base + begin); begin < end; tile++) {
        int next = min(start[tile + 1] - base, end);
        int column = tile % tiling->tiles_x * tiling->width - (roi - 1);
        int row = tile / tiling->tiles_x * tiling->height - (roi - 1);
        int slot = begin == start[tile] - base ? tile - first_tile : end_tile - first_tile + begin / tiling->hot;
        __global sum_t *sums = slots + slot * size;

        if (begin == next)
            continue;
        for (long i = 0; i < size; i += LANES)
            vstore8(0, 0, sums + i);
        for (int i = base + begin; i < base + next; i++) {
            star_t star = stars[i];
            double mx = 0, my = 0;

#ifdef PSF_MOVING
            mx = motion_x[i];
            my = motion_y[i];
#endif
            add_star(star, mx, my, scale, 0, roi, PSF_PASS,
                     sums + (star_row(star.cell) - row) * stride + (star_column(star.cell) - column), stride);
        }
        begin = next;
    }
}

/* ---- sums of the slab ---- */

/* sums[0 .. count-1] += all slots of a tile from `at` on; count is rounded up to whole vectors. */
static inline void add_slots(__global const sum_t *slots, __global const int *start, __constant tiling_t *tiling,
                             int first_tile, int end_tile, int tile, int at, int count, sum_t *sums)
{
    int begin = start[tile] - start[first_tile], end = start[tile + 1] - start[first_tile];
    long size = (long)tiling->stride * tiling->rows, slot = tile - first_tile;
    int piece = begin / tiling->hot;

    if (begin == end)
        return;
    for (;;) {
        __global const sum_t *pixels = slots + slot * size + at;

        for (int i = 0; i < count; i += LANES)
            vstore8(vload8(0, sums + i) + vload8(0, pixels + i), 0, sums + i);
        piece++;
        if (end - begin <= tiling->hot || (long)piece * tiling->hot >= end)
            return;
        slot = end_tile - first_tile + piece;
    }
}

#ifdef PENTA_FIXED
typedef long out_t;
#else
typedef real out_t;
#ifndef PENTA_DOUBLE
#define ROUNDS
#endif
#endif

/*
 * fresh: the pixels hold nothing yet. carry: what single precision rounded off after earlier batches is in rest, so
 * that errors do not grow with their number. One loop a case: as one loop with conditions it became vector code with
 * masked loads of rest, which are slow (40 ns a pixel) where its pages were never touched.
 */
static inline void store(const sum_t *sums, int count, int fresh, int carry, __global out_t *out, __global float *rest)
{
    if (fresh) {
        for (int i = 0; i < count; i++)
            out[i] = (out_t)sums[i];
        return;
    }
#ifdef ROUNDS
    if (carry) {
        for (int i = 0; i < count; i++) {
            double sum = sums[i] + (double)rest[i] + (double)out[i];

            out[i] = (float)sum;
            rest[i] = (float)(sum - (double)out[i]);
        }
        return;
    }
#endif
    for (int i = 0; i < count; i++)
        out[i] = (out_t)(sums[i] + out[i]);
}

/*
 * Grid: rows of the slab from first_row on. The group is the tiles of the rows of tiles ty .. end_ty-1; rows from
 * fresh_row on are new, others get the sums added. rest: see store; a small buffer while carry is 0 will do.
 */
__kernel SINGLE_ITEM void stars_tile_combine(__global const sum_t *restrict slots, __global const int *restrict start,
                                             __constant tiling_t *restrict tiling, int roi, int ty, int end_ty,
                                             int first_row, int fresh_row, int width, int carry,
                                             __global out_t *restrict out, __global float *restrict rest)
{
    int y = first_row + get_global_id(0), band = y / tiling->height, tiles_x = tiling->tiles_x, w = tiling->width;
    int first_tile = ty * tiles_x, end_tile = end_ty * tiles_x;
    sum_t sums[MOST_WIDTH + 64];

    for (int tx = 0; tx * w < width; tx++) {
        long at_pixel = (long)y * width + tx * w;

        for (int i = 0; i < w; i += LANES)
            vstore8(0, 0, sums + i);
        for (int t = max(band, ty); t < min(band + 2, end_ty); t++) {
            int row = y - t * tiling->height + roi - 1, at = row * tiling->stride, tile = t * tiles_x + tx;

            if (row < 0)
                continue;
            add_slots(slots, start, tiling, first_tile, end_tile, tile, at + roi - 1, w, sums);
            if (tx + 1 < tiles_x)
                add_slots(slots, start, tiling, first_tile, end_tile, tile + 1, at, roi - 1, sums + w - (roi - 1));
        }
        store(sums, min(w, width - tx * w), y >= fresh_row, carry, out + at_pixel, rest + at_pixel);
    }
}

#ifdef PENTA_FIXED
/* Grid: pieces of `each` pixels. */
__kernel SINGLE_ITEM void stars_tile_to_image(__global const long *restrict sums, double unit, int each, long count,
                                              __global real *restrict image)
{
    long first = get_global_id(0) * (long)each;

    for (long i = first; i < min(first + each, count); i++)
        image[i] = fixed_to_real(sums[i], unit);
}
#endif
