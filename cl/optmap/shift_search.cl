/*
 * The lag of the largest c for pairs of pixels, from R at all lags, on GPUs: one work-group of GROUP items per pair of
 * `far` (shift_near.cl).
 *
 *   1  finds the largest R; c in the intervals of L lags on both sides of it gives a value to beat;
 *   2  lists intervals whose bound reaches it (LIST at a time), and evaluates their lags in float: uu, then ue + eu,
 * then ee, stopping once a lag cannot win; 3  lags that float errors cannot separate from the largest are candidates
 * (shift_pair.clh).
 *
 * Defines besides those of shift_pair.clh: LIST; LOCAL_R: the even number of lags M if R fits into local memory.
 */
#include "optmap/shift_pair.clh"

#ifdef LOCAL_R
#define R_SPACE __local
#else
#define R_SPACE __global
#endif

typedef struct {
    R_SPACE const float *r; /* `length` lags */
    int length;
} correlation;

static inline float r_at(const pair *a, const correlation *c, int d)
{
    return abs(d) < a->frames ? c->r[d < 0 ? d + c->length : d] : 0;
}

static inline float uu_at(const pair *a, const correlation *r, __global const float *taps, int d, int s)
{
    float sum = 0;

    for (int j = 0; j < TAPS; j++)
        sum += r_at(a, r, d + FIRST_TAP + j) * taps[j * PHASES + s];
    return sum;
}

/* Upper bound of |uu - slope * R interpolated linearly| in interval d, from the differences of R around it. */
static inline float bend_at(const pair *a, const correlation *r, __global const float *bend, int d, float middle)
{
    float sum = fabs(middle) * bend[TAPS];

    for (int j = 0; j < TAPS; j++)
        sum += fabs(r_at(a, r, d + FIRST_TAP + j) - middle) * bend[j];
    return sum;
}

/* c at lag INTERP d + s; may stop at any value below `least` if c is lower. */
static inline float value_at(const pair *a, const correlation *r, __global const float *taps, int d, int s, float least)
{
    float c;

    if (abs(INTERP * d + s) > a->most)
        return -INFINITY;
    c = uu_at(a, r, taps, d, s);
    if (c + a->ends < least)
        return -INFINITY;
    c += crossed_at(a, d, s);
    if (c + a->ee < least)
        return -INFINITY;
    return c + ee_at(a, taps + TAPS * PHASES + TAPS + 1 + PHASES, INTERP * d + s);
}

/* Whether the taps of interval d reach beyond the largest lags of R. */
static inline bool is_edge(const pair *a, int d)
{
    return d + FIRST_TAP <= -a->frames || d + FIRST_TAP + TAPS > a->frames;
}

/* The largest R over intervals low .. high, its lag, and the largest |R| near both ends; *mine: the largest R of this
 * item's share. */
static inline float peak_of(const pair *a, const correlation *r, int low, int high, int edges, __local float *part,
                            __local int *place, __local float *value, float *mine, int *where)
{
    const int item = get_local_id(0);
    float peak = -INFINITY, edge = 0;
    int at = 0;

    for (int from = low; from <= high; from += GROUP) {
        const float v = from + item <= high ? r_at(a, r, from + item) : -INFINITY;

        if (v > peak) {
            peak = v;
            at = from + item;
        }
    }
    for (int from = 0; from < edges; from += GROUP)
        if (from + item < edges)
            edge = fmax(edge, fmax(fabs(r_at(a, r, a->frames - 1 - from - item)),
                                   fabs(r_at(a, r, from + item + 1 - a->frames))));
    *mine = peak;
    part[item] = peak;
    place[item] = at;
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
    *where = place[0];
    return value[0];
}

/* pairs: pixel, offset; `count` of them from entry `first` on; groups after the last one have none. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_shift_search(__global const float *restrict products, __global const float *restrict x,
                    __global const float *restrict ends_single, __global const float4 *restrict bounds,
                    __global const float *restrict taps, __global const geometry *restrict g,
                    __global const int2 *restrict pairs, int length, int first, int count,
                    __global int *restrict shifts, __global int *restrict few, __global int2 *restrict many,
                    __global int *restrict counts)
{
    __local float part[GROUP], value[MOST_CANDIDATES];
    __local int place[GROUP], lag[MOST_CANDIDATES], kept[MOST_CANDIDATES], list[LIST], best, found, keep, listed, hits;
    const candidates k = {value, lag, kept, &found, &keep, &best};
    const int item = get_local_id(0), id = get_group_id(0);
    const int2 entry = pairs[first + min(id, count - 1)];
    const couple c = couple_of(g, bounds, entry.x, entry.y);
    const pair a = pair_of(g, x, ends_single, &c);
    const bool active = c.active && id < count;
    const float tolerance = doubt(g, a.ends), bend = most_of_bend(c.bp, c.bq), slack = a.ends + 2 * tolerance;
    const int low = active ? floor_divide(-g->most) : 0, high = active ? floor_divide(g->most) : -1;
    float mine, edge, now, least;
    bool edges;
    int where, step;
#ifdef LOCAL_R
    __local float2 room[LOCAL_R / 2];
    __global const float2 *row = (__global const float2 *)(products + id * (long)(2 * (length / 2 + 1)));
    const correlation r = {(__local const float *)room, length};

    for (int from = 0; from < (active ? LOCAL_R / 2 : 0); from += GROUP)
        if (from + item < LOCAL_R / 2)
            room[from + item] = row[from + item];
#else
    const correlation r = {products + id * (long)(2 * (length / 2 + 1)), length};
#endif
    if (item == 0) {
        best = ordered(-INFINITY);
        found = keep = listed = hits = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* 1 */
    edge = peak_of(&a, &r, low, high, active ? min(TAPS + 1, a.frames) : 0, part, place, value, &mine, &where);
    for (int from = 0; from < (active ? 2 * INTERP : 0); from += GROUP) {
        const int i = from + item;

        if (i < 2 * INTERP)
            atomic_max(&best, ordered(value_at(&a, &r, taps, where - 1 + i / INTERP, i % INTERP, -INFINITY)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* 2: an interval's bound reaches `now` only if R on one side of it reaches `least`; rounded downwards */
    now = unordered(best);
    least = (now - slack - bend) / SLOPE;
    least -= 1e-6f * fabs(least);
    edges = MOST * edge + a.ends + tolerance >= now;
    if (mine >= least)
        for (int d = low + item; d <= high; d += GROUP)
            if (r_at(&a, &r, d) >= least)
                atomic_add(&hits, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    step = hits < LIST && !edges ? max(high - low + 1, 1) : LIST / 2;
    for (int d0 = low; d0 <= high; d0 += step) {
        const int last = min(high, d0 + step - 1);

        now = unordered(best);
        for (int from = d0; from <= last; from += GROUP) {
            const int d = from + item;
            bool look = d <= last;

            if (look && is_edge(&a, d))
                look = edges;
            else if (look) {
                const float middle = r_at(&a, &r, d), most = fmax(middle, r_at(&a, &r, d + 1));

                look = most >= least && SLOPE * most + slack + bend_at(&a, &r, taps + TAPS * PHASES, d, middle) >= now;
            }
            if (look)
                list[atomic_inc(&listed)] = d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int from = 0; from < listed * INTERP; from += GROUP)
            if (from + item < listed * INTERP) {
                const int d = list[(from + item) / INTERP], s = (from + item) % INTERP;
                const float beat = unordered(*(volatile __local int *)&best);
                const float v = value_at(&a, &r, taps, d, s, beat - tolerance);

                if (v > beat)
                    atomic_max(&best, ordered(v));
                if (v >= beat - tolerance)
                    add_candidate(&k, INTERP * d + s, v);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0)
            listed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    /* 3 */
    keep_candidates(&k, tolerance);
    if (item == 0 && id < count)
        settle(&k, g, shifts, few, many, counts, &c);
}
