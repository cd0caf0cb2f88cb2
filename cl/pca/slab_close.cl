/*
 * Pixels that are left out hold the shift of each band. It is near the mean, from one valid pixel of each of
 * `cells` runs of the slab (pick: slab_flags.cl; unless masked, the first of each run), and exact in TYPE:
 *
 *   shift = x0 + mean(x - x0), x0 the first sample, so that a constant band's shift is its constant.
 *
 * Sums are those of LANES interleaved runs of samples, then added in pairs: the same bits on every device.
 */
#include "pca/slab.clh"

#pragma OPENCL FP_CONTRACT OFF

#define LANES 64 /* a power of two */

/* Pixel of a sample; UINT_MAX: none. */
static inline uint sample_at(__global const uint *pick, int masked, uint pixels, uint cells, uint cell)
{
    return masked ? pick[cell] : (uint)((ulong)cell * pixels / cells);
}

#ifdef PENTA_FP64

typedef double2 sample_sum; /* .x: sum of x - x0; .y: how many */

static inline sample_sum with_sample(sample_sum sum, double x, double x0)
{
    return sum + (double2)(x - x0, 1);
}

static inline sample_sum with_sum(sample_sum a, sample_sum b)
{
    return a + b;
}

static double rounded(double x0, sample_sum sum)
{
    double mean = sum.y > 0 ? x0 + sum.x / sum.y : 0;

    mean = isfinite(mean) ? mean : isfinite(x0) ? x0 : 0; /* doubles whose differences overflow */
#ifdef TYPE_REAL
    return (TYPE)mean;
#else
    return rint(mean);
#endif
}

#else

typedef ulong2 sample_sum;

static inline ulong plus(ulong a, ulong b)
{
    return double_difference(a, b ^ DOUBLE_SIGN);
}

static inline sample_sum with_sample(sample_sum sum, ulong x, ulong x0)
{
    return (ulong2)(plus(sum.x, double_difference(x, x0)), sum.y + 1);
}

static inline sample_sum with_sum(sample_sum a, sample_sum b)
{
    return (ulong2)(plus(a.x, b.x), a.y + b.y);
}

static ulong rounded(ulong x0, sample_sum sum)
{
    fixed share = fixed_of_double(sum.x);
    ulong mean;

    if (sum.y == 0)
        return 0;
    share.d /= (long)sum.y;
    mean = plus(x0, double_of_fixed(share));
    mean = is_finite_double(mean) ? mean : is_finite_double(x0) ? x0 : 0;
    return double_of_pixel(pixel_of_double(mean));
}

#endif

static number first_sample(__global const TYPE *band, __global const uint *pick, int masked, uint pixels, uint cells)
{
    for (uint c = 0; c < cells; c++) {
        uint p = sample_at(pick, masked, pixels, cells, c);

        if (p != UINT_MAX)
            return NUMBER_OF(band[p]);
    }
    return 0;
}

/* Over the lane's samples. */
static sample_sum lane_sum(__global const TYPE *band, __global const uint *pick, int masked, uint pixels, uint cells,
                           uint lane, number x0)
{
    sample_sum sum = 0;

    for (uint c = lane; c < cells; c += LANES) {
        uint p = sample_at(pick, masked, pixels, cells, c);

        if (p != UINT_MAX)
            sum = with_sample(sum, NUMBER_OF(band[p]), x0);
    }
    return sum;
}

#ifdef PENTA_CPU

/* One work-item per band. */
__kernel SINGLE_ITEM void pca_slab_shift(__global const TYPE *restrict data, ulong pitch, uint pixels, int masked,
                                         __global const uint *restrict pick, uint cells, __global number *shift)
{
    uint b = get_global_id(0);
    number x0 = first_sample(data + b * pitch, pick, masked, pixels, cells);
    sample_sum sums[LANES];

    for (uint lane = 0; lane < LANES; lane++)
        sums[lane] = lane_sum(data + b * pitch, pick, masked, pixels, cells, lane, x0);
    for (uint step = LANES / 2; step; step /= 2)
        for (uint lane = 0; lane < step; lane++)
            sums[lane] = with_sum(sums[lane], sums[lane + step]);
    shift[b] = rounded(x0, sums[0]);
}

/* A work-item takes UNIT pixels from `first` (a multiple of UNIT) on. */
__kernel SINGLE_ITEM void pca_slab_fill(ulong pitch, uint pixels, uint bands, int masked, uint first, uint end,
                                        __global const number *restrict shift, __global TYPE *restrict data,
                                        __global uchar *restrict flags)
{
    uint left_out[UNIT], n = 0;

    first += get_global_id(0) * UNIT;
    for (uint p = first; p < first + UNIT; p++) {
        if (p >= pixels)
            flags[p] = 0;
        if (p >= pixels || (masked && !flags[p]))
            left_out[n++] = p;
    }
    for (uint b = 0; n && b < bands; b++) {
        TYPE value = TYPE_OF(shift[b]);

        for (uint k = 0; k < n; k++)
            data[b * pitch + left_out[k]] = value;
    }
}

#else

/* One group per band, one work-item per lane. */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
pca_slab_shift(__global const TYPE *restrict data, ulong pitch, uint pixels, int masked,
               __global const uint *restrict pick, uint cells, __global number *shift)
{
    __local sample_sum sums[LANES];
    uint b = get_group_id(0), lane = get_local_id(0);
    number x0 = first_sample(data + b * pitch, pick, masked, pixels, cells);

    sums[lane] = lane_sum(data + b * pitch, pick, masked, pixels, cells, lane, x0);
    for (uint step = LANES / 2; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step)
            sums[lane] = with_sum(sums[lane], sums[lane + step]);
    }
    if (lane == 0)
        shift[b] = rounded(x0, sums[0]);
}

/* Pixels first .. end - 1 x runs of bands. */
__kernel void pca_slab_fill(ulong pitch, uint pixels, uint bands, int masked, uint first, uint end,
                            __global const number *restrict shift, __global TYPE *restrict data,
                            __global uchar *restrict flags)
{
    uint p = first + get_global_id(0), band = get_global_id(1) * BANDS_EACH;

    if (p >= end || (p < pixels && (!masked || flags[p])))
        return;
    if (p >= pixels && band == 0)
        flags[p] = 0;
    for (uint b = band; b < min(band + BANDS_EACH, bands); b++)
        data[b * pitch + p] = TYPE_OF(shift[b]);
}

#endif
