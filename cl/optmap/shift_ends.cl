/*
 * Of every pixel of a band: x, its ends and their bounds (shift.clh). A work-group of GROUP items a pixel; on CPU devices
 * GROUP is 1. With DIRECT there are no ends.
 *
 * spectrum (GPU): rows of stride floats of which the first `frames` get x, the others 0.
 */
#include "optmap/shift.clh"

#ifdef PENTA_CPU
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define SYNC(flags)
#else
/* All items go round equally often. */
#define EACH(i, n)                                                                                                     \
    for (int i##_0 = 0; i##_0 < (n); i##_0 += GROUP)                                                                   \
        for (int i = i##_0 + item, once = 1; once && i < (n); once = 0)
#define SYNC(flags) barrier(flags)
#endif

static inline double sum_of_items(double v, __local double *part, int item)
{
#ifndef PENTA_CPU
    part[item] = v;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            part[item] += part[item + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    v = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    return v;
}

static inline double most_of_items(double v, __local double *part, int item)
{
#ifndef PENTA_CPU
    part[item] = v;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            part[item] = fmax(part[item], part[item + step]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    v = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    return v;
}

/* e at index n of a side: n - h from the first or the last sample. b: the filter turned round, b[h] its centre. */
static inline double end_at(__global const double *x, int frames, __global const double *b, int side, int n)
{
    const int at = n - HALF;
    double sum = 0;

    if (side == 0 && at < 0) /* before the first sample: take u off */
        for (int m = 0; INTERP * m - at <= HALF; m++)
            sum -= x[m] * b[HALF - at + INTERP * m];
    else if (side == 0) /* samples reflected about the first one */
        for (int m = 1; INTERP * m + at <= HALF; m++)
            sum += (2 * x[0] - x[m]) * b[HALF - at - INTERP * m];
    else if (at < INTERP) /* about the last one */
        for (int m = 1; INTERP * m - at <= HALF; m++) {
            if (at - INTERP * m >= -HALF && at - INTERP * m <= HALF)
                sum += (2 * x[frames - 1] - x[frames - 1 - m]) * b[HALF - at + INTERP * m];
        }
    else
        for (int m = 0; INTERP * m + at <= HALF; m++)
            sum -= x[frames - 1 - m] * b[HALF - at - INTERP * m];
    return sum;
}

static inline void put_ends(__global const double *x, int frames, __global const double *b, __global float *single,
                            __global double *dbl, int item)
{
    for (int side = 0; side < 2; side++)
        EACH(n, END)
        {
            const double e = end_at(x, frames, b, side, n);

            dbl[E_DBL_AT(side) + n] = e;
            single[E_AT(side) + n] = (float)e;
        }
}

/* w[k] = sum_n e[n] b[h + n - k], k = i + L FIRST_ROW. */
static inline void put_w(__global const double *b, __global float *single, __global double *dbl, int item)
{
    for (int side = 0; side < 2; side++) {
        __global const double *e = dbl + E_DBL_AT(side);
        const int from = side ? RIGHT_FROM : LEFT_FROM, to = side ? RIGHT_TO : LEFT_TO;

#ifdef PENTA_CPU
        for (int i = 0; i < ROWS * INTERP; i += 8) {
            double8 sum = 0;

            for (int n = from; n <= to; n++)
                sum += e[n] * vload8(0, b + 2 * HALF - n + i + INTERP * FIRST_ROW);
            for (int k = 0; k < 8 && i + k < ROWS * INTERP; k++) {
                const double v = ((double *)&sum)[k];

                dbl[W_DBL_AT(side) + i + k] = v;
                single[W_AT(side) + i + k] = (float)v;
            }
        }
#else
        EACH(i, ROWS * INTERP)
        {
            double sum = 0;

            for (int n = from; n <= to; n++)
                sum += e[n] * b[2 * HALF - n + i + INTERP * FIRST_ROW];
            dbl[W_DBL_AT(side) + i] = sum;
            single[W_AT(side) + i] = (float)sum;
        }
#endif
    }
}

/* w[-k], k = i + L FIRST_TURNED. */
static inline void put_turned(__global float *single, int item)
{
    for (int side = 0; side < 2; side++)
        EACH(i, TURNED * INTERP)
        {
            const int k = -(i + INTERP * FIRST_TURNED) - INTERP * FIRST_ROW;

            single[V_AT(side) + i] = k >= 0 && k < ROWS * INTERP ? single[W_AT(side) + k] : 0;
        }
}

static inline double most_of_w(__global const double *dbl, __local double *part, int item)
{
    double both = 0;

    for (int side = 0; side < 2; side++) {
        double most = 0;

        EACH(s, INTERP)
        {
            double sum = 0;

            for (int i = 0; i < ROWS; i++)
                sum += fabs(dbl[W_DBL_AT(side) + INTERP * i + s]);
            most = fmax(most, sum);
        }
        both += most_of_items(most, part, item);
    }
    return both;
}

static inline double norms_of_e(__global const double *dbl, __local double *part, int item)
{
    double both = 0;

    for (int side = 0; side < 2; side++) {
        double sum = 0;

        EACH(n, END)
        sum += dbl[E_DBL_AT(side) + n] * dbl[E_DBL_AT(side) + n];
        both += sqrt(sum_of_items(sum, part, item));
    }
    return both;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void optmap_shift_ends(__global const float *restrict v, __global const float *restrict low,
                       __global const double *restrict mean, __global const uchar *restrict valid,
                       __global const double *restrict filter, __global const geometry *restrict g,
                       __global float *restrict x, __global double *restrict precise,
                       __global float *restrict ends_single, __global double *restrict ends_dbl,
                       __global float4 *restrict bounds, __global float *restrict spectrum, int stride)
{
    const int item = get_local_id(0), frames = g->frames, pitch = g->pitch;
    const long pixel = get_group_id(0);
    __global const double *b = filter + FILTER_PAD;
    __global double *in_double = precise + pixel * (pitch + 2 * PAD) + PAD, *dbl = ends_dbl + pixel * ENDS_DBL;
    __global float *single = ends_single + pixel * ENDS_SINGLE;
    const double middle = mean[pixel];
    double energy = 0, most = 0, scale, l1, norms;
#ifdef PENTA_CPU
    __local double *part = 0;
#else
    __local double part[GROUP];
#endif

    v += pixel * pitch;
    low += pixel * pitch;
    x += pixel * pitch;
    EACH(m, frames)
    {
        const double value = (double)v[m] + low[m] - middle;

        energy += value * value;
        most = fmax(most, fabs(value));
    }
    energy = sum_of_items(energy, part, item);
    most = most_of_items(most, part, item);
    scale = energy > 0 && valid[pixel] ? 1 / sqrt(energy) : 0;
    EACH(m, pitch)
    {
        const double value = m < frames ? ((double)v[m] + low[m] - middle) * scale : 0;

        in_double[m] = value;
        x[m] = (float)value;
    }
#ifndef PENTA_CPU
    EACH(m, stride)
    spectrum[pixel * stride + m] = m < frames ? x[m] : 0;
#endif
#ifdef DIRECT
    l1 = norms = 0;
#else
    SYNC(CLK_GLOBAL_MEM_FENCE);
    put_ends(in_double, frames, b, single, dbl, item);
    SYNC(CLK_GLOBAL_MEM_FENCE);
    put_w(b, single, dbl, item);
    SYNC(CLK_GLOBAL_MEM_FENCE);
    put_turned(single, item);
    l1 = most_of_w(dbl, part, item);
    norms = norms_of_e(dbl, part, item);
#endif
    if (item == 0)
        bounds[pixel] =
            (float4)(!valid[pixel] ? INVALID : scale > 0 ? (float)(most * scale) : FLAT, (float)l1, (float)norms, 0);
}

/* All results to NONE, but a pixel's own. */
__kernel void optmap_shift_fill(__global const geometry *restrict g, __global const uchar *restrict valid,
                                __global int *restrict shifts, long count)
{
    const long i = get_global_id(0), pixel = i / (WINDOW * WINDOW);

    if (i < count) {
        const int x = (int)(pixel % g->width), y = (int)(pixel / g->width) + g->from - g->first;

        shifts[i] = i % (WINDOW * WINDOW) == CENTRE && has_result(g, x, y) && valid[(long)y * g->width + x] ? 0 : NONE;
    }
}
