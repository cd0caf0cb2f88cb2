/*
 * Traces F (doubles in two words: traces.clh) become v = SIGN (F - F0) / F0 in two floats, less the polynomial of
 * degree DRIFT (-1: none) that fits best; F0 is the mean over frames begin .. end - 1. With c_k = sum_n F[n] P_k[n], P_k
 * orthonormal, that is v = SIGN (F - sum_k c_k P_k) / F0.
 *
 * valid: F0 is not 0, every |v| <= LIMIT, max v - min v > min_range and max v > min_value. v is 0 elsewhere, and beyond
 * the frames. mean: of v over time with -DDEMEAN, else 0. Pixels from .. to - 1 are added up in report[1] if they are
 * valid, else in report[2 ..] by the first rule of these that they break.
 *
 * CPU: a work-item a pixel, LANES frames at a time. GPU: a group of LANES work-items a pixel. Either adds up frames
 * that are LANES apart, then lanes pairwise.
 */
#include "optmap/traces.clh"

#define LIMIT 1e15    /* floats hold products of v */
#define NOTHING 1e-13 /* of the largest |F|: what rounding leaves of a trace that is a polynomial itself */

enum { VALID = 1, NO_F0, TOO_LARGE, FLAT, LOW }; /* in the report, as src/optmap/optmap.h has them */

#if DRIFT < 0
#define SUMS 1
#else
#define SUMS (DRIFT + 2)
#endif

#ifdef PENTA_CPU

#define LANES 8
typedef double8 reals;
typedef long8 flags; /* -1: true */
#define GROUP        1
#define LANE_PLACES  (long8)(0, 1, 2, 3, 4, 5, 6, 7)
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

static inline double total(reals x)
{
    double4 four = x.lo + x.hi;
    double2 two = four.lo + four.hi;

    return two.x + two.y;
}

static inline double largest(reals x)
{
    double4 four = fmax(x.lo, x.hi);
    double2 two = fmax(four.lo, four.hi);

    return fmax(two.x, two.y);
}

#else

#define LANES 64
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

/* basis: DRIFT + 1 times pitch doubles, 0 beyond the frames. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_normalise(__global uint *restrict v, __global uint *restrict low, __global const double *restrict basis,
                 int frames, int pitch, int begin, int end, double min_range, double min_value, uint from, uint to,
                 __global double *restrict mean, __global uchar *restrict valid, __global uint *restrict report)
{
    LOCAL_MEMORY
    uint pixel = get_group_id(0);
    reals sums[SUMS], least = INFINITY, most = -INFINITY, sum = 0, wrong = 0, size = 0;
    double f0, c[SUMS], range, top, noise = 0;
    double average = 0;
    int place; /* in the report */

    v += (ulong)pixel * pitch;
    low += (ulong)pixel * pitch;
    for (int k = 0; k < SUMS; k++)
        sums[k] = 0;
    for (int at = 0; at < frames; at += LANES) {
        flags n = at + LANE_PLACES;
        reals f = n < frames ? read_f(v, low, at) : (reals)0;

        sums[0] += n >= begin && n < end ? f : (reals)0;
#if DRIFT >= 0
        for (int k = 1; k < SUMS; k++)
            sums[k] += f * READ(basis + (ulong)(k - 1) * pitch, at);
        size = fmax(size, fabs(f));
#endif
    }
    for (int k = 0; k < SUMS; k++)
        c[k] = total(sums[k] PASSED_ON);
    f0 = c[0] / (end - begin);
#if DRIFT >= 0
    noise = NOTHING * largest(size PASSED_ON) / fabs(f0);
#endif
    for (int at = 0; at < pitch; at += LANES) {
        flags n = at + LANE_PLACES;
        reals f = n < frames ? read_f(v, low, at) : (reals)0, x;

#if DRIFT < 0
        f -= f0;
#else
        for (int k = 1; k < SUMS; k++)
            f -= c[k] * READ(basis + (ulong)(k - 1) * pitch, at);
#endif
        x = n < frames ? SIGN * f / f0 : (reals)0;
        wrong = fabs(x) <= LIMIT ? wrong : (reals)1;
        least = n < frames ? fmin(least, x) : least;
        most = n < frames ? fmax(most, x) : most;
        sum += x;
        write_v(x, v, low, at);
    }
    top = largest(most PASSED_ON);
    range = top + largest(-least PASSED_ON);
    place = largest(wrong PASSED_ON) == 0 ? VALID : TOO_LARGE;
    if (f0 == 0)
        place = NO_F0;
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
