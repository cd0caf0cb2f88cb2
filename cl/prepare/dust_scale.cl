/*
 * Robust scales of the residuals of cl/prepare/dust.cl: of d1 in bands of B / B0 (cl/prepare/bands.clh), because it is
 * unknown how the camera's noise depends on the light, and of d2.
 *
 * A scale is a quantile of |d| divided by that of a standard Gaussian. It uses the FAR quantile, which includes the
 * edges of a pattern, but at most MOST times the value from the NEAR quantile, which even much dust does not reach. The
 * scale of d1 is at least EDGE times the FAR quantile of the slopes of c, because a pattern of flat phases has
 * residuals at the bends of its edges that its quantiles miss. The slope along an axis is the smaller of the steps to
 * both sides, or 0 if their signs differ, so the hard edge of a speck has none.
 *
 * Histograms have 32 bins per octave from 2^-12 to 2^4; the outer bins also take smaller and larger values. bins: BINS
 * of each band, then those of d2 and of slopes. Every second row is counted, which is enough.
 */
#ifdef PENTA_CPU
#include "prepare/lanes.clh"
#endif
#include "prepare/bands.clh"
#include "prepare/nodes.clh"

#define BINS       512
#define FIRST      (115 << 5)   /* first bin: float bits without the lower 18 */
#define HISTOGRAMS (SCALES + 1) /* the last is of slopes */
#define TABLE      (HISTOGRAMS * BINS)
#define NEAR       0.85f /* quantiles */
#define GAUSS_NEAR 1.43953f
#define FAR        0.97f
#define GAUSS_FAR  2.17009f
#define MOST       3.0f
#define RESOLVED   (1.0f / 2048) /* a near quantile below this is not noise */
#define EDGE       0.3f
#define LEAST_EDGE 0.005f /* an edge scale below this may be steps of integers without noise */
#define SPARSE     64     /* a band with fewer pixels than the total divided by this has no scale of its own */
#define NO_SCALE   1e30f  /* no residual exceeds this */

/* ---- counts ---- */

#ifdef PENTA_CPU
/* Bins of sixteen |d|. */
static inline int16 bins_of(float16 d)
{
    int16 bin = (as_int16(d) & 0x7fffffff) >> 18;

    bin -= FIRST;
    bin = bin > 0 ? bin : 0;
    return bin < BINS - 1 ? bin : BINS - 1;
}

/* Offsets of the band histograms of sixteen pixels. */
static inline int16 bands_of(float16 light)
{
    float16 place = band_place_lanes(light);

    place = place > 0.0f ? place : 0.0f;
    place = place < BANDS - 1.0f ? place : BANDS - 1.0f;
    return convert_int16(place) * BINS;
}

/* Counts alternately in two tables, because neighbours often share a bin. full: all sixteen count. */
static inline void count_lanes(int16 bins, uchar16 mask, bool full, uint *table)
{
    int bin[16];
    uchar counts[16];

    vstore16(bins, 0, bin);
    if (full) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            table[bin[k] + k % 2 * TABLE]++;
        return;
    }
    vstore16(mask & (uchar)1, 0, counts);
    for (int k = 0; k < 16; k++)
        table[bin[k] + k % 2 * TABLE] += counts[k];
}

/* The smaller of two steps, 0 where they differ in sign. */
static inline float16 smaller_step(float16 a, float16 b)
{
    float16 least = fmin(fabs(a), fabs(b));

    return a * b > 0.0f ? least : (float16)0;
}

/* Slopes of sixteen pixels of c. */
static inline float16 slopes_of(__global const float *c, int pitch)
{
    float16 here = vload16(0, c);
    float16 x = smaller_step(vload16(0, c + 1) - here, here - vload16(0, c - 1));
    float16 y = smaller_step(vload16(0, c + pitch) - here, here - vload16(0, c - pitch));

    return sqrt(x * x + y * y);
}

/* Counts unmasked pixels. c: padded (cl/prepare/dust.cl); bins: TABLE per frame, zeroed before. Grid: parts of `rows`
 * counted rows, frames. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
prepare_dust_count(__global const float *restrict c, int pitch, __global const float *restrict d1,
                   __global const float *restrict d2, __global const uchar *restrict mask,
                   __global const float *restrict background, __global const float *restrict level,
                   __global const float2 *restrict at_x, __global const float2 *restrict at_y, int width, int height,
                   int nodes_x, int nodes_y, int rows, __global uint *restrict bins)
{
    int begin = 2 * get_global_id(0) * rows, end = min(begin + 2 * rows, height), frame = get_global_id(1);
    float inverse = 1 / level[frame];
    uint table[2 * TABLE];

    for (int b = 0; b < 2 * TABLE; b++)
        table[b] = 0;
    bins += (size_t)frame * TABLE;
    for (int y = begin; y < end; y += 2) {
        background_row r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);
        size_t row = ((size_t)frame * height + y) * width;
        __global const float *c_row = c + ((size_t)frame * (height + 4) + y + 2) * pitch + 2;

        for (int x = 0; x < width; x += 16) {
            int left = width - x;
            uchar16 use = load_mask(mask + row + x, left);
            ulong2 flags = as_ulong2(use);
            bool full = (flags.x & flags.y) == 0x0101010101010101;

            count_lanes(bins_of(load_lanes(d1 + row + x, left)) +
                            bands_of(background_some(&r, at_x + x, left) * inverse),
                        use, full, table);
            count_lanes(bins_of(load_lanes(d2 + row + x, left)) + BANDS * BINS, use, full, table);
            count_lanes(bins_of(slopes_of(c_row + x, pitch)) + SCALES * BINS, use, full, table);
        }
    }
    for (int b = 0; b < TABLE; b++)
        if (table[b] + table[b + TABLE])
            atomic_add(bins + b, table[b] + table[b + TABLE]);
}
#else
#define GROUP 256

static inline int bin_of(float d)
{
    return clamp((as_int(fabs(d)) >> 18) - FIRST, 0, BINS - 1);
}

static inline int band_of(float light)
{
    return (int)clamp(band_place(light), 0.0f, BANDS - 1.0f);
}

/* The smaller of two steps, 0 where they differ in sign. */
static inline float smaller_step(float a, float b)
{
    return a * b > 0 ? fmin(fabs(a), fabs(b)) : 0;
}

static inline float slope_of(__global const float *c, int pitch)
{
    float x = smaller_step(c[1] - c[0], c[0] - c[-1]), y = smaller_step(c[pitch] - c[0], c[0] - c[-pitch]);

    return sqrt(x * x + y * y);
}

/* Counts unmasked pixels. c: padded (cl/prepare/dust.cl); bins: TABLE per frame, zeroed before. Grid: one group of
 * GROUP per part of `rows` counted rows, frames. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
prepare_dust_count(__global const float *restrict c, int pitch, __global const float *restrict d1,
                   __global const float *restrict d2, __global const uchar *restrict mask,
                   __global const float *restrict background, __global const float *restrict level,
                   __global const float2 *restrict at_x, __global const float2 *restrict at_y, int width, int height,
                   int nodes_x, int nodes_y, int rows, __global uint *restrict bins)
{
    __local uint table[TABLE];
    int item = get_local_id(0), begin = get_group_id(0) * rows, frame = get_global_id(1);
    nodes n = nodes_of(background, level, nodes_x, nodes_y, frame);
    float inverse = 1 / n.level;

    for (int k = 0; k < TABLE / GROUP; k++)
        table[k * GROUP + item] = 0;
    bins += (size_t)frame * TABLE;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int column = 0; column < width; column += GROUP)
        for (int k = 0; k < rows; k++) {
            int x = column + item, y = 2 * (begin + k);
            size_t p = ((size_t)frame * height + y) * width + x;

            if (x < width && y < height && mask[p]) {
                int band = band_of(background_at(n, at_x[x], at_y[y]) * inverse);

                atomic_inc(table + band * BINS + bin_of(d1[p]));
                atomic_inc(table + BANDS * BINS + bin_of(d2[p]));
                atomic_inc(table + SCALES * BINS +
                           bin_of(slope_of(c + ((size_t)frame * (height + 4) + y + 2) * pitch + x + 2, pitch)));
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TABLE / GROUP; k++) {
        uint count = table[k * GROUP + item];

        if (count)
            atomic_add(bins + k * GROUP + item, count);
    }
}
#endif

/* ---- scales ---- */

/* The value below which `below` counts lie; `before` counts lie before bin `first` of `count` bins. */
static inline float quantile_in(__global const uint *bins, int first, int count, uint before, float below)
{
    int b = first, last = first + count - 1;
    float from, to;

    for (; b < last && before + bins[b] < below; b++)
        before += bins[b];
    from = as_float((FIRST + b) << 18);
    to = as_float((FIRST + b + 1) << 18);
    return from + (to - from) * (bins[b] ? min((below - before) / bins[b], 1.0f) : 0.0f);
}

/* Interpolates bands k .. end - 1, which have no scale, between bands k - 1 and end; k - 1 = -1 or end = BANDS: no such
 * band. */
static inline void fill_bands(float *scales, int k, int end)
{
    float from = k > 0 ? scales[k - 1] : end < BANDS ? scales[end] : NO_SCALE;
    float to = end < BANDS ? scales[end] : from, steps = end - k + 1;

    for (int i = k; i < end; i++)
        scales[i] = from + (to - from) * ((i - k + 1) / steps);
}

/* Returns 0 if there is no scale. */
static inline float noise_of(float near, float far)
{
    return near > RESOLVED ? min(far / GAUSS_FAR, MOST * near / GAUSS_NEAR) : 0;
}

/* Converts the quantiles of the histograms (for slopes: the FAR quantile) and their counts to scales. */
static inline void make_scales(const float *value, const uint *count, __global float *out)
{
    float scales[BANDS], edge = EDGE * value[SCALES];
    uint all = 0;
    int next = 0; /* bands before this are filled */

    for (int k = 0; k < BANDS; k++)
        all += count[k];
    for (int k = 0; k < BANDS; k++)
        if (count[k] && count[k] >= all / SPARSE && value[k] > 0) {
            scales[k] = value[k];
            fill_bands(scales, next, k);
            next = k + 1;
        }
    fill_bands(scales, next, BANDS);
    for (int k = 0; k < BANDS; k++)
        out[k] = next > 0 || edge < LEAST_EDGE ? max(scales[k], edge) : edge;
    out[BANDS] = value[BANDS] > 0 ? value[BANDS] : NO_SCALE;
}

#ifdef PENTA_CPU
/* scales: SCALES per frame. Grid: 1, frames. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void prepare_dust_scales(__global const uint *restrict bins,
                                                                                 __global float *restrict scales)
{
    int frame = get_global_id(1);
    float value[HISTOGRAMS];
    uint count[HISTOGRAMS];

    bins += (size_t)frame * TABLE;
    for (int h = 0; h < HISTOGRAMS; h++) {
        float near, far;

        count[h] = 0;
        for (int b = 0; b < BINS; b++)
            count[h] += bins[h * BINS + b];
        near = count[h] ? quantile_in(bins + h * BINS, 0, BINS, 0, NEAR * count[h]) : 0;
        far = count[h] ? quantile_in(bins + h * BINS, 0, BINS, 0, FAR * count[h]) : 0;
        value[h] = h < SCALES ? noise_of(near, far) : far;
    }
    make_scales(value, count, scales + (size_t)frame * SCALES);
}
#else
#define LANES 16 /* work-items per histogram */
#define RUN   (BINS / LANES)

/* scales: SCALES per frame. Grid: one group of GROUP per frame. The work-item whose run of bins holds a quantile writes
 * it. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void prepare_dust_scales(__global const uint *restrict bins,
                                                                                     __global float *restrict scales)
{
    __local uint sums[GROUP];
    __local float found[2][GROUP / LANES]; /* near, far */
    int item = get_local_id(0), h = item / LANES, lane = item % LANES, frame = get_global_id(1);
    uint before = 0, total = 0, run = 0;

    bins += (size_t)frame * TABLE + min(h, HISTOGRAMS - 1) * BINS;
    for (int k = 0; k < RUN; k++)
        run += bins[lane * RUN + k];
    sums[item] = run;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < LANES; i++) {
        before += i < lane ? sums[h * LANES + i] : 0;
        total += sums[h * LANES + i];
    }
    for (int k = 0; k < 2; k++) {
        float below = (k == 0 ? NEAR : FAR) * total;

        if (total == 0 && lane == 0)
            found[k][h] = 0;
        if (total > 0 && (lane == 0 || before < below) && (lane == LANES - 1 || before + run >= below))
            found[k][h] = quantile_in(bins, lane * RUN, RUN, before, below);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        float value[HISTOGRAMS];
        uint count[HISTOGRAMS];

        for (int k = 0; k < HISTOGRAMS; k++) {
            value[k] = k < SCALES ? noise_of(found[0][k], found[1][k]) : found[1][k];
            count[k] = 0;
            for (int i = 0; i < LANES; i++)
                count[k] += sums[k * LANES + i];
        }
        make_scales(value, count, scales + (size_t)frame * SCALES);
    }
}
#endif
