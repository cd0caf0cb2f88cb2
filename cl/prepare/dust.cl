/*
 * Outliers of c = I / B at two scales:
 *
 *   fine:   d1 = (c - median of 5 x 5 of c) sqrt(B / B0)
 *   coarse: d2 = c - (medians of 5 x 5 of the means of FACTOR x FACTOR pixels, bilinear between the blocks' middles)
 *
 * Images that a median is taken of are padded by two pixels that repeat their edge; their rows have `pitch` elements,
 * those beyond the padding repeating it too, so that sixteen pixels at a time need no end (PADDED in
 * src/prepare/dust.c). Grids: cl/prepare/pixels.clh.
 */
#include "prepare/nodes.clh"
#include "prepare/pixels.clh"

#ifdef PENTA_CPU
typedef float16 numbers;
#define LANES      16
#define LOAD(p)    vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#else
typedef float numbers;
#define LANES      1
#define LOAD(p)    (*(p))
#define STORE(v, p) (*(p) = (v))
#endif
#include "common/median25.clh"

/* c, padded. Grid: pitch x (height + 4). */
PIXELS_KERNEL void prepare_dust_ratio(__global const float *restrict grey, __global const float *restrict background,
                                      __global const float *restrict level, __global const float2 *restrict at_x,
                                      __global const float2 *restrict at_y, int width, int height, int nodes_x,
                                      int nodes_y, int pitch, __global float *restrict ratio)
{
    int row = PIXELS_ROW, frame = PIXELS_FRAME, y = clamp(row - 2, 0, height - 1);
    background_row r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);

    grey += ((size_t)frame * height + y) * width;
    ratio += ((size_t)frame * (height + 4) + row) * pitch;
    FOR_PIXELS (i, pitch) {
        int x = clamp(i - 2, 0, width - 1);

        ratio[i] = grey[x] / background_in(&r, at_x[x]);
    }
}

/* The mean of usable pixels of block (X, Y); 1 where there is none. */
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

/* Means of blocks_x x blocks_y blocks, padded as ratio is. Grid: blocks_pitch x (blocks_y + 4). */
PIXELS_KERNEL void prepare_dust_blocks(__global const float *restrict ratio, __global const uchar *restrict usable,
                                       int width, int height, int pitch, int blocks_x, int blocks_y, int blocks_pitch,
                                       __global float *restrict means)
{
    int row = PIXELS_ROW, frame = PIXELS_FRAME, Y = clamp(row - 2, 0, blocks_y - 1);

    ratio += (size_t)frame * (height + 4) * pitch;
    usable += (size_t)frame * height * width;
    means += ((size_t)frame * (blocks_y + 4) + row) * blocks_pitch;
    FOR_PIXELS (i, blocks_pitch)
        means[i] = block_mean(ratio, usable, width, height, pitch, clamp(i - 2, 0, blocks_x - 1), Y);
}

/* Medians of 5 x 5 about LANES pixels from x on of row y; of a frame. */
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
    FOR_PIXELS (i, (width + LANES - 1) / LANES)
        STORE(median_at(padded, pitch, i * LANES, y), out + i * LANES);
}

/* Between the middles of blocks: medians with rows of `pitch`. */
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

/* d1, d2: height x width. medians of blocks: rows of blocks_pitch. */
PIXELS_KERNEL void prepare_dust_differences(__global const float *restrict ratio, int width, int height, int pitch,
                                            __global const float *restrict background,
                                            __global const float *restrict level, __global const float2 *restrict at_x,
                                            __global const float2 *restrict at_y, int nodes_x, int nodes_y,
                                            __global const float *restrict medians, int blocks_x, int blocks_y,
                                            int blocks_pitch, __global float *restrict d1, __global float *restrict d2)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    background_row r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);

    ratio += (size_t)frame * (height + 4) * pitch;
    medians += (size_t)frame * blocks_y * blocks_pitch;
    d1 += ((size_t)frame * height + y) * width;
    d2 += ((size_t)frame * height + y) * width;
#ifdef PENTA_CPU
    float median[LANES];
#endif
    FOR_PIXELS (x, width) {
        float c = ratio[(size_t)(y + 2) * pitch + x + 2];
#ifdef PENTA_CPU
        if (x % LANES == 0)
            STORE(median_at(ratio, pitch, x, y), median);
        float m = median[x % LANES];
#else
        float m = median_at(ratio, pitch, x, y);
#endif

        d1[x] = (c - m) * sqrt(background_in(&r, at_x[x]) / r.n.level);
        d2[x] = c - between_blocks(medians, blocks_pitch, blocks_x, blocks_y, x, y);
    }
}
