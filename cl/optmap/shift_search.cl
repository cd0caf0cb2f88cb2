/*
 * The lag of the largest c of pairs of pixels, on GPUs: a work-group of GROUP items a pair.
 *
 *   1  the largest R; c in the intervals of L lags on both sides of it gives the value to beat;
 *   2  intervals whose bound reaches it go into a list (LIST of them at a time), and their lags are looked at in float;
 *   3  lags within the doubt of floats of the largest are candidates, and where there are several, sums in double
 *      decide.
 *
 * Defines beside those of shift.clh: GROUP, LIST (a multiple of GROUP), CHUNK: lags of R summed at a time in double.
 */
#include "optmap/shift.clh"

typedef struct {
    __global const float *r, *xp, *xq, *p, *q; /* R of M lags; samples; ends */
    __global const double *precise_p, *precise_q, *dbl_p, *dbl_q;
    int frames, length, most;
    float ends, ee, doubt;
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

/* ue + eu */
static inline float crossed_at(const pair *a, int d, int s)
{
    float sum = 0;

    for (int side = 0; side < 2; side++) {
        const int last = side ? a->frames - 1 : 0;
        const int2 u = rows_of(a->frames, side, d), v = turned_of(a->frames, side, d);

        for (int i = u.x; i < u.y; i++)
            sum += a->xp[i + FIRST_ROW + last - d] * a->q[W_AT(side) + INTERP * i + s];
        for (int i = v.x; i < v.y; i++)
            sum += a->xq[d + last - i - FIRST_TURNED] * a->p[V_AT(side) + INTERP * i + s];
    }
    return sum;
}

static inline float ee_at(const pair *a, int t)
{
    float sum = 0;

    for (int sides = 0; sides < 4; sides++) {
        const int lag = lag_of_sides(a->frames, sides / 2, sides % 2, t);
        __global const float *ep = a->p + E_AT(sides / 2), *eq = a->q + E_AT(sides % 2);

        if (lag > -END && lag < END)
            for (int n = max(0, -lag); n < min(END, END - lag); n++)
                sum += ep[n] * eq[n + lag];
    }
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

/* ---- values of all items ---- */

static inline float most_of(float v, __local float *part, int item)
{
    part[item] = v;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            part[item] = fmax(part[item], part[item + step]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    v = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
}

typedef struct {
    float best;     /* largest c in float */
    double exact;   /* largest c in double, of candidates that had to make room */
    int at;         /* its lag */
    int exact_many; /* whether there were such */
} leader;

typedef struct {
    __local float *part;
    __local double *sums; /* GROUP x CHUNK */
    __local int *lag;     /* GROUP candidates */
    __local float *value;
    __local int *count;
} scratch;

/* c at the candidates in double: item i has candidate i. All items come here. */
static inline double exact_values(const pair *a, __global const double *taps, const scratch *w, int count, int item)
{
    double mine = 0;

    for (int i = 0; i < count; i++) {
        const int d = floor_divide(w->lag[i]);
        bool known = false;

        for (int k = 0; k < i; k++)
            known = known || floor_divide(w->lag[k]) == d;
        for (int j0 = 0; j0 < (known ? 0 : TAPS); j0 += CHUNK) {
            const int low = d + FIRST_TAP + j0, from = max(0, -(low + CHUNK - 1)),
                      to = min(a->frames, a->frames - low);
            double sum[CHUNK];

            for (int j = 0; j < CHUNK; j++)
                sum[j] = 0;
            for (int m0 = from; m0 < to; m0 += GROUP) {
                const int m = min(m0 + item, a->frames); /* a zero */
                const double x = m < to ? a->precise_p[m] : 0;
                __global const double *q = a->precise_q + (m < to ? m + low : 0);

#pragma unroll
                for (int j = 0; j < CHUNK; j++)
                    sum[j] += x * q[j];
            }
            for (int j = 0; j < CHUNK; j++)
                w->sums[j * GROUP + item] = sum[j];
            for (int step = GROUP / 2; step > 0; step /= 2) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (item < step)
                    for (int j = 0; j < CHUNK; j++)
                        w->sums[j * GROUP + item] += w->sums[j * GROUP + item + step];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < count && floor_divide(w->lag[item]) == d)
                for (int j = 0; j < CHUNK && j0 + j < TAPS; j++)
                    mine += w->sums[j * GROUP] * taps[(j0 + j) * PHASES + w->lag[item] - INTERP * d];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    if (item < count) {
        const int d = floor_divide(w->lag[item]);

        mine += ends_at(a->precise_p, a->precise_q, a->dbl_p, a->dbl_q, a->frames, d, w->lag[item] - INTERP * d);
    }
    return mine;
}

/* The candidates give way to the best of them. All items come here; every item gets the same leader. */
static inline void settle(const pair *a, __global const double *taps, const scratch *w, leader *l, int item)
{
    const int count = *w->count;
    const double mine = exact_values(a, taps, w, count, item);

    if (item < count)
        w->sums[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < count; i++)
        if (!l->exact_many || comes_first(w->sums[i], w->lag[i], l->exact, l->at)) {
            l->exact = w->sums[i];
            l->at = w->lag[i];
            l->exact_many = 1;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        *w->count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Candidates that the largest value has left behind go. */
static inline void weed(const scratch *w, float least, int item)
{
    const int count = *w->count;
    const int lag = item < count ? w->lag[item] : 0;
    const float value = item < count ? w->value[item] : 0;

    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        *w->count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count && value >= least) {
        const int i = atomic_inc(w->count);

        w->lag[i] = lag;
        w->value[i] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Every item brings a lag and its value, at most GROUP of them candidates. All items come here. */
static inline void consider(const pair *a, __global const double *taps, const scratch *w, leader *l, int lag,
                            float value, int item)
{
    int coming, full;

    l->best = fmax(l->best, most_of(value, w->part, item));
    const bool candidate = value >= l->best - a->doubt;

    w->part[item] = candidate ? 1 : 0;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            w->part[item] += w->part[item + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    coming = (int)w->part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    full = *w->count + coming > GROUP ? 1 : 0;
    for (int once = 0; once < full; once++)
        weed(w, l->best - a->doubt, item);
    full = *w->count + coming > GROUP ? 1 : 0;
    for (int once = 0; once < full; once++)
        settle(a, taps, w, l, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (candidate) {
        const int i = atomic_inc(w->count);

        w->lag[i] = lag;
        w->value[i] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void optmap_shift_search(__global const float *restrict products, __global const float *restrict x,
                         __global const double *restrict precise, __global const float *restrict ends_single,
                         __global const double *restrict ends_dbl, __global const float4 *restrict bounds,
                         __global const float *restrict taps, __global const double *restrict taps_dbl,
                         __global const geometry *restrict g, __global int *restrict shifts, int length, int first,
                         int first_offset, int offsets)
{
    __local float part[GROUP], value[GROUP];
    __local double sums[GROUP * CHUNK];
    __local int lag[GROUP], list[LIST], count, listed;
    const scratch w = {part, sums, lag, value, &count};
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
    const long traces = g->pitch, wide = g->pitch + 2 * PAD;
    const float ends = most_of_ends(bp, bq), tolerance = doubt(ends);
    const pair a = {products + id * stride,
                    x + p0 * traces,
                    x + q * traces,
                    ends_single + (long)p0 * ENDS_SINGLE,
                    ends_single + (long)q * ENDS_SINGLE,
                    precise + p0 * wide + PAD,
                    precise + q * wide + PAD,
                    ends_dbl + (long)p0 * ENDS_DBL,
                    ends_dbl + (long)q * ENDS_DBL,
                    frames,
                    length,
                    g->most,
                    ends,
                    most_of_ee(bp, bq),
                    tolerance};
    const int low = active ? floor_divide(-g->most) : 0, high = active ? floor_divide(g->most) : -1;
    leader l = {-INFINITY, 0, 0, 0};
    float peak = -INFINITY, edge = 0, limit, rest;
    int where = 0;

    if (item == 0)
        count = listed = 0;
    /* 1: the largest R, and its place */
    for (int d0 = low; d0 <= high; d0 += GROUP) {
        const int d = d0 + item;
        const float r = d <= high ? r_at(&a, d) : -INFINITY;

        if (r > peak) {
            peak = r;
            where = d;
        }
    }
    for (int i0 = 0; i0 < (active ? TAPS + 1 : 0); i0 += GROUP) {
        const int d = frames - 1 - i0 - item;

        if (i0 + item <= TAPS && d >= 0)
            edge = fmax(edge, fmax(fabs(r_at(&a, d)), fabs(r_at(&a, -d))));
    }
    edge = most_of(edge, part, item);
    limit = most_of(peak, part, item);
    lag[item] = peak == limit ? where : INT_MAX;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            lag[item] = min(lag[item], lag[item + step]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    where = lag[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i0 = 0; i0 < (active ? 2 * INTERP : 0); i0 += GROUP) {
        const int i = i0 + item;
        const float c = i < 2 * INTERP ? value_at(&a, taps, where - 1 + i / INTERP, i % INTERP, -INFINITY) : -INFINITY;

        l.best = fmax(l.best, most_of(c, part, item));
    }
    /* 2, 3 */
    rest = ends + tolerance + most_of_bend(bp, bq);
    for (int d0 = low; d0 <= high; d0 += LIST) {
        for (int i = 0; i < LIST; i += GROUP) {
            const int d = d0 + i + item;
            bool look = d <= high && SLOPE * fmax(r_at(&a, d), r_at(&a, d + 1)) + rest >= l.best;

            look = look || (d <= high && (d + FIRST_TAP <= -frames || d + FIRST_TAP + TAPS > frames) &&
                            MOST * edge + ends + tolerance >= l.best);
            if (look)
                list[atomic_inc(&listed)] = d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int many = listed;

        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0)
            listed = 0;
        for (int i0 = 0; i0 < many * INTERP; i0 += GROUP) {
            const int i = i0 + item, d = list[min(i / INTERP, LIST - 1)], s = i % INTERP;
            const float c = i < many * INTERP ? value_at(&a, taps, d, s, l.best - tolerance) : -INFINITY;

            consider(&a, taps_dbl, &w, &l, INTERP * d + s, c, item);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int once = 0; once < (active ? 1 : 0); once++)
        weed(&w, l.best - tolerance, item);
    for (int once = 0; once < (count + l.exact_many > 1 ? 1 : 0); once++)
        settle(&a, taps_dbl, &w, &l, item);
    if (item == 0 && there)
        put_pair(g, shifts, px, py, offset, !active ? 0 : l.exact_many ? l.at : lag[0]);
}
