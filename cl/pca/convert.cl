/*
 * Converts results of a map: out[at + o * stride + p] from results[(first + o) * pitch + p].
 *
 * rescale: from [least, largest] = range[2 (first + o)], range[.. + 1] to [low, high] by
 * (high - low) (y - least) / (largest - least) + low, in this order, as GRASS does; results beyond the range become
 * its nearer end, and an output whose range is not above 0 becomes low. Pixels with flag 0 (if masked) become fill.
 * Integers (from LOWEST to HIGHEST, which INTEGER holds too): rounded to nearest, ties away from 0, clamped; fill is
 * one already.
 *
 * Work-item (x, o): ITEM pixels of one output, LANES at a time. Rows of results go on up to a multiple of ITEM.
 * REAL: float or double; OUT: the type of the output.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifdef PENTA_CPU
#define LANES 8
#define ITEM  512
#else
#define LANES 4
#define ITEM  4
#endif
#include "common/vectors.clh"

typedef VECTOR(double) doubles;
typedef VECTOR(long) longs;

typedef struct {
    double least, largest, low, high;
} scaling;

/*
 * Quotients, correctly rounded. GPUs divide by many operations; there, for integers, a / d is a r with r = 1 / d, mended
 * twice by its remainder (P. Markstein, IBM J. Res. Dev. 34 (1990) 111). Below 10^-290 the last bit may be another, which
 * no integer shows.
 */
#if defined(INTEGER) && !defined(PENTA_CPU)
static inline doubles quotient(doubles a, double d, double r)
{
    doubles q = a * r;

    if (!(d > 1e-290 && d < 1e290))
        return a / d;
    q = fma(fma(-q, (doubles)d, a), (doubles)r, q);
    return fma(fma(-q, (doubles)d, a), (doubles)r, q);
}

/* 1 / d, by one work-item for the group. */
#define RECIPROCAL(r, d)                                                                                               \
    __local double r;                                                                                                  \
    if (get_local_id(0) == 0)                                                                                          \
        r = 1 / (d);                                                                                                   \
    barrier(CLK_LOCAL_MEM_FENCE)
#else
static inline doubles quotient(doubles a, double d, double r)
{
    return a / d;
}
#define RECIPROCAL(r, d) const double r = 0
#endif

static inline doubles rescaled(doubles y, const scaling s, double r)
{
    doubles v = quotient((s.high - s.low) * (y - s.least), s.largest - s.least, r) + s.low;

    v = y > s.least ? v : (doubles)s.low;
    return y < s.largest ? v : (doubles)s.high;
}

/*
 * Towards 0 from v +- 1/2, but that 1/2 would take the number below 1/2 to 1; with the number below 1/2 in place of it
 * no sum rounds wrongly. Through INTEGER, int or long, since vectors of bytes are made of doubles one by one.
 */
static inline VECTOR(OUT) converted(doubles v)
{
#ifdef INTEGER
    v = v >= (doubles)LOWEST ? v : (doubles)LOWEST;
    v = v <= (doubles)HIGHEST ? v : (doubles)HIGHEST;
    v += v < (doubles)0 ? (doubles)-0.49999999999999994 : (doubles)0.49999999999999994;
    return TO(OUT)(TO(INTEGER)(v));
#else
    return TO(OUT)(v);
#endif
}

/* Results begin where REAL4 may; outputs perhaps not. */
#ifdef PENTA_CPU
#define LOAD_RESULTS(p)   LOAD(p)
#define STORE_OUT(v, out) STORE(v, out)
#else
#define LOAD_RESULTS(p) (*(__global const VECTOR(REAL) *)(p))
#define STORE_OUT(v, out)                                                                                              \
    if ((size_t)(out) % sizeof(VECTOR(OUT)) == 0)                                                                      \
        *(__global VECTOR(OUT) *)(out) = v;                                                                            \
    else                                                                                                               \
        STORE(v, out)
#endif

static inline void store_some(VECTOR(OUT) v, __global OUT *out, uint count)
{
    OUT each[LANES];

    STORE(v, each);
    for (uint k = 0; k < count; k++)
        out[k] = each[k];
}

__kernel void pca_convert(__global const REAL *restrict results, ulong pitch, uint first, uint pixels,
                          __global const uchar *restrict flags, int masked, __global const double *restrict range,
                          int rescale, double low, double high, double fill, ulong at, ulong stride,
                          __global OUT *restrict out)
{
    uint begin = get_global_id(0) * ITEM, end = min(begin + ITEM, pixels), o = get_global_id(1);
    const scaling s = {range[2 * (first + o)], range[2 * (first + o) + 1], low, high};
    bool flat = !(s.largest > s.least);

    RECIPROCAL(r, s.largest - s.least);
    results += (first + o) * pitch;
    out += at + o * stride;
    for (uint p = begin; p < end; p += LANES) {
        doubles v = TO(double)(LOAD_RESULTS(results + p));

        if (rescale)
            v = flat ? (doubles)low : rescaled(v, s, r);
        if (masked)
            v = TO(long)(LOAD(flags + p)) != (longs)0 ? v : (doubles)fill;
        if (p + LANES <= end) {
            STORE_OUT(converted(v), out + p);
        } else {
            store_some(converted(v), out + p, end - p);
        }
    }
}

/* Adds the number of valid pixels with one of `outs` results beyond its range to *count. Work-item: ITEM pixels. */
__kernel void pca_clipped(__global const REAL *restrict results, ulong pitch, uint outs, uint pixels,
                          __global const uchar *restrict flags, int masked, __global const double *restrict range,
                          volatile __global uint *count)
{
    uint begin = get_global_id(0) * ITEM, end = min(begin + ITEM, pixels), n = 0;

    for (uint p = begin; p < end; p++) {
        bool beyond = false;

        for (uint o = 0; o < outs && !beyond; o++) {
            double y = results[o * pitch + p];

            beyond = y < range[2 * o] || y > range[2 * o + 1];
        }
        n += beyond && (!masked || flags[p] != 0);
    }
    if (n > 0)
        atomic_add(count, n);
}

/* count words. */
__kernel void pca_keep_flags(__global const uint *restrict from, uint count, __global uint *restrict to)
{
    if (get_global_id(0) < count)
        to[get_global_id(0)] = from[get_global_id(0)];
}
