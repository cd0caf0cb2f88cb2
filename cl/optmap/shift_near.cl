/*
 * The lag of the largest c for pairs of pixels with similar traces, on GPUs: one work-group of GROUP items per pair. R
 * is summed directly only at lags FIRST_LAG .. FIRST_LAG + NEAR_LAGS - 1; a bound shows that other lags cannot win.
 * With x of length 1 and a lag k where R is large, R = cos a is the cosine of the angle a between q and p shifted by k.
 * Let b be the angle between p shifted by d and p shifted by k: R_pp[d - k] = cos b. Then R[d] <= cos(b - a). `reach`
 * has the largest R_pp beyond each distance, so one comparison of angles covers all d. Pairs for which the bound fails
 * go to `far`, where R comes from transforms (shift_search.cl).
 *
 * The kernel compares c minus SLOPE R[k], because differences of R are small and lose less in float.
 *
 * Defines besides those of shift_pair.clh: NEAR_LAGS, even; NEAR_ERROR: largest error of an R.
 */
#include "optmap/shift_pair.clh"

#define FIRST_LAG (-NEAR_LAGS / 2)
#define SHARE     8 /* samples per item at a time */
#define CHUNK     (GROUP * SHARE)
#define COVERED   (LAST_COVERED - FIRST_COVERED + 1)
#define COUPLES   (2 * (32 / INTERP) < COVERED ? 32 / INTERP : COVERED / 2)
#define AROUND    (2 * (COUPLES > 0 ? COUPLES : 1)) /* intervals that are always searched, two at a time */
#define ROUNDS    ((AROUND / 2 * INTERP + GROUP - 1) / GROUP)
/* Whether all samples that ue and eu of covered intervals need are in the zero padding around a trace. */
#define IN_PADDING    (NEAR_LAGS / 2 + 2 - FIRST_COVERED + (ROWS > TURNED ? ROWS : TURNED) <= PAD)
#define SPREAD(m)     ((m) + (m) / SHARE) /* items read from different banks */
#define AT_Q          SPREAD(CHUNK)
#define SAMPLES       (AT_Q + SPREAD(CHUNK + NEAR_LAGS))
#define SHARES        (NEAR_LAGS * (GROUP + 1))
#define ROOM          (SAMPLES > SHARES ? SAMPLES : SHARES)
#define FIRST_COVERED (-FIRST_TAP) /* intervals for which R is known at all taps, from 0: FIRST_LAG */
#define LAST_COVERED  (NEAR_LAGS - TAPS - FIRST_TAP)
#define REACH         (NEAR_LAGS / 2)
#define REACH_PITCH   (REACH + 1)

/* Errors of R_pp from transforms, and of lengths and angles in float. */
#define SLACK_REACH 1e-4f
#define SLACK       1e-6f

/* ---- per pixel ---- */

/* product[i] = scale |X|^2 of pixel first + i; 0 after the last one. */
__kernel void optmap_shift_power(__global const float2 *restrict spectrum, int bins, int first, int pixels, float scale,
                                 __global float2 *restrict product)
{
    const int k = get_global_id(0), row = get_global_id(1), pixel = first + row;
    float2 a = 0;

    if (k >= bins)
        return;
    if (pixel < pixels)
        a = spectrum[(long)pixel * bins + k];
    product[(long)row * bins + k] = (float2)(scale * (a.x * a.x + a.y * a.y), 0);
}

/*
 * reach[w] of pixel first + group, 0 <= w < REACH: the largest R_pp[d], |d| > w; reach[REACH]: the larger of the norms
 * of its first and of its last TAPS + 1 samples. products: rows of `stride` floats, R_pp.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_shift_reach(__global const float *restrict products, __global const float *restrict x,
                   __global const geometry *restrict g, int stride, int first, __global float *restrict reach)
{
    const int item = get_local_id(0), frames = g->frames;
    const long pixel = first + (int)get_group_id(0);
    __global const float *r = products + get_group_id(0) * (long)stride;
    __local float part[GROUP];
    float most = 0;

    x += pixel * (g->pitch + 2 * PAD) + PAD;
    for (int from = REACH; from < frames; from += GROUP)
        if (from + item < frames)
            most = fmax(most, r[from + item]);
    part[item] = most;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            part[item] = fmax(part[item], part[item + step]);
    }
    if (item == 0) {
        float head = 0, tail = 0;

        most = part[0];
        for (int w = REACH - 1; w >= 0; w--) {
            reach[pixel * REACH_PITCH + w] = most;
            most = w < frames ? fmax(most, r[w]) : most;
        }
        for (int m = 0; m < min(TAPS + 1, frames); m++) {
            head += x[m] * x[m];
            tail += x[frames - 1 - m] * x[frames - 1 - m];
        }
        reach[pixel * REACH_PITCH + REACH] = 1.0001f * sqrt(fmax(head, tail));
    }
}

/* ---- R ---- */

static inline void load_chunk(const pair *a, int at, int end, __local float *room)
{
    const int item = get_local_id(0);

    for (int k = 0; k < SHARE; k++) {
        const int m = k * GROUP + item;

        room[SPREAD(m)] = at + m < end ? a->xp[at + m] : 0;
    }
    for (int k = 0; k < SHARE + (NEAR_LAGS + GROUP - 1) / GROUP; k++) {
        const int m = k * GROUP + item, n = at + m + FIRST_LAG;

        if (m < CHUNK + NEAR_LAGS)
            room[AT_Q + SPREAD(m)] = n >= 0 && n < end ? a->xq[n] : 0;
    }
}

/* PoCL 3.1 gives wrong sums when all loops below are unrolled into scalars and frames fit into one chunk. */
#ifdef POCL_DEVICE_ADDRESS_BITS
#define UNROLL _Pragma("nounroll")
#else
#define UNROLL _Pragma("unroll")
#endif

/* sum[j] += this item's SHARE samples of p times the samples of q that are FIRST_LAG + j later. */
static inline void add_chunk(__local const float *room, float *sum)
{
    __local const float *mine = room + SPREAD((int)get_local_id(0) * SHARE);
    float x[SHARE];

    UNROLL
    for (int k = 0; k < SHARE; k++)
        x[k] = mine[k];
    UNROLL
    for (int n = 0; n < SHARE + NEAR_LAGS - 1; n++) {
        const float q = mine[AT_Q + SPREAD(n)];

        UNROLL
        for (int k = 0; k < SHARE; k++)
            if (k <= n && n - k < NEAR_LAGS)
                sum[n - k] = fma(x[k], q, sum[n - k]);
    }
}

/* Of R: a double, or without double precision a sum of two floats. */
#ifdef PENTA_FP64
typedef double total;
#define TOTAL(value) ((double)(value))
#define NEAREST(a)   ((float)(a))

static inline double plus(double a, double b)
{
    return a + b;
}

static inline float difference(double a, double b)
{
    return a - b;
}
#else
typedef float2 total;
#define TOTAL(value) ((float2)((value), 0))
#define NEAREST(a)   ((a).x + (a).y)

static inline float2 plus(float2 a, float2 b)
{
    const float sum = a.x + b.x, taken = sum - a.x;

    return (float2)(sum, (a.y + b.y) + ((a.x - (sum - taken)) + (b.x - taken)));
}

static inline float difference(float2 a, float2 b)
{
    return (a.x - b.x) + (a.y - b.y);
}
#endif

/* Computes R[FIRST_LAG + j] into r; frames 0: nothing. */
static inline void sum_lags(const pair *a, int frames, __local float *room, __local total *r)
{
    const int item = get_local_id(0);
    float sum[NEAR_LAGS];

#pragma unroll
    for (int j = 0; j < NEAR_LAGS; j++)
        sum[j] = 0;
    for (int at = 0; at < frames; at += CHUNK) {
        barrier(CLK_LOCAL_MEM_FENCE);
        load_chunk(a, at, frames, room);
        barrier(CLK_LOCAL_MEM_FENCE);
        add_chunk(room, sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int j = 0; j < NEAR_LAGS; j++)
        room[j * (GROUP + 1) + item] = sum[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int from = 0; from < NEAR_LAGS; from += GROUP)
        if (from + item < NEAR_LAGS) {
            __local const float *part = room + (from + item) * (GROUP + 1);
            total all[2] = {TOTAL(0), TOTAL(0)};

#pragma unroll 4
            for (int k = 0; k < GROUP; k += 4)
                all[k / 4 % 2] = plus(all[k / 4 % 2], TOTAL((part[k] + part[k + 1]) + (part[k + 2] + part[k + 3])));
            r[from + item] = plus(all[0], all[1]);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- c less SLOPE R[k] ---- */

typedef struct {
    __local const float *r; /* R minus R[k], from FIRST_LAG */
    __global const float *taps, *bend, *excess;
    float largest; /* R[k] */
} lags;

/* Value at lag INTERP (FIRST_LAG + i) + s; may stop at any value below `least` if it is lower. Interval i is covered.
 */
static inline float value_at(const pair *a, const lags *l, int i, int s, float least)
{
    const int d = FIRST_LAG + i;
    float c = l->largest * l->excess[s];

    if (abs(INTERP * d + s) > a->most)
        return -INFINITY;
#pragma unroll
    for (int j = 0; j < TAPS; j++)
        c = fma(l->r[i + FIRST_TAP + j], l->taps[j * PHASES + s], c);
    if (c + a->ends < least)
        return -INFINITY;
    c += crossed_at(a, d, s);
    if (c + a->ee < least)
        return -INFINITY;
    return c + ee_at(a, l->excess + PHASES, INTERP * d + s);
}

/*
 * sum += samples at 0, step, .. times weights at 0, INTERP, ..: for one interval and, with samples one earlier, for the
 * next.
 */
#define SUM_BOTH(sum, rows, samples, step, weights)                                                                    \
    {                                                                                                                  \
        float before = (samples)[-(step)];                                                                             \
        _Pragma("unroll") for (int i = 0; i < (rows); i++)                                                             \
        {                                                                                                              \
            const float weight = (weights)[INTERP * i], here = (samples)[(step)*i];                                    \
            sum.x = fma(here, weight, sum.x);                                                                          \
            sum.y = fma(before, weight, sum.y);                                                                        \
            before = here;                                                                                             \
        }                                                                                                              \
    }

/* ue + eu at lags INTERP d + s and INTERP (d + 1) + s. */
static inline float2 crossed_at_both(const pair *a, int d, int s)
{
#if IN_PADDING
    float2 u = 0, v = 0;

    for (int side = 0; side < 2; side++) {
        const int last = side ? a->frames - 1 : 0;
        __global const float *xp = a->xp + (FIRST_ROW + last - d), *xq = a->xq + (d + last - FIRST_TURNED);
        __global const float *wq = a->q + W_AT(side) + s, *wp = a->p + V_AT(side) + s;

        SUM_BOTH(u, ROWS, xp, 1, wq)
        SUM_BOTH(v, TURNED, xq, -1, wp)
    }
    return u + v;
#else
    return (float2)(crossed_at(a, d, s), crossed_at(a, d + 1, s));
#endif
}

/* c at lag s of intervals i and i + 1, both covered. */
static inline float2 both_at(const pair *a, const lags *l, int i, int s)
{
    const int d = FIRST_LAG + i, t = INTERP * d + s;
    float2 c = l->largest * l->excess[s];
    float before = l->r[i + FIRST_TAP];

#pragma unroll
    for (int j = 0; j < TAPS; j++) {
        const float tap = l->taps[j * PHASES + s], after = l->r[i + FIRST_TAP + 1 + j];

        c.x = fma(before, tap, c.x);
        c.y = fma(after, tap, c.y);
        before = after;
    }
    c += crossed_at_both(a, d, s);
    c += (float2)(ee_at(a, l->excess + PHASES, t), ee_at(a, l->excess + PHASES, t + INTERP));
    return (float2)(abs(t) <= a->most ? c.x : -INFINITY, abs(t + INTERP) <= a->most ? c.y : -INFINITY);
}

/* Upper bound of c in interval i, without ends; its bend is at most `bend`. */
static inline float most_at(const lags *l, int i, float bend)
{
    return SLOPE * fmax(l->r[i], l->r[min(i + 1, NEAR_LAGS - 1)]) + bend;
}

static inline bool is_covered(int i)
{
    return i >= FIRST_COVERED && i <= LAST_COVERED;
}

/* Whether no lag outside the summed ones reaches `now`, c's best. where: lag of the largest R. */
static inline bool nothing_beyond(const pair *a, float now, float ends, float bend, __global const float *reach_p,
                                  __global const float *reach_q, int where, float largest)
{
    const int w = min(where, NEAR_LAGS - 1 - where);
    const float top = fmin(reach_p[w], reach_q[w]) + SLACK_REACH, rho = fmin(largest, 1.0f) - SLACK;
    const float least = fmin((now - ends - bend) / SLOPE, 1.0f) - SLACK;

    if (a->most < INTERP * min(-FIRST_LAG, NEAR_LAGS - 1 + FIRST_LAG))
        return true;
    return rho > 0 && least > 0 && top < rho * least - sqrt((1 - rho * rho) * (1 - least * least)) &&
           1.0001f * MOST * reach_p[REACH] * reach_q[REACH] + ends < now;
}

/* counts: entries of few and many (shift_pair.clh), and of far, whose entries are pixel, offset. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_shift_near(__global const float *restrict x, __global const float *restrict ends_single,
                  __global const float4 *restrict bounds, __global const float *restrict reach,
                  __global const float *restrict taps, __global const geometry *restrict g, int first, int first_offset,
                  int offsets, __global int *restrict shifts, __global int *restrict few, __global int2 *restrict many,
                  __global int2 *restrict far, __global int *restrict counts)
{
    __local float room[ROOM], r[NEAR_LAGS], value[MOST_CANDIDATES];
    __local total precise[NEAR_LAGS];
    __local int lag[MOST_CANDIDATES], kept[MOST_CANDIDATES], list[NEAR_LAGS], best, count, keep, listed, open;
    const candidates k = {value, lag, kept, &count, &keep, &best};
    const int item = get_local_id(0);
    const couple c =
        couple_of(g, bounds, first + (int)get_group_id(0) / offsets, first_offset + (int)get_group_id(0) % offsets);
    const pair a = pair_of(g, x, ends_single, &c);
    const float tolerance = 2 * NEAR_ERROR * (MOST + a.ends), bend = most_of_bend(c.bp, c.bq);
    lags l = {r, taps, taps + TAPS * PHASES, taps + TAPS * PHASES + TAPS + 1, 0};
    float now, mine = -INFINITY;
    float2 around[ROUNDS];
    int where = 0, near;

    if (item == 0) {
        best = ordered(-INFINITY);
        count = keep = listed = open = 0;
    }
    sum_lags(&a, c.active ? a.frames : 0, room, precise);
    l.largest = -INFINITY;
    for (int j = 0; j < NEAR_LAGS; j++)
        if (NEAREST(precise[j]) > l.largest) {
            l.largest = NEAREST(precise[j]);
            where = j;
        }
    for (int from = 0; from < NEAR_LAGS; from += GROUP)
        if (from + item < NEAR_LAGS)
            r[from + item] = difference(precise[from + item], precise[where]);
    barrier(CLK_LOCAL_MEM_FENCE);

    /* lags around the largest R */
    near = clamp(where - AROUND / 2, FIRST_COVERED, LAST_COVERED + 1 - AROUND);
    for (int round = 0; round < ROUNDS; round++) {
        const int task = round * GROUP + item;

        around[round] = -INFINITY;
        if (c.active && COVERED >= AROUND && task < AROUND / 2 * INTERP)
            around[round] = both_at(&a, &l, near + task / INTERP * 2, task % INTERP);
        mine = fmax(mine, fmax(around[round].x, around[round].y));
    }
    atomic_max(&best, ordered(mine));
    barrier(CLK_LOCAL_MEM_FENCE);
    now = unordered(best);
    for (int round = 0; round < ROUNDS; round++) {
        const int task = round * GROUP + item, t = INTERP * (FIRST_LAG + near + task / INTERP * 2) + task % INTERP;

        if (c.active && around[round].x >= now - tolerance)
            add_candidate(&k, t, around[round].x);
        if (c.active && around[round].y >= now - tolerance)
            add_candidate(&k, t + INTERP, around[round].y);
    }

    /* other intervals that reach it */
    for (int from = 0; from < NEAR_LAGS; from += GROUP) {
        const int i = from + item, d = FIRST_LAG + i;
        const bool done = COVERED >= AROUND && i >= near && i < near + AROUND;

        if (i < NEAR_LAGS && c.active && !done && INTERP * d <= a.most && INTERP * (d + 1) > -a.most) {
            const bool edge = d + FIRST_TAP <= -a.frames || d + FIRST_TAP + TAPS > a.frames;

            if (edge || most_at(&l, i, bend) + a.ends + 2 * tolerance >= now) {
                if (is_covered(i))
                    list[atomic_inc(&listed)] = i;
                else
                    open = 1;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int from = 0; from < listed * INTERP; from += GROUP)
        if (from + item < listed * INTERP) {
            const int i = list[(from + item) / INTERP], s = (from + item) % INTERP;
            const float beat = unordered(*(volatile __local int *)&best);

            mine = value_at(&a, &l, i, s, beat - tolerance);
            if (mine > beat)
                atomic_max(&best, ordered(mine));
            if (mine >= beat - tolerance)
                add_candidate(&k, INTERP * (FIRST_LAG + i) + s, mine);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    keep_candidates(&k, tolerance);
    if (item == 0 && c.there) {
        now = unordered(best) + SLOPE * l.largest;
        if (c.active && (open || !nothing_beyond(&a, now, a.ends + 2 * tolerance, bend, reach + c.p * (long)REACH_PITCH,
                                                 reach + c.q * (long)REACH_PITCH, where, l.largest)))
            far[atomic_inc(counts + 2)] = (int2)(c.p, c.offset);
        else
            settle(&k, g, shifts, few, many, counts, &c);
    }
}
