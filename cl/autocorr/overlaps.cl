/*
 * The summed-area tables of overlaps.clh: along lines, then down columns. GPUs share a line or a column among a
 * work-group, each item with a stretch of it: first the sums of the stretches, then each item starts from those before
 * its own. CPUs go through it in one. Sums of integers are exact; the moments of a frame of integers come from them, too.
 */
#pragma OPENCL FP_CONTRACT OFF
#include "autocorr/overlaps.clh"

/* lines[frame][powers][height][pitch]: sums of a line up to the positions that are kept; squares[frame][height]: of a
 * whole line. first: the line's places for sums, second: those for squares. */
typedef struct {
    __global total_t *first, *second;
    int width, max_offset, powers;
} line_sums;

static inline void keep(const line_sums *l, int position, total_t sum, total_t square)
{
    int place = kept_place(position, l->width, l->max_offset);

    l->first[place] = sum;
    if (l->powers == 2)
        l->second[place] = square;
}

static inline line_sums line_at(__global total_t *lines, long frame, int y, int width, int height, int max_offset,
                                int powers)
{
    long pitch = kept_pitch(width, max_offset), plane = pitch * height;
    line_sums l = {lines + frame * powers * plane + y * pitch, 0, width, max_offset, powers};

    l.second = l.first + plane;
    return l;
}

/* The places behind the last, so that columns can be added up in blocks. */
static inline void clear_rest(const line_sums *l)
{
    for (int i = kept_count(l->width, l->max_offset); i < kept_pitch(l->width, l->max_offset); i++) {
        l->first[i] = 0;
        if (l->powers == 2)
            l->second[i] = 0;
    }
}

static inline total_t square_of(pixel_t v)
{
    return (total_t)v * (total_t)v;
}

#ifdef PENTA_CPU
/* Grid (height, frames). */
__kernel void autocorr_line_sums(__global const pixel_t *restrict image, int width, int height, int max_offset,
                                 int powers, __global total_t *restrict lines, __global total_t *restrict squares)
{
    int  y = get_global_id(0);
    long frame = get_global_id(1);
    line_sums l = line_at(lines, frame, y, width, height, max_offset, powers);
    int  near = min(max_offset, width), far = max(near, width - max_offset);
    total_t sum = 0, square = 0;

    image += (frame * height + y) * width;
    keep(&l, 0, 0, 0);
    for (int x = 0; x < near; x++) {
        sum += image[x];
        square += square_of(image[x]);
        keep(&l, x + 1, sum, square);
    }
    for (int x = near; x < far; x++) {
        sum += image[x];
        square += square_of(image[x]);
    }
    if (far > near)
        keep(&l, far, sum, square);
    for (int x = far; x < width; x++) {
        sum += image[x];
        square += square_of(image[x]);
        keep(&l, x + 1, sum, square);
    }
    squares[frame * height + y] = square;
    clear_rest(&l);
}

/* Sums down the columns of one block, in groups of one. Grid (pitch / KEPT_BLOCK, powers, frames). */
__kernel void autocorr_column_sums(__global const total_t *restrict lines, int width, int height, int max_offset,
                                   __global total_t *restrict table)
{
    long pitch = kept_pitch(width, max_offset), part = get_global_id(2) * get_global_size(1) + get_global_id(1);
    total_t sum[KEPT_BLOCK];

    lines += part * height * pitch + get_global_id(0) * KEPT_BLOCK;
    table += part * kept_count(height, max_offset) * pitch + get_global_id(0) * KEPT_BLOCK;
    for (int i = 0; i < KEPT_BLOCK; i++)
        table[i] = sum[i] = 0;
    for (int y = 0; y < height; y++, lines += pitch) {
        for (int i = 0; i < KEPT_BLOCK; i++)
            sum[i] += lines[i];
        if (is_kept(y + 1, height, max_offset))
            for (int i = 0; i < KEPT_BLOCK; i++)
                table[kept_place(y + 1, height, max_offset) * pitch + i] = sum[i];
    }
}
#else
#define LINE_ITEMS 64
#define STRETCHES 16 /* of the lines, in a work-group of KEPT_BLOCK columns */

/* Grid (LINE_ITEMS * height, frames): a work-group a line. */
__kernel __attribute__((reqd_work_group_size(LINE_ITEMS, 1, 1)))
void autocorr_line_sums(__global const pixel_t *restrict image, int width, int height, int max_offset, int powers,
                        __global total_t *restrict lines, __global total_t *restrict squares)
{
    __local total_t sums[LINE_ITEMS], square_sums[LINE_ITEMS];
    int  y = get_group_id(0), k = get_local_id(0), each = (width + LINE_ITEMS - 1) / LINE_ITEMS;
    int  from = min(k * each, width), to = min(from + each, width);
    long frame = get_global_id(1);
    line_sums l = line_at(lines, frame, y, width, height, max_offset, powers);
    total_t sum = 0, square = 0;

    image += (frame * height + y) * width;
    for (int x = from; x < to; x++) {
        sum += image[x];
        square += square_of(image[x]);
    }
    sums[k] = sum;
    square_sums[k] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = square = 0;
    for (int i = 0; i < k; i++) {
        sum += sums[i];
        square += square_sums[i];
    }
    if (k == 0) {
        keep(&l, 0, 0, 0);
        clear_rest(&l);
    }
    if (k == LINE_ITEMS - 1)
        squares[frame * height + y] = square + square_sums[k];
    if (from >= max_offset && to < width - max_offset)
        return;
    for (int x = from; x < to; x++) {
        sum += image[x];
        square += square_of(image[x]);
        if (is_kept(x + 1, width, max_offset))
            keep(&l, x + 1, sum, square);
    }
}

/* Grid (pitch, STRETCHES * powers, frames): a work-group for a block of columns and a power. */
__kernel __attribute__((reqd_work_group_size(KEPT_BLOCK, STRETCHES, 1)))
void autocorr_column_sums(__global const total_t *restrict lines, int width, int height, int max_offset,
                          __global total_t *restrict table)
{
    __local total_t sums[STRETCHES][KEPT_BLOCK];
    int  k = get_local_id(1), column = get_local_id(0), each = (height + STRETCHES - 1) / STRETCHES;
    int  from = min(k * each, height), to = min(from + each, height);
    long pitch = kept_pitch(width, max_offset), part = get_group_id(2) * get_num_groups(1) + get_group_id(1);
    total_t sum = 0;

    lines += part * height * pitch + get_global_id(0);
    table += part * kept_count(height, max_offset) * pitch + get_global_id(0);
    for (int y = from; y < to; y++)
        sum += lines[y * pitch];
    sums[k][column] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int i = 0; i < k; i++)
        sum += sums[i][column];
    if (k == 0)
        table[0] = 0;
    if (from >= max_offset && to < height - max_offset)
        return;
    for (int y = from; y < to; y++) {
        sum += lines[y * pitch];
        if (is_kept(y + 1, height, max_offset))
            table[kept_place(y + 1, height, max_offset) * pitch] = sum;
    }
}
#endif

#ifdef PENTA_INTEGER
#define FRAME_ITEMS 64

/* The sum of a work-group's numbers, which its first item gets. */
static inline ulong add_up(__local ulong *cell, ulong v)
{
    int k = get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    cell[k] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; k == 0 && i < FRAME_ITEMS; i++)
        v += cell[i];
    return v;
}

static inline ulong some_squares(__global const ulong *squares, int height)
{
    ulong sum = 0;

    for (int y = get_local_id(0); y < height; y += FRAME_ITEMS)
        sum += squares[y];
    return sum;
}

/* The scalars of each frame for autocorr_finish: from the tables and squares of a and b, which are the same for an
 * autocorrelation. stride: of the tables of a frame, whose place of the sum of all is `last`. Grid (FRAME_ITEMS,
 * frames): a work-group a frame. */
__kernel __attribute__((reqd_work_group_size(FRAME_ITEMS, 1, 1)))
void autocorr_scalars(__global const ulong *restrict table_a, __global const ulong *restrict squares_a,
                      __global const ulong *restrict table_b, __global const ulong *restrict squares_b, long stride,
                      long last, int width, int height, int normed, int demeaned, int averaged,
                      __global double *restrict scalars)
{
    __local ulong cell[FRAME_ITEMS];
    long  frame = get_global_id(1);
    ulong a = add_up(cell, some_squares(squares_a + frame * height, height));
    ulong b = add_up(cell, some_squares(squares_b + frame * height, height));
    double pixels = (double)width * height;

    if (get_local_id(0) == 0)
        autocorr_scalars_of(normed, demeaned, averaged, 1e-14, pixels, (double)table_a[frame * stride + last], (double)a,
                            pixels, (double)table_b[frame * stride + last], (double)b,
                            scalars + frame * AUTOCORR_SCALARS);
}
#endif
