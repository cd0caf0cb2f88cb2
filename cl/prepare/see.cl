/*
 * Filters frames for registration: e = ((g * (I m)) / (g * m)) / w - 1. g is a Gaussian of 1.5 px over -5 .. 5,
 * zero-padded, w the wide average, m the mask. A pixel counts if m is 1, it is at least `border` px from the sides, and
 * w is known and not too dark.
 *
 * w = exp((G * (n l)) / (G * n)) at nodes, the middles of blocks, with l the logarithm of a block's mean, n its number
 * of pixels, and G a Gaussian over -reach .. reach nodes; a spline interpolates between nodes. Logarithms are used
 * because the plain average of light times pattern is pulled towards brighter light, which does not move with the
 * pattern. sums: frames x 2 x nodes_y x nodes_x, of I m and of m over blocks.
 */
#include "prepare/lanes.clh"
#include "prepare/pixels.clh"

#define REACH 5
#define DARK  0.05f /* a wide average below this fraction of the frame's mean is useless */
#define BLACK 1e-20f

__constant float gaussian[2 * REACH + 1] = {0.0038659201f, 0.0285655008f, 0.1353352832f, 0.4111122905f,
                                            0.8007374029f, 1.0f,          0.8007374029f, 0.4111122905f,
                                            0.1353352832f, 0.0285655008f, 0.0038659201f};

/* ---- the wide average ---- */

#ifdef PENTA_CPU

#define CHUNK 64 /* pixels, largest width of a block */

/* Sums of I m and m over columns x .. right - 1, at most CHUNK, of rows y0 .. y1 - 1. */
static inline void sum_columns(__global const float *grey, __global const uchar *mask, int width, int x, int right,
                               int y0, int y1, float *sum, float *count)
{
    for (int k = 0; k < CHUNK && x + k < right; k += 16) {
        float16 values = 0;
        int16 counts = 0;

        for (int y = y0; y < y1; y++) {
            long at = (long)y * width + x + k;
            int16 is = convert_int16(load_mask(mask + at, right - x - k)) != 0;

            values += is ? load_lanes(grey + at, right - x - k) : (float16)0;
            counts -= is;
        }
        vstore16(values, 0, sum + k);
        vstore16(convert_float16(counts), 0, count + k);
    }
}

/* One work-item per row of blocks; it takes several blocks at a time. */
PIXELS_KERNEL void see_blocks(__global const float *restrict grey, __global const uchar *restrict mask,
                              __global float *restrict sums, int width, int height, int nodes_x, int nodes_y, int block)
{
    int j = PIXELS_ROW, y0 = j * block, y1 = min(y0 + block, height);
    size_t frame = PIXELS_FRAME, plane = (size_t)nodes_x * nodes_y;
    float sum[CHUNK], count[CHUNK];
    int together = CHUNK / block;

    grey += frame * height * width;
    mask += frame * height * width;
    sums += 2 * frame * plane + (size_t)j * nodes_x;
    for (int from = 0; from < nodes_x; from += together) {
        int to = min(from + together, nodes_x), x = from * block;

        sum_columns(grey, mask, width, x, min(to * block, width), y0, y1, sum, count);
        for (int i = from; i < to; i++) {
            float s = 0, n = 0;

            for (int k = i * block - x; k < min((i + 1) * block, width) - x; k++) {
                s += sum[k];
                n += count[k];
            }
            sums[i] = s;
            sums[plane + i] = n;
        }
    }
}

#else

/* One work-item per block. */
PIXELS_KERNEL void see_blocks(__global const float *restrict grey, __global const uchar *restrict mask,
                              __global float *restrict sums, int width, int height, int nodes_x, int nodes_y, int block)
{
    int j = PIXELS_ROW, y0 = j * block, y1 = min(y0 + block, height);
    size_t frame = PIXELS_FRAME, plane = (size_t)nodes_x * nodes_y;

    FOR_PIXELS(i, nodes_x)
    {
        int x0 = i * block, x1 = min(x0 + block, width);
        float s = 0, n = 0;

        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++) {
                size_t at = (frame * height + y) * width + x;

                s += mask[at] ? grey[at] : 0;
                n += mask[at] ? 1 : 0;
            }
        sums[2 * frame * plane + (size_t)j * nodes_x + i] = s;
        sums[(2 * frame + 1) * plane + (size_t)j * nodes_x + i] = n;
    }
}

#endif

/* Mean of the unmasked pixels of a frame: one work-item per frame on CPUs, LEVEL_ITEMS elsewhere. */
#ifdef PENTA_CPU

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void see_level(__global const float *restrict sums, int nodes,
                                                                       __global float *restrict level)
{
    size_t frame = get_global_id(0);
    float s = 0, n = 0;

    sums += 2 * frame * nodes;
    for (int i = 0; i < nodes; i++) {
        s += sums[i];
        n += sums[nodes + i];
    }
    level[frame] = n > 0 ? s / n : 0;
}

#else

#define LEVEL_ITEMS 256 /* as in src/prepare/register_see.c */

__kernel __attribute__((reqd_work_group_size(LEVEL_ITEMS, 1, 1))) void
see_level(__global const float *restrict sums, int nodes, __global float *restrict level)
{
    __local float part_s[LEVEL_ITEMS], part_n[LEVEL_ITEMS];
    int item = get_local_id(0);
    size_t frame = get_group_id(0);
    float s = 0, n = 0;

    sums += 2 * frame * nodes;
    for (int from = 0; from < nodes; from += LEVEL_ITEMS) {
        bool there = from + item < nodes;

        s += there ? sums[from + item] : 0;
        n += there ? sums[nodes + from + item] : 0;
    }
    part_s[item] = s;
    part_n[item] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = LEVEL_ITEMS / 2; half_of > 0; half_of /= 2) {
        if (item < half_of) {
            part_s[item] += part_s[item + half_of];
            part_n[item] += part_n[item + half_of];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        level[frame] = part_n[0] > 0 ? part_s[0] / part_n[0] : 0;
}

#endif

/*
 * Logarithms of block means. Blocks with masked pixels, or cut off by the frame's end, are filled up by a plane fitted
 * to the blocks around them, nearest first: a hole does not move with the pattern and would bias the wide average. A
 * block with too few unmasked pixels around it is not filled up. filled: logarithms times pixels; pixels.
 */
#define FILL_REACH 4     /* nodes */
#define FILL_LEAST 0.1f  /* least fraction of unmasked pixels around a block */
#define FILL_STIFF 0.05f /* nodes^2, added to the variances of positions: gives slope 0 across a line of nodes */

/* ln of a block's mean; sets *n to 0 if it is too dark. */
static inline float logarithm(float s, float *n, float least)
{
    *n = s >= least * *n ? *n : 0;
    return *n > 0 ? log(s / *n) : 0;
}

/* Value at node (i, j) of the plane fitted around it. False: too few unmasked pixels. */
static inline bool plane_at(__global const float *sums, int nodes_x, int nodes_y, int i, int j, float area, float least,
                            float *value)
{
    float all = 0, d = 0, dx = 0, dy = 0, dxx = 0, dxy = 0, dyy = 0, v = 0, vx = 0, vy = 0;
    float cx, cy, xx, xy, yy, rx, ry;

    for (int y = max(-FILL_REACH, -j); y <= min(FILL_REACH, nodes_y - 1 - j); y++)
        for (int x = max(-FILL_REACH, -i); x <= min(FILL_REACH, nodes_x - 1 - i); x++) {
            long at = (long)(j + y) * nodes_x + i + x;
            float n = sums[(long)nodes_x * nodes_y + at], l = logarithm(sums[at], &n, least);
            float far = x * x + y * y + 0.5f;

            all += n;
            n /= far * far * far;
            d += n;
            dx += n * x;
            dy += n * y;
            dxx += n * x * x;
            dxy += n * x * y;
            dyy += n * y * y;
            v += n * l;
            vx += n * l * x;
            vy += n * l * y;
        }
    if (all < FILL_LEAST * area * (2 * FILL_REACH + 1) * (2 * FILL_REACH + 1))
        return false;
    cx = dx / d;
    cy = dy / d;
    xx = dxx / d - cx * cx + FILL_STIFF;
    xy = dxy / d - cx * cy;
    yy = dyy / d - cy * cy + FILL_STIFF;
    rx = (vx - cx * v) / d;
    ry = (vy - cy * v) / d;
    *value = v / d - (cx * (yy * rx - xy * ry) + cy * (xx * ry - xy * rx)) / (xx * yy - xy * xy);
    return true;
}

PIXELS_KERNEL void see_fill(__global const float *restrict sums, __global const float *restrict level,
                            __global float *restrict filled, int nodes_x, int nodes_y, int block)
{
    int j = PIXELS_ROW;
    size_t frame = PIXELS_FRAME, plane = (size_t)nodes_x * nodes_y;
    float least = fmax(DARK * level[frame], BLACK), area = block * block;

    sums += 2 * frame * plane;
    filled += 2 * frame * plane;
    FOR_PIXELS(i, nodes_x)
    {
        size_t at = (size_t)j * nodes_x + i;
        float n = sums[plane + at], l = logarithm(sums[at], &n, least), fill;

        if (n < area && plane_at(sums, nodes_x, nodes_y, i, j, area, least, &fill)) {
            l = (n * l + (area - n) * fill) / area;
            n = area;
        }
        filled[at] = n * l;
        filled[plane + at] = n;
    }
}

/* Smooths both planes along x. weights: reach + 1. */
PIXELS_KERNEL void see_wide_x(__global const float *restrict sums, __global const float *restrict weights, int reach,
                              __global float *restrict halfway, int nodes_x, int nodes_y)
{
    int j = PIXELS_ROW;
    size_t row = (PIXELS_FRAME * 2 * (size_t)nodes_y + j) * nodes_x, plane = (size_t)nodes_y * nodes_x;

    FOR_PIXELS(i, nodes_x)
    {
        float s = 0, n = 0;

        for (int t = max(-reach, -i); t <= min(reach, nodes_x - 1 - i); t++) {
            s += weights[abs(t)] * sums[row + i + t];
            n += weights[abs(t)] * sums[row + plane + i + t];
        }
        halfway[row + i] = s;
        halfway[row + plane + i] = n;
    }
}

/* Computes w. It is far below 0 where at most `few` pixels count, and so are values interpolated from there. */
PIXELS_KERNEL void see_wide_y(__global const float *restrict halfway, __global const float *restrict weights, int reach,
                              __global float *restrict wide, int nodes_x, int nodes_y, float few)
{
    int j = PIXELS_ROW;
    size_t frame = PIXELS_FRAME, plane = (size_t)nodes_y * nodes_x, at = (2 * frame * nodes_y + j) * nodes_x;

    FOR_PIXELS(i, nodes_x)
    {
        float s = 0, n = 0;

        for (int t = max(-reach, -j); t <= min(reach, nodes_y - 1 - j); t++) {
            s += weights[abs(t)] * halfway[at + (long)t * nodes_x + i];
            n += weights[abs(t)] * halfway[at + (long)t * nodes_x + plane + i];
        }
        wide[frame * plane + (size_t)j * nodes_x + i] = n > few ? exp(s / n) : -1e30f;
    }
}

/*
 * w between nodes: a spline of degree 2 with the nodes' values as coefficients. Bilinear interpolation would leave a
 * visible pattern of the nodes, which does not move. Pixel x is in block x / block.
 */
typedef struct {
    int nodes_x, block;
    float inverse;                   /* 1 / block */
    float3 down;                     /* weights of three rows of nodes */
    __global const float *a, *b, *c; /* these rows */
} wide_row;

static inline float3 spline(float t)
{
    return (float3)(0.5f * (0.5f - t) * (0.5f - t), 0.75f - t * t, 0.5f * (0.5f + t) * (0.5f + t));
}

static inline wide_row wide_row_of(__global const float *wide, int nodes_x, int nodes_y, int block, int frame, int y)
{
    int j = y / block;
    wide_row r = {nodes_x, block, 1.0f / block, spline((y + 0.5f) / block - 0.5f - j), wide, wide, wide};

    wide += (size_t)frame * nodes_x * nodes_y;
    r.a = wide + (size_t)max(j - 1, 0) * nodes_x;
    r.b = wide + (size_t)j * nodes_x;
    r.c = wide + (size_t)min(j + 1, nodes_y - 1) * nodes_x;
    return r;
}

/* Weighted sum of the three rows at column i of nodes. */
static inline float wide_node(const wide_row *r, int i)
{
    i = clamp(i, 0, r->nodes_x - 1);
    return r->down.x * r->a[i] + r->down.y * r->b[i] + r->down.z * r->c[i];
}

/* ---- the narrow Gaussian ---- */

#ifdef PENTA_CPU

/* I m and m of sixteen pixels from x on, zero beyond the row; x is a multiple of 16. */
static inline void weigh(__global const float *grey, __global const uchar *mask, int x, int width, float *q, float *m)
{
    float16 value = 0, counts = 0;

    if (x >= 0 && x < width) {
        int16 is = convert_int16(load_mask(mask + x, width - x)) != 0;

        counts = is ? (float16)1 : (float16)0;
        value = is ? load_lanes(grey + x, width - x) : (float16)0;
    }
    vstore16(value, 0, q);
    vstore16(counts, 0, m);
}

/* One work-item per row; each chunk loads 16 more pixels on both sides. */
PIXELS_KERNEL void see_along_x(__global const float *restrict grey, __global const uchar *restrict mask,
                               __global float *restrict halfway, int width, int height)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t row = ((size_t)frame * height + y) * width, plane = (size_t)height * width;
    __global float *out = halfway + row + frame * plane;
    float q[CHUNK + 32], m[CHUNK + 32];

    for (int from = 0; from < width; from += CHUNK) {
        for (int k = 0; k < CHUNK + 32; k += 16)
            weigh(grey + row, mask + row, from + k - 16, width, q + k, m + k);
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

/* w of sixteen pixels from x on. */
static inline float16 wide_lanes(const wide_row *r, int x)
{
    const float16 lanes = (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int i = x / r->block;
    float16 u = (lanes + (x - i * r->block) + 0.5f) * r->inverse - 0.5f, w = 0; /* in nodes, relative to i */
    float before = wide_node(r, i - 1), here = wide_node(r, i);

    for (int k = 0; (i + k) * r->block < x + 16; k++) {
        float after = wide_node(r, i + k + 1);
        float16 t = u - k;

        w = t > -0.5f ? 0.125f * (before + 6 * here + after) +
                            t * (0.5f * (after - before) + t * (0.5f * (before - 2 * here + after)))
                      : w;
        before = here;
        here = after;
    }
    return w;
}

static inline void store_mask(uchar16 value, __global uchar *to, int left)
{
    uchar some[16];

    if (left >= 16) {
        vstore16(value, 0, to);
        return;
    }
    vstore16(value, 0, some);
    for (int i = 0; i < left; i++)
        to[i] = some[i];
}

PIXELS_KERNEL void see_along_y(__global const float *restrict halfway, __global const uchar *restrict mask,
                               __global const float *restrict wide, __global const float *restrict level,
                               __global float *restrict seen, __global uchar *restrict seen_mask, int width, int height,
                               int nodes_x, int nodes_y, int block, int border)
{
    const int16 lanes = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int y = PIXELS_ROW, from = max(0, y - REACH), to = min(height - 1, y + REACH);
    size_t frame = PIXELS_FRAME, plane = (size_t)height * width, row = frame * plane + (size_t)y * width;
    wide_row r = wide_row_of(wide, nodes_x, nodes_y, block, frame, y);
    float least = fmax(DARK * level[frame], BLACK);
    bool inside = y >= border && y < height - border;

    halfway += 2 * frame * plane;
    for (int x = 0; x < width; x += 16) {
        float16 values = 0, weights = 0;
        int16 counts = 0;

        if (inside) {
            float16 w = wide_lanes(&r, x);

            for (int k = from; k <= to; k++) {
                __global const float *at = halfway + (size_t)k * width + x;

                values = fma((float16)gaussian[k - y + REACH], load_lanes(at, width - x), values);
                weights = fma((float16)gaussian[k - y + REACH], load_lanes(at + plane, width - x), weights);
            }
            counts = (convert_int16(load_mask(mask + row + x, width - x)) != 0) & (w >= least) & (x + lanes >= border) &
                     (x + lanes < width - border);
            values = counts ? values / (weights * w) - 1 : (float16)0;
        }
        store_lanes(values, seen + row + x, width - x);
        store_mask(convert_uchar16(-counts), seen_mask + row + x, width - x);
    }
}

#else

/* One work-item per pixel. */
PIXELS_KERNEL void see_along_x(__global const float *restrict grey, __global const uchar *restrict mask,
                               __global float *restrict halfway, int width, int height)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t row = ((size_t)frame * height + y) * width, plane = (size_t)height * width;

    FOR_PIXELS(x, width)
    {
        float values = 0, weights = 0;

        for (int t = max(-REACH, -x); t <= min(REACH, width - 1 - x); t++)
            if (mask[row + x + t]) {
                values += gaussian[t + REACH] * grey[row + x + t];
                weights += gaussian[t + REACH];
            }
        halfway[row + frame * plane + x] = values;
        halfway[row + (frame + 1) * plane + x] = weights;
    }
}

PIXELS_KERNEL void see_along_y(__global const float *restrict halfway, __global const uchar *restrict mask,
                               __global const float *restrict wide, __global const float *restrict level,
                               __global float *restrict seen, __global uchar *restrict seen_mask, int width, int height,
                               int nodes_x, int nodes_y, int block, int border)
{
    int y = PIXELS_ROW;
    size_t frame = PIXELS_FRAME, plane = (size_t)height * width, row = frame * plane + (size_t)y * width;
    wide_row r = wide_row_of(wide, nodes_x, nodes_y, block, frame, y);
    float least = fmax(DARK * level[frame], BLACK);

    FOR_PIXELS(x, width)
    {
        int i = x / block;
        float3 across = spline((x + 0.5f) / block - 0.5f - i);
        float w = across.x * wide_node(&r, i - 1) + across.y * wide_node(&r, i) + across.z * wide_node(&r, i + 1);
        float values = 0, weights = 0;
        bool counts =
            mask[row + x] && w >= least && x >= border && x < width - border && y >= border && y < height - border;

        for (int t = max(-REACH, -y); t <= min(REACH, height - 1 - y); t++) {
            size_t at = 2 * frame * plane + (size_t)(y + t) * width + x;

            values += gaussian[t + REACH] * halfway[at];
            weights += gaussian[t + REACH] * halfway[at + plane];
        }
        seen[row + x] = counts ? values / (weights * w) - 1 : 0;
        seen_mask[row + x] = counts;
    }
}

#endif
