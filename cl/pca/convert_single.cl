/*
 * As convert.cl, without double precision: results, ranges and limits are the bits of doubles, or results are floats.
 * Rescaled results are (high - low) ((y - least) / (largest - least)) + low in pairs of floats, to about 2^-46 of high and
 * low; their range and rounding are those of convert.cl. Integers are rounded from whole doubles.
 *
 * Work-item (x, o): ITEM pixels of one output. REAL: float or ulong; OUT: the type of the output, ulong for doubles, with
 * OUT_KIND 3, float with 2, integers with 0 and LOWEST and HIGHEST. OF_DOUBLES: REAL is ulong.
 */
#include "common/double_fixed.clh"

#ifdef PENTA_CPU
#define ITEM 4096
#else
#define ITEM 4
#endif

/* The double of a result. */
static inline ulong number_of(REAL y)
{
#ifdef OF_DOUBLES
    return y;
#else
    return double_of_float(y);
#endif
}

typedef struct {
    ulong least, largest, low, high;
    bool flat;
    int span_scale, scale; /* of results less the least one; of what they become */
    pair span, width, start;
} scaling;

static inline int scale_of(int exponent)
{
    return exponent == INT_MIN ? 0 : exponent;
}

static inline scaling scaling_of(ulong least, ulong largest, ulong low, ulong high)
{
    scaling s = {least, largest, low, high, order_of(largest) <= order_of(least), 0, 0, 0, 0, 0};

    s.span_scale = scale_of(exponent_of_fixed(difference_of(largest, least)));
    s.scale = scale_of(max(exponent_of_fixed(fixed_of_double(low)), exponent_of_fixed(fixed_of_double(high))));
    s.span = pair_of_fixed(difference_of(largest, least), s.span_scale);
    s.width = pair_of_fixed(difference_of(high, low), s.scale);
    s.start = pair_of_fixed(fixed_of_double(low), s.scale);
    return s;
}

static inline pair quotient(pair a, pair b)
{
    float first = a.x / b.x;
    pair rest = pair_sum(a, -pair_product((pair)(first, 0.0f), b));

    return ordered_sum(first, (rest.x + rest.y) / b.x);
}

static inline ulong rescaled(ulong y, const scaling *s)
{
    pair share = quotient(pair_of_fixed(difference_of(y, s->least), s->span_scale), s->span);
    pair v = pair_sum(pair_product(s->width, share), s->start);
    ulong number = double_of_fixed(fixed_of_pair(v, s->scale));

    if (s->flat || is_nan_double(y) || order_of(y) <= order_of(s->least))
        return s->low;
    return order_of(y) < order_of(s->largest) ? number : s->high;
}

/* v as the output has it; integers: the nearest one, ties away from 0, of LOWEST .. HIGHEST. */
static inline OUT converted(ulong v)
{
#if OUT_KIND == 3
    return v;
#elif OUT_KIND == 2
    return float_of_double(v);
#else
    ulong within = is_nan_double(v) || order_of(v) < order_of(LOWEST) ? LOWEST
                   : order_of(v) > order_of(HIGHEST)                  ? HIGHEST
                                                                      : v;
    ulong m = (ulong)double_magnitude(within), nearest;
    int down = clamp(1075 - double_exponent(within), -11, 63);

    nearest = down > 0 ? (m + (1ul << (down - 1))) >> down : m << -down;
    return (OUT)((long)within < 0 ? -(long)nearest : (long)nearest);
#endif
}

__kernel void pca_convert(__global const REAL *restrict results, ulong pitch, uint first, uint pixels,
                          __global const uchar *restrict flags, int masked, __global const ulong *restrict range,
                          int rescale, ulong low, ulong high, ulong fill, ulong at, ulong stride,
                          __global OUT *restrict out)
{
    uint begin = get_global_id(0) * ITEM, end = min(begin + ITEM, pixels), o = get_global_id(1);
    const scaling s = scaling_of(range[2 * (first + o)], range[2 * (first + o) + 1], low, high);

    results += (first + o) * pitch;
    out += at + o * stride;
    for (uint p = begin; p < end; p++) {
        ulong v = number_of(results[p]);

        if (rescale)
            v = rescaled(v, &s);
        out[p] = converted(masked && !flags[p] ? fill : v);
    }
}

/* Adds the number of valid pixels with one of `outs` results beyond its range to *count. Work-item: ITEM pixels. */
__kernel void pca_clipped(__global const REAL *restrict results, ulong pitch, uint outs, uint pixels,
                          __global const uchar *restrict flags, int masked, __global const ulong *restrict range,
                          volatile __global uint *count)
{
    uint begin = get_global_id(0) * ITEM, end = min(begin + ITEM, pixels), n = 0;

    for (uint p = begin; p < end; p++) {
        bool beyond = false;

        for (uint o = 0; o < outs && !beyond; o++) {
            long y = order_of(number_of(results[o * pitch + p]));

            beyond = y < order_of(range[2 * o]) || y > order_of(range[2 * o + 1]);
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
