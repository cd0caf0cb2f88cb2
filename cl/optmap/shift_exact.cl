/*
 * Lags that floats could not decide, in double, on GPUs: see shift_search.cl. Both kernels make the same sums in the same
 * order. Defines beside those of shift.clh: GROUP (twice SPAN), SPAN: lags of R at a time, FEW.
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

/* R[d] from one half of its terms. */
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

/* Entries of `few`: their best candidates. Groups take every groups-th entry. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void optmap_shift_few(__global const double *restrict precise, __global const double *restrict ends,
                      __global const double *restrict taps, __global const geometry *restrict g,
                      __global int *restrict shifts, __global const int *restrict few,
                      __global const int *restrict counts, int groups)
{
    __local double part[GROUP];
    const int item = get_local_id(0), entries = counts[0];

    for (int e = get_group_id(0); e < entries; e += groups) {
        __global const int *entry = few + (long)e * (FEW + 3), *lag = entry + 3;
        const int count = entry[2], mine = lag[min(item, count - 1)], my_d = floor_divide(mine);
        const pair a = pair_of(g, precise, ends, entry[0], entry[1]);
        double sum = 0;

        for (int base = 0; base < count;) {
            const int d = floor_divide(lag[base]);
            int next = base + 1, width;

            /* candidates whose lags of R fit into one go */
            while (next < count && floor_divide(lag[next]) - d + TAPS <= max(SPAN, TAPS))
                next++;
            width = TAPS + floor_divide(lag[next - 1]) - d;
            for (int j0 = 0; j0 < width; j0 += SPAN) {
                const int at = d + FIRST_TAP + j0 + item % SPAN;

                part[item] = j0 + item % SPAN < width && abs(at) < a.frames ? r_of(&a, at, item / SPAN) : 0;
                barrier(CLK_LOCAL_MEM_FENCE);
                if (item >= base && item < next)
                    for (int k = 0; k < SPAN; k++) {
                        const int j = j0 + k - (my_d - d);

                        if (j >= 0 && j < TAPS)
                            sum = fma(part[k] + part[k + SPAN], taps[j * PHASES + mine - INTERP * my_d], sum);
                    }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            base = next;
        }
        part[item] =
            item < count ? sum + ends_at(a.xp, a.xq, a.p, a.q, a.frames, my_d, mine - INTERP * my_d) : -INFINITY;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            int best = 0;

            for (int i = 1; i < count; i++)
                if (comes_first(part[i], lag[i], part[best], lag[best]))
                    best = i;
            put_pair(g, shifts, entry[0] % g->width, entry[0] / g->width, entry[1], lag[best]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Entries of `many`: all lags. correlations: 2 frames doubles a group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void optmap_shift_many(__global const double *restrict precise, __global const double *restrict ends,
                       __global const double *restrict taps, __global const geometry *restrict g,
                       __global int *restrict shifts, __global const int2 *restrict many,
                       __global const int *restrict counts, __global double *restrict correlations, int groups)
{
    __local double part[GROUP];
    __local int lag[GROUP];
    const int item = get_local_id(0), entries = counts[1], frames = g->frames;
    __global double *r = correlations + (long)get_group_id(0) * 2 * frames + frames;

    for (int e = get_group_id(0); e < entries; e += groups) {
        const pair a = pair_of(g, precise, ends, many[e].x, many[e].y);
        double best = -INFINITY;
        int at = 0;

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
            if (comes_first(c, t, best, at)) {
                best = c;
                at = t;
            }
        }
        part[item] = best;
        lag[item] = at;
        for (int step = GROUP / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < step && comes_first(part[item + step], lag[item + step], part[item], lag[item])) {
                part[item] = part[item + step];
                lag[item] = lag[item + step];
            }
        }
        if (item == 0)
            put_pair(g, shifts, many[e].x % g->width, many[e].x / g->width, many[e].y, lag[0]);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
