/*
 * Fills masked pixels from the image. A masked pixel p becomes
 *
 *   copied  the value of the first unmasked q = p + k step e in the frame: for k = 1 .. TRIALS, each of the eight
 *           directions e
 *   drawn   the mean over four lines through p of a cubic, weighted by 1 / length^3: on each line the cubic fits the
 *           values and outward slopes of the first unmasked pixels on both sides, up to `step` pixels off
 *
 * No filled pixel is read, because the mask changes only afterwards: `filled` records the filled pixels,
 * counts[2 frame + 1] their number, and prepare_dust_filled unmasks them.
 */
#include "prepare/pixels.clh"

#define TRIALS 16

__constant int2 directions[8] = {(int2)(1, 0), (int2)(-1, 0), (int2)(0, 1),  (int2)(0, -1),
                                 (int2)(1, 1), (int2)(-1, 1), (int2)(1, -1), (int2)(-1, -1)};
__constant int2 lines[4] = {(int2)(1, 0), (int2)(0, 1), (int2)(1, 1), (int2)(1, -1)};

typedef struct {
    __global float *flat;
    __global const uchar *mask;
    int width, height;
} picture;

static inline bool counts_at(const picture p, int x, int y)
{
    return x >= 0 && x < p.width && y >= 0 && y < p.height && p.mask[(size_t)y * p.width + x] == 1;
}

static inline float value_at(const picture p, int x, int y)
{
    return p.flat[(size_t)y * p.width + x];
}

static inline uchar copied(const picture p, int step, int x, int y)
{
    for (int k = 0; k < 8 * TRIALS; k++) {
        int u = x + (k / 8 + 1) * step * directions[k % 8].x, v = y + (k / 8 + 1) * step * directions[k % 8].y;

        if (counts_at(p, u, v)) {
            p.flat[(size_t)y * p.width + x] = value_at(p, u, v);
            return 1;
        }
    }
    return 0;
}

/* Finds the first unmasked pixel from (x, y) along `way`. Returns its distance, 0 if none; its value; its slope (the
 * next pixel's value minus its own, 0 if the next one is masked). */
static inline int first_seen(const picture p, int most, int x, int y, int2 way, float *value, float *slope)
{
    for (int k = 1; k <= most; k++) {
        int u = x + k * way.x, v = y + k * way.y;

        if (counts_at(p, u, v)) {
            *value = value_at(p, u, v);
            *slope = counts_at(p, u + way.x, v + way.y) ? value_at(p, u + way.x, v + way.y) - *value : 0;
            return k;
        }
    }
    return 0;
}

static inline uchar drawn(const picture p, int most, int x, int y)
{
    float sum = 0, weights = 0;

    for (int k = 0; k < 4; k++) {
        float before, after, down, up; /* values and slopes; slopes point away from p */
        int back = first_seen(p, most, x, y, -lines[k], &before, &down);
        int ahead = first_seen(p, most, x, y, lines[k], &after, &up);
        float length = back + ahead, t = back / length, s = 1 - t, weight;

        if (back == 0 || ahead == 0)
            continue;
        weight = (k < 2 ? 1 : 0.35355339f) / (length * length * length);
        sum += weight *
               (s * s * (1 + 2 * t) * before + t * t * (1 + 2 * s) * after - t * s * length * (s * down + t * up));
        weights += weight;
    }
    if (weights == 0)
        return 0;
    p.flat[(size_t)y * p.width + x] = sum / weights;
    return 1;
}

/* Fills (x, y) if it is masked; returns whether it did. `draw` chooses the method, with `step`. */
static inline uchar fill(const picture p, int draw, int step, int x, int y)
{
    if (p.mask[(size_t)y * p.width + x])
        return 0;
    return draw ? drawn(p, step, x, y) : copied(p, step, x, y);
}

#ifdef PENTA_CPU
PIXELS_KERNEL void prepare_dust_copy(__global const uchar *mask, int width, int height, int draw, int step,
                                     __global float *flat, __global uchar *filled, __global uint *counts)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t first = (size_t)frame * height * width;
    const picture p = {flat + first, mask + first, width, height};
    uint count = 0;

    filled += first + (size_t)y * width;
    FOR_PIXELS(x, width)
    {
        filled[x] = fill(p, draw, step, x, y);
        count += filled[x];
    }
    if (count)
        atomic_add(counts + 2 * frame + 1, count);
}
#else
/* Grid: pixels, groups along x. */
__kernel void prepare_dust_copy(__global const uchar *mask, int width, int height, int draw, int step,
                                __global float *flat, __global uchar *filled, __global uint *counts)
{
    __local uint count;
    int x = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    size_t first = (size_t)frame * height * width;
    const picture p = {flat + first, mask + first, width, height};

    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width) {
        uchar done = fill(p, draw, step, x, y);

        filled[first + (size_t)y * width + x] = done;
        if (done)
            atomic_inc(&count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && count)
        atomic_add(counts + 2 * frame + 1, count);
}
#endif

PIXELS_KERNEL void prepare_dust_filled(__global const uchar *restrict filled, int width, int height,
                                       __global uchar *restrict mask)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t row = ((size_t)frame * height + y) * width;

    FOR_PIXELS(x, width)
    mask[row + x] |= filled[row + x];
}
