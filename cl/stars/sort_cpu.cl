/*
 * Stars in the order of the tiles that their ROI begins in, those of a tile in the order of the list: a counting sort.
 * A tile is tile_width x tile_height first pixels, from (1 - ROI, 1 - ROI) on; tiles are numbered along x first. The
 * list is cut into slices of `slice` stars; a work-item takes one.
 */
#include "stars/star.clh"

#define SINGLE_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))
#define LANES       16
#define BLOCK       64 /* stars at a time: loops over them become vector code */

/*
 * The tiles of the stars from `first` on, up to BLOCK of them and before `end`; -1 for a star that is not drawn.
 * Returns their number. inverse = floor(2^32 / divisor) + 1, so n * inverse / 2^32 is the quotient for n * divisor <
 * 2^32.
 */
static inline int tiles_of(__global const uint *cells, int first, int end, int roi, uint inverse_width,
                           uint inverse_height, int tiles_x, int *tiles)
{
    int count = min(end - first, BLOCK);

    for (int k = 0; k < count; k++) {
        uint cell = cells[first + k], margin = STAR_MARGIN - (roi - 1);
        uint tx = (uint)((ulong)((cell & 0xFFFFu) - margin) * inverse_width >> 32);
        uint ty = (uint)((ulong)((cell >> 16) - margin) * inverse_height >> 32);

        tiles[k] = cell == STAR_NOT_DRAWN ? -1 : (int)(ty * tiles_x + tx);
    }
    return count;
}

/* counts[slice][stride]: stars of each tile. Grid: slices. */
__kernel SINGLE_ITEM void stars_sort_count(__global const uint *restrict cells, int n, int slice, int roi,
                                           uint inverse_width, uint inverse_height, int tiles_x, int stride,
                                           __global int *restrict counts)
{
    int first = get_global_id(0) * slice, end = min(first + slice, n), tiles[BLOCK];
    __global int *count = counts + (long)get_global_id(0) * stride;

    for (int t = 0; t < stride; t += LANES)
        vstore16(0, 0, count + t);
    for (int i = first; i < end; i += BLOCK) {
        int block = tiles_of(cells, i, end, roi, inverse_width, inverse_height, tiles_x, tiles);

        for (int k = 0; k < block; k++)
            if (tiles[k] >= 0)
                count[tiles[k]]++;
    }
}

/*
 * counts become the places where each slice puts the stars of each tile; start[t]: place of the first star of tile t,
 * start[stride]: of all. One work-item.
 */
__kernel SINGLE_ITEM void stars_sort_places(int slices, int stride, __global int *restrict counts,
                                            __global int *restrict start)
{
    int place = 0;

    for (int t = 0; t < stride; t += LANES) {
        int16 sum = 0;

        for (int s = 0; s < slices; s++) {
            __global int *count = counts + (long)s * stride + t;
            int16 c = vload16(0, count);

            vstore16(sum, 0, count); /* within the tile, for now */
            sum += c;
        }
        vstore16(sum, 0, start + t);
    }
    for (int t = 0; t < stride; t++) {
        int count = start[t];

        start[t] = place;
        place += count;
    }
    start[stride] = place;
    for (int s = 0; s < slices; s++)
        for (int t = 0; t < stride; t += LANES) {
            __global int *count = counts + (long)s * stride + t;

            vstore16(vload16(0, count) + vload16(0, start + t), 0, count);
        }
}

/* Grid: slices. motion_x, motion_y and their sorted twins matter with PSF_MOVING only. */
__kernel SINGLE_ITEM void stars_sort_move(__global const star_t *restrict stars, __global const uint *restrict cells,
                                          __global const double *restrict motion_x,
                                          __global const double *restrict motion_y, int n, int slice, int roi,
                                          uint inverse_width, uint inverse_height, int tiles_x, int stride,
                                          __global int *restrict counts, __global star_t *restrict sorted,
                                          __global double *restrict sorted_x, __global double *restrict sorted_y)
{
    int first = get_global_id(0) * slice, end = min(first + slice, n), tiles[BLOCK];
    __global int *place = counts + (long)get_global_id(0) * stride;

    for (int i = first; i < end; i += BLOCK) {
        int block = tiles_of(cells, i, end, roi, inverse_width, inverse_height, tiles_x, tiles);

        for (int k = 0; k < block; k++)
            if (tiles[k] >= 0) {
                int to = place[tiles[k]]++;

                sorted[to] = stars[i + k];
#ifdef PSF_MOVING
                sorted_x[to] = motion_x[i + k];
                sorted_y[to] = motion_y[i + k];
#endif
            }
    }
}
