/*
 * What registration sees: e = (G * ((I / B - 1) m)) / (G * m) where the mask m is 1, else 0, G a Gaussian of 1.5 px over
 * -5 .. 5, nothing beyond the frame. Along x first, numerator and denominator in planes of their own, `half`: frames x 2
 * x height x width. B is bilinear between nodes: node place[x] and the next by part[x], those of rows behind those of
 * columns.
 */
#include "prepare/lanes.clh"

#define REACH 5

__constant float gaussian[2 * REACH + 1] = {0.0038659201f, 0.0285655008f, 0.1353352832f, 0.4111122905f,
                                            0.8007374029f, 1.0f,          0.8007374029f, 0.4111122905f,
                                            0.1353352832f, 0.0285655008f, 0.0038659201f};

/* (I / B - 1) m of pixel x of a row; `above` and `below` are the rows of nodes about it. */
static inline float contrast_of(float grey, uchar mask, __global const float *above, __global const float *below,
                                float down, int node, int next, float across)
{
    float left = mix(above[node], below[node], down), right = mix(above[next], below[next], down);

    return mask ? grey / mix(left, right, across) - 1 : 0;
}

#ifdef PENTA_CPU

#define CHUNK 64 /* pixels whose contrast is at hand; 8 more to each side */

/* A work-item a row: grid (height, frames). */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
see_along_x(__global const float *restrict grey, __global const uchar *restrict mask,
            __global const float *restrict background, __global const int *restrict place,
            __global const float *restrict part, __global float *restrict half_seen, int width, int height, int nodes_x,
            int nodes_y)
{
    int y = get_global_id(0), j = place[width + y];
    long frame = get_global_id(1);
    __global const float *above = background + (frame * nodes_y + j) * nodes_x;
    __global const float *below = above + (j + 1 < nodes_y ? nodes_x : 0);
    __global float *out = half_seen + (2 * frame * height + y) * width;
    float down = part[width + y], q[CHUNK + 16], m[CHUNK + 16];

    grey += (frame * height + y) * width;
    mask += (frame * height + y) * width;
    for (int from = 0; from < width; from += CHUNK) {
        for (int k = 0; k < CHUNK + 16; k++) {
            int x = clamp(from + k - 8, 0, width - 1), i = place[x];
            uchar counts = x == from + k - 8 ? mask[x] : 0;

            q[k] = contrast_of(grey[x], counts, above, below, down, i, min(i + 1, nodes_x - 1), part[x]);
            m[k] = counts;
        }
        for (int k = 0; k < CHUNK && from + k < width; k += 16) {
            float16 values = 0, weights = 0;

            for (int t = 0; t <= 2 * REACH; t++) {
                values = fma((float16)gaussian[t], vload16(0, q + k + t + 8 - REACH), values);
                weights = fma((float16)gaussian[t], vload16(0, m + k + t + 8 - REACH), weights);
            }
            store_lanes(values, out + from + k, width - from - k);
            store_lanes(weights, out + (long)height * width + from + k, width - from - k);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
see_along_y(__global const float *restrict half_seen, __global const uchar *restrict mask, __global float *restrict seen,
            int width, int height)
{
    int y = get_global_id(0), from = max(0, y - REACH), to = min(height - 1, y + REACH);
    long frame = get_global_id(1), plane = (long)height * width;

    half_seen += 2 * frame * plane;
    mask += frame * plane + (long)y * width;
    seen += frame * plane + (long)y * width;
    for (int x = 0; x < width; x += 16) {
        float16 values = 0, weights = 0;

        for (int row = from; row <= to; row++) {
            __global const float *at = half_seen + (long)row * width + x;

            values = fma((float16)gaussian[row - y + REACH], load_lanes(at, width - x), values);
            weights = fma((float16)gaussian[row - y + REACH], load_lanes(at + plane, width - x), weights);
        }
        values = convert_int16(load_mask(mask + x, width - x)) ? values / weights : (float16)0;
        store_lanes(values, seen + x, width - x);
    }
}

#else

/* A work-item a pixel: grid (width, height, frames). */
__kernel void see_along_x(__global const float *restrict grey, __global const uchar *restrict mask,
                          __global const float *restrict background, __global const int *restrict place,
                          __global const float *restrict part, __global float *restrict half_seen, int width, int height,
                          int nodes_x, int nodes_y)
{
    int x = get_global_id(0), y = get_global_id(1), j = place[width + y];
    long frame = get_global_id(2), plane = (long)height * width, row = frame * plane + (long)y * width;
    __global const float *above = background + (frame * nodes_y + j) * nodes_x;
    __global const float *below = above + (j + 1 < nodes_y ? nodes_x : 0);
    float values = 0, weights = 0, down = part[width + y];

    if (x >= width)
        return;
    for (int t = 0; t <= 2 * REACH; t++) {
        int at = x + t - REACH, inside = clamp(at, 0, width - 1), i = place[inside];
        uchar counts = at == inside ? mask[row + inside] : 0;

        values += gaussian[t] * contrast_of(grey[row + inside], counts, above, below, down, i, min(i + 1, nodes_x - 1),
                                            part[inside]);
        weights += counts ? gaussian[t] : 0;
    }
    half_seen[row + frame * plane + x] = values;
    half_seen[row + (frame + 1) * plane + x] = weights;
}

__kernel void see_along_y(__global const float *restrict half_seen, __global const uchar *restrict mask,
                          __global float *restrict seen, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    long frame = get_global_id(2), plane = (long)height * width, i = frame * plane + (long)y * width + x;
    float values = 0, weights = 0;

    if (x >= width)
        return;
    for (int t = 0; t <= 2 * REACH; t++) {
        int row = y + t - REACH;

        if (row >= 0 && row < height) {
            long at = 2 * frame * plane + (long)row * width + x;

            values += gaussian[t] * half_seen[at];
            weights += gaussian[t] * half_seen[at + plane];
        }
    }
    seen[i] = mask[i] ? values / weights : 0;
}

#endif
