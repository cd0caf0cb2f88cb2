/*
 * Pixels with the no-data value in any band get flag 0 (-DNO_DATA=1: equal to no_data, 2: NaN), and of the valid pixels
 * the first number that is not finite, in the order (pixel, band), goes to report[BAD], zeroed before. flags count only
 * if masked; they are written in any case.
 */
#include "pca/slab.clh"

/* Of pixels and of vectors of them. A number less itself is 0, but NaN if it is not finite. */
#if !defined(PENTA_FP64) && KIND == 3
#define EQUALS(x, y) (((x) == (y)) | ((((x) | (y)) & ~DOUBLE_SIGN) == 0))
#define IS_NAN(x)    (((x) & ~DOUBLE_SIGN) > DOUBLE_INFINITY)
#define IS_FINITE(x) (((x) & DOUBLE_INFINITY) != DOUBLE_INFINITY)
#else
#define EQUALS(x, y) ((x) == (y))
#define IS_NAN(x)    ((x) != (x))
#define IS_FINITE(x) ((x) - (x) == 0)
#endif

#if NO_DATA == 1
#define IS_NO_DATA(x, no_data) EQUALS(x, no_data)
#elif NO_DATA == 2
#define IS_NO_DATA(x, no_data) IS_NAN(x)
#else
#define IS_NO_DATA(x, no_data) (((x) != (x)) & 0)
#endif

/* Of a pixel that is known to have one. */
static void report_first(__global const TYPE *data, ulong pitch, uint pixel, uint bands, __global uint *report)
{
    for (uint b = 0; b < bands; b++) {
        TYPE x = data[b * pitch + pixel];

        if (!IS_FINITE(x)) {
            atomic_max(report + BAD, ~(pixel * bands + b));
            return;
        }
    }
}

#ifdef PENTA_CPU

/* 16 pixels; -1 is true. */
static inline MASK16 bad_of(TYPE16 x)
{
#ifdef TYPE_REAL
    return ~IS_FINITE(x);
#else
    return (MASK16)0;
#endif
}

/* A work-item takes UNIT pixels, band by band; what lies beyond `pixels` is memory of the slab still. */
__kernel SINGLE_ITEM void pca_slab_inspect(__global const TYPE *data, ulong pitch, uint pixels, uint bands, int masked,
                                           number no_data, __global uchar *flags, __global uint *report)
{
    uint first = get_global_id(0) * UNIT;
    MASK16 left_out[UNIT / 16], bad[UNIT / 16];
    TYPE16 marker = (TYPE16)TYPE_OF(no_data);

    for (int k = 0; k < UNIT / 16; k++)
        left_out[k] = bad[k] = 0;
    for (uint b = 0; b < bands; b++)
        for (int k = 0; k < UNIT / 16; k++) {
            TYPE16 x = vload16(k, data + b * pitch + first);

            left_out[k] |= IS_NO_DATA(x, marker);
            bad[k] |= bad_of(x);
        }
    for (int k = 0; k < UNIT / 16; k++) {
        char16 allowed = masked ? vload16(k, flags + first) != (uchar)0 : (char16)-1;
        MASK16 valid = PASTE(convert_, MASK16)(allowed) & ~left_out[k];

        vstore16(convert_uchar16(valid & (MASK)1), k, flags + first);
        if (any(valid & bad[k]))
            for (uint p = first + 16 * k; p < min(first + 16 * k + 16, pixels); p++)
                if (flags[p])
                    report_first(data, pitch, p, bands, report);
    }
}

#else

/* One work-item per pixel; neighbours read neighbours. */
__kernel void pca_slab_inspect(__global const TYPE *restrict data, ulong pitch, uint pixels, uint bands, int masked,
                               number no_data, __global uchar *restrict flags, __global uint *restrict report)
{
    uint p = get_global_id(0);
    int left_out = 0, bad = 0;
    TYPE marker = TYPE_OF(no_data);

    if (p >= pixels)
        return;
#pragma unroll 8
    for (uint b = 0; b < bands; b++) {
        TYPE x = data[b * pitch + p];

        left_out |= IS_NO_DATA(x, marker);
#ifdef TYPE_REAL
        bad |= !IS_FINITE(x);
#endif
    }
    left_out |= masked && !flags[p];
    flags[p] = !left_out;
    if (bad && !left_out)
        report_first(data, pitch, p, bands, report);
}

#endif
