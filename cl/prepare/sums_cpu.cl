/*
 * CPU form: one work-item per tile and trial, sixteen pixels of a row at a time. Sums are float over a band of rows and
 * reals over the bands of a tile. Grid (tiles_x, tiles_y, trials).
 */
#include "common/real.clh"
#include "prepare/lanes.clh"
#include "prepare/sums.clh"

#define BAND         16 /* rows */
#define LANE_NUMBERS ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

typedef struct {
    float16 n, f, ff, g[9], gg[9], fg[9];
} lanes;

static inline void clear(lanes *s)
{
    s->n = s->f = s->ff = 0;
    for (int k = 0; k < 9; k++)
        s->g[k] = s->gg[k] = s->fg[k] = 0;
}

/* counts: -1 (count) or 0. */
static inline void add(const trial t, float16 f, float16 *g, int16 counts, lanes *s)
{
    if (t.limit < INFINITY) {
        float3 across = between(t.px), down = between(t.py);
        float16 middle = down.x * (across.x * g[0] + across.y * g[1] + across.z * g[2]) +
                         down.y * (across.x * g[3] + across.y * g[4] + across.z * g[5]) +
                         down.z * (across.x * g[6] + across.y * g[7] + across.z * g[8]);

        counts = fabs(middle - t.a - t.b * f) <= t.limit ? counts : 0;
    }
    f = counts ? f : (float16)0;
    s->n -= convert_float16(counts);
    s->f += f;
    s->ff = fma(f, f, s->ff);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float16 v = counts ? g[k] : (float16)0;

        s->g[k] += v;
        s->gg[k] = fma(v, v, s->gg[k]);
        s->fg[k] = fma(v, f, s->fg[k]);
    }
}

static inline void fold(lanes *s, real *sums)
{
    for (int k = 0; k < 9; k++) {
        sums[6 * k] += sum_of_lanes(s->n);
        sums[6 * k + 1] += sum_of_lanes(s->f);
        sums[6 * k + 2] += sum_of_lanes(s->g[k]);
        sums[6 * k + 3] += sum_of_lanes(s->ff);
        sums[6 * k + 4] += sum_of_lanes(s->gg[k]);
        sums[6 * k + 5] += sum_of_lanes(s->fg[k]);
    }
    clear(s);
}

/* Adds sixteen pixels whose 3 x 3 neighbourhoods in g begin at `g`; `left` of them exist. */
static inline void add_pixels(const trial t, __global const float *f, __global const uchar *f_mask,
                              __global const float *g, __global const uchar *g_mask, int width, int left, lanes *s)
{
    uchar16 counts = load_mask(f_mask, left);
    float16 window[9];

#pragma unroll
    for (int k = 0; k < 9; k++) {
        long at = (long)(k / 3) * width + k % 3;

        window[k] = load_lanes(g + at, left);
        counts &= load_mask(g_mask + at, left);
    }
    add(t, load_lanes(f, left), window, convert_int16(counts) != 0, s);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sums_shifted(__global const float *restrict f, __global const uchar *restrict f_mask, __global const float *restrict g,
             __global const uchar *restrict g_mask, __global const trial *restrict trials, int width, int height,
             __global float *restrict out)
{
    const trial t = trials[get_global_id(2)];
    int left = get_global_id(0) * TILE, top = get_global_id(1) * TILE;
    int right = min(min(left + TILE, width), width - 1 - t.x), bottom = min(min(top + TILE, height), height - 1 - t.y);
    real sums[54];
    lanes s;

    for (int k = 0; k < 54; k++)
        sums[k] = 0;
    clear(&s);
    left = max(left, 1 - t.x);
    top = max(top, 1 - t.y);
    g += (long)t.frame * width * height;
    g_mask += (long)t.frame * width * height;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x += 16) {
            long p = (long)y * width + x, q = (long)(y + t.y - 1) * width + x + t.x - 1;

            add_pixels(t, f + p, f_mask + p, g + q, g_mask + q, width, right - x, &s);
        }
        if ((y - top) % BAND == BAND - 1 || y == bottom - 1)
            fold(&s, sums);
    }
    out += ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)) * 54;
    for (int k = 0; k < 54; k++)
        out[k] = (float)sums[k];
}

/* A turn or growth below this moves neighbouring pixels alike: sixteen of a row have few different shifts. */
#define GENTLE 0.1f

/* Positions in g of sixteen pixels, with the fractions for interpolation. */
typedef struct {
    int16 at, counts; /* at: the first of 4 x 4 pixels, less the lane; counts: -1 if all of them exist */
    float16 across, down;
} places;

static inline places places_of(const trial t, int x, int y, int right, int width, int height)
{
    const int16 lanes_x = x + LANE_NUMBERS;
    float16 from_x = convert_float16(lanes_x) - 0.5f * (width - 1);
    float from_y = y - 0.5f * (height - 1);
    float16 ux = t.along * from_x - t.aside * from_y + t.part_x, uy = t.aside * from_x + t.along * from_y + t.part_y;
    int16 qx = lanes_x + t.x + convert_int16(floor(ux)), qy = y + t.y + convert_int16(floor(uy));
    places p = {0, lanes_x < right && qx >= 1 && qx < width - 2 && qy >= 1 && qy < height - 2, ux - floor(ux),
                uy - floor(uy)};

    p.at = (qy - 1) * width + qx - 1 - LANE_NUMBERS;
    return p;
}

/* The 3 x 3 values at positions from the rows of 4 x 4 pixels around them, which were interpolated along x. */
static inline void add_rows(const trial t, float16 f, float16 (*rows)[3], const places p, int16 counts, lanes *s)
{
    float16 window[9];

#pragma unroll
    for (int k = 0; k < 9; k++)
        window[k] = mix(rows[k / 3][k % 3], rows[k / 3 + 1][k % 3], p.down);
    add(t, f, window, counts, s);
}

/* Adds the pixels that count; those of g are sixteen in a row, from g on. */
static inline void add_run(const trial t, float16 f, __global const float *g, __global const uchar *g_mask,
                           const places p, int16 counts, int width, lanes *s)
{
    float16 rows[4][3];
    uchar16 all = 1;

#pragma unroll
    for (int j = 0; j < 4; j++) {
        float16 before = vload16(0, g + j * width);

        all &= vload16(0, g_mask + j * width);
#pragma unroll
        for (int i = 1; i < 4; i++) {
            float16 here = vload16(0, g + j * width + i);

            all &= vload16(0, g_mask + j * width + i);
            rows[j][i - 1] = mix(before, here, p.across);
            before = here;
        }
    }
    add_rows(t, f, rows, p, counts & (convert_int16(all) != 0), s);
}

/* Adds pixels of a gentle turn, run by run of those that are moved alike. False: none is added, because sixteen in a
 * row do not lie in the frame. */
static inline bool add_runs(const trial t, float16 f, __global const float *g, __global const uchar *g_mask,
                            const places p, int width, int height, lanes *s)
{
    int at[16];

    if (any(p.at < 0 | p.at > width * (height - 3) - 19))
        return false;
    vstore16(p.at, 0, at);
    for (int lane = 0, run; lane < 16; lane += run) {
        int from = at[lane];

        add_run(t, f, g + from, g_mask + from, p, p.counts & (p.at == from), width, s);
        run = at[15] == from ? 16 : 1;
        while (lane + run < 16 && at[lane + run] == from)
            run++;
    }
    return true;
}

/* With interpolation: the 3 x 3 values come from 4 x 4 pixels around each position. */
static inline void add_turned(const trial t, float16 f, __global const float *g, __global const uchar *g_mask, places p,
                              int width, lanes *s)
{
    float16 rows[4][3];
    int at[16], there[16];
    float value[16];

    vstore16(p.counts ? p.at + LANE_NUMBERS : 0, 0, at);
    for (int j = 0; j < 4; j++) {
        float16 before = 0;

        for (int i = 0; i < 4; i++) {
            for (int lane = 0; lane < 16; lane++) {
                value[lane] = g[at[lane] + j * width + i];
                there[lane] = g_mask[at[lane] + j * width + i];
            }
            p.counts &= vload16(0, there) != 0;
            if (i > 0)
                rows[j][i - 1] = mix(before, vload16(0, value), p.across);
            before = vload16(0, value);
        }
    }
    add_rows(t, f, rows, p, p.counts, s);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sums_turned(__global const float *restrict f, __global const uchar *restrict f_mask, __global const float *restrict g,
            __global const uchar *restrict g_mask, __global const trial *restrict trials, int width, int height,
            __global float *restrict out)
{
    const trial t = trials[get_global_id(2)];
    int left = get_global_id(0) * TILE, top = get_global_id(1) * TILE;
    int right = min(left + TILE, width), bottom = min(top + TILE, height);
    bool gentle = fabs(t.along) + fabs(t.aside) < GENTLE;
    real sums[54];
    lanes s;

    for (int k = 0; k < 54; k++)
        sums[k] = 0;
    clear(&s);
    g += (long)t.frame * width * height;
    g_mask += (long)t.frame * width * height;
    for (int y = top; y < bottom; y++) {
        for (int from = left; from < right; from += 16) {
            long p = (long)y * width + from;
            float16 key = load_lanes(f + p, right - from);
            places at = places_of(t, from, y, right, width, height);

            at.counts &= convert_int16(load_mask(f_mask + p, right - from)) != 0;
            if (!any(at.counts))
                continue;
            if (!gentle || !add_runs(t, key, g, g_mask, at, width, height, &s))
                add_turned(t, key, g, g_mask, at, width, &s);
        }
        if ((y - top) % BAND == BAND - 1 || y == bottom - 1)
            fold(&s, sums);
    }
    out += ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)) * 54;
    for (int k = 0; k < 54; k++)
        out[k] = (float)sums[k];
}
