/*
 * For every pixel of a band: x, its ends and their bounds (shift.clh). One work-group of GROUP items per pixel; on CPU
 * devices GROUP is 1. With DIRECT there are no ends. Without double precision x and the ends are floats only, which the
 * bounds of the search allow for.
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

/* v less the mean. */
#ifdef PENTA_FP64
typedef double centre;

static inline double centred(float v, float low, double middle)
{
    return (double)v + low - middle;
}
#else
typedef float2 centre; /* their sum */

static inline float centred(float v, float low, float2 middle)
{
    const float gap = v - middle.x, taken = gap - v, rest = (v - (gap - taken)) - (middle.x + taken);

    return gap + (rest + (low - middle.y));
}
#endif

static inline real sum_of_items(real v, __local real *part, int item)
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

static inline real most_of_items(real v, __local real *part, int item)
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

/* What only double precision has; the samples and ends that are most precise. */
#ifdef PENTA_FP64
#define WIDE(statement) statement;
#define WIDE_PARAMETER  __global double *dbl,
#define WIDE_PASSED     dbl,
#define SAMPLES         in_double
#define WIDEST          dbl
#define W_OF(side)      W_DBL_AT(side)
#define E_OF(side)      E_DBL_AT(side)
#else
#define WIDE(statement)
#define WIDE_PARAMETER
#define WIDE_PASSED
#define SAMPLES    x
#define WIDEST     single
#define W_OF(side) W_AT(side)
#define E_OF(side) E_AT(side)
#endif

/* One number of e or w: a sum over the NEAR samples at an end; table: each sample's contribution, `count` numbers per
 * sample. */
static inline real of_end(__global const real *x, int frames, __global const real *table, int side, int count, int n)
{
    real sum = 0;

    table += side * NEAR * count + n;
    for (int m = 0; m < NEAR; m++)
        sum = fma(x[side ? frames - 1 - m : m], table[m * count], sum);
    return sum;
}

static inline void put_ends(__global const real *x, int frames, __global const real *tables, __global float *single,
                            WIDE_PARAMETER int item)
{
    __global const real *table_w = tables + 2 * NEAR * END;

    for (int side = 0; side < 2; side++) {
        EACH(n, END)
        {
            const real e = of_end(x, frames, tables, side, END, n);

            WIDE(dbl[E_DBL_AT(side) + n] = e)
            single[E_AT(side) + n] = (float)e;
        }
        EACH(i, ROWS * INTERP)
        {
            const real w = of_end(x, frames, table_w, side, ROWS * INTERP, i);

            WIDE(dbl[W_DBL_AT(side) + i] = w)
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

static inline real most_of_w(__global const real *ends, __local real *part, int item)
{
    real both = 0;

    for (int side = 0; side < 2; side++) {
        real most = 0;

        EACH(s, INTERP)
        {
            real sum = 0;

            for (int i = 0; i < ROWS; i++)
                sum += fabs(ends[W_OF(side) + INTERP * i + s]);
            most = fmax(most, sum);
        }
        both += most_of_items(most, part, item);
    }
    return both;
}

static inline real norms_of_e(__global const real *ends, __local real *part, int item)
{
    real both = 0;

    for (int side = 0; side < 2; side++) {
        real sum = 0;

        EACH(n, END)
        sum += ends[E_OF(side) + n] * ends[E_OF(side) + n];
        both += sqrt(sum_of_items(sum, part, item));
    }
    return both;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_shift_ends(__global const float *restrict v, __global const float *restrict low,
                  __global const centre *restrict mean, __global const uchar *restrict valid,
                  __global const real *restrict taps_dbl, __global const geometry *restrict g, int stride,
                  __global float *restrict x, __global real *restrict precise, __global float *restrict ends_single,
                  __global real *restrict ends_dbl, __global float4 *restrict bounds, __global float *restrict spectrum)
{
    const int item = get_local_id(0), frames = g->frames, pitch = g->pitch;
    const long pixel = get_group_id(0);
#ifdef PENTA_FP64
    __global double *in_double = precise + pixel * (pitch + 2 * PAD) + PAD, *dbl = ends_dbl + pixel * ENDS_DBL;
#endif
    __global float *single = ends_single + pixel * ENDS_SINGLE;
    const centre middle = mean[pixel];
    real energy = 0, most = 0, scale, l1, norms;
#ifdef PENTA_CPU
    __local real *part = 0;
#else
    __local real part[GROUP];
#endif

    v += pixel * pitch;
    low += pixel * pitch;
    x += pixel * (pitch + 2 * PAD) + PAD;
    EACH(m, frames)
    {
        const real value = centred(v[m], low[m], middle);

        energy += value * value;
        most = fmax(most, fabs(value));
    }
    energy = sum_of_items(energy, part, item);
    most = most_of_items(most, part, item);
    scale = energy > 0 && valid[pixel] ? 1 / sqrt(energy) : 0;
    EACH(m, pitch)
    {
        const real value = m < frames ? centred(v[m], low[m], middle) * scale : 0;

        WIDE(in_double[m] = value)
        x[m] = (float)value;
    }
    EACH(m, PAD)
    {
        WIDE(in_double[m - PAD] = in_double[pitch + m] = 0)
        x[m - PAD] = x[pitch + m] = 0;
    }
#ifndef PENTA_CPU
    EACH(m, stride)
    spectrum[pixel * stride + m] = m < frames ? x[m] : 0;
#endif
#ifdef DIRECT
    l1 = norms = 0;
#else
    SYNC(CLK_GLOBAL_MEM_FENCE);
    put_ends(SAMPLES, frames, taps_dbl + TAPS * PHASES, single, WIDE_PASSED item);
    SYNC(CLK_GLOBAL_MEM_FENCE);
    put_turned(single, item);
    l1 = most_of_w(WIDEST, part, item);
    norms = norms_of_e(WIDEST, part, item);
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

/* Stores pairs that the host decided: pixel, offset, lag, lag `turned` (put_pair). */
__kernel void optmap_shift_put(__global const geometry *restrict g, __global const int4 *restrict decided, uint count,
                               __global int *restrict shifts)
{
    const uint i = get_global_id(0);

    if (i < count)
        put_pair(g, shifts, decided[i].x % g->width, decided[i].x / g->width, decided[i].y, decided[i].z, decided[i].w);
}
