/*
 * Traces F (doubles in two words: traces.clh) become v = SIGN (F - F0) / F0 in two floats, with F0 the mean over frames
 * begin .. end - 1. With DRIFT, the degree of a polynomial (-1: none), v = SIGN (F - D - mean of F - D) / F0, with the
 * mean over the same frames: D = sum_k c_k P_k, P_k orthonormal, is fitted to diastole (drift.clh).
 *
 * A pixel is valid if its mask is not 0, F0 is not 0 and at least min_intensity (if that is above 0), every |v| <=
 * LIMIT, max v - min v > min_range and max v > min_value. Otherwise v is 0; it is also 0 beyond the frames. mean: of v
 * over time with -DDEMEAN, otherwise 0. Pixels from .. to - 1 are counted in report[1] if valid, otherwise in report[2
 * ..] by the rule that they break.
 *
 * The depth is max -v: of -(min v), Intel's runtime for CPUs (2026.22) stored the minimum before the loop, negated.
 *
 * CPU: one work-item per pixel, LANES frames at a time. GPU: a group of LANES work-items per pixel. Both add up frames
 * that are LANES apart, then lanes pairwise.
 */
#include "common/sum8.clh"
#include "optmap/traces.clh"

#define LIMIT   1e15  /* so that products of v fit in floats */
#define NOTHING 1e-13 /* of the largest |F|: residual by rounding of a trace that is a polynomial */

enum { VALID = 1, NO_F0, TOO_LARGE, FLAT, LOW, DARK, MASKED }; /* report indices, as in src/optmap/optmap.h */

#ifdef PENTA_CPU

#define LANES 8
typedef double8 reals;
typedef long8 flags; /* -1: true */
#define GROUP       1
#define LANE_PLACES (long8)(0, 1, 2, 3, 4, 5, 6, 7)
#define LOCAL_MEMORY
#define PASSED_ON
#define READ(p, n)     vload8(0, (p) + (n))
#define WRITE(x, p, n) vstore8(x, 0, (p) + (n))

static inline reals read_f(__global const uint *upper, __global const uint *lower, ulong n)
{
    return as_double8(convert_ulong8(vload8(0, upper + n)) << 32 | convert_ulong8(vload8(0, lower + n)));
}

static inline void write_v(reals v, __global uint *upper, __global uint *lower, ulong n)
{
    float8 rounded = convert_float8(v), rest = convert_float8(v - convert_double8(rounded));

    vstore8(as_uint8(rounded), 0, upper + n);
    vstore8(as_uint8(rest), 0, lower + n);
}

#define total(x) PENTA_SUM8(x)

static inline double largest(reals x)
{
    double4 four = fmax(x.lo, x.hi);
    double2 two = fmax(four.lo, four.hi);

    return fmax(two.x, two.y);
}

#else

#define LANES        64
typedef double reals;
typedef int flags;
#define GROUP        LANES
#define LANE_PLACES  (int)get_local_id(0)
#define LOCAL_MEMORY __local double lanes[LANES];
#define PASSED_ON    , lanes
#define READ(p, n)   (p)[(n) + get_local_id(0)]

static inline reals read_f(__global const uint *upper, __global const uint *lower, ulong n)
{
    n += get_local_id(0);
    return as_double((ulong)upper[n] << 32 | lower[n]);
}

static inline void write_v(reals v, __global uint *upper, __global uint *lower, ulong n)
{
    float rounded = v;

    n += get_local_id(0);
    upper[n] = as_uint(rounded);
    lower[n] = as_uint((float)(v - rounded));
}

static inline double folded(reals x, bool adds, __local double *lanes)
{
    uint lane = get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    lanes[lane] = x;
    for (uint step = LANES / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step)
            lanes[lane] = adds ? lanes[lane] + lanes[lane + step] : fmax(lanes[lane], lanes[lane + step]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return lanes[0];
}

static inline double total(reals x, __local double *lanes)
{
    return folded(x, true, lanes);
}

static inline double largest(reals x, __local double *lanes)
{
    return folded(x, false, lanes);
}

#endif

#if DRIFT >= 0
#include "optmap/drift.clh"
#endif

/* basis: DRIFT + 1 rows of pitch doubles, 0 beyond the frames. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_normalise(__global const double *restrict basis, int frames, int pitch, int begin, int end,
                 __global const uchar *restrict mask, double min_intensity, double min_range, double min_value,
                 uint from, uint to, __global uint *restrict v, __global uint *restrict low,
                 __global double *restrict mean, __global uchar *restrict valid, __global uint *restrict report)
{
    LOCAL_MEMORY
    uint pixel = get_group_id(0);
    reals most = -INFINITY, depth = -INFINITY, sum = 0, wrong = 0;
    double f0, level, range, top, noise = 0;
#if DRIFT >= 0
    double c[TERMS], size;
#endif
    double average = 0;
    int place; /* index in the report */

    v += (ulong)pixel * pitch;
    low += (ulong)pixel * pitch;
    for (int at = 0; at < frames; at += LANES) {
        flags n = at + LANE_PLACES;

        sum += n >= begin && n < end ? read_f(v, low, at) : (reals)0;
    }
    level = f0 = total(sum PASSED_ON) / (end - begin);
#if DRIFT >= 0
    size = fit_drift(v, low, basis, frames, pitch, f0, c PASSED_ON);
    noise = NOTHING * size / fabs(f0);
    sum = 0;
    for (int at = 0; at < frames; at += LANES) {
        flags n = at + LANE_PLACES;

        sum += n >= begin && n < end ? residual(v, low, basis, frames, pitch, at, c) : (reals)0;
    }
    level = total(sum PASSED_ON) / (end - begin);
#endif
    sum = 0;
    for (int at = 0; at < pitch; at += LANES) {
        flags n = at + LANE_PLACES;
        reals f, x;

#if DRIFT < 0
        f = n < frames ? read_f(v, low, at) : (reals)0;
#else
        f = residual(v, low, basis, frames, pitch, at, c);
#endif
        f -= level;
        x = n < frames ? SIGN * f / f0 : (reals)0;
        wrong = fabs(x) <= LIMIT ? wrong : (reals)1;
        most = n < frames ? fmax(most, x) : most;
        depth = n < frames ? fmax(depth, -x) : depth;
        sum += x;
        write_v(x, v, low, at);
    }
    top = largest(most PASSED_ON);
    range = top + largest(depth PASSED_ON);
    place = largest(wrong PASSED_ON) == 0 ? VALID : TOO_LARGE;
    if (!mask[pixel])
        place = MASKED;
    else if (f0 == 0)
        place = NO_F0;
    else if (min_intensity > 0 && f0 < min_intensity)
        place = DARK;
    else if (place == VALID)
        place = !(range > fmax(min_range, noise)) ? FLAT : !(top > min_value) ? LOW : VALID;
#ifdef DEMEAN
    average = total(sum PASSED_ON) / frames;
#endif
    if (place != VALID)
        for (int at = 0; at < pitch; at += LANES)
            write_v((reals)0, v, low, at);
    if (get_local_id(0) == 0) {
        mean[pixel] = place == VALID ? average : 0;
        valid[pixel] = place == VALID;
        if (pixel >= from && pixel < to)
            atomic_inc(report + place);
    }
}
