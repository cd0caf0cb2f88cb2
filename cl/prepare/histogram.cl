/*
 * Histograms of frames: bin floor((v - low) / step) of BINS; the outer bins also take values below and above, the first
 * also NaN. Masked pixels do not count. range: (low, step) per frame; bins: BINS per frame, zeroed before. A work-item
 * (GPU: a group) counts PART pixels into its own table and adds it to the frame's; counts are integers, so the order
 * does not matter.
 */
#define BINS 4096

static inline uint bin_of(float value, float low, float inverse)
{
    return (uint)clamp((value - low) * inverse, 0.0f, BINS - 1.0f);
}

#ifdef PENTA_CPU

#define PART 65536 /* as in src/prepare/histogram.c */

#define TABLES 4 /* used alternately, because neighbours often share a bin. A quarter of PART fits a ushort */

static inline void count_16(float16 value, uchar16 mask, float low, float inverse, ushort *table)
{
    ushort bin[16];
    uchar counts[16];

    value = (value - low) * inverse;
    value = value > 0.0f ? value : 0.0f;
    value = value < BINS - 1.0f ? value : BINS - 1.0f;
    vstore16(convert_ushort16(convert_int16(value)), 0, bin);
    vstore16(mask & (uchar)1, 0, counts);
    for (uint k = 0; k < 16; k++)
        table[bin[k] + k % TABLES * BINS] += counts[k];
}

/* grid: parts of a frame, frames */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
prepare_histogram(__global const float *restrict image, __global const uchar *restrict mask, uint pixels,
                  __global const float2 *restrict range, __global uint *restrict bins)
{
    uint begin = get_global_id(0) * PART, end = min(begin + PART, pixels), frame = get_global_id(1);
    float low = range[frame].x, inverse = 1 / range[frame].y;
    ushort table[TABLES * BINS];

    for (uint b = 0; b < TABLES * BINS; b++)
        table[b] = 0;
    image += (size_t)frame * pixels;
    mask += (size_t)frame * pixels;
    bins += (size_t)frame * BINS;
    for (; begin + 16 <= end; begin += 16)
        count_16(vload16(0, image + begin), vload16(0, mask + begin), low, inverse, table);
    for (uint p = begin; p < end; p++)
        table[bin_of(image[p], low, inverse)] += mask[p] & 1;
    for (uint b = 0; b < BINS; b++) {
        uint count = table[b] + table[b + BINS] + table[b + 2 * BINS] + table[b + 3 * BINS];

        if (count)
            atomic_add(bins + b, count);
    }
}

/* grid: 1, frames */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void prepare_quantile(__global const uint *restrict bins,
                                                                              __global const float2 *restrict range,
                                                                              float q, __global float *restrict value)
{
    uint frame = get_global_id(1), total = 0, before = 0, b = 0;
    float below;

    bins += (size_t)frame * BINS;
    for (uint i = 0; i < BINS; i++)
        total += bins[i];
    below = q * total;
    for (; b < BINS - 1 && before + bins[b] < below; b++)
        before += bins[b];
    value[frame] = range[frame].x + range[frame].y * (b + (bins[b] ? min((below - before) / bins[b], 1.0f) : 0.0f));
    if (total == 0)
        value[frame] = 0;
}

#else

#define PART  16384
#define GROUP 256

/* grid: groups of GROUP for parts of a frame, frames */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
prepare_histogram(__global const float *restrict image, __global const uchar *restrict mask, uint pixels,
                  __global const float2 *restrict range, __global uint *restrict bins)
{
    __local uint table[BINS];
    uint item = get_local_id(0), begin = get_group_id(0) * PART, frame = get_global_id(1);
    float low = range[frame].x, inverse = 1 / range[frame].y;

    for (uint k = 0; k < BINS / GROUP; k++)
        table[k * GROUP + item] = 0;
    image += (size_t)frame * pixels;
    mask += (size_t)frame * pixels;
    bins += (size_t)frame * BINS;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < PART / GROUP; k++) {
        uint p = begin + k * GROUP + item;

        if (p < pixels && mask[p])
            atomic_inc(table + bin_of(image[p], low, inverse));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BINS / GROUP; k++) {
        uint count = table[k * GROUP + item];

        if (count)
            atomic_add(bins + k * GROUP + item, count);
    }
}

#define RUN (BINS / GROUP) /* bins per work-item */

/* One group per frame: grid (GROUP, frames). Item i sums the bins from i * RUN on; the item whose run holds the
 * quantile writes it. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void prepare_quantile(__global const uint *restrict bins,
                                                                                  __global const float2 *restrict range,
                                                                                  float q,
                                                                                  __global float *restrict value)
{
    __local uint sums[GROUP];
    uint item = get_local_id(0), frame = get_global_id(1), total = 0, before = 0, own[RUN], run = 0;
    float below;

    bins += (size_t)frame * BINS;
    for (uint k = 0; k < RUN; k++) {
        own[k] = bins[item * RUN + k];
        run += own[k];
    }
    sums[item] = run;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < GROUP; i++) {
        before += i < item ? sums[i] : 0;
        total += sums[i];
    }
    below = q * total;
    if (total == 0 && item == 0)
        value[frame] = 0;
    if (total > 0 && (item == 0 || before < below) && (item == GROUP - 1 || before + run >= below)) {
        uint b = 0;

        for (; b < RUN - 1 && before + own[b] < below; b++)
            before += own[b];
        value[frame] =
            range[frame].x + range[frame].y * (item * RUN + b + (own[b] ? min((below - before) / own[b], 1.0f) : 0.0f));
    }
}

#endif
