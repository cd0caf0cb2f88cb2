/*
 * Lags of pairs of pixels on CPU devices. A block is LANES neighbouring pixels p of a row with all their neighbours q:
 * two offsets share a complex transform of LANES lanes, which gives R of 2 LANES pairs. The largest R and the promising
 * intervals are found in lanes; then each pair is searched, with the lags of an interval in a vector.
 *
 *   1  finds the largest R; c in the intervals of L lags on both sides of it gives the value to beat;
 *   2  evaluates intervals whose bound reaches it in float: uu, then ue + eu, then ee, stopping once a lag cannot win;
 *   3  lags that float errors cannot separate from the largest are candidates; if there are several, sums in double
 * decide; without double precision the host does: `few` and `many` as in shift_pair.clh.
 *
 * Defines: those of shift.clh and shift_lanes.clh, CHUNK: lags of R summed at a time in double, FEW: most candidates of
 * an entry of `few`, ROOM: most entries.
 * Workers as in shift_spectra_cpu.cl.
 */
#ifdef PENTA_FP64
#include "common/sum8.clh"
#endif
#include "optmap/shift.clh"
#include "optmap/shift_lanes.clh"

enum { MOST_CANDIDATES = 32, STRIDE = 2 * LANES /* floats from R[d] to R[d + 1] of a lane */ };

typedef struct {
    __global const float *r, *xp, *xq, *p, *q; /* R of a lane; samples; ends */
    __global const float *taps;
#ifdef PENTA_FP64
    __global const double *precise_p, *precise_q, *dbl_p, *dbl_q, *taps_dbl;
    winner exact; /* best of the candidates removed to make room */
#endif
    int frames, most;
    float ends, ee, doubt;
    /* results so far */
    float best;   /* largest c in float */
    bool settled; /* candidates were removed */
    int count;
    int lag[MOST_CANDIDATES];
    float value[MOST_CANDIDATES];
} pair;

/* ---- sums in float: lags INTERP d + s0 + (0 .. 15) ---- */

static inline int slot(int d)
{
    return d < 0 ? d + LENGTH : d;
}

static inline float16 uu_at(const pair *a, int d, int s0)
{
    __global const float *taps = a->taps + s0;
    const int from = max(0, 1 - a->frames - d - FIRST_TAP), to = min(TAPS, a->frames - d - FIRST_TAP);
    float16 even = 0, odd = 0;
    int j = from;

    for (; j + 1 < to; j += 2) {
        even += a->r[slot(d + FIRST_TAP + j) * STRIDE] * vload16(0, taps + j * PHASES);
        odd += a->r[slot(d + FIRST_TAP + j + 1) * STRIDE] * vload16(0, taps + (j + 1) * PHASES);
    }
    if (j < to)
        even += a->r[slot(d + FIRST_TAP + j) * STRIDE] * vload16(0, taps + j * PHASES);
    return even + odd;
}

/* ue + eu */
static inline float16 crossed_at(const pair *a, int d, int s0)
{
    float16 ue = 0, eu = 0;

    for (int side = 0; side < 2; side++) {
        const int last = side ? a->frames - 1 : 0;
        const int2 u = rows_of(a->frames, side, d), v = turned_of(a->frames, side, d);

        for (int i = u.x; i < u.y; i++)
            ue += a->xp[i + FIRST_ROW + last - d] * vload16(0, a->q + W_AT(side) + INTERP * i + s0);
        for (int i = v.x; i < v.y; i++)
            eu += a->xq[d + last - i - FIRST_TURNED] * vload16(0, a->p + V_AT(side) + INTERP * i + s0);
    }
    return ue + eu;
}

static inline float16 ee_at(const pair *a, int d, int s0)
{
    float16 even = 0, odd = 0;

    for (int sides = 0; sides < 4; sides++) {
        const int lag = lag_of_sides(a->frames, sides / 2, sides % 2, INTERP * d + s0);
        const int first = sides / 2 ? RIGHT_FROM : LEFT_FROM, last = sides / 2 ? RIGHT_TO : LEFT_TO;
        const int first_q = sides % 2 ? RIGHT_FROM : LEFT_FROM, last_q = sides % 2 ? RIGHT_TO : LEFT_TO;
        __global const float *ep = a->p + E_AT(sides / 2), *eq = a->q + E_AT(sides % 2) + lag;
        const int to = min(last, last_q - lag);
        int n = max(first, first_q - lag - 15);

        for (; n < to; n += 2) {
            even += ep[n] * vload16(0, eq + n);
            odd += ep[n + 1] * vload16(0, eq + n + 1);
        }
        if (n == to)
            even += ep[n] * vload16(0, eq + n);
    }
    return even + odd;
}

static inline float largest(float16 v)
{
    const float8 a = fmax(v.lo, v.hi);
    const float4 b = fmax(a.lo, a.hi);
    const float2 c = fmax(b.lo, b.hi);

    return fmax(c.x, c.y);
}

/* ---- sums in double ---- */

#ifdef PENTA_FP64

/* sum[j] = R[low + j]. */
static inline void exact_r(const pair *a, int low, double *sum)
{
    const int from = max(0, 1 - low - CHUNK) & ~7, to = min(a->frames, a->frames - low);
    double8 part[CHUNK];

#pragma unroll
    for (int j = 0; j < CHUNK; j++)
        part[j] = 0;
    for (int m = from; m < to; m += 8) {
        const double8 x = vload8(0, a->precise_p + m);

#pragma unroll
        for (int j = 0; j < CHUNK; j++)
            part[j] += x * vload8(0, a->precise_q + m + low + j);
    }
#pragma unroll
    for (int j = 0; j < CHUNK; j++)
        sum[j] = PENTA_SUM8(part[j]);
}

/* Replaces the candidates by the best of them, decided in double. */
static void settle(pair *a)
{
    double value[MOST_CANDIDATES];

    for (int i = 0; i < a->count; i++)
        value[i] = NAN;
    for (int i = 0; i < a->count; i++) {
        const int d = floor_divide(a->lag[i]);

        if (!isnan(value[i]))
            continue;
        for (int k = i; k < a->count; k++)
            if (floor_divide(a->lag[k]) == d)
                value[k] =
                    ends_at(a->precise_p, a->precise_q, a->dbl_p, a->dbl_q, a->frames, d, a->lag[k] - INTERP * d);
        for (int j0 = 0; j0 < TAPS; j0 += CHUNK) {
            double r[CHUNK];

            exact_r(a, d + FIRST_TAP + j0, r);
            for (int k = i; k < a->count; k++)
                if (floor_divide(a->lag[k]) == d)
                    for (int j = 0; j < min(CHUNK, TAPS - j0); j++)
                        value[k] += r[j] * a->taps_dbl[(j0 + j) * PHASES + a->lag[k] - INTERP * d];
        }
    }
    for (int i = 0; i < a->count; i++)
        a->exact = better(a->settled || i > 0 ? a->exact : nobody(), value[i], a->lag[i]);
    a->settled = a->settled || a->count > 0;
    a->count = 0;
}

#else

static void settle(pair *a)
{
    a->settled = true;
    a->count = 0;
}

#endif

/* ---- candidates ---- */

/* Removes candidates that the largest value rules out. */
static void weed(pair *a)
{
    int kept = 0;

    for (int i = 0; i < a->count; i++)
        if (a->value[i] >= a->best - a->doubt) {
            a->lag[kept] = a->lag[i];
            a->value[kept++] = a->value[i];
        }
    a->count = kept;
}

static void put_candidate(pair *a, int lag, float value)
{
    if (a->count == MOST_CANDIDATES)
        weed(a);
    if (a->count == MOST_CANDIDATES)
        settle(a);
    a->lag[a->count] = lag;
    a->value[a->count++] = value;
}

/* Evaluates lags INTERP d .. INTERP d + INTERP - 1. */
static void look(pair *a, int d)
{
    const int16 steps = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    for (int s0 = 0; s0 < INTERP; s0 += 16) {
        const int16 s = s0 + steps, t = INTERP * d + s;
        const int16 out = s >= INTERP || t > a->most || t < -a->most;
        const float least = a->best - a->doubt;
        float16 c = uu_at(a, d, s0);
        float most;

        c = select(c, (float16)(-INFINITY), out);
        if (largest(c) + a->ends < least)
            continue;
        c += crossed_at(a, d, s0);
        if (largest(c) + a->ee < least)
            continue;
        c += ee_at(a, d, s0);
        most = largest(c);
        a->best = fmax(a->best, most);
        if (most >= a->best - a->doubt && most > -INFINITY)
            for (int i = 0; i < min(16, INTERP - s0); i++)
                if (((float *)&c)[i] >= a->best - a->doubt)
                    put_candidate(a, INTERP * d + s0 + i, ((float *)&c)[i]);
    }
}

typedef struct {
    __global int *shifts, *few, *counts; /* counts: entries of few and many */
    __global int2 *many;
} results;

#ifdef PENTA_FP64

static void decide(pair *a, __global const geometry *g, const results *to, int x, int y, int offset)
{
    winner w;

    weed(a);
    if (a->count + (a->settled ? 1 : 0) > 1)
        settle(a);
    w = a->settled ? a->exact : better(nobody(), a->value[0], a->lag[0]);
    put_pair(g, to->shifts, x, y, offset, w.at, w.turned);
}

#else

static void decide(pair *a, __global const geometry *g, const results *to, int x, int y, int offset)
{
    const int p = y * g->width + x;
    int entry = ROOM;

    weed(a);
    if (a->count == 1 && !a->settled) {
        put_pair(g, to->shifts, x, y, offset, a->lag[0], a->lag[0]);
        return;
    }
    if (!a->settled && a->count <= FEW)
        entry = atomic_inc(to->counts);
    if (entry < ROOM) {
        __global int *few = to->few + (long)entry * (FEW + 3);

        few[0] = p;
        few[1] = offset;
        few[2] = a->count;
        for (int i = 0; i < a->count; i++)
            few[3 + i] = a->lag[i];
    } else
        to->many[atomic_inc(to->counts + 1)] = (int2)(p, offset);
}

#endif

/* ---- LANES pairs: R[d] at r[2 d] ---- */

static inline bool any_lane(int16 v)
{
    const int8 a = v.lo | v.hi;
    const int4 b = a.lo | a.hi;
    const int2 c = b.lo | b.hi;

    return (c.x | c.y) != 0;
}

/* Largest R of each lane and its lag; largest |R| near both ends. low, high: range to search. */
static inline void find_peaks(lanes_in r, int frames, int low, int high, REALS *peak, int16 *where, REALS *edge)
{
    REALS most = -INFINITY, outer = 0;
    int16 at = low;

    for (int d = low; d <= high; d++) {
        const REALS v = r[2 * slot(d)];
        const int16 more = v > most;

        most = fmax(most, v);
        at = select(at, (int16)(d), more);
    }
    for (int d = max(0, frames - TAPS - 1); d < frames; d++)
        outer = fmax(outer, fmax(fabs(r[2 * slot(d)]), fabs(r[2 * slot(-d)])));
    *peak = most;
    *where = at;
    *edge = outer;
}

/* Upper bound of |uu - slope * R interpolated linearly| in interval d, from the differences of R around it. */
static inline REALS bend_at(lanes_in r, __global const float *bend, int d)
{
    const REALS middle = r[2 * slot(d)];
    REALS even = fabs(middle) * bend[TAPS], odd = 0;

    for (int j = 0; j + 1 < TAPS; j += 2) {
        even += fabs(r[2 * slot(d + FIRST_TAP + j)] - middle) * bend[j];
        odd += fabs(r[2 * slot(d + FIRST_TAP + j + 1)] - middle) * bend[j + 1];
    }
    if (TAPS % 2)
        even += fabs(r[2 * slot(d + FIRST_TAP + TAPS - 1)] - middle) * bend[TAPS - 1];
    return even + odd;
}

/*
 * Evaluates intervals low .. high, except those at the lane's largest R, where R reaches `least` and, with the
 * interval's own bend, `beat`. Leaves out intervals whose taps reach beyond R (look_at_edges).
 */
static inline void look_around(pair *pairs, lanes_in r, int frames, int low, int high, REALS least, REALS beat,
                               int16 where, __global const float *bend)
{
    enum { STEP = 8 };
    const int first = max(low, 1 - frames - FIRST_TAP), last = min(high, frames - FIRST_TAP - TAPS);

    for (int d0 = first; d0 <= last; d0 += STEP) {
        const int d1 = min(d0 + STEP - 1, last);
        REALS most = r[2 * slot(d0)];

        for (int d = d0 + 1; d <= d1 + 1; d++)
            most = fmax(most, r[2 * slot(d)]);
        if (!any_lane(most >= least))
            continue;
        for (int d = d0; d <= d1; d++) {
            const REALS v = fmax(r[2 * slot(d)], r[2 * slot(d + 1)]);
            int16 hit = v >= least;

            if (!any_lane(hit))
                continue;
            hit = hit && SLOPE * v + bend_at(r, bend, d) >= beat && where != d && where != d + 1;
            if (!any_lane(hit))
                continue;
            for (int i = 0; i < LANES; i++)
                if (((int *)&hit)[i])
                    look(pairs + i, d);
        }
    }
}

/* Evaluates intervals whose taps reach beyond R; they have a different bound. */
static void look_at_edges(pair *a, int low, int high)
{
    for (int d = low; d <= high; d++) {
        if (d + FIRST_TAP <= -a->frames || d + FIRST_TAP + TAPS > a->frames)
            look(a, d);
        else
            d = max(d, a->frames - TAPS - FIRST_TAP);
    }
}

typedef struct {
    __global const float *x, *ends_single, *taps;
    __global const real *precise, *ends_dbl, *taps_dbl; /* nothing without double precision */
    __global const float4 *bounds;
    __global const geometry *g;
    results to;
} band;

/* Whether lane i has a pair to search; pairs with a constant pixel get lag 0. */
static bool set_up(const band *b, int x, int y, int offset, lanes_in r, int i, pair *a, float *bend)
{
    __global const geometry *g = b->g;
    const int n = CENTRE + 1 + offset, px = x + i, qx = px + n % WINDOW - RADIUS, qy = y + n / WINDOW - RADIUS;
    const long wide = g->pitch + 2 * PAD;
    long p, q;
    float4 bp, bq;

    if (px >= g->width || qx < 0 || qx >= g->width || !(has_result(g, px, y) || has_result(g, qx, qy)))
        return false;
    p = (long)y * g->width + px;
    q = (long)qy * g->width + qx;
    bp = b->bounds[p];
    bq = b->bounds[q];
    if (bp.x == INVALID || bq.x == INVALID)
        return false;
    if (bp.x <= 0 || bq.x <= 0) {
        put_pair(g, b->to.shifts, px, y, offset, 0, 0);
        return false;
    }
    a->r = (__global const float *)r + i;
    a->xp = b->x + p * wide + PAD;
    a->xq = b->x + q * wide + PAD;
    a->p = b->ends_single + p * ENDS_SINGLE;
    a->q = b->ends_single + q * ENDS_SINGLE;
    a->taps = b->taps;
#ifdef PENTA_FP64
    a->precise_p = b->precise + p * wide + PAD;
    a->precise_q = b->precise + q * wide + PAD;
    a->dbl_p = b->ends_dbl + p * ENDS_DBL;
    a->dbl_q = b->ends_dbl + q * ENDS_DBL;
    a->taps_dbl = b->taps_dbl;
#endif
    a->frames = g->frames;
    a->most = g->most;
    a->ends = most_of_ends(bp, bq);
    a->ee = most_of_ee(bp, bq);
    a->doubt = doubt(g, a->ends);
    a->best = -INFINITY;
    a->settled = false;
    a->count = 0;
    *bend = most_of_bend(bp, bq);
    return true;
}

static void search_lanes(const band *b, int x, int y, int offset, lanes_in r)
{
    const int frames = b->g->frames, low = floor_divide(-b->g->most), high = floor_divide(b->g->most);
    pair pairs[LANES];
    bool active[LANES];
    REALS peak, edge, least = INFINITY, beat = INFINITY;
    int16 where;
    bool any = false;

    for (int i = 0; i < LANES; i++) {
        active[i] = set_up(b, x, y, offset, r, i, pairs + i, (float *)&least + i);
        any = any || active[i];
    }
    if (!any)
        return;
    find_peaks(r, frames, max(low, 1 - frames), min(high, frames - 1), &peak, &where, &edge);
    for (int i = 0; i < LANES; i++) {
        const int d = ((int *)&where)[i];
        const float bend = ((float *)&least)[i];

        ((float *)&least)[i] = INFINITY;
        if (!active[i])
            continue;
        look(pairs + i, d - 1);
        look(pairs + i, d);
        ((float *)&beat)[i] = pairs[i].best - pairs[i].ends - 2 * pairs[i].doubt;
        ((float *)&least)[i] = (((float *)&beat)[i] - bend) / SLOPE;
    }
    look_around(pairs, r, frames, low, high, least, beat, where, b->taps + TAPS * PHASES);
    for (int i = 0; i < LANES; i++) {
        pair *a = pairs + i;

        if (!active[i])
            continue;
        if (MOST * ((float *)&edge)[i] + a->ends + a->doubt >= a->best)
            look_at_edges(a, low, high);
        decide(a, b->g, &b->to, x + i, y, offset);
    }
}

/* ---- products of spectra ---- */

/* Z(k) = conj(P) Q + i conj(P) Q' for LANES pixels p and two offsets, in digit-reversed order, with real and imaginary
 * parts exchanged. p: LANES pixels at k = 0; q, other: distances to their neighbours. */
FFT_INLINE void multiply(__global const float *p, long q, long other, int row, __global const int2 *order,
                         lanes_out line)
{
    for (int k = 0; k < BINS; k++, p += 2 * row) {
        lanes_out z = line + 2 * order[k].x, m = line + 2 * order[k].y;
        const REALS a = vload16(0, p), b = vload16(0, p + row);
        const REALS c = vload16(0, p + q), d = vload16(0, p + q + row);
        const REALS e = vload16(0, p + other), f = vload16(0, p + other + row);
        const REALS re = a * c + b * d, im = a * d - b * c, re2 = a * e + b * f, im2 = a * f - b * e;

        m[0] = re2 - im;
        m[1] = re + im2;
        z[0] = re2 + im;
        z[1] = re - im2;
    }
}

WORKER void optmap_shift_search(__global const float *restrict spectrum, __global const float2 *restrict w,
                                __global const int2 *restrict order, __global const float *restrict x,
                                __global const real *restrict precise, __global const float *restrict ends_single,
                                __global const real *restrict ends_dbl, __global const float4 *restrict bounds,
                                __global const float *restrict taps, __global const real *restrict taps_dbl,
                                __global const geometry *restrict g, int slice, __global float16 *restrict scratch,
                                __global int *counter, __global int *restrict shifts, __global int *restrict few,
                                __global int2 *restrict many, __global int *restrict counts)
{
    const int wide = (g->width + LANES - 1) / LANES, row = (wide + 2) * LANES;
    const long layer = (long)BINS * 2 * row; /* floats of a row of pixels */
    const band b = {x, ends_single, taps, precise, ends_dbl, taps_dbl, bounds, g, {shifts, few, counts, many}};
    lanes_out tile = scratch + (long)get_global_id(0) * slice, line = tile + TILE;

    for (int block = atomic_inc(counter); block < wide * g->rows; block = atomic_inc(counter)) {
        const int y = block / wide, x0 = block % wide * LANES;
        __global const float *p = spectrum + y * layer + LANES + x0;

        for (int o = 0; o < OFFSETS; o += 2) {
            const int n = CENTRE + 1 + o, dy = n / WINDOW - RADIUS, dy2 = (n + 1) / WINDOW - RADIUS;
            const long q = dy * layer + n % WINDOW - RADIUS, q2 = dy2 * layer + (n + 1) % WINDOW - RADIUS;

            if (y + dy >= g->rows)
                break;
            multiply(p, q, y + dy2 < g->rows ? q2 : q, row, order, line);
            back_line(tile, line, w);
            search_lanes(&b, x0, y, o, line + 1);
            if (y + dy2 < g->rows)
                search_lanes(&b, x0, y, o + 1, line);
        }
    }
}
