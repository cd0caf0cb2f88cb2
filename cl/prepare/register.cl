/*
 * Passes before and after the FFT that finds a whole-pixel shift. data: frames x ny rows of 2 (nx / 2 + 1) numbers
 * (layout of math/fft.h).
 */
#include "prepare/pixels.clh"

/* conj(a) b */
static inline float2 conjugate_product(float2 a, float2 b)
{
    return (float2)(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
}

/* Means of `by` x `by` pixels of frames from number `first` on. */
PIXELS_KERNEL void register_reduce(__global const float *restrict image, __global float *restrict reduced, int width,
                                   int height, int reduced_width, int reduced_height, int by, long first)
{
    int y = PIXELS_ROW;
    long frame = PIXELS_FRAME;

    image += ((first + frame) * height + (long)y * by) * width;
    reduced += (frame * reduced_height + y) * reduced_width;
    FOR_PIXELS(x, reduced_width)
    {
        float sum = 0;

        for (int j = 0; j < by; j++)
            for (int i = 0; i < by; i++)
                sum += image[j * width + x * by + i];
        reduced[x] = sum / (by * by);
    }
}

/* Loads images from number `first` on, multiplied by the windows of columns and rows, zero-padded to rows of `pitch`,
 * ny per frame. */
PIXELS_KERNEL void register_load(__global const float *restrict image, __global const float *restrict window,
                                 __global float *restrict data, int width, int height, int pitch, int ny, long first)
{
    int y = PIXELS_ROW;
    long frame = PIXELS_FRAME, row = ((first + frame) * height + y) * width;

    FOR_PIXELS(x, pitch)
    data[(frame * ny + y) * pitch + x] = x < width && y < height ? window[x] * window[width + y] * image[row + x] : 0;
}

/* data = conj(key) data; `numbers` per row, ny rows per frame. */
PIXELS_KERNEL void register_multiply(__global const float2 *restrict key, __global float2 *restrict data, int numbers,
                                     int ny)
{
    long y = PIXELS_ROW, row = (PIXELS_FRAME * (long)ny + y) * numbers;

    FOR_PIXELS(i, numbers)
    data[row + i] = conjugate_product(key[y * numbers + i], data[row + i]);
}

/* ---- phase correlation ---- */

/* Sums of moduli per row. Grid (ny, frames). */
__kernel void register_moduli(__global const float2 *restrict data, int numbers, __global float *restrict moduli)
{
    long row = get_global_id(1) * get_global_size(0) + get_global_id(0);
    float sum = 0;

    for (int i = 0; i < numbers; i++)
        sum += length(data[row * numbers + i]);
    moduli[row] = sum;
}

/* Divides each number by its modulus, or by 1e-6 of the mean modulus if that is larger. Grid (ny, frames). */
__kernel void register_whiten(__global const float *restrict moduli, int numbers, __global float2 *restrict data)
{
    int ny = get_global_size(0);
    long frame = get_global_id(1), row = frame * ny + get_global_id(0);
    float sum = 0, least;

    for (int y = 0; y < ny; y++)
        sum += moduli[frame * ny + y];
    least = max(1e-6f * sum / ny / numbers, 1e-37f);
    for (int i = 0; i < numbers; i++)
        data[row * numbers + i] /= max(length(data[row * numbers + i]), least);
}

/* ---- the largest value ---- */

/*
 * The largest value of each row among columns of shifts up to most_x, and its column (the first of equals). Rows of
 * shifts above most_y give -INFINITY. best: frames x ny. One work-item per row on CPUs, ITEMS per row elsewhere.
 */
#ifdef PENTA_CPU

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void register_largest(__global const float *restrict data,
                                                                              int nx, int pitch, int most_x, int most_y,
                                                                              __global float *restrict best,
                                                                              __global int *restrict column)
{
    int y = get_global_id(0), ny = get_global_size(0), at = 0;
    long row = get_global_id(1) * ny + y;
    float value = -INFINITY;

    data += row * pitch;
    if (y <= most_y || ny - y <= most_y)
        for (int x = 0; x < nx; x++) {
            bool more = (x <= most_x || nx - x <= most_x) && data[x] > value;

            value = more ? data[x] : value;
            at = more ? x : at;
        }
    best[row] = value;
    column[row] = at;
}

#else

#define ITEMS 64

/* Grid (ITEMS ny, frames). */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
register_largest(__global const float *restrict data, int nx, int pitch, int most_x, int most_y,
                 __global float *restrict best, __global int *restrict column)
{
    __local float values[ITEMS];
    __local int columns[ITEMS];
    int y = get_group_id(0), ny = get_num_groups(0), item = get_local_id(0), at = 0;
    long row = get_group_id(1) * ny + y;
    bool allowed = y <= most_y || ny - y <= most_y;
    float value = -INFINITY;

    for (int from = 0; from < nx; from += ITEMS) {
        int x = from + item;

        if (allowed && x < nx && (x <= most_x || nx - x <= most_x) && data[row * pitch + x] > value) {
            value = data[row * pitch + x];
            at = x;
        }
    }
    values[item] = value;
    columns[item] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = ITEMS / 2; half_of > 0; half_of /= 2) {
        if (item < half_of) {
            float other = values[item + half_of];
            int its = columns[item + half_of];

            if (other > values[item] || (other == values[item] && its < columns[item])) {
                values[item] = other;
                columns[item] = its;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        best[row] = values[0];
        column[row] = columns[0];
    }
}

#endif

/* ---- kept frames ---- */

/* Copies frame `from` of a batch and its mask to separate buffers. */
PIXELS_KERNEL void register_copy(__global const float *restrict image, __global const uchar *restrict mask,
                                 __global float *restrict image_to, __global uchar *restrict mask_to, int width,
                                 int height, long from)
{
    long row = PIXELS_ROW * (long)width, there = from * height * width + row;

    FOR_PIXELS(x, width)
    {
        image_to[row + x] = image[there + x];
        mask_to[row + x] = mask[there + x];
    }
}

/* ---- rough angle ---- */

/* Turns an image back about (cx, cy) by each angle, given as cosine and sine in turns; 0 beyond the image. One frame
 * per angle. */
PIXELS_KERNEL void register_turn(__global const float *restrict image, __global const float2 *restrict turns,
                                 __global float *restrict turned, int width, int height, float cx, float cy)
{
    int y = PIXELS_ROW;
    long frame = PIXELS_FRAME;
    float2 turn = turns[frame];

    FOR_PIXELS(x, width)
    {
        float px = cx + turn.x * (x - cx) - turn.y * (y - cy), py = cy + turn.y * (x - cx) + turn.x * (y - cy);
        int qx = (int)floor(px), qy = (int)floor(py);
        bool inside = qx >= 0 && qy >= 0 && qx < width - 1 && qy < height - 1;
        __global const float *at = image + (inside ? (long)qy * width + qx : 0);

        turned[(frame * height + y) * width + x] =
            inside ? mix(mix(at[0], at[1], px - qx), mix(at[width], at[width + 1], px - qx), py - qy) : 0;
    }
}
