/*
 * CPU form: one work-item per tile and trial, sixteen pixels of a row at a time. Sums are float over a band of rows and
 * reals over the bands of a tile. Grid (tiles_x, tiles_y, trials).
 */
#include "common/prefetch.clh"
#include "common/real.clh"
#include "prepare/lanes.clh"
#include "prepare/sums.clh"

#define BAND         16 /* rows */
#define LANE_NUMBERS ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

typedef struct {
    float16 n, f, ff, g[9], gg[9], fg[9];
} lanes;

/* Pixels of a row of a tile, 0 where they do not count. They wait in memory, because registers hold the sums of only
 * three shifts at a time. */
typedef struct {
    int some; /* vectors */
    float16 f[TILE / 16], g[9][TILE / 16];
} row;

static inline void clear(lanes *s)
{
    s->n = s->f = s->ff = 0;
    for (int k = 0; k < 9; k++)
        s->g[k] = s->gg[k] = s->fg[k] = 0;
}

/* counts: -1 (count) or 0. */
static inline void add(const trial t, float16 f, const float16 *g, int16 counts, lanes *s, row *r)
{
    if (t.limit < INFINITY) {
        float3 across = between(t.px), down = between(t.py);
        float16 middle = down.x * (across.x * g[0] + across.y * g[1] + across.z * g[2]) +
                         down.y * (across.x * g[3] + across.y * g[4] + across.z * g[5]) +
                         down.z * (across.x * g[6] + across.y * g[7] + across.z * g[8]);

        counts = fabs(middle - t.a - t.b * f) <= t.limit ? counts : 0;
    }
    s->n -= convert_float16(counts);
    r->f[r->some] = counts ? f : (float16)0;
#pragma unroll
    for (int k = 0; k < 9; k++)
        r->g[k][r->some] = counts ? g[k] : (float16)0;
    r->some++;
}

/* Adds three shifts, from number k on. */
static inline void add_three(const row *r, int k, lanes *s)
{
    float16 g[3], gg[3], fg[3];

#pragma unroll
    for (int i = 0; i < 3; i++) {
        g[i] = s->g[k + i];
        gg[i] = s->gg[k + i];
        fg[i] = s->fg[k + i];
    }
    for (int x = 0; x < r->some; x++) {
        float16 f = r->f[x];

#pragma unroll
        for (int i = 0; i < 3; i++) {
            float16 v = r->g[k + i][x];

            g[i] += v;
            gg[i] = fma(v, v, gg[i]);
            fg[i] = fma(v, f, fg[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < 3; i++) {
        s->g[k + i] = g[i];
        s->gg[k + i] = gg[i];
        s->fg[k + i] = fg[i];
    }
}

/* Adds the row and empties it. */
static inline void add_row(row *r, lanes *s)
{
    float16 sum = s->f, squares = s->ff;

    for (int x = 0; x < r->some; x++) {
        sum += r->f[x];
        squares = fma(r->f[x], r->f[x], squares);
    }
    s->f = sum;
    s->ff = squares;
    for (int k = 0; k < 9; k += 3)
        add_three(r, k, s);
    r->some = 0;
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
                              __global const float *g, __global const uchar *g_mask, int width, int left, lanes *s,
                              row *r)
{
    uchar16 counts = load_mask(f_mask, left);
    float16 window[9];

#pragma unroll
    for (int k = 0; k < 9; k++) {
        long at = (long)(k / 3) * width + k % 3;

        window[k] = load_lanes(g + at, left);
        counts &= load_mask(g_mask + at, left);
    }
    add(t, load_lanes(f, left), window, convert_int16(counts) != 0, s, r);
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
    row r = {.some = 0};
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

            PREFETCH(f + p + width); /* rows of a tile are too short for a CPU to foresee the next one */
            PREFETCH(g + q + 3 * width);
            add_pixels(t, f + p, f_mask + p, g + q, g_mask + q, width, right - x, &s, &r);
        }
        add_row(&r, &s);
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

/* The 3 x 3 values at positions from the rows of 4 x 4 pixels around them, which were interpolated along x; window
 * keeps what it has where `here` is 0. */
static inline void take_rows(float16 (*rows)[3], const places p, int16 here, float16 *window)
{
#pragma unroll
    for (int k = 0; k < 9; k++)
        window[k] = here ? mix(rows[k / 3][k % 3], rows[k / 3 + 1][k % 3], p.down) : window[k];
}

/* Fills the window of pixels whose own in g are sixteen in a row, from g on; returns those that count. */
static inline int16 take_run(__global const float *g, __global const uchar *g_mask, const places p, int16 here,
                             int width, float16 *window)
{
    float16 rows[4][3];
    uchar16 all = 1;

#pragma unroll
    for (int j = 0; j < 4; j++) {
        float16 before = vload16(0, g + j * width);

        all &= vload16(0, g_mask + j * width);
#pragma unroll
        for (int i = 1; i < 4; i++) {
            float16 next = vload16(0, g + j * width + i);

            all &= vload16(0, g_mask + j * width + i);
            rows[j][i - 1] = mix(before, next, p.across);
            before = next;
        }
    }
    take_rows(rows, p, here, window);
    return here & (convert_int16(all) != 0);
}

/* Fills the window in a gentle turn, run by run of pixels that are moved alike. False: sixteen in a row do not lie in
 * the frame. */
static inline bool take_runs(__global const float *g, __global const uchar *g_mask, places *p, int width, int height,
                             float16 *window)
{
    int at[16];
    int16 counts = 0;

    if (any((p->at < 0) | (p->at > width * (height - 3) - 19)))
        return false;
    vstore16(p->at, 0, at);
    for (int lane = 0, run; lane < 16; lane += run) {
        int from = at[lane];

        counts |= take_run(g + from, g_mask + from, *p, p->counts & (p->at == from), width, window);
        run = at[15] == from ? 16 : 1;
        while (lane + run < 16 && at[lane + run] == from)
            run++;
    }
    p->counts = counts;
    return true;
}

/* Fills the window in any turn. */
static inline void take_each(__global const float *g, __global const uchar *g_mask, places *p, int width,
                             float16 *window)
{
    float16 rows[4][3];
    int at[16], there[16];
    float value[16];

    vstore16(p->counts ? p->at + LANE_NUMBERS : 0, 0, at);
    for (int j = 0; j < 4; j++) {
        float16 before = 0;

        for (int i = 0; i < 4; i++) {
            for (int lane = 0; lane < 16; lane++) {
                value[lane] = g[at[lane] + j * width + i];
                there[lane] = g_mask[at[lane] + j * width + i];
            }
            p->counts &= vload16(0, there) != 0;
            if (i > 0)
                rows[j][i - 1] = mix(before, vload16(0, value), p->across);
            before = vload16(0, value);
        }
    }
    take_rows(rows, *p, p->counts, window);
}

/* With interpolation: the 3 x 3 values come from 4 x 4 pixels around each position. */
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
    row r = {.some = 0};
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
            float16 window[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};

            PREFETCH(f + p + width);
            PREFETCH(g + p + (t.y + 3) * width + t.x);
            at.counts &= convert_int16(load_mask(f_mask + p, right - from)) != 0;
            if (!any(at.counts))
                continue;
            if (!gentle || !take_runs(g, g_mask, &at, width, height, window))
                take_each(g, g_mask, &at, width, window);
            add(t, key, window, at.counts, &s, &r);
        }
        add_row(&r, &s);
        if ((y - top) % BAND == BAND - 1 || y == bottom - 1)
            fold(&s, sums);
    }
    out += ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)) * 54;
    for (int k = 0; k < 54; k++)
        out[k] = (float)sums[k];
}
