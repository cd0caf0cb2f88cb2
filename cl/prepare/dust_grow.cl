/*
 * Dust from outliers. A pixel is a bit: word (i, y) of a frame's plane has pixels 32 i .. 32 i + 31 of row y, the first
 * in its lowest bit, zeros beyond the row. Planes of a frame, one after another, each height x words:
 *
 *   0, 1  seeds: bright, dark (d > limit s, -d > limit s at either scale)
 *   2, 3  where these may grow to: d2 > LOW s2, -d2 > LOW s2
 *   4     what is dust anyway: beyond the key, not usable
 *
 * A work-item has a word, but for the first and the last kernel (cl/prepare/pixels.clh).
 */
#include "prepare/pixels.clh"

#define LOW      3.0f
#define ROBUST   1.4826f /* standard deviations of a Gaussian in its median absolute value */
#define RESOLVED (1.0f / 2048) /* a bin of the histogram; a scale whose median lies in the first one has no noise */

typedef struct {
    float seed, low; /* limits of |d|; INFINITY: nothing by this scale */
} limits;

static inline limits limits_of(float median, float limit)
{
    limits l = {ROBUST * limit * median, ROBUST * LOW * median};

    if (!(median > RESOLVED))
        l.seed = l.low = INFINITY;
    return l;
}

/* The bits of a pixel's planes. */
static inline uint planes_of(float d1, float d2, limits fine, limits coarse)
{
    uint bits = 0;

    bits |= d1 > fine.seed || d2 > coarse.seed ? 1 : 0;
    bits |= -d1 > fine.seed || -d2 > coarse.seed ? 2 : 0;
    bits |= d2 > coarse.low ? 4 : 0;
    bits |= -d2 > coarse.low ? 8 : 0;
    return bits;
}

static inline uint beyond_key(float grey, uchar usable, float key_low, float key_high)
{
    return !usable || grey < key_low || grey > key_high ? 16 : 0;
}

/* Planes from d1 and d2; limit 0: by the key alone, d1 and d2 not looked at. Grid: pixels, on GPUs of whole words in
 * groups of 64 along x. */
#ifdef PENTA_CPU
/* One bit a pixel of those for which `is` (-1 or 0) holds. */
static inline uint packed(int16 is)
{
    int16 bits = is & (int16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768);
    int8 a = bits.lo | bits.hi;
    int4 b = a.lo | a.hi;
    int2 c = b.lo | b.hi;

    return c.x | c.y;
}

/* Sixteen pixels into word[5], from bit `first` on. */
static inline void pack_outliers(float16 d1, float16 d2, limits fine, limits coarse, int first, uint *word)
{
    word[0] |= packed(d1 > fine.seed | d2 > coarse.seed) << first;
    word[1] |= packed(-d1 > fine.seed | -d2 > coarse.seed) << first;
    word[2] |= packed(d2 > coarse.low) << first;
    word[3] |= packed(-d2 > coarse.low) << first;
}

static inline void pack_key(float16 grey, uchar16 usable, float key_low, float key_high, int first, uint *word)
{
    word[4] |= packed(convert_int16(usable) == 0 | grey < key_low | grey > key_high) << first;
}

PIXELS_KERNEL void prepare_dust_planes(__global const float *restrict grey, __global const uchar *restrict usable,
                                       __global const float *restrict d1, __global const float *restrict d2,
                                       __global const float *restrict median1, __global const float *restrict median2,
                                       int width, int height, int words, float limit, float key_low, float key_high,
                                       __global uint *restrict planes)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    const limits fine = limits_of(median1[frame], limit), coarse = limits_of(median2[frame], limit);
    size_t row = ((size_t)frame * height + y) * width, plane = (size_t)height * words;

    planes += (size_t)frame * 5 * plane + (size_t)y * words;
    for (int i = 0; i < words; i++) {
        uint word[5] = {0, 0, 0, 0, 0};
        int k = 0, count = min(32, width - 32 * i);
        size_t p = row + 32 * i;

        for (; k + 16 <= count; k += 16) {
            pack_key(vload16(0, grey + p + k), vload16(0, usable + p + k), key_low, key_high, k, word);
            if (limit > 0)
                pack_outliers(vload16(0, d1 + p + k), vload16(0, d2 + p + k), fine, coarse, k, word);
        }
        for (; k < count; k++) {
            uint bits = beyond_key(grey[p + k], usable[p + k], key_low, key_high);

            if (limit > 0)
                bits |= planes_of(d1[p + k], d2[p + k], fine, coarse);
            for (int b = 0; b < 5; b++)
                word[b] |= (bits >> b & 1) << k;
        }
        for (int b = 0; b < 5; b++)
            planes[b * plane + i] = word[b];
    }
}
#else
#define GROUP 64

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
prepare_dust_planes(__global const float *restrict grey, __global const uchar *restrict usable,
                    __global const float *restrict d1, __global const float *restrict d2,
                    __global const float *restrict median1, __global const float *restrict median2, int width,
                    int height, int words, float limit, float key_low, float key_high, __global uint *restrict planes)
{
    __local uint word[GROUP / 32 * 5];
    int x = get_global_id(0), y = get_global_id(1), frame = get_global_id(2), item = get_local_id(0);
    const limits fine = limits_of(median1[frame], limit), coarse = limits_of(median2[frame], limit);
    size_t p = ((size_t)frame * height + y) * width + x, plane = (size_t)height * words;
    uint bits = 0;

    if (item < GROUP / 32 * 5)
        word[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width) {
        bits = beyond_key(grey[p], usable[p], key_low, key_high);
        if (limit > 0)
            bits |= planes_of(d1[p], d2[p], fine, coarse);
    }
    for (int b = 0; b < 5; b++)
        if (bits >> b & 1)
            atomic_or(word + item / 32 * 5 + b, 1u << item % 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < GROUP / 32 * 5 && (x - item) / 32 + item / 5 < words)
        planes[(size_t)frame * 5 * plane + item % 5 * plane + (size_t)y * words + (x - item) / 32 + item / 5] =
            word[item];
}
#endif

/* Pixels 32 i + by .. 32 i + by + 31 of a row, zeros beyond its words. */
static inline uint word_at(__global const uint *row, int words, int i, int by)
{
    int first = i + (by >> 5), bits = by & 31;
    uint low = first >= 0 && first < words ? row[first] : 0;
    uint high = first + 1 >= 0 && first + 1 < words ? row[first + 1] : 0;

    return bits ? low >> bits | high << (32 - bits) : low;
}

/* Those bits of word i that are pixels of a row. */
static inline uint within(int width, int i)
{
    return width - 32 * i >= 32 ? 0xffffffffu : (1u << (width - 32 * i)) - 1;
}

/* One step of growth of both signs, from the planes `from` (two a frame, 5 or 2 apart: from_planes) to `to` (2 a
 * frame). Grid: words, height, 2 frames. */
__kernel void prepare_dust_grow(__global const uint *restrict planes, __global const uint *restrict from,
                                int from_planes, int height, int words, __global uint *restrict to)
{
    int i = get_global_id(0), y = get_global_id(1), frame = get_global_id(2) / 2, sign = get_global_id(2) % 2;
    size_t plane = (size_t)height * words, at = (size_t)y * words + i;
    uint may, now;

    if (i >= words)
        return;
    from += ((size_t)frame * from_planes + sign) * plane;
    now = from[at];
    may = planes[((size_t)frame * 5 + 2 + sign) * plane + at] & ~now;
    for (int v = max(y - 1, 0); may && v <= min(y + 1, height - 1); v++) {
        __global const uint *row = from + (size_t)v * words;

        now |= may & (row[i] | word_at(row, words, i, -1) | word_at(row, words, i, 1));
    }
    to[((size_t)frame * 2 + sign) * plane + at] = now;
}

/* All dust of a frame in one plane. seeds: two planes a frame, seeds_planes apart. Grid: words, height, frames. */
__kernel void prepare_dust_join(__global const uint *restrict planes, __global const uint *restrict seeds,
                                int seeds_planes, int height, int words, __global uint *restrict dust)
{
    int i = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    size_t plane = (size_t)height * words, at = (size_t)y * words + i;

    if (i >= words)
        return;
    seeds += (size_t)frame * seeds_planes * plane;
    dust[frame * plane + at] = seeds[at] | seeds[plane + at] | planes[((size_t)frame * 5 + 4) * plane + at];
}

/* Dust within `reach` pixels along the row. */
static inline uint along_row(__global const uint *row, int words, int i, int reach)
{
    uint near = row[i];

    if (reach <= 32 && !(near | (i > 0 ? row[i - 1] : 0) | (i + 1 < words ? row[i + 1] : 0)))
        return 0;
    for (int k = 1; k <= reach; k++)
        near |= word_at(row, words, i, -k) | word_at(row, words, i, k);
    return near;
}

/* Dust grown by the disc |q - p|^2 <= grow^2 + 1 (0: not at all), whose rows at distance v have 2 reach[v] + 1 pixels;
 * counts[2 frame] of it. Grid: words, height, frames. */
__kernel void prepare_dust_disc(__global const uint *restrict dust, int width, int height, int words, int grow,
                                __global const int *restrict reach, __global uint *restrict out,
                                __global uint *restrict counts)
{
    int i = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    uint near = 0;

    if (i >= words)
        return;
    dust += (size_t)frame * height * words;
    for (int v = max(y - grow, 0); v <= min(y + grow, height - 1); v++)
        near |= along_row(dust + (size_t)v * words, words, i, reach[abs(v - y)]);
    near &= within(width, i);
    out[((size_t)frame * height + y) * words + i] = near;
    if (near)
        atomic_add(counts + 2 * frame, popcount(near));
}

/* mask = not dust. */
PIXELS_KERNEL void prepare_dust_mask(__global const uint *restrict dust, int width, int height, int words,
                                     __global uchar *restrict mask)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;

    dust += ((size_t)frame * height + y) * words;
    mask += ((size_t)frame * height + y) * width;
    FOR_PIXELS (x, width)
        mask[x] = ~(dust[x / 32] >> (x % 32)) & 1;
}
