/*
 * Without double precision: how large pixels of each band are less its offset (centre.clh), so that pairs of floats have
 * room for their products. exponents, zeroed before, become the largest of all items'. Grid (items, bands): on GPUs items
 * take every n-th pixel, on CPU devices a run.
 */
#include "pca/centre.clh"

/* 0: no difference, or one that is not finite. */
static inline int exponent_of(TYPE x, ulong offset, float nearest)
{
#if KIND == 3
    int e = exponent_of_fixed(difference_of(x, offset));
#else
    int bits = as_int((float)x - nearest), e = (bits >> 23 & 0xff) - 126;

    e = (bits & 0x7fffffff) == 0 || e == 129 ? INT_MIN : e;
#endif
    return e == INT_MIN ? 0 : e + EXPONENT_BIAS;
}

__kernel void pca_exponents(__global const TYPE *restrict data, long pitch, int pixels,
                            __global const ulong *restrict offsets, __global int *restrict exponents)
{
    int item = get_global_id(0), items = get_global_size(0), band = get_global_id(1), most = 0;
    ulong offset = offsets[band];
    float nearest = float_of_double(offset);

    data += band * pitch;
#ifdef PENTA_CPU
    for (int p = (long)pixels * item / items; p < (long)pixels * (item + 1) / items; p++)
        most = max(most, exponent_of(data[p], offset, nearest));
#else
    for (int p = item; p < pixels; p += items)
        most = max(most, exponent_of(data[p], offset, nearest));
#endif
    if (most > 0)
        atomic_max(exponents + band, most);
}
