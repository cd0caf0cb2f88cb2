/*
 * Lays out rows of pixels in the order of a file, `source`, as bands x pixels: pixel i < n of the piece goes to
 * data[band * pitch + at + i].
 *
 *   pca_slab_bil  source, from element `from` on: rows x bands x cols; pixel 0 is at `column` of the first row
 *   pca_slab_bip  source, from element `from` on: n x bands
 */
#include "pca/slab.clh"

#ifdef PENTA_CPU

#define BLOCK 128 /* pixels: with 16 bands of them in the first cache, lines of the source are read once */

static inline void copy_run(__global const TYPE *restrict source, uint n, __global TYPE *restrict data)
{
    uint i = 0;

    for (; i + 16 <= n; i += 16)
        vstore16(vload16(0, source + i), 0, data + i);
    for (; i < n; i++)
        data[i] = source[i];
}

/* A work-item takes `each` rows, whose runs of one band come to lie one after another. */
__kernel SINGLE_ITEM void pca_slab_bil(__global const TYPE *restrict source, ulong from, uint cols, uint column, uint n, uint bands,
                                       ulong pitch, uint at, uint each, __global TYPE *restrict data)
{
    uint first = get_global_id(0) * each, end = min(first + each, (column + n + cols - 1) / cols);

    source += from;
    data += at; /* then column - `column` of row 0 is its index */
    for (uint b = 0; b < bands; b++)
        for (uint row = first; row < end; row++) {
            uint from = row ? 0 : column, to = min(cols, column + n - row * cols);

            copy_run(source + ((ulong)row * bands + b) * cols + from, to - from,
                     data + b * pitch + (row * cols + from - column));
        }
}

static inline TYPE16 column_of(__global const TYPE *s, ulong n)
{
    return (TYPE16)(s[0], s[n], s[2 * n], s[3 * n], s[4 * n], s[5 * n], s[6 * n], s[7 * n], s[8 * n], s[9 * n],
                    s[10 * n], s[11 * n], s[12 * n], s[13 * n], s[14 * n], s[15 * n]);
}

/* A work-item takes BLOCK pixels, 16 bands at a time; it writes one band after another, as bands of a slab are often a
 * power of two apart and would drive one another out of the cache. */
__kernel SINGLE_ITEM void pca_slab_bip(__global const TYPE *restrict source, ulong from, uint n, uint bands, ulong pitch, uint at,
                                       __global TYPE *restrict data)
{
    uint first = get_global_id(0) * BLOCK, count = min(n - first, (uint)BLOCK);

    source += from + (ulong)first * bands;
    data += at + first;
    for (uint band = 0; band < bands; band += 16)
        for (uint b = band; b < min(band + 16, bands); b++) {
            uint i = 0;

            for (; i + 16 <= count; i += 16)
                vstore16(column_of(source + (ulong)i * bands + b, bands), 0, data + b * pitch + i);
            for (; i < count; i++)
                data[b * pitch + i] = source[(ulong)i * bands + b];
        }
}

#else

/* Pixels x runs of `each` bands; neighbours read and write neighbours. */
__kernel void pca_slab_bil(__global const TYPE *restrict source, ulong from, uint cols, uint column, uint n, uint bands,
                           ulong pitch, uint at, uint each, __global TYPE *restrict data)
{
    uint i = get_global_id(0), first = get_global_id(1) * each, row = (column + i) / cols;

    if (i >= n)
        return;
    source += from + (ulong)row * bands * cols + (column + i) % cols;
    data += at + i;
    for (uint b = first; b < min(first + each, bands); b++)
        data[b * pitch] = source[(ulong)b * cols];
}

#define TILE 32
#define ROWS 8

/* A group turns TILE pixels x TILE bands, through local memory: both sides are read and written along rows. */
__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void pca_slab_bip(__global const TYPE *restrict source,
 ulong from, uint n, uint bands, ulong pitch,
                                                                                uint at, __global TYPE *restrict data)
{
    __local TYPE tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1), pixel = get_group_id(0) * TILE, band = get_group_id(1) * TILE;

    for (uint k = y; k < TILE; k += ROWS)
        if (pixel + k < n && band + x < bands)
            tile[k][x] = source[from + (ulong)(pixel + k) * bands + band + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = y; k < TILE; k += ROWS)
        if (pixel + x < n && band + k < bands)
            data[(band + k) * pitch + at + pixel + x] = tile[x][k];
}

#endif
