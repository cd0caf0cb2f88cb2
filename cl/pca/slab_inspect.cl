/*
 * Pixels with the no-data value in any band get flag 0 (-DNO_DATA=1: equal to no_data, 2: NaN), and of the valid pixels
 * the first number that is not finite, in the order (pixel, band), goes to report[BAD], zeroed before. flags count only
 * if masked; they are written in any case.
 */
#include "pca/slab.clh"

#if NO_DATA == 1
#define IS_NO_DATA(x) ((x) == (TYPE)no_data)
#elif NO_DATA == 2
#define IS_NO_DATA(x) ((x) != (x))
#else
#define IS_NO_DATA(x) ((x) != (x) && 0)
#endif

/* Of a pixel that is known to have one. */
static void report_first(__global const TYPE *data, ulong pitch, uint pixel, uint bands, __global uint *report)
{
    for (uint b = 0; b < bands; b++) {
        TYPE x = data[b * pitch + pixel];

        if (x - x != 0) {
            atomic_max(report + BAD, ~(pixel * bands + b));
            return;
        }
    }
}

#ifdef PENTA_CPU

/* As vectors, for 16 pixels each; -1 is true. x - x is NaN for what is not finite. */
static inline MASK16 no_data_of(TYPE16 x, TYPE no_data)
{
#if NO_DATA == 1
    return x == no_data;
#elif NO_DATA == 2
    return x != x;
#else
    return (MASK16)0;
#endif
}

static inline MASK16 bad_of(TYPE16 x)
{
#ifdef TYPE_REAL
    TYPE16 nought = x - x;

    return nought != nought;
#else
    return (MASK16)0;
#endif
}

/* A work-item takes UNIT pixels, band by band; what lies beyond `pixels` is memory of the slab still. */
__kernel SINGLE_ITEM void pca_slab_inspect(__global const TYPE *data, ulong pitch, uint pixels, uint bands, int masked,
                                           double no_data, __global uchar *flags, __global uint *report)
{
    uint first = get_global_id(0) * UNIT;
    MASK16 left_out[UNIT / 16], bad[UNIT / 16];

    for (int k = 0; k < UNIT / 16; k++)
        left_out[k] = bad[k] = 0;
    for (uint b = 0; b < bands; b++)
        for (int k = 0; k < UNIT / 16; k++) {
            TYPE16 x = vload16(k, data + b * pitch + first);

            left_out[k] |= no_data_of(x, (TYPE)no_data);
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
                               double no_data, __global uchar *restrict flags, __global uint *restrict report)
{
    uint p = get_global_id(0);
    int left_out = 0, bad = 0;

    if (p >= pixels)
        return;
#pragma unroll 8
    for (uint b = 0; b < bands; b++) {
        TYPE x = data[b * pitch + p];

        left_out |= IS_NO_DATA(x);
#ifdef TYPE_REAL
        bad |= x - x != 0;
#endif
    }
    left_out |= masked && !flags[p];
    flags[p] = !left_out;
    if (bad && !left_out)
        report_first(data, pitch, p, bands, report);
}

#endif
