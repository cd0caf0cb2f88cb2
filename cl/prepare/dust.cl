/*
 * Residuals of c = I / B at two scales:
 *
 *   fine:   d1 = c - median of 5 x 5 of c
 *   coarse: d2 = c - (medians of 5 x 5 of the means of FACTOR x FACTOR pixels, bilinear between the blocks' middles)
 *
 * Inputs of medians are padded by two pixels that repeat the edge. Their rows have `pitch` elements, which repeat the
 * edge to the end, so that loops over sixteen pixels need no special case (PADDED in src/prepare/dust.c). Grids:
 * cl/prepare/pixels.clh.
 */
#ifdef PENTA_CPU
#include "prepare/lanes.clh"
#endif
#include "prepare/nodes.clh"
#include "prepare/pixels.clh"

#ifdef PENTA_CPU
typedef float16 numbers;
#define LANES       16
#define LOAD(p)     vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#else
typedef float numbers;
#define LANES       1
#define LOAD(p)     (*(p))
#define STORE(v, p) (*(p) = (v))
#endif
#include "common/median25.clh"
#ifdef PENTA_CPU
#include "common/median5x5.clh"
#endif

/* c, padded. Grid: pitch x (height + 4). */
#ifdef PENTA_CPU
PIXELS_KERNEL void prepare_dust_ratio(__global const float *restrict grey, __global const float *restrict background,
                                      __global const float *restrict level, __global const float2 *restrict at_x,
                                      __global const float2 *restrict at_y, int width, int height, int nodes_x,
                                      int nodes_y, int pitch, __global float *restrict ratio)
{
    int row = PIXELS_ROW, frame = PIXELS_FRAME, y = clamp(row - 2, 0, height - 1);
    background_row r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);

    grey += ((size_t)frame * height + y) * width;
    ratio += ((size_t)frame * (height + 4) + row) * pitch;
    for (int x = 0; x < width; x += 16)
        store_lanes(load_lanes(grey + x, width - x) / background_some(&r, at_x + x, width - x), ratio + 2 + x,
                    width - x);
    ratio[0] = ratio[1] = ratio[2];
    for (int i = width + 2; i < pitch; i++)
        ratio[i] = ratio[width + 1];
}
#else
PIXELS_KERNEL void prepare_dust_ratio(__global const float *restrict grey, __global const float *restrict background,
                                      __global const float *restrict level, __global const float2 *restrict at_x,
                                      __global const float2 *restrict at_y, int width, int height, int nodes_x,
                                      int nodes_y, int pitch, __global float *restrict ratio)
{
    int row = PIXELS_ROW, frame = PIXELS_FRAME, y = clamp(row - 2, 0, height - 1);
    background_row r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);

    grey += ((size_t)frame * height + y) * width;
    ratio += ((size_t)frame * (height + 4) + row) * pitch;
    FOR_PIXELS(i, pitch)
    {
        int x = clamp(i - 2, 0, width - 1);

        ratio[i] = grey[x] / background_in(&r, at_x[x]);
    }
}
#endif

/* Mean of the usable pixels of block (X, Y); 1 if there are none. */
static inline float block_mean(__global const float *ratio, __global const uchar *usable, int width, int height,
                               int pitch, int X, int Y)
{
    int x0 = X * FACTOR, x1 = min(x0 + FACTOR, width), y0 = Y * FACTOR, y1 = min(y0 + FACTOR, height), count = 0;
    float sum = 0;

    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            uchar use = usable[(size_t)y * width + x];

            sum += use ? ratio[(size_t)(y + 2) * pitch + x + 2] : 0.0f;
            count += use;
        }
    return count ? sum / count : 1.0f;
}

/* Means of blocks_x x blocks_y blocks, padded like ratio. Grid: blocks_pitch x (blocks_y + 4). */
PIXELS_KERNEL void prepare_dust_blocks(__global const float *restrict ratio, __global const uchar *restrict usable,
                                       int width, int height, int pitch, int blocks_x, int blocks_y, int blocks_pitch,
                                       __global float *restrict means)
{
    int row = PIXELS_ROW, frame = PIXELS_FRAME, Y = clamp(row - 2, 0, blocks_y - 1);

    ratio += (size_t)frame * (height + 4) * pitch;
    usable += (size_t)frame * height * width;
    means += ((size_t)frame * (blocks_y + 4) + row) * blocks_pitch;
    FOR_PIXELS(i, blocks_pitch)
    means[i] = block_mean(ratio, usable, width, height, pitch, clamp(i - 2, 0, blocks_x - 1), Y);
}

/* Medians of 5 x 5 about LANES pixels of row y from x on, in one frame. */
static inline numbers median_at(__global const float *padded, int pitch, int x, int y)
{
    numbers v[25];

    padded += (size_t)y * pitch + x;
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++)
            v[5 * j + i] = LOAD(padded + (size_t)j * pitch + i);
    return median25(v);
}

/* Medians of padded; rows of both have `pitch` elements, out has no padding. Grid: pitch / LANES x height. */
PIXELS_KERNEL void prepare_dust_medians(__global const float *restrict padded, int width, int height, int pitch,
                                        __global float *restrict out)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;

    padded += (size_t)frame * (height + 4) * pitch;
    out += ((size_t)frame * height + y) * pitch;
    FOR_PIXELS(i, (width + LANES - 1) / LANES)
    STORE(median_at(padded, pitch, i * LANES, y), out + i * LANES);
}

#ifndef PENTA_CPU
/* Interpolates the block medians (rows of `pitch`) at (x, y), bilinear between the blocks' middles. */
static inline float between_blocks(__global const float *medians, int pitch, int blocks_x, int blocks_y, int x, int y)
{
    const float middle = 0.5f * (FACTOR - 1), step = 1.0f / FACTOR;
    float u = clamp((x - middle) * step, 0.0f, blocks_x - 1.0f), v = clamp((y - middle) * step, 0.0f, blocks_y - 1.0f);
    int i = (int)u, j = (int)v, right = min(i + 1, blocks_x - 1);
    __global const float *above = medians + (size_t)j * pitch;
    __global const float *below = medians + (size_t)min(j + 1, blocks_y - 1) * pitch;
    float a = above[i] + (u - i) * (above[right] - above[i]), b = below[i] + (u - i) * (below[right] - below[i]);

    return a + (v - j) * (b - a);
}
#endif

#ifdef PENTA_CPU
#define CHUNK 128

/* Sorts the columns of five pixels for `count` pixels of padded from x on and the four beyond. sorted: 5 x (CHUNK +
 * 16), ascending. */
static inline void sort_columns(__global const float *padded, int pitch, int x, int count, float *sorted)
{
    for (int k = 0; k < count + 4; k += LANES) {
        int at = min(x + k, pitch - LANES) - x; /* the last vectors overlap */
        numbers column[5];

#pragma unroll
        for (int j = 0; j < 5; j++)
            column[j] = LOAD(padded + (size_t)j * pitch + x + at);
        sort5(column);
#pragma unroll
        for (int j = 0; j < 5; j++)
            STORE(column[j], sorted + j * (CHUNK + LANES) + at);
    }
}

/* Block medians between two rows of blocks. */
typedef struct {
    __global const float *above, *below;
    float part; /* of the way down */
    int blocks; /* in a row */
} blocks_row;

static inline blocks_row blocks_row_of(__global const float *medians, int pitch, int blocks_x, int blocks_y, int y)
{
    const float middle = 0.5f * (FACTOR - 1), step = 1.0f / FACTOR;
    float v = clamp((y - middle) * step, 0.0f, blocks_y - 1.0f);
    int j = (int)v;
    blocks_row r = {medians + (size_t)j * pitch, medians + (size_t)min(j + 1, blocks_y - 1) * pitch, v - j, blocks_x};

    return r;
}

static inline float block_in(const blocks_row r, int i)
{
    int at = min(i, r.blocks - 1);

    return r.above[at] + r.part * (r.below[at] - r.above[at]);
}

/* between_blocks for sixteen pixels, which lie on few lines between two blocks. */
static inline float16 between_blocks_lanes(const blocks_row r, int x)
{
    const float middle = 0.5f * (FACTOR - 1), step = 1.0f / FACTOR;
    const float16 lanes = (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    float16 u = clamp((lanes + (x - middle)) * step, (float16)0, (float16)(r.blocks - 1));
    int16 at = convert_int16(u);
    float before = block_in(r, at.s0);
    float16 left = 0, right = 0;

    for (int i = at.s0; i <= at.sf; i++) {
        float after = block_in(r, i + 1);

        left = at == i ? before : left;
        right = at == i ? after : right;
        before = after;
    }
    return left + (u - convert_float16(at)) * (right - left);
}

/* d1, d2: height x width. medians: of blocks, rows of blocks_pitch. */
PIXELS_KERNEL void prepare_dust_differences(__global const float *restrict ratio, int width, int height, int pitch,
                                            __global const float *restrict medians, int blocks_x, int blocks_y,
                                            int blocks_pitch, __global float *restrict d1, __global float *restrict d2)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    blocks_row r =
        blocks_row_of(medians + (size_t)frame * blocks_y * blocks_pitch, blocks_pitch, blocks_x, blocks_y, y);
    float sorted[5 * (CHUNK + LANES)];

    ratio += ((size_t)frame * (height + 4) + y) * pitch;
    d1 += ((size_t)frame * height + y) * width;
    d2 += ((size_t)frame * height + y) * width;
    for (int x = 0; x < width; x += LANES) {
        int left = width - x;
        float16 c = LOAD(ratio + 2 * pitch + x + 2);

        if (x % CHUNK == 0)
            sort_columns(ratio, pitch, x, min((left + LANES - 1) / LANES * LANES, CHUNK), sorted);
        store_lanes(c - median_of_columns(sorted + x % CHUNK, CHUNK + LANES), d1 + x, left);
        store_lanes(c - between_blocks_lanes(r, x), d2 + x, left);
    }
}
#else
/* d1, d2: height x width. medians: of blocks, rows of blocks_pitch. */
PIXELS_KERNEL void prepare_dust_differences(__global const float *restrict ratio, int width, int height, int pitch,
                                            __global const float *restrict medians, int blocks_x, int blocks_y,
                                            int blocks_pitch, __global float *restrict d1, __global float *restrict d2)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;

    ratio += (size_t)frame * (height + 4) * pitch;
    medians += (size_t)frame * blocks_y * blocks_pitch;
    d1 += ((size_t)frame * height + y) * width;
    d2 += ((size_t)frame * height + y) * width;
    FOR_PIXELS(x, width)
    {
        float c = ratio[(size_t)(y + 2) * pitch + x + 2];

        d1[x] = c - median_at(ratio, pitch, x, y);
        d2[x] = c - between_blocks(medians, blocks_pitch, blocks_x, blocks_y, x, y);
    }
}
#endif
