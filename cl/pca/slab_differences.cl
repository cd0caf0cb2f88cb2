/*
 * Each pixel minus the next in its row: result[band * result_pitch + at + i] = source[band * pitch + i] -
 * source[band * pitch + i + 1] for i < n < pitch, pixel i being at column (column + i) mod cols. A row's last pixel is
 * left out, and so is one if it or the next is (source_flags, which count if masked); its result is undefined.
 */
#include "pca/slab.clh"

static inline uchar is_valid(__global const uchar *flags, int masked, uint i, uint column, uint cols)
{
    return (column + i) % cols != cols - 1 && (!masked || (flags[i] && flags[i + 1]));
}

#ifdef PENTA_CPU

/* A work-item takes UNIT pixels. */
__kernel SINGLE_ITEM void pca_slab_differences(__global const TYPE *restrict source, ulong pitch,
                                               __global const uchar *restrict source_flags, int masked, uint n,
                                               uint column, uint cols, uint bands, uint at, ulong result_pitch,
                                               __global number *restrict result, __global uchar *restrict flags)
{
    uint first = get_global_id(0) * UNIT, end = min(first + UNIT, n);

    for (uint i = first; i < end; i++)
        flags[at + i] = is_valid(source_flags, masked, i, column, cols);
    for (uint b = 0; b < bands; b++) {
        __global const TYPE *x = source + b * pitch;
        __global number *d = result + b * result_pitch + at;
        uint i = first;

#ifdef PENTA_FP64
        for (; i + 16 <= end; i += 16)
            vstore16(convert_double16(vload16(0, x + i)) - convert_double16(vload16(0, x + i + 1)), 0, d + i);
#endif
        for (; i < end; i++)
            d[i] = DIFFERENCE_OF(x[i], x[i + 1]);
    }
}

#else

/* Pixels x runs of bands. */
__kernel void pca_slab_differences(__global const TYPE *restrict source, ulong pitch,
                                   __global const uchar *restrict source_flags, int masked, uint n, uint column,
                                   uint cols, uint bands, uint at, ulong result_pitch, __global number *restrict result,
                                   __global uchar *restrict flags)
{
    uint i = get_global_id(0), first = get_global_id(1) * BANDS_EACH;

    if (i >= n)
        return;
    if (first == 0)
        flags[at + i] = is_valid(source_flags, masked, i, column, cols);
    for (uint b = first; b < min(first + BANDS_EACH, bands); b++)
        result[b * result_pitch + at + i] = DIFFERENCE_OF(source[b * pitch + i], source[b * pitch + i + 1]);
}

#endif
