/*
 * I of raw frames of `pixels` pixels with CHANNELS numbers of type PIXEL each, with -DDOUBLE_BITS the bits of doubles:
 *   g = c0 R + c1 G + c2 B; with -DONLY= channel ONLY of the three; with one channel its value
 *   I = g; with -DCALIBRATED (g - dark) gain
 * usable, mask: 1, or 0 where I is not finite or gain is 0; I is 0 there.
 * Work-item (x, f): ITEM pixels of frame f, LANES at a time.
 */
#ifdef PENTA_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef DOUBLE_BITS
#include "common/double_bits.clh"
#define NUMBER(x) float_of_double(x)
#else
#define NUMBER(x) ((float)(x))
#endif

#ifdef PENTA_CPU
#define LANES 16
#define ITEM  4096
#else
#define LANES 4
#define ITEM  4
#endif
#include "common/vectors.clh"

typedef VECTOR(float) floats;
typedef VECTOR(int) ints;

#ifdef ONLY
#define FIRST ONLY
#else
#define FIRST 0
#endif

/* Grey levels of LANES pixels. */
static inline floats grey_of(__global const PIXEL *raw, float c0, float c1, float c2)
{
#if CHANNELS == 1 && !defined(DOUBLE_BITS)
    return TO(float)(LOAD(raw));
#elif CHANNELS == 1 || defined(ONLY)
    float v[LANES];

    for (int k = 0; k < LANES; k++)
        v[k] = NUMBER(raw[CHANNELS * k + FIRST]);
    return LOAD(v);
#else
    float r[LANES], g[LANES], b[LANES];

    for (int k = 0; k < LANES; k++) {
        r[k] = NUMBER(raw[3 * k]);
        g[k] = NUMBER(raw[3 * k + 1]);
        b[k] = NUMBER(raw[3 * k + 2]);
    }
    return c0 * LOAD(r) + c1 * LOAD(g) + c2 * LOAD(b);
#endif
}

static inline float grey_of_one(__global const PIXEL *raw, float c0, float c1, float c2)
{
#if CHANNELS == 1 || defined(ONLY)
    return NUMBER(raw[FIRST]);
#else
    return c0 * NUMBER(raw[0]) + c1 * NUMBER(raw[1]) + c2 * NUMBER(raw[2]);
#endif
}

__kernel void prepare_load(__global const PIXEL *restrict raw, __global const float *restrict dark,
                           __global const float *restrict gain, int pixels, float c0, float c1, float c2,
                           __global float *restrict grey, __global uchar *restrict usable,
                           __global uchar *restrict mask)
{
    int begin = get_global_id(0) * ITEM, end = min(begin + ITEM, pixels), p = begin;
    long frame = (long)get_global_id(1) * pixels;

    raw += frame * CHANNELS;
    grey += frame;
    usable += frame;
    mask += frame;
    for (; p + LANES <= end; p += LANES) {
        floats v = grey_of(raw + (long)p * CHANNELS, c0, c1, c2);
        ints ok;
        VECTOR(uchar) flag;

#ifdef CALIBRATED
        floats m = LOAD(gain + p);

        v = (v - LOAD(dark + p)) * m;
        ok = isfinite(v) & (m != (floats)0);
#else
        ok = isfinite(v);
#endif
        flag = TO(uchar)(ok & (ints)1);
        STORE(ok ? v : (floats)0, grey + p);
        STORE(flag, usable + p);
        STORE(flag, mask + p);
    }
    for (; p < end; p++) {
        float v = grey_of_one(raw + (long)p * CHANNELS, c0, c1, c2);
        bool ok;

#ifdef CALIBRATED
        v = (v - dark[p]) * gain[p];
        ok = isfinite(v) && gain[p] != 0;
#else
        ok = isfinite(v);
#endif
        grey[p] = ok ? v : 0;
        usable[p] = mask[p] = ok;
    }
}

/* Adds the number of zeros of frame f of flags, height x width, to counts[2 f]. One work-item per row, grid (height,
 * frames). */
__kernel void prepare_count_zeros(__global const uchar *restrict flags, int width, int height, __global uint *counts)
{
    int y = get_global_id(0), f = get_global_id(1);
    uint zeros = 0;

    if (y < height) {
        flags += ((long)f * height + y) * width;
        for (int x = 0; x < width; x++)
            zeros += flags[x] == 0;
        if (zeros)
            atomic_add(counts + 2 * f, zeros);
    }
}
