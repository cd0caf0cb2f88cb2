/*
 * The lag of the largest c of pairs of pixels, on GPUs: a work-group of GROUP items a pair.
 *
 *   1  the largest R; c in the intervals of L lags on both sides of it gives a value to beat;
 *   2  intervals whose bound reaches it go into a list (LIST of them at a time), and their lags are looked at in float:
 *      uu, then ue + eu, then ee, as far as it is worth;
 *   3  lags within the doubt of floats of the largest are candidates. A single one is the answer. Some go to `few`, where
 *      sums in double decide; many to `many`, where all lags are summed in double (shift_exact.cl).
 *
 * Defines beside those of shift.clh: GROUP, LIST (a multiple of GROUP), FEW: most candidates of an entry; LOCAL_R: the
 * even number of lags M where R fits into local memory.
 */
#include "optmap/shift.clh"

enum { MOST_CANDIDATES = GROUP };

#ifdef LOCAL_R
#define R_SPACE __local
#else
#define R_SPACE __global
#endif

typedef struct {
    R_SPACE const float  *r; /* of M lags */
    __global const float *xp, *xq, *p, *q; /* samples; ends */
    int frames, length, most;
    float ends, ee;
} pair;

static inline float r_at(const pair *a, int d)
{
    return abs(d) < a->frames ? a->r[d < 0 ? d + a->length : d] : 0;
}

static inline float uu_at(const pair *a, __global const float *taps, int d, int s)
{
    float sum = 0;

    for (int j = 0; j < TAPS; j++)
        sum += r_at(a, d + FIRST_TAP + j) * taps[j * PHASES + s];
    return sum;
}

/* sum of x[step i] w[INTERP i], i from .. to - 1; all ROWS of them as a rule, which the compiler unrolls. */
#define SUM_ROWS(sum, from, to, rows, sample, weight)                                                                  \
    if ((from) == 0 && (to) == (rows)) {                                                                               \
        _Pragma("unroll") for (int i = 0; i < (rows); i++) sum[i % 2] += (sample) * (weight);                          \
    } else {                                                                                                           \
        for (int i = (from); i < (to); i++)                                                                            \
            sum[0] += (sample) * (weight);                                                                             \
    }

/* ue + eu */
static inline float crossed_at(const pair *a, int d, int s)
{
    float sum[2] = {0, 0};

    for (int side = 0; side < 2; side++) {
        const int last = side ? a->frames - 1 : 0;
        const int2 u = rows_of(a->frames, side, d), v = turned_of(a->frames, side, d);
        __global const float *xp = a->xp + (FIRST_ROW + last - d), *xq = a->xq + (d + last - FIRST_TURNED);
        __global const float *wq = a->q + W_AT(side) + s, *wp = a->p + V_AT(side) + s;

        SUM_ROWS(sum, u.x, u.y, ROWS, xp[i], wq[INTERP * i])
        SUM_ROWS(sum, v.x, v.y, TURNED, xq[-i], wp[INTERP * i])
    }
    return sum[0] + sum[1];
}

static inline float ee_at(const pair *a, int t)
{
    float sum[4] = {0, 0, 0, 0};

    for (int sides = 0; sides < 4; sides++) {
        const int lag = lag_of_sides(a->frames, sides / 2, sides % 2, t);
        __global const float *ep = a->p + E_AT(sides / 2), *eq = a->q + E_AT(sides % 2) + lag;
        const int end = min(END, END - lag);
        int n = max(0, -lag);

        if (lag <= -END || lag >= END)
            continue;
        for (; n + 7 < end; n += 8)
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum[k % 4] += ep[n + k] * eq[n + k];
        for (; n < end; n++)
            sum[0] += ep[n] * eq[n];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* |uu - slope * R interpolated linearly| at most in interval d, from the differences of R around it. */
static inline float bend_at(const pair *a, __global const float *bend, int d, float middle)
{
    float sum = fabs(middle) * bend[TAPS];

    for (int j = 0; j < TAPS; j++)
        sum += fabs(r_at(a, d + FIRST_TAP + j) - middle) * bend[j];
    return sum;
}

/* c at lag INTERP d + s, or less than `least` when it is less. */
static inline float value_at(const pair *a, __global const float *taps, int d, int s, float least)
{
    float c;

    if (abs(INTERP * d + s) > a->most)
        return -INFINITY;
    c = uu_at(a, taps, d, s);
    if (c + a->ends < least)
        return -INFINITY;
    c += crossed_at(a, d, s);
    if (c + a->ee < least)
        return -INFINITY;
    return c + ee_at(a, INTERP * d + s);
}

/* Order of floats as that of integers, and back. */
static inline int ordered(float v)
{
    const int i = as_int(v);

    return i ^ ((i >> 31) & INT_MAX);
}

static inline float unordered(int i)
{
    return as_float(i ^ ((i >> 31) & INT_MAX));
}

/* Ascending. */
static inline void sort(__local int *v, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--) {
            const int t = v[k];

            v[k] = v[k - 1];
            v[k - 1] = t;
        }
}

/* counts: entries of few and many, 0 before a launch of the first pairs. An entry of few: pixel, offset, candidates, their
 * lags in ascending order; of many: pixel, offset. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void optmap_shift_search(__global const float *restrict products, __global const float *restrict x,
                         __global const float *restrict ends_single, __global const float4 *restrict bounds,
                         __global const float *restrict taps, __global const geometry *restrict g,
                         __global int *restrict shifts, __global int *restrict few, __global int2 *restrict many,
                         __global int *restrict counts, int length, int first, int first_offset, int offsets)
{
    __local float part[GROUP], value[MOST_CANDIDATES];
    __local int place[GROUP], lag[MOST_CANDIDATES], kept[MOST_CANDIDATES], list[LIST], best, count, keep, listed;
    const int item = get_local_id(0), frames = g->frames, width = g->width;
    const long id = get_group_id(0);
    const int stride = 2 * (length / 2 + 1);
    const int p = first + (int)(id / offsets), offset = first_offset + (int)(id % offsets);
    const int n = CENTRE + 1 + offset, dy = n / WINDOW - RADIUS, dx = n % WINDOW - RADIUS;
    const int px = p % width, py = p / width, qx = px + dx, qy = py + dy;
    const bool inside = qx >= 0 && qx < width && qy < g->rows && (has_result(g, px, py) || has_result(g, qx, qy));
    const int q = inside ? qy * width + qx : 0, p0 = inside ? p : 0;
    const float4 bp = bounds[p0], bq = bounds[q];
    const bool there = inside && bp.x != INVALID && bq.x != INVALID, active = there && bp.x > 0 && bq.x > 0;
    const long pitch = g->pitch;
    const float ends = most_of_ends(bp, bq), tolerance = doubt(g, ends), bend = most_of_bend(bp, bq);
#ifdef LOCAL_R
    __local float2 r[LOCAL_R / 2];
    __global const float2 *row = (__global const float2 *)(products + id * stride);
    __local const float *lags = (__local const float *)r;
#else
    __global const float *lags = products + id * stride;
#endif
    const pair a = {lags,
                    x + p0 * pitch,
                    x + q * pitch,
                    ends_single + (long)p0 * ENDS_SINGLE,
                    ends_single + (long)q * ENDS_SINGLE,
                    frames,
                    length,
                    g->most,
                    ends,
                    most_of_ee(bp, bq)};
    const int low = active ? floor_divide(-g->most) : 0, high = active ? floor_divide(g->most) : -1;
    float peak = -INFINITY, edge = 0;
    int where = 0;

#ifdef LOCAL_R
    for (int i = item; i < (active ? LOCAL_R / 2 : 0); i += GROUP)
        r[i] = row[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    /* 1: the largest R, and its place; the largest |R| near both ends */
    for (int d = low + item; d <= high; d += GROUP) {
        const float r = r_at(&a, d);

        if (r > peak) {
            peak = r;
            where = d;
        }
    }
    for (int i = item; i < (active ? min(TAPS + 1, frames) : 0); i += GROUP)
        edge = fmax(edge, fmax(fabs(r_at(&a, frames - 1 - i)), fabs(r_at(&a, i + 1 - frames))));
    if (item == 0) {
        best = ordered(-INFINITY);
        count = keep = listed = 0;
    }
    part[item] = peak;
    place[item] = where;
    value[item] = edge;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step) {
            const float other = part[item + step];

            if (other > part[item] || (other == part[item] && place[item + step] < place[item])) {
                part[item] = other;
                place[item] = place[item + step];
            }
            value[item] = fmax(value[item], value[item + step]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    where = place[0];
    edge = value[0];
    for (int i = item; i < (active ? 2 * INTERP : 0); i += GROUP)
        atomic_max(&best, ordered(value_at(&a, taps, where - 1 + i / INTERP, i % INTERP, -INFINITY)));
    barrier(CLK_LOCAL_MEM_FENCE);

    /* 2 */
    for (int d0 = low; d0 <= high; d0 += LIST) {
        const float now = unordered(best);

        for (int i = item; i < LIST; i += GROUP) {
            const int d = d0 + i;
            bool look = d <= high;

            if (d + FIRST_TAP <= -frames || d + FIRST_TAP + TAPS > frames)
                look = look && MOST * edge + ends + tolerance >= now;
            else {
                const float middle = r_at(&a, d), top = SLOPE * fmax(middle, r_at(&a, d + 1)) + ends + 2 * tolerance;

                look = look && top + bend >= now && top + bend_at(&a, taps + TAPS * PHASES, d, middle) >= now;
            }
            if (look)
                list[atomic_inc(&listed)] = d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < listed * INTERP; i += GROUP) {
            const int d = list[i / INTERP], s = i % INTERP;
            const float beat = unordered(*(volatile __local int *)&best);
            const float c = value_at(&a, taps, d, s, beat - tolerance);

            if (c > beat)
                atomic_max(&best, ordered(c));
            if (c >= beat - tolerance) {
                const int k = atomic_inc(&count);

                if (k < MOST_CANDIDATES) {
                    lag[k] = INTERP * d + s;
                    value[k] = c;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0)
            listed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    /* 3 */
    for (int i = item; i < min(count, (int)MOST_CANDIDATES); i += GROUP)
        if (value[i] >= unordered(best) - tolerance)
            kept[atomic_inc(&keep)] = lag[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && there) {
        if (!active || (count <= MOST_CANDIDATES && keep == 1))
            put_pair(g, shifts, px, py, offset, active ? kept[0] : 0);
        else if (count <= MOST_CANDIDATES && keep > 0 && keep <= FEW) {
            __global int *entry = few + (long)atomic_inc(counts) * (FEW + 3);

            sort(kept, keep);
            entry[0] = p;
            entry[1] = offset;
            entry[2] = keep;
            for (int i = 0; i < keep; i++)
                entry[3 + i] = kept[i];
        } else
            many[atomic_inc(counts + 1)] = (int2)(p, offset);
    }
}
