/*
 * Sorting stars into the lists of tile.clh. The order within a bin is the caller's, so that nothing depends on timing.
 *
 * Few stars: stars_bins_segments, one kernel. Work-group g sorts segment g, which becomes list g.
 * Many: one list. Work-group g has stars g each .. (g + 1) each - 1 (each: a multiple of SEGMENT). stars_bins_count counts
 * its stars by bins; stars_bins_columns (a work-item a bin) and stars_bins_table (one work-group) turn counts[g][bin]
 * into the number of stars of the bin before group g's, and make the table; stars_bins_scatter puts the stars there, a
 * segment at a time.
 *
 * A segment's stars are chained by bins in local memory, in the order of arrival; a star's rank in its bin is the number
 * of smaller numbers in its chain.
 */
#include "stars/tile.clh"
#include "stars/tile_prefix.clh"

#define PER_ITEM  (SEGMENT / SORT_GROUP)
#define MOST_BINS (128 * TILE) /* local memory is short where tiles are small */
#define FEW_BINS  2048 /* of stars_bins_segments */
#define NONE      -1

#define UNSORTED                                                                                                       \
    __global const star_t *restrict stars, __global const uint *restrict cells,                                        \
        __global const wide_t *restrict motion_x, __global const wide_t *restrict motion_y
#define SORTED                                                                                                         \
    __global star_t *restrict sorted_stars, __global uint *restrict sorted_cells,                                      \
        __global wide_t *restrict sorted_motion_x, __global wide_t *restrict sorted_motion_y

#ifdef PSF_MOVING
#define MOVE_STAR(from, to)                                                                                            \
    do {                                                                                                               \
        sorted_stars[to] = stars[from];                                                                                \
        sorted_cells[to] = cells[from];                                                                                \
        sorted_motion_x[to] = motion_x[from];                                                                          \
        sorted_motion_y[to] = motion_y[from];                                                                          \
    } while (0)
#else
#define MOVE_STAR(from, to)                                                                                            \
    do {                                                                                                               \
        sorted_stars[to] = stars[from];                                                                                \
        sorted_cells[to] = cells[from];                                                                                \
    } while (0)
#endif

/* Bin of star i, or NONE: beyond the end, or not drawn. */
static inline int bin_at(__global const uint *cells, int i, int end, int bin_shift, int bins_x)
{
    uint cell = i < end ? cells[i] : STAR_NOT_DRAWN;

    return cell == STAR_NOT_DRAWN ? NONE : bin_of(cell, bin_shift, bins_x);
}

/* Rank of star `slot` of a segment in its bin's chain; *size: the chain's length. */
static inline int rank_in(__local const int *heads, __local const int *next, int bin, int slot, int *size)
{
    int rank = 0, length = 0;

    for (int s = heads[bin]; s != NONE; s = next[s], length++)
        rank += s < slot;
    *size = length;
    return rank;
}

__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1)))
void stars_bins_segments(UNSORTED, int n, int bin_shift, int width, int rows, __global uint *restrict table,
                         __global uint *restrict hot, SORTED)
{
    int          item = get_local_id(0), group = get_group_id(0), first = group * SEGMENT;
    int          bins_x = bins_along(width, bin_shift), bins = bins_x * bins_along(rows, bin_shift), bin[PER_ITEM], size;
    __local int  heads[FEW_BINS], next[SEGMENT];
    __local uint starts[FEW_BINS + 1], blocks[SORT_GROUP];

    for (int k = 0; k < bins; k += SORT_GROUP) /* all items loop alike: see tile_prefix.clh */
        if (k + item < bins) {
            heads[k + item] = NONE;
            starts[k + item] = 0;
        }
    for (int k = 0; k < PER_ITEM; k++)
        bin[k] = bin_at(cells, first + k * SORT_GROUP + item, n, bin_shift, bins_x);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < PER_ITEM; k++)
        if (bin[k] != NONE) {
            next[k * SORT_GROUP + item] = atomic_xchg(heads + bin[k], k * SORT_GROUP + item);
            atomic_inc(starts + bin[k]);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    prefix_sums(starts, blocks, bins);
    for (int k = 0; k <= bins; k += SORT_GROUP) {
        int b = k + item;

        if (b <= bins)
            table[group * (bins + 1) + b] = first + starts[b];
    }
    if (group == 0 && item < 2)
        hot[item] = 0;
    for (int k = 0; k < PER_ITEM; k++) {
        int slot = k * SORT_GROUP + item;

        if (bin[k] != NONE) {
            int to = first + (int)starts[bin[k]] + rank_in(heads, next, bin[k], slot, &size);

            MOVE_STAR(first + slot, to);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1)))
void stars_bins_count(__global const uint *restrict cells, int n, int each, int bin_shift, int width, int rows,
                      __global uint *restrict counts, __global uint *restrict hot)
{
    int          item = get_local_id(0), group = get_group_id(0), end = min((group + 1) * each, n);
    int          bins_x = bins_along(width, bin_shift), bins = bins_x * bins_along(rows, bin_shift);
    __local uint count[MOST_BINS];

    for (int k = 0; k < bins; k += SORT_GROUP) {
        int b = k + item;

        if (b < bins)
            count[b] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = group * each; first < end; first += SORT_GROUP) {
        int bin = bin_at(cells, first + item, end, bin_shift, bins_x);

        if (bin != NONE)
            atomic_inc(count + bin);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < bins; k += SORT_GROUP) {
        int b = k + item;

        if (b < bins)
            counts[group * bins + b] = count[b];
    }
    if (group == 0 && item < 2)
        hot[item] = 0;
}

/* counts[g][bin] becomes the sum over the groups before g; totals[bin]: over all. */
__kernel void stars_bins_columns(int groups, int bins, __global uint *restrict counts, __global uint *restrict totals)
{
    int  bin = get_global_id(0);
    uint sum = 0;

    if (bin >= bins)
        return;
    for (int g = 0; g < groups; g++) {
        uint count = counts[g * bins + bin];

        counts[g * bins + bin] = sum;
        sum += count;
    }
    totals[bin] = sum;
}

__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1)))
void stars_bins_table(__global const uint *restrict totals, int bins, __global uint *restrict table)
{
    int          item = get_local_id(0);
    __local uint sums[MOST_BINS + 1], blocks[SORT_GROUP];

    for (int k = 0; k < bins; k += SORT_GROUP) {
        int b = k + item;

        if (b < bins)
            sums[b] = totals[b];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    prefix_sums(sums, blocks, bins);
    for (int k = 0; k <= bins; k += SORT_GROUP) {
        int b = k + item;

        if (b <= bins)
            table[b] = sums[b];
    }
}

__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1)))
void stars_bins_scatter(UNSORTED, int n, int each, int bin_shift, int width, int rows,
                        __global const uint *restrict table, __global uint *restrict counts, SORTED)
{
    int            item = get_local_id(0), group = get_group_id(0), end = min((group + 1) * each, n);
    int            bins_x = bins_along(width, bin_shift), bins = bins_x * bins_along(rows, bin_shift);
    __global uint *before = counts + group * bins; /* stars of a bin before this segment's */
    __local int    heads[MOST_BINS], next[SEGMENT];

    for (int k = 0; k < bins; k += SORT_GROUP) {
        int b = k + item;

        if (b < bins)
            heads[b] = NONE;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = group * each; first < end; first += SEGMENT) {
        int bin[PER_ITEM], rank[PER_ITEM], size[PER_ITEM];

        for (int k = 0; k < PER_ITEM; k++) {
            bin[k] = bin_at(cells, first + k * SORT_GROUP + item, end, bin_shift, bins_x);
            if (bin[k] != NONE)
                next[k * SORT_GROUP + item] = atomic_xchg(heads + bin[k], k * SORT_GROUP + item);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < PER_ITEM; k++)
            if (bin[k] != NONE) {
                int slot = k * SORT_GROUP + item, to;

                rank[k] = rank_in(heads, next, bin[k], slot, &size[k]);
                to = (int)(table[bin[k]] + before[bin[k]]) + rank[k];
                MOVE_STAR(first + slot, to);
            }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int k = 0; k < PER_ITEM; k++)
            if (bin[k] != NONE && rank[k] == size[k] - 1) { /* the last of its bin */
                before[bin[k]] += size[k];
                heads[bin[k]] = NONE;
            }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
