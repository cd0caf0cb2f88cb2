/*
 * Dust from outliers, one bit per pixel: word (i, y) of a plane holds pixels 32 i .. 32 i + 31 of row y, the first in
 * its lowest bit, zeros beyond the row. Each frame has PLANES planes in sequence, each height x words:
 *
 *   0, 1  seeds: bright, dark (d > limit s, -d > limit s at either scale), except those in 5
 *   2, 3  pixels into which these may grow: d2 > LOW s2, -d2 > LOW s2
 *   4     dust in any case: beyond the key, or not usable
 *   5     isolated: |d| > limit s at the fine scale, and fewer than two of the eight neighbours exceed half of it with
 * the same sign: one or two hot pixels of the camera, which have no rim
 *
 * One work-item per word, except in the first and the last kernel (cl/prepare/pixels.clh).
 */
#ifdef PENTA_CPU
#include "prepare/lanes.clh"
#endif
#include "prepare/bands.clh"
#include "prepare/nodes.clh"
#include "prepare/pixels.clh"

#define PLANES  6
#define LOW     2.75f
#define COMPANY 2 /* neighbours from which a pixel counts as dust, not as isolated */
#define HOLE    4 /* px, largest half-width of a hole that is filled */

/* Whether fewer than COMPANY neighbours of the pixel *c lie on its side of the midpoint between it and the median. */
static inline bool is_alone(__global const float *c, int pitch, float d1)
{
    float middle = *c - 0.5f * d1;
    int like = 0;

    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            float difference = c[j * pitch + i] - middle;

            like += d1 > 0 ? difference > 0 : difference < 0;
        }
    return like - 1 < COMPANY; /* the pixel itself is one */
}

static inline uint beyond_key(float grey, uchar usable, float key_low, float key_high)
{
    return !usable || grey < key_low || grey > key_high;
}

/*
 * Computes the planes from d1 and d2, c (padded, cl/prepare/dust.cl) and their scales (cl/prepare/dust_scale.cl). limit
 * 0: uses only the key. Grid: pixels; on GPUs whole words, in groups of 64 along x.
 */
#ifdef PENTA_CPU
/* One bit per pixel, set where `is` is -1 (not 0). */
static inline uint packed(int16 is)
{
    int16 bits = is & (int16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768);
    int8 a = bits.lo | bits.hi;
    int4 b = a.lo | a.hi;
    int2 c = b.lo | b.hi;

    return c.x | c.y;
}

/* Moves isolated pixels from the seeds, bits of word[0] and word[1], to word[5]. fine: seeds of d1. */
static inline void part_alone(__global const float *c, int pitch, __global const float *d1, uint fine, uint *word)
{
    for (; fine; fine &= fine - 1) {
        uint bit = fine & -fine, k = popcount(bit - 1);

        if (is_alone(c + k, pitch, d1[k]))
            word[5] |= bit;
    }
    word[0] &= ~word[5];
    word[1] &= ~word[5];
}

typedef struct {
    const float *scale;
    float inverse;   /* 1 / B0 */
    float limit, s2; /* s2: the scale of d2 */
    float least;     /* |d1| up to this is within any limit of it, */
    float low;       /* and |d2| up to this */
} limits;

static inline limits limits_of(const float *scale, float level, float limit)
{
    limits l = {scale, 1 / level, limit, scale[BANDS], scale[0], min(LOW, limit) * scale[BANDS]};

    for (int k = 1; k < BANDS; k++)
        l.least = min(l.least, scale[k]);
    l.least *= 0.999f * limit; /* scale_at rounds */
    return l;
}

/* Pixels of dust in any case, of sixteen, of which `left` exist. keyed: grey levels decide, too. */
static inline int16 beyond_key_lanes(__global const float *grey, __global const uchar *usable, int left, bool keyed,
                                     float key_low, float key_high)
{
    int16 beyond = convert_int16(load_mask(usable, left)) == 0;
    float16 levels;

    if (!keyed)
        return beyond;
    levels = load_lanes(grey, left);
    return beyond | (levels < key_low) | (levels > key_high);
}

/* Planes 0 to 3 and 5 of sixteen pixels into the low bits of word[]. one, two: d1, d2; light: B. */
static inline void find_outliers(__global const float *c, int pitch, __global const float *d1, float16 one, float16 two,
                                 float16 light, const limits *l, uint *word)
{
    float16 fine = l->limit * scale_at_lanes(l->scale, band_place_lanes(light * l->inverse));
    int16 bright = one > fine, dark = -one > fine;

    word[0] = packed(bright | (two > l->limit * l->s2));
    word[1] = packed(dark | (-two > l->limit * l->s2));
    word[2] = packed(two > LOW * l->s2);
    word[3] = packed(-two > LOW * l->s2);
    part_alone(c, pitch, d1, packed(bright | dark), word);
}

PIXELS_KERNEL void prepare_dust_planes(__global const float *restrict grey, __global const uchar *restrict usable,
                                       __global const float *restrict c, int pitch, __global const float *restrict d1,
                                       __global const float *restrict d2, __global const float *restrict scales,
                                       __global const float *restrict background, __global const float *restrict level,
                                       __global const float2 *restrict at_x, __global const float2 *restrict at_y,
                                       int nodes_x, int nodes_y, int width, int height, int words, float limit,
                                       float key_low, float key_high, __global uint *restrict planes)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t row = ((size_t)frame * height + y) * width, plane = (size_t)height * words;
    bool keyed = key_low > -INFINITY || key_high < INFINITY;
    background_row r = {0};
    limits l = {0};
    float scale[SCALES];

    planes += (size_t)frame * PLANES * plane + (size_t)y * words;
    if (limit > 0) {
        r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);
        for (int k = 0; k < SCALES; k++)
            scale[k] = scales[frame * SCALES + k];
        l = limits_of(scale, r.n.level, limit);
        c += ((size_t)frame * (height + 4) + y + 2) * pitch + 2;
    }
    for (int i = 0; i < words; i++) {
        uint word[PLANES] = {0, 0, 0, 0, 0, 0};

        for (int x = 32 * i; x < min(32 * i + 32, width); x += 16) {
            int left = width - x;
            uint some[PLANES] = {0, 0, 0, 0, 0, 0};
            float16 one = 0, two = 0;
            int16 beyond = beyond_key_lanes(grey + row + x, usable + row + x, left, keyed, key_low, key_high);

            if (limit > 0) {
                one = load_lanes(d1 + row + x, left);
                two = load_lanes(d2 + row + x, left);
            }
            if (!packed(beyond | (fabs(one) > l.least) | (fabs(two) > l.low)))
                continue;
            if (limit > 0)
                find_outliers(c + x, pitch, d1 + row + x, one, two, background_some(&r, at_x + x, left), &l, some);
            some[4] = packed(beyond);
            if (left < 16)
                some[4] &= (1u << left) - 1;
            for (int b = 0; b < PLANES; b++)
                word[b] |= some[b] << (x - 32 * i);
        }
        for (int b = 0; b < PLANES; b++)
            planes[b * plane + i] = word[b];
    }
}
#else
#define GROUP 64

/* Planes 0 to 3 and 5 of a pixel as bits. */
static inline uint outlier_planes(__global const float *c, int pitch, float d1, float d2, float fine, float limit,
                                  float s2)
{
    uint bits = d2 > LOW * s2 ? 4 : -d2 > LOW * s2 ? 8 : 0;

    if (fabs(d1) > fine && is_alone(c, pitch, d1))
        return bits | 32;
    bits |= d1 > fine || d2 > limit * s2 ? 1 : 0;
    bits |= -d1 > fine || -d2 > limit * s2 ? 2 : 0;
    return bits;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
prepare_dust_planes(__global const float *restrict grey, __global const uchar *restrict usable,
                    __global const float *restrict c, int pitch, __global const float *restrict d1,
                    __global const float *restrict d2, __global const float *restrict scales,
                    __global const float *restrict background, __global const float *restrict level,
                    __global const float2 *restrict at_x, __global const float2 *restrict at_y, int nodes_x,
                    int nodes_y, int width, int height, int words, float limit, float key_low, float key_high,
                    __global uint *restrict planes)
{
    __local uint word[GROUP / 32 * PLANES];
    int x = get_global_id(0), y = get_global_id(1), frame = get_global_id(2), item = get_local_id(0);
    size_t p = ((size_t)frame * height + y) * width + x, plane = (size_t)height * words;
    uint bits = 0;

    if (item < GROUP / 32 * PLANES)
        word[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width) {
        bits = beyond_key(grey[p], usable[p], key_low, key_high) ? 16 : 0;
        if (limit > 0) {
            nodes n = nodes_of(background, level, nodes_x, nodes_y, frame);
            float scale[SCALES];

            for (int k = 0; k < SCALES; k++)
                scale[k] = scales[frame * SCALES + k];
            bits |= outlier_planes(c + ((size_t)frame * (height + 4) + y + 2) * pitch + x + 2, pitch, d1[p], d2[p],
                                   limit * scale_at(scale, band_place(background_at(n, at_x[x], at_y[y]) / n.level)),
                                   limit, scale[BANDS]);
        }
    }
    for (int b = 0; b < PLANES; b++)
        if (bits >> b & 1)
            atomic_or(word + item / 32 * PLANES + b, 1u << item % 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < GROUP / 32 * PLANES && (x - item) / 32 + item / PLANES < words)
        planes[(size_t)frame * PLANES * plane + item % PLANES * plane + (size_t)y * words + (x - item) / 32 +
               item / PLANES] = word[item];
}
#endif

/* Pixels 32 i + by .. 32 i + by + 31 of a row; zeros outside its words. */
static inline uint word_at(__global const uint *row, int words, int i, int by)
{
    int first = i + (by >> 5), bits = by & 31;
    uint low = first >= 0 && first < words ? row[first] : 0;
    uint high = first + 1 >= 0 && first + 1 < words ? row[first + 1] : 0;

    return bits ? low >> bits | high << (32 - bits) : low;
}

/* Mask of the bits of word i that are pixels of the row. */
static inline uint within(int width, int i)
{
    return width - 32 * i >= 32 ? 0xffffffffu : (1u << (width - 32 * i)) - 1;
}

/* Word i after a step of growth. from, may: rows of word i; above, below: whether there are such rows. */
static inline uint grown_word(__global const uint *from, uint may, int words, int i, bool above, bool below)
{
    uint now = from[i];

    may &= ~now;
    for (int v = above ? -1 : 0; may && v <= (below ? 1 : 0); v++) {
        __global const uint *row = from + v * words;

        now |= may & (row[i] | word_at(row, words, i, -1) | word_at(row, words, i, 1));
    }
    return now;
}

/*
 * One step of growth for both signs, from the planes `from` (two per frame, from_planes apart: PLANES or 2) to `to` (2
 * per frame). Grid: words, height, 2 frames; on CPUs parts of GROW_ROWS rows, 2 frames.
 */
#ifdef PENTA_CPU
#define GROW_ROWS 16 /* as in src/prepare/dust.c */

/* The pixels of eight words and those beside them. */
static inline uint8 beside(__global const uint *row)
{
    uint8 here = vload8(0, row);

    return here | here << 1 | here >> 1 | vload8(0, row - 1) >> 31 | vload8(0, row + 1) << 31;
}

/* Eight words, which have words beside them. */
static inline uint8 grown_words(__global const uint *from, uint8 may, int words, bool above, bool below)
{
    uint8 now = vload8(0, from);

    may &= ~now;
    if (any(may != 0)) {
        uint8 near = beside(from);

        near |= above ? beside(from - words) : 0;
        near |= below ? beside(from + words) : 0;
        now |= may & near;
    }
    return now;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void prepare_dust_grow(__global const uint *restrict planes,
                                                                               __global const uint *restrict from,
                                                                               int from_planes, int height, int words,
                                                                               __global uint *restrict to)
{
    int begin = get_global_id(0) * GROW_ROWS, frame = get_global_id(1) / 2, sign = get_global_id(1) % 2;
    size_t plane = (size_t)height * words;

    from += ((size_t)frame * from_planes + sign) * plane;
    planes += ((size_t)frame * PLANES + 2 + sign) * plane;
    to += ((size_t)frame * 2 + sign) * plane;
    for (int y = begin; y < min(begin + GROW_ROWS, height); y++) {
        size_t row = (size_t)y * words;
        bool above = y > 0, below = y < height - 1;
        int i = 0;

        to[row] = grown_word(from + row, planes[row], words, 0, above, below);
        for (i = 1; words >= 10 && i < words - 1; i += 8) {
            i = min(i, words - 9); /* the last vectors overlap */
            vstore8(grown_words(from + row + i, vload8(0, planes + row + i), words, above, below), 0, to + row + i);
        }
        for (i = min(i, words - 1); i < words; i++)
            to[row + i] = grown_word(from + row, planes[row + i], words, i, above, below);
    }
}
#else
__kernel void prepare_dust_grow(__global const uint *restrict planes, __global const uint *restrict from,
                                int from_planes, int height, int words, __global uint *restrict to)
{
    int i = get_global_id(0), y = get_global_id(1), frame = get_global_id(2) / 2, sign = get_global_id(2) % 2;
    size_t plane = (size_t)height * words, row = (size_t)y * words;

    if (i >= words)
        return;
    from += ((size_t)frame * from_planes + sign) * plane + row;
    planes += ((size_t)frame * PLANES + 2 + sign) * plane + row;
    to[((size_t)frame * 2 + sign) * plane + row + i] = grown_word(from, planes[i], words, i, y > 0, y < height - 1);
}
#endif

/* Joins all dust of a frame in one plane, except isolated pixels. seeds: two planes per frame, seeds_planes apart.
 * Grid: words, height, frames. */
__kernel void prepare_dust_join(__global const uint *restrict planes, __global const uint *restrict seeds,
                                int seeds_planes, int height, int words, __global uint *restrict dust)
{
    int i = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    size_t plane = (size_t)height * words, at = (size_t)y * words + i;

    if (i >= words)
        return;
    seeds += (size_t)frame * seeds_planes * plane;
    dust[frame * plane + at] = seeds[at] | seeds[plane + at] | planes[((size_t)frame * PLANES + 4) * plane + at];
}

/* Pixels with dust within `reach` pixels along the row. */
static inline uint along_row(__global const uint *row, int words, int i, int reach)
{
    uint near = row[i];

    if (reach <= 32 && !(near | (i > 0 ? row[i - 1] : 0) | (i + 1 < words ? row[i + 1] : 0)))
        return 0;
    for (int k = 1; k <= reach; k++)
        near |= word_at(row, words, i, -k) | word_at(row, words, i, k);
    return near;
}

/* Grows dust by the disc |q - p|^2 <= grow^2 + 1 (grow 0: not at all); row v of the disc has 2 reach[v] + 1 pixels.
 * Grid: words, height, frames. */
__kernel void prepare_dust_disc(__global const uint *restrict dust, int width, int height, int words, int grow,
                                __global const int *restrict reach, __global uint *restrict out)
{
    int i = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    uint near = 0;

    if (i >= words)
        return;
    dust += (size_t)frame * height * words;
    for (int v = max(y - grow, 0); v <= min(y + grow, height - 1); v++)
        near |= along_row(dust + (size_t)v * words, words, i, reach[abs(v - y)]);
    out[((size_t)frame * height + y) * words + i] = near & within(width, i);
}

/* Pixels of word (i, y) that have dust within HOLE pixels on the left, on the right, above and below. */
static inline uint holes(__global const uint *dust, int height, int words, int i, int y)
{
    __global const uint *at = dust + (size_t)y * words + i;
    uint above = 0, below = 0, left = 0, right = 0;

    for (int k = 1; k <= HOLE; k++) {
        above |= y >= k ? at[-k * words] : 0;
        below |= y + k < height ? at[k * words] : 0;
    }
    if (!(above & below))
        return 0;
    for (int k = 1; k <= HOLE; k++) {
        left |= word_at(at - i, words, i, -k);
        right |= word_at(at - i, words, i, k);
    }
    return above & below & left & right;
}

/* Fills holes in grown dust, adds isolated pixels, and counts dust in counts[2 frame]. fill 0: no filling, for the key
 * alone. Grid: words, height, frames. */
__kernel void prepare_dust_fill(__global const uint *restrict dust, __global const uint *restrict planes, int height,
                                int words, int fill, __global uint *restrict out, __global uint *restrict counts)
{
    int i = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    size_t plane = (size_t)height * words, at = (size_t)y * words + i;
    uint all;

    if (i >= words)
        return;
    dust += frame * plane;
    all = dust[at] | planes[((size_t)frame * PLANES + 5) * plane + at];
    if (fill)
        all |= holes(dust, height, words, i, y);
    out[frame * plane + at] = all;
    if (all)
        atomic_add(counts + 2 * frame, popcount(all));
}

/* mask = not dust. */
PIXELS_KERNEL void prepare_dust_mask(__global const uint *restrict dust, int width, int height, int words,
                                     __global uchar *restrict mask)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;

    dust += ((size_t)frame * height + y) * words;
    mask += ((size_t)frame * height + y) * width;
#ifdef PENTA_CPU
    const uint16 lanes = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    for (int x = 0; x + 16 <= width; x += 16)
        vstore16(convert_uchar16(~((uint16)dust[x / 32] >> (x % 32 + lanes)) & 1), 0, mask + x);
    for (int x = width / 16 * 16; x < width; x++)
#else
    FOR_PIXELS(x, width)
#endif
        mask[x] = ~(dust[x / 32] >> (x % 32)) & 1;
}
