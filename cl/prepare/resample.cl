/*
 * out(p) = F(c + T (p - c) + D) by interpolation; pixels beyond the frame repeat its edge. The mask is 1 where every
 * pixel with a nonzero weight is in the frame and unmasked.
 *
 *   T (p - c) + D + c = p + whole + part + ((cos a - 1) (p - c) -+ sin a (p - c)),
 *
 * D = whole + part keeps the large part in integers for precision. -DTAPS=4: Keys' cubic, a = -1/2 (IEEE Trans. ASSP 29
 * (1981) 1153); 2: linear; 1: the nearest pixel. The taps begin FIRST pixels from the pixel before the position.
 */
#include "prepare/pixels.clh"

typedef struct { /* per frame; same layout as in src/prepare/resample.c */
    int whole_x, whole_y;
    float part_x, part_y;
    float stretch, sine; /* cos a - 1, sin a */
} movement;

#define FIRST (TAPS == 4 ? -1 : 0)

#if TAPS == 1
#define WHOLE(place) floor((place) + 0.5f)
#else
#define WHOLE(place) floor(place)
#endif

/* Weights at t after the whole part of a position. */
#if TAPS == 1
#define WEIGHTS(t, w) w[0] = 1;
#elif TAPS == 2
#define WEIGHTS(t, w)                                                                                                  \
    w[0] = 1 - t;                                                                                                      \
    w[1] = t;
#else
#define WEIGHTS(t, w)                                                                                                  \
    w[0] = ((1 - 0.5f * t) * t - 0.5f) * t;                                                                            \
    w[1] = (1.5f * t - 2.5f) * t * t + 1;                                                                              \
    w[2] = ((2 - 1.5f * t) * t + 0.5f) * t;                                                                            \
    w[3] = (0.5f * t - 0.5f) * t * t;
#endif

/* Returns the whole part of a position; w: its weights. */
static inline int weights_of(float place, float *w)
{
    float whole = WHOLE(place), t = place - whole;

    WEIGHTS(t, w)
    return (int)whole;
}

/* The value for taps that begin at (x, y), all in the frame; *whole: none is masked. */
static inline float value_within(__global const float *f, __global const uchar *mask, int width, const float *wx,
                                 const float *wy, uchar *whole)
{
    float sum = 0;
    uchar all = 1;

    for (int j = 0; j < TAPS; j++) {
        float line = 0;

        for (int i = 0; i < TAPS; i++) {
            line += wx[i] * f[(size_t)j * width + i];
            all &= mask[(size_t)j * width + i] | (wx[i] == 0) | (wy[j] == 0);
        }
        sum += wy[j] * line;
    }
    *whole = all;
    return sum;
}

/* Like value_within, for taps anywhere; *whole: all are also in the frame. */
static inline float value_at(__global const float *f, __global const uchar *mask, int width, int height, int x, int y,
                             const float *wx, const float *wy, uchar *whole)
{
    float sum = 0;
    int all = 1;

    for (int j = 0; j < TAPS; j++) {
        int v = clamp(y + j, 0, height - 1);
        float line = 0;

        for (int i = 0; i < TAPS; i++) {
            int u = clamp(x + i, 0, width - 1);
            size_t at = (size_t)v * width + u;

            line += wx[i] * f[at];
            all &= wx[i] == 0 || wy[j] == 0 || (u == x + i && v == y + j && mask[at]);
        }
        sum += wy[j] * line;
    }
    *whole = all;
    return sum;
}

/* One pixel of any movement. */
static inline float moved_to(__global const float *f, __global const uchar *mask, int width, int height,
                             const movement m, int x, int y, uchar *whole)
{
    float dx = x - 0.5f * (width - 1), dy = y - 0.5f * (height - 1), wx[TAPS], wy[TAPS];
    int u = weights_of(m.part_x + (m.stretch * dx - m.sine * dy), wx);
    int v = weights_of(m.part_y + (m.sine * dx + m.stretch * dy), wy);

    x += m.whole_x + u + FIRST;
    y += m.whole_y + v + FIRST;
    if (x >= 0 && y >= 0 && x + TAPS <= width && y + TAPS <= height)
        return value_within(f + (size_t)y * width + x, mask + (size_t)y * width + x, width, wx, wy, whole);
    return value_at(f, mask, width, height, x, y, wx, wy, whole);
}

#ifdef PENTA_CPU
/* Sixteen pixels of a pure shift, f and mask at the first taps of the first pixel; all taps are in the frame. */
static inline float16 values_at(__global const float *f, __global const uchar *mask, int width, const float *wx,
                                const float *wy, uchar16 *whole)
{
    float16 sum = 0;
    uchar16 all = 1;

    for (int j = 0; j < TAPS; j++) {
        float16 line = 0;

        for (int i = 0; i < TAPS; i++) {
            line += wx[i] * vload16(0, f + (size_t)j * width + i);
            if (wx[i] != 0 && wy[j] != 0)
                all = min(all, vload16(0, mask + (size_t)j * width + i));
        }
        sum += wy[j] * line;
    }
    *whole = all;
    return sum;
}

/* For a pure shift, computes the part of row y whose taps are all in the frame, sixteen pixels at a time: from *begin
 * to before the result. */
static inline int shift_within(__global const float *f, __global const uchar *mask, int width, int height,
                               const movement m, int y, int *begin, __global float *out, __global uchar *out_mask)
{
    float wx[TAPS], wy[TAPS];
    int left = m.whole_x + weights_of(m.part_x, wx) + FIRST, top = y + m.whole_y + weights_of(m.part_y, wy) + FIRST;
    int x = max(0, -left);

    *begin = x;
    if (m.sine != 0 || m.stretch != 0 || top < 0 || top + TAPS > height)
        return x;
    for (; x + 16 <= width && x + left + 15 + TAPS <= width; x += 16) {
        size_t at = (size_t)top * width + x + left;
        uchar16 whole;

        vstore16(values_at(f + at, mask + at, width, wx, wy, &whole), 0, out + x);
        vstore16(whole, 0, out_mask + x);
    }
    return x;
}

/* A turn below this moves neighbouring pixels alike: sixteen of a row have few different shifts. */
#define GENTLE 0.1f

/* Where the taps of sixteen pixels begin, in the frame and along x and y; weights. */
typedef struct {
    int16 at, x, y;
    float16 wx[TAPS], wy[TAPS];
} moved_places;

static inline moved_places moved_places_of(const movement m, int x, int y, int width, int height)
{
    const int16 lanes = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    float16 dx = convert_float16(x + lanes) - 0.5f * (width - 1);
    float dy = y - 0.5f * (height - 1);
    float16 across = m.part_x + (m.stretch * dx - m.sine * dy), down = m.part_y + (m.sine * dx + m.stretch * dy);
    float16 whole_x = WHOLE(across), whole_y = WHOLE(down);
    moved_places p;

    across -= whole_x;
    down -= whole_y;
    WEIGHTS(across, p.wx)
    WEIGHTS(down, p.wy)
    p.x = x + lanes + m.whole_x + convert_int16(whole_x) + FIRST;
    p.y = y + m.whole_y + convert_int16(whole_y) + FIRST;
    p.at = p.y * width + p.x - lanes;
    return p;
}

/* The values of pixels whose taps begin sixteen in a row, at f and mask. */
static inline float16 values_of(__global const float *f, __global const uchar *mask, int width, const moved_places *p,
                                uchar16 *whole)
{
    float16 sum = 0;
    uchar16 all = 1;

#pragma unroll
    for (int j = 0; j < TAPS; j++) {
        float16 line = 0;

#pragma unroll
        for (int i = 0; i < TAPS; i++) {
            uchar16 none = convert_uchar16((p->wx[i] == 0 | p->wy[j] == 0) & 1);

            line += p->wx[i] * vload16(0, f + (size_t)j * width + i);
            all &= vload16(0, mask + (size_t)j * width + i) | none;
        }
        sum += p->wy[j] * line;
    }
    *whole = all;
    return sum;
}

/* Sixteen pixels of a gentle turn, run by run of those that are moved alike. False: sixteen in a row do not lie in the
 * frame. */
static inline bool turn_within(__global const float *f, __global const uchar *mask, int width, int height,
                               const movement m, int x, int y, __global float *out, __global uchar *out_mask)
{
    const moved_places p = moved_places_of(m, x, y, width, height);
    float16 value = 0;
    uchar16 whole = 0;
    int at[16];

    if (any((p.x < 0) | (p.y < 0) | (p.x > width - TAPS) | (p.y > height - TAPS)) ||
        any((p.at < 0) | (p.at > width * (height - TAPS + 1) - TAPS - 15)))
        return false;
    vstore16(p.at, 0, at);
    for (int lane = 0, run; lane < 16; lane += run) {
        int from = at[lane];
        int16 here = p.at == from;
        uchar16 some;
        float16 v = values_of(f + from, mask + from, width, &p, &some);

        value = here ? v : value;
        whole = convert_char16(here) ? some : whole;
        run = at[15] == from ? 16 : 1;
        while (lane + run < 16 && at[lane + run] == from)
            run++;
    }
    vstore16(value, 0, out);
    vstore16(whole, 0, out_mask);
    return true;
}
#endif

PIXELS_KERNEL void prepare_resample(__global const float *restrict flat, __global const uchar *restrict mask, int width,
                                    int height, __global const movement *restrict movements,
                                    __global float *restrict out, __global uchar *restrict out_mask)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    size_t first = (size_t)frame * height * width, row = first + (size_t)y * width;
    const movement m = movements[frame];
#ifdef PENTA_CPU
    int begin, end = shift_within(flat + first, mask + first, width, height, m, y, &begin, out + row, out_mask + row);
    bool gentle = m.sine != 0 && fabs(m.sine) < GENTLE;
#else
    int begin = 0, end = 0;
#endif

    FOR_PIXELS(x, width)
    {
        uchar whole;

#ifdef PENTA_CPU
        if (gentle && x + 16 <= width &&
            turn_within(flat + first, mask + first, width, height, m, x, y, out + row + x, out_mask + row + x)) {
            x += 15;
            continue;
        }
#endif
        if (x < begin || x >= end) {
            out[row + x] = moved_to(flat + first, mask + first, width, height, m, x, y, &whole);
            out_mask[row + x] = whole;
        }
    }
}
