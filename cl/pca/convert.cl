/*
 * Converts results of a map: out[at + o * stride + p] from results[(first + o) * pitch + p].
 *
 * rescale: from [least, largest] = range[2 (first + o)], range[.. + 1] to [low, high] by
 * (high - low) (y - least) / (largest - least) + low, in this order, as GRASS does; results beyond the range become
 * its nearer end, and an output whose range is not above 0 becomes low. Pixels with flag 0 (if masked) become fill.
 * Integers (from LOWEST to HIGHEST, which INTEGER holds too): rounded to nearest, ties away from 0, clamped; fill is
 * one already.
 *
 * Work-item (x, o): ITEM pixels of one output, LANES at a time. Rows of results go on up to a multiple of LANES.
 * REAL: float or double; OUT: the type of the output.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifdef PENTA_CPU
#define LANES 16
#define ITEM  4096
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

static inline doubles rescaled(doubles y, const scaling s)
{
    doubles v = (s.high - s.low) * (y - s.least) / (s.largest - s.least) + s.low;

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
    v = v > (doubles)LOWEST ? v : (doubles)LOWEST;
    v = v < (doubles)HIGHEST ? v : (doubles)HIGHEST;
    v += copysign((doubles)0.49999999999999994, v);
    return TO(OUT)(TO(INTEGER)(v));
#else
    return TO(OUT)(v);
#endif
}

/* On CPU devices vstore stores bytes one by one, which took longer than all the rest. */
#ifdef PENTA_CPU
typedef VECTOR(OUT) loose __attribute__((aligned(sizeof(OUT))));

#define STORE_ALL(v, p) (*(__global loose *)(p) = (v))
#else
#define STORE_ALL STORE
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

    results += (first + o) * pitch;
    out += at + o * stride;
    for (uint p = begin; p < end; p += LANES) {
        doubles v = TO(double)(LOAD(results + p));

        if (rescale)
            v = flat ? (doubles)low : rescaled(v, s);
        if (masked)
            v = TO(long)(LOAD(flags + p)) != (longs)0 ? v : (doubles)fill;
        if (p + LANES <= end)
            STORE_ALL(converted(v), out + p);
        else
            store_some(converted(v), out + p, end - p);
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
