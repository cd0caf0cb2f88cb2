/*
 * What registration sees: e = (G * ((I / B - 1) m)) / (G * m) where the mask m is 1, else 0, G a Gaussian of 1.5 px
 * over -5 .. 5, nothing beyond the frame. Along x first, numerator and denominator in planes of their own, `halfway`:
 * frames x 2 x height x width.
 */
#include "prepare/lanes.clh"
#include "prepare/nodes.clh"
#include "prepare/pixels.clh"

#define REACH 5

__constant float gaussian[2 * REACH + 1] = {0.0038659201f, 0.0285655008f, 0.1353352832f, 0.4111122905f,
                                            0.8007374029f, 1.0f,          0.8007374029f, 0.4111122905f,
                                            0.1353352832f, 0.0285655008f, 0.0038659201f};

#ifdef PENTA_CPU

#define CHUNK 64 /* pixels at hand; 16 more to each side */

/* (I / B - 1) m and m of sixteen pixels from x on, zero beyond the row; x a multiple of 16. */
static inline void weigh(__global const float *grey, __global const uchar *mask, background_row *r,
                         __global const float2 *at_x, int x, int width, float *q, float *m)
{
    float16 value = 0, counts = 0;

    if (x >= 0 && x < width) {
        int16 is = convert_int16(load_mask(mask + x, width - x)) != 0;

        counts = is ? (float16)1 : (float16)0;
        value = load_lanes(grey + x, width - x) / background_some(r, at_x + x, width - x) - 1;
        value = is ? value : (float16)0;
    }
    vstore16(value, 0, q);
    vstore16(counts, 0, m);
}

/* A work-item a row. */
PIXELS_KERNEL void see_along_x(__global const float *restrict grey, __global const uchar *restrict mask,
                               __global const float *restrict background, __global const float *restrict level,
                               __global const float2 *restrict at_x, __global const float2 *restrict at_y,
                               __global float *restrict halfway, int width, int height, int nodes_x, int nodes_y)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    background_row r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);
    size_t row = ((size_t)frame * height + y) * width, plane = (size_t)height * width;
    __global float *out = halfway + row + frame * plane;
    float q[CHUNK + 32], m[CHUNK + 32];

    for (int from = 0; from < width; from += CHUNK) {
        for (int k = 0; k < CHUNK + 32; k += 16)
            weigh(grey + row, mask + row, &r, at_x, from + k - 16, width, q + k, m + k);
        for (int k = 0; k < CHUNK && from + k < width; k += 16) {
            float16 values = 0, weights = 0;

            for (int t = 0; t <= 2 * REACH; t++) {
                values = fma((float16)gaussian[t], vload16(0, q + k + t + 16 - REACH), values);
                weights = fma((float16)gaussian[t], vload16(0, m + k + t + 16 - REACH), weights);
            }
            store_lanes(values, out + from + k, width - from - k);
            store_lanes(weights, out + plane + from + k, width - from - k);
        }
    }
}

PIXELS_KERNEL void see_along_y(__global const float *restrict halfway, __global const uchar *restrict mask,
                               __global float *restrict seen, int width, int height)
{
    int y = PIXELS_ROW, from = max(0, y - REACH), to = min(height - 1, y + REACH);
    size_t frame = PIXELS_FRAME, plane = (size_t)height * width, row = frame * plane + (size_t)y * width;

    halfway += 2 * frame * plane;
    for (int x = 0; x < width; x += 16) {
        float16 values = 0, weights = 0;

        for (int k = from; k <= to; k++) {
            __global const float *at = halfway + (size_t)k * width + x;

            values = fma((float16)gaussian[k - y + REACH], load_lanes(at, width - x), values);
            weights = fma((float16)gaussian[k - y + REACH], load_lanes(at + plane, width - x), weights);
        }
        values = convert_int16(load_mask(mask + row + x, width - x)) != 0 ? values / weights : (float16)0;
        store_lanes(values, seen + row + x, width - x);
    }
}

#else

/* A work-item a pixel. */
PIXELS_KERNEL void see_along_x(__global const float *restrict grey, __global const uchar *restrict mask,
                               __global const float *restrict background, __global const float *restrict level,
                               __global const float2 *restrict at_x, __global const float2 *restrict at_y,
                               __global float *restrict halfway, int width, int height, int nodes_x, int nodes_y)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    const nodes n = nodes_of(background, level, nodes_x, nodes_y, frame);
    size_t row = ((size_t)frame * height + y) * width, plane = (size_t)height * width;

    FOR_PIXELS(x, width)
    {
        float values = 0, weights = 0;

        for (int t = max(-REACH, -x); t <= min(REACH, width - 1 - x); t++)
            if (mask[row + x + t]) {
                values += gaussian[t + REACH] * (grey[row + x + t] / background_at(n, at_x[x + t], at_y[y]) - 1);
                weights += gaussian[t + REACH];
            }
        halfway[row + frame * plane + x] = values;
        halfway[row + (frame + 1) * plane + x] = weights;
    }
}

PIXELS_KERNEL void see_along_y(__global const float *restrict halfway, __global const uchar *restrict mask,
                               __global float *restrict seen, int width, int height)
{
    int y = PIXELS_ROW;
    size_t frame = PIXELS_FRAME, plane = (size_t)height * width, row = frame * plane + (size_t)y * width;

    FOR_PIXELS(x, width)
    {
        float values = 0, weights = 0;

        for (int t = max(-REACH, -y); t <= min(REACH, height - 1 - y); t++) {
            size_t at = 2 * frame * plane + (size_t)(y + t) * width + x;

            values += gaussian[t + REACH] * halfway[at];
            weights += gaussian[t + REACH] * halfway[at + plane];
        }
        seen[row + x] = mask[row + x] ? values / weights : 0;
    }
}

#endif
