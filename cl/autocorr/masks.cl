/*
 * Planes of a masked image, in the pixel type, or that of -DPENTA_MASKED_U8, _U16: the mask (power 0), the image (1), its
 * squares (2) where the mask lets it, else 0. Squares of 16 bits take two planes: their low 16 bits, and with power 3 the
 * high ones. Grid (count).
 */
#include "common/types.clh"

#if defined(PENTA_MASKED_U8)
typedef uchar masked_t;
#elif defined(PENTA_MASKED_U16)
typedef ushort masked_t;
#else
typedef pixel_t masked_t;
#endif

__kernel void autocorr_mask(__global const pixel_t *restrict image, __global const uchar *restrict mask, long count,
                            int power, __global masked_t *restrict out)
{
    long i = get_global_id(0);

    if (i >= count)
        return;
#ifdef PENTA_INTEGER
    uint v = image[i], value = power == 0 ? 1 : power == 1 ? v : power == 2 ? v * v : v * v >> 16;
#else
    pixel_t v = image[i], value = power == 0 ? 1 : power == 1 ? v : v * v;
#endif
    out[i] = mask[i] ? (masked_t)value : (masked_t)0;
}
