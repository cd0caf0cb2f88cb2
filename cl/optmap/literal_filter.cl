/*
 * Shift, Gaussian sum and median of a batch of pixels. Results have `frames` samples, STRIDE interpolated samples
 * apart. Pixels of the results are numbered from the first with a result; the batch begins with number `from`.
 */
#include "optmap/literal.clh"

/* Sample i of a trace of n samples, also beyond its ends. */
static inline real tail(__global const real *y, int n, int i)
{
    int end = i < 0 ? 0 : n - 1;

    if (i >= 0 && i < n)
        return y[i];
#if defined(TAILS_ODD)
    return 2 * y[end] - y[2 * end - i];
#elif defined(TAILS_HOLD)
    return y[end];
#else
    return 0;
#endif
}

/* aligned: pixels x NEIGHBOURS x frames; 0 for neighbours without a shift. out: index in the band of the results' first
 * pixel. Grid (frames, NEIGHBOURS, pixels). */
__kernel void literal_shift(__global const real *restrict y, __global const int *restrict shifts, int samples,
                            int frames, int width, int height, int first, int out, int from,
                            __global float *restrict aligned)
{
    int n = get_global_id(0), k = get_global_id(1), pixel = get_global_id(2);
    int t0 = shifts[(long)(from + pixel) * NEIGHBOURS + k];
    long q = neighbour(out + from + pixel, k, width, height, first);

    if (n < frames)
        aligned[((long)pixel * NEIGHBOURS + k) * frames + n] =
            t0 == INT_MIN ? 0 : tail(y + q * samples, samples, n * STRIDE + t0);
}

/* Sums over neighbours: pixels x frames, NaN without a result. Grid (frames, pixels). */
__kernel void literal_gaussian(__global const float *restrict aligned, __global const float *restrict gaussian,
                               __global const int *restrict shifts, int frames, int width, int height, int first,
                               int out, int from, __global float *restrict sums)
{
    int n = get_global_id(0), pixel = get_global_id(1);
    float sum = 0, weights = 0;

    shifts += (long)(from + pixel) * NEIGHBOURS;
    aligned += (long)pixel * NEIGHBOURS * frames;
    if (n >= frames)
        return;
    for (int k = 0; k < NEIGHBOURS; k++) {
#ifdef ZERO_INVALID
        bool counts = neighbour(out + from + pixel, k, width, height, first) >= 0;
#else
        bool counts = shifts[k] != INT_MIN;
#endif

        sum += gaussian[k] * aligned[(long)k * frames + n];
        weights += counts ? gaussian[k] : 0;
    }
    sums[(long)pixel * frames + n] = shifts[OWN] == INT_MIN ? NAN : sum / weights;
}

/* The median by ranks; equal numbers rank by position. */
static inline float median_of(const float *x, const bool *there, int count)
{
    float low = 0, high = 0;

    for (int i = 0; i < MEDIAN; i++) {
        int rank = 0;

        for (int j = 0; j < MEDIAN; j++)
            rank += there[j] && (x[j] < x[i] || (x[j] == x[i] && j < i));
        low = there[i] && rank == (count - 1) / 2 ? x[i] : low;
        high = there[i] && rank == count / 2 ? x[i] : high;
    }
    return 0.5f * low + 0.5f * high;
}

static inline float median_at(__global const float *x, int frames, int n)
{
    float around[MEDIAN];
    bool there[MEDIAN];
    int count = 0;

    for (int i = 0; i < MEDIAN; i++) {
        int at = n - MEDIAN / 2 + i;
        bool within = at >= 0 && at < frames;

        around[i] = within ? x[at] : 0;
#ifdef TRUNCATE
        there[i] = within;
#else
        there[i] = true;
#endif
        count += there[i];
    }
    return median_of(around, there, count);
}

/* filtered: frames x all (the pixels of all batches). Grid (pixels, any). */
__kernel void literal_median(__global const float *restrict sums, int frames, int pixels, int all, int from,
                             __global float *restrict filtered)
{
    int pixel = get_global_id(0);

    if (pixel >= pixels)
        return;
    sums += (long)pixel * frames;
    for (int n = get_global_id(1); n < frames; n += get_global_size(1))
        filtered[(long)n * all + from + pixel] = isnan(sums[n]) ? NAN : median_at(sums, frames, n);
}
