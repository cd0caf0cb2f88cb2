/*
 * GPU form: one work-group per tile and trial. A work-item takes one column of a strip of the tile and goes down its
 * rows. A single trial, as in the fit of an angle, has only about 70 tiles; strips keep a large device busy: 4, or as
 * many as a work-group of the device allows (STRIPS). Grid (tiles_x TILE, tiles_y STRIPS, trials) in groups of
 * TILE x STRIPS.
 */
#include "prepare/sums.clh"

#define SUMS 30 /* n, sum f, sum f f; for each shift sum g, sum g g, sum f g */
#define ROWS (TILE / STRIPS)
#define EACH ((SUMS + STRIPS - 1) / STRIPS) /* sums added up by the items of one strip */

typedef struct {
    int width, height;
    long first; /* first pixel of the frame in g */
} frame_of;

/* Loads three pixels of a row of g about x; returns whether all are in the frame and unmasked. */
static inline bool three(__global const float *g, __global const uchar *mask, const frame_of of, int x, int y,
                         float *row)
{
    bool inside = x >= 1 && x < of.width - 1 && y >= 0 && y < of.height;
    long at = of.first + (inside ? (long)y * of.width + x : 1);

    row[0] = g[at - 1];
    row[1] = g[at];
    row[2] = g[at + 1];
    return inside && mask[at - 1] && mask[at] && mask[at + 1];
}

static inline void add(const trial t, float f, const float *g, bool counts, float *sums)
{
    float3 across = between(t.px), down = between(t.py);
    float middle = down.x * (across.x * g[0] + across.y * g[1] + across.z * g[2]) +
                   down.y * (across.x * g[3] + across.y * g[4] + across.z * g[5]) +
                   down.z * (across.x * g[6] + across.y * g[7] + across.z * g[8]);

    counts = counts && fabs(middle - t.a - t.b * f) <= t.limit;
    f = counts ? f : 0;
    sums[0] += counts ? 1 : 0;
    sums[1] += f;
    sums[2] += f * f;
#pragma unroll
    for (int s = 0; s < 9; s++) {
        float v = counts ? g[s] : 0;

        sums[3 + s] += v;
        sums[12 + s] += v * v;
        sums[21 + s] += v * f;
    }
}

/* Adds up the sums of all items of the group into 3 x 3 x 6 sums. All items must call it. */
static void give(const float *sums, __local float (*part)[TILE], __global float *out)
{
    int item = get_local_id(0), strip = get_local_id(1);

    for (int from = 0; from < STRIPS; from++) {
        for (int k = 0; k < SUMS && strip == from; k++)
            part[k][item] = from > 0 ? part[k][item] + sums[k] : sums[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int half_of = TILE / 2; half_of > 0; half_of /= 2) {
        for (int i = 0; i < EACH; i++) {
            int k = strip * EACH + i;

            if (item < half_of && k < SUMS)
                part[k][item] += part[k][item + half_of];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item < 9 && strip == 0) {
        out += item * 6;
        out[0] = part[0][0];
        out[1] = part[1][0];
        out[2] = part[3 + item][0];
        out[3] = part[2][0];
        out[4] = part[12 + item][0];
        out[5] = part[21 + item][0];
    }
}

__kernel __attribute__((reqd_work_group_size(TILE, STRIPS, 1))) void
sums_shifted(__global const float *restrict f, __global const uchar *restrict f_mask, __global const float *restrict g,
             __global const uchar *restrict g_mask, __global const trial *restrict trials, int width, int height,
             __global float *restrict out)
{
    __local float part[SUMS][TILE];
    const trial t = trials[get_group_id(2)];
    const frame_of of = {width, height, (long)t.frame * width * height};
    int x = get_global_id(0), top = get_group_id(1) * TILE + get_local_id(1) * ROWS, qx = x + t.x;
    float window[9], sums[SUMS];
    bool above, here, below;

    for (int k = 0; k < SUMS; k++)
        sums[k] = 0;
    above = three(g, g_mask, of, qx, top + t.y - 1, window);
    here = three(g, g_mask, of, qx, top + t.y, window + 3);
    for (int k = 0; k < ROWS; k++) {
        int y = top + k;
        bool inside = x < width && y < height;
        long p = inside ? (long)y * width + x : 0;

        below = three(g, g_mask, of, qx, y + t.y + 1, window + 6);
        add(t, f[p], window, inside && f_mask[p] && above && here && below, sums);
        for (int i = 0; i < 6; i++)
            window[i] = window[i + 3];
        above = here;
        here = below;
    }
    give(sums, part,
         out + ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)) * 54);
}

/* With interpolation: the 3 x 3 values come from 4 x 4 pixels around the position. */
__kernel __attribute__((reqd_work_group_size(TILE, STRIPS, 1))) void
sums_turned(__global const float *restrict f, __global const uchar *restrict f_mask, __global const float *restrict g,
            __global const uchar *restrict g_mask, __global const trial *restrict trials, int width, int height,
            __global float *restrict out)
{
    __local float part[SUMS][TILE];
    const trial t = trials[get_group_id(2)];
    int x = get_global_id(0), top = get_group_id(1) * TILE + get_local_id(1) * ROWS;
    float sums[SUMS], from_x = x - 0.5f * (width - 1);

    for (int k = 0; k < SUMS; k++)
        sums[k] = 0;
    g += (long)t.frame * width * height;
    g_mask += (long)t.frame * width * height;
    for (int k = 0; k < ROWS; k++) {
        int y = top + k;
        float from_y = y - 0.5f * (height - 1);
        float ux = t.along * from_x - t.aside * from_y + t.part_x, uy = t.aside * from_x + t.along * from_y + t.part_y;
        float across = ux - floor(ux), down = uy - floor(uy);
        int qx = x + t.x + (int)floor(ux), qy = y + t.y + (int)floor(uy);
        bool inside = x < width && y < height && qx >= 1 && qx < width - 2 && qy >= 1 && qy < height - 2;
        bool counts = inside;
        long p = inside ? (long)y * width + x : 0;
        float window[9], last[3];

        for (int j = 0; j < 4; j++) {
            long at = inside ? (long)(qy + j - 1) * width + qx : 1;
            float now[3];

            for (int i = 0; i < 3; i++)
                now[i] = mix(g[at + i - 1], g[at + (inside ? i : 0)], across);
            counts = counts && g_mask[at - 1] && g_mask[at] && g_mask[at + 1] && g_mask[inside ? at + 2 : 0];
            for (int i = 0; i < 3 && j > 0; i++)
                window[3 * j - 3 + i] = mix(last[i], now[i], down);
            for (int i = 0; i < 3; i++)
                last[i] = now[i];
        }
        add(t, f[p], window, counts && f_mask[p], sums);
    }
    give(sums, part,
         out + ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)) * 54);
}
