/*
 * For every pixel of a band: x, its ends and their bounds (shift.clh). One work-group of GROUP items per pixel; on CPU
 * devices GROUP is 1. With DIRECT there are no ends.
 *
 * spectrum (GPU): rows of stride floats; the first `frames` become x, the others 0.
 */
#include "optmap/shift.clh"

#ifdef PENTA_CPU
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define SYNC(flags)
#else
/* A loop in which all items do the same number of iterations. */
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

/* One number of e or w: a sum over the NEAR samples at an end; table: each sample's contribution, `count` numbers per
 * sample. */
static inline double of_end(__global const double *x, int frames, __global const double *table, int side, int count,
                            int n)
{
    double sum = 0;

    table += side * NEAR * count + n;
    for (int m = 0; m < NEAR; m++)
        sum = fma(x[side ? frames - 1 - m : m], table[m * count], sum);
    return sum;
}

static inline void put_ends(__global const double *x, int frames, __global const double *tables, __global float *single,
                            __global double *dbl, int item)
{
    __global const double *table_w = tables + 2 * NEAR * END;

    for (int side = 0; side < 2; side++) {
        EACH(n, END)
        {
            const double e = of_end(x, frames, tables, side, END, n);

            dbl[E_DBL_AT(side) + n] = e;
            single[E_AT(side) + n] = (float)e;
        }
        EACH(i, ROWS * INTERP)
        {
            const double w = of_end(x, frames, table_w, side, ROWS * INTERP, i);

            dbl[W_DBL_AT(side) + i] = w;
            single[W_AT(side) + i] = (float)w;
        }
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

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void optmap_shift_ends(
    __global const float *restrict v, __global const float *restrict low, __global const double *restrict mean,
    __global const uchar *restrict valid, __global const double *restrict taps_dbl, __global const geometry *restrict g,
    int stride, __global float *restrict x, __global double *restrict precise, __global float *restrict ends_single,
    __global double *restrict ends_dbl, __global float4 *restrict bounds, __global float *restrict spectrum)
{
    const int item = get_local_id(0), frames = g->frames, pitch = g->pitch;
    const long pixel = get_group_id(0);
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
    x += pixel * (pitch + 2 * PAD) + PAD;
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
    put_ends(in_double, frames, taps_dbl + TAPS * PHASES, single, dbl, item);
    SYNC(CLK_GLOBAL_MEM_FENCE);
    put_turned(single, item);
    l1 = most_of_w(dbl, part, item);
    norms = norms_of_e(dbl, part, item);
#endif
    if (item == 0)
        bounds[pixel] = (float4)(!valid[pixel] ? INVALID
                                 : scale > 0   ? (float)(most * scale)
                                               : FLAT,
                                 (float)l1, (float)norms, 0);
}

/* Sets all results to NONE, except a pixel's own. */
__kernel void optmap_shift_fill(__global const geometry *restrict g, __global const uchar *restrict valid, long count,
                                __global int *restrict shifts)
{
    const long i = get_global_id(0), pixel = i / (WINDOW * WINDOW);

    if (i < count) {
        const int x = (int)(pixel % g->width), y = (int)(pixel / g->width) + g->from - g->first;

        shifts[i] = i % (WINDOW * WINDOW) == CENTRE && has_result(g, x, y) && valid[(long)y * g->width + x] ? 0 : NONE;
    }
}
