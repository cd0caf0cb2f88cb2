/*
 * Decides in double, on GPUs, between lags that floats could not decide: see shift_search.cl. Defines besides those of
 * shift.clh: GROUP, FEW (at most GROUP / EACH).
 */
#include "optmap/shift.clh"

typedef struct {
    __global const double *xp, *xq, *p, *q; /* samples, ends */
    int frames;
} pair;

static inline pair pair_of(__global const geometry *g, __global const double *precise, __global const double *ends,
                           int pixel, int offset)
{
    const int n = CENTRE + 1 + offset;
    const long other = pixel + (long)(n / WINDOW - RADIUS) * g->width + n % WINDOW - RADIUS;
    const long pitch = g->pitch + 2 * PAD;

    return (pair){precise + pixel * pitch + PAD, precise + other * pitch + PAD, ends + (long)pixel * ENDS_DBL,
                  ends + other * ENDS_DBL, g->frames};
}

/* R[d] summed over one half of its terms. */
static inline double r_of(const pair *a, int d, int second)
{
    const int from = max(0, -d), to = min(a->frames, a->frames - d), middle = from + (to - from) / 2;
    __global const double *q = a->xq + d;
    double sum[4] = {0, 0, 0, 0};
    int m = second ? middle : from;
    const int end = second ? to : middle;

    for (; m + 3 < end; m += 4)
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum[k] = fma(a->xp[m + k], q[m + k], sum[k]);
    for (; m < end; m++)
        sum[0] = fma(a->xp[m], q[m], sum[0]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/*
 * Part `lane` of EACH of ue + eu + ee at lag INTERP d + s: one in EACH of the rows, reversed rows and products of ends,
 * so that EACH work-items make a sum. Parts are added in order.
 */
#define EACH 4

static inline double share_of_ends(const pair *a, int d, int s, int lane)
{
    const int t = INTERP * d + s, more = s > 0 ? 1 : 0;
    double sum[2] = {0, 0};

    for (int side = 0; side < 2; side++) {
        const int at = FIRST_ROW + (side ? a->frames - 1 : 0);
        const int2 u = rows_of(a->frames, side, d);

        for (int i = u.x + lane; i < u.y; i += EACH)
            sum[0] = fma(a->xp[at - d + i], a->q[W_DBL_AT(side) + INTERP * i + s], sum[0]);
        for (int i = more + lane; i < ROWS + more; i += EACH) {
            const int m = at + d + i;

            if (m >= 0 && m < a->frames)
                sum[1] = fma(a->xq[m], a->p[W_DBL_AT(side) + INTERP * i - s], sum[1]);
        }
    }
    for (int sides = 0; sides < 4; sides++) {
        const int lag = lag_of_sides(a->frames, sides / 2, sides % 2, t);
        __global const double *ep = a->p + E_DBL_AT(sides / 2), *eq = a->q + E_DBL_AT(sides % 2) + lag;
        const int end = min(END, END - lag);
        int n = max(0, -lag) + lane;

        if (lag <= -END || lag >= END)
            continue;
        for (; n + 3 * EACH < end; n += 4 * EACH)
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum[k % 2] = fma(ep[n + k * EACH], eq[n + k * EACH], sum[k % 2]);
        for (; n < end; n += EACH)
            sum[0] = fma(ep[n], eq[n], sum[0]);
    }
    return sum[0] + sum[1];
}

/*
 * R[first] .. R[first + LAGS - 1] into sums. A work-item holds SHARE samples of p at a time and slides along q, so that
 * each number is read once for all lags; both traces pass through local memory, CHUNK samples at a time. Shares are
 * added in a fixed order.
 */
#define LAGS      24 /* lags of R at a time */
#define SHARE     8
#define CHUNK     (GROUP * SHARE)
#define SPREAD(m) ((m) + (m) / SHARE) /* items read from different banks */
#define PARTS     8                   /* lags whose shares are in local memory at a time */

typedef struct {
    __local double *x, *q, *part, *sums;
} room;

#define ROOM_X    SPREAD(CHUNK)
#define ROOM_Q    SPREAD(CHUNK + LAGS)
#define ROOM_PART (PARTS * (GROUP + 1))

static inline void load_chunk(const pair *a, int first, int at, int end, const room *r)
{
    const int item = get_local_id(0);

    for (int k = 0; k < SHARE; k++) {
        const int m = k * GROUP + item;

        r->x[SPREAD(m)] = at + m < end ? a->xp[at + m] : 0;
    }
    for (int k = 0; k < SHARE + (LAGS + GROUP - 1) / GROUP; k++) {
        const int m = k * GROUP + item, n = at + m + first;

        if (m < CHUNK + LAGS)
            r->q[SPREAD(m)] = n >= 0 && n < a->frames ? a->xq[n] : 0;
    }
}

static inline void add_chunk(const room *r, double *sum)
{
    const int mine = get_local_id(0) * SHARE;
    double slide[LAGS];

#pragma unroll
    for (int j = 0; j < LAGS; j++)
        slide[j] = r->q[SPREAD(mine + j)];
#pragma unroll
    for (int k = 0; k < SHARE; k++) {
        const double x = r->x[SPREAD(mine + k)];

#pragma unroll
        for (int j = 0; j < LAGS; j++)
            sum[j] = fma(x, slide[(k + j) % LAGS], sum[j]);
        slide[k] = r->q[SPREAD(mine + k + LAGS)];
    }
}

static inline void sum_lags(const pair *a, int first, const room *r)
{
    const int item = get_local_id(0), begin = max(0, 1 - first - LAGS), end = min(a->frames, a->frames - first);
    double sum[LAGS];

#pragma unroll
    for (int j = 0; j < LAGS; j++)
        sum[j] = 0;
    for (int at = begin; at < end; at += CHUNK) {
        barrier(CLK_LOCAL_MEM_FENCE);
        load_chunk(a, first, at, end, r);
        barrier(CLK_LOCAL_MEM_FENCE);
        add_chunk(r, sum);
    }
#pragma unroll
    for (int from = 0; from < LAGS; from += PARTS) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int j = 0; j < PARTS; j++)
            r->part[j * (GROUP + 1) + item] = sum[from + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < PARTS) {
            __local const double *part = r->part + item * (GROUP + 1);
            double all[4] = {0, 0, 0, 0};

            for (int k = 0; k < GROUP; k += 4)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    all[i] += part[k + i];
            r->sums[from + item] = (all[0] + all[1]) + (all[2] + all[3]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Decides entries of `few`: their best candidates. Each group takes every groups-th entry. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_shift_few(__global const double *restrict precise, __global const double *restrict ends,
                 __global const double *restrict taps, __global const geometry *restrict g,
                 __global const int *restrict few, __global const int *restrict counts, int groups,
                 __global int *restrict shifts)
{
    __local double x[ROOM_X], q[ROOM_Q], part[ROOM_PART], sums[LAGS];
    const room r = {x, q, part, sums};
    const int item = get_local_id(0), entries = counts[0];

    for (int e = get_group_id(0); e < entries; e += groups) {
        __global const int *entry = few + (long)e * (FEW + 3), *lag = entry + 3;
        const int count = entry[2], mine = lag[min(item, count - 1)], my_d = floor_divide(mine);
        const pair a = pair_of(g, precise, ends, entry[0], entry[1]);
        double sum = 0;

        for (int base = 0; base < count;) {
            const int d = floor_divide(lag[base]);
            int next = base + 1, width;

            /* candidates whose lags of R fit into one pass */
            while (next < count && floor_divide(lag[next]) - d + TAPS <= max(LAGS, TAPS))
                next++;
            width = TAPS + floor_divide(lag[next - 1]) - d;
            for (int j0 = 0; j0 < width; j0 += LAGS) {
                sum_lags(&a, d + FIRST_TAP + j0, &r);
                if (item >= base && item < next)
                    for (int k = 0; k < LAGS; k++) {
                        const int j = j0 + k - (my_d - d);

                        if (j >= 0 && j < TAPS)
                            sum = fma(sums[k], taps[j * PHASES + mine - INTERP * my_d], sum);
                    }
            }
            base = next;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        {
            const int other = lag[min(item / EACH, count - 1)], d = floor_divide(other);

            part[item] = item / EACH < count ? share_of_ends(&a, d, other - INTERP * d, item % EACH) : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < EACH; k++)
            sum += part[min(item, GROUP / EACH - 1) * EACH + k];
        barrier(CLK_LOCAL_MEM_FENCE);
        part[item] = item < count ? sum : -INFINITY;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            winner best = nobody();

            for (int i = 0; i < count; i++)
                best = better(best, part[i], lag[i]);
            put_pair(g, shifts, entry[0] % g->width, entry[0] / g->width, entry[1], best.at, best.turned);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Decides entries of `many`: searches all lags. correlations: 2 frames doubles per group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_shift_many(__global const double *restrict precise, __global const double *restrict ends,
                  __global const double *restrict taps, __global const geometry *restrict g,
                  __global const int2 *restrict many, __global const int *restrict counts, int groups,
                  __global int *restrict shifts, __global double *restrict correlations)
{
    __local winner part[GROUP];
    const int item = get_local_id(0), entries = counts[1], frames = g->frames;
    __global double *r = correlations + (long)get_group_id(0) * 2 * frames + frames;

    for (int e = get_group_id(0); e < entries; e += groups) {
        const pair a = pair_of(g, precise, ends, many[e].x, many[e].y);
        winner best = nobody();

        for (int d = 1 - frames + item; d < frames; d += GROUP)
            r[d] = r_of(&a, d, 0) + r_of(&a, d, 1);
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int t = -g->most + item; t <= g->most; t += GROUP) {
            const int d = floor_divide(t), s = t - INTERP * d;
            double c = 0;

            for (int j = 0; j < TAPS; j++)
                if (abs(d + FIRST_TAP + j) < frames)
                    c = fma(r[d + FIRST_TAP + j], taps[j * PHASES + s], c);
            c += ends_at(a.xp, a.xq, a.p, a.q, frames, d, s);
            best = better(best, c, t);
        }
        part[item] = best;
        for (int step = GROUP / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < step)
                part[item] = better_of(part[item], part[item + step]);
        }
        if (item == 0)
            put_pair(g, shifts, many[e].x % g->width, many[e].x / g->width, many[e].y, part[0].at, part[0].turned);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
