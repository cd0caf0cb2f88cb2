/*
 * Kernels before and after the product of the centred matrix with itself. The slab: element (band, pixel) at band *
 * pitch + pixel.
 *
 * pca_centred_sums: sums of x - shift over each unit of UNIT pixels, [band][units].
 *     GPU: groups of GROUP, grid (units * GROUP, bands). CPU: one work-item per unit, grid (units, bands).
 * pca_centred_add_sums: adds those of a band. GPU: groups of GROUP, grid (GROUP, bands). CPU: grid (1, bands).
 * pca_centred_fill: matrix[band][pixel], rows of `piece` numbers: x - shift of the slab's pixels first .. end-1, zeros
 *     beyond them and in bands beyond the slab's. Grid (pixels, rows).
 * pca_centred_flip: the same transposed, matrix[pixel][band], rows of `rows` numbers, through a skewed tile.
 *     Groups of 32 x 8, grid (pixels, rows / 4).
 * pca_centred_add: the lower triangles of the pieces' products, rows of `row` numbers, added in order to the gram (to
 *     zero when first is 1), mirrored. Grid (bands, bands).
 */
#include "pca/centred.clh"

static inline double centred(__global const SOURCE *restrict data, __global const double *restrict shift, long pitch, int band,
                      long pixel)
{
    return (double)data[band * pitch + pixel] - shift[band];
}

#ifdef PENTA_CPU

__kernel void pca_centred_sums(__global const SOURCE *restrict data, __global const double *restrict shift, long pitch,
                               int units, __global double *restrict sums)
{
    int    unit = get_global_id(0), band = get_global_id(1);
    double total = 0;

    for (int i = 0; i < UNIT; i++)
        total += centred(data, shift, pitch, band, (long)unit * UNIT + i);
    sums[(long)band * units + unit] = total;
}

__kernel void pca_centred_add_sums(__global const double *restrict sums, int units, __global double *restrict out)
{
    int    band = get_global_id(1);
    double total = 0;

    for (int i = 0; i < units; i++)
        total += sums[(long)band * units + i];
    out[band] = total;
}

#else

/* The sum over the group, in its first item. */
static inline double add_group(double value, __local double *values)
{
    int item = get_local_id(0);

    values[item] = value;
    for (int left = GROUP / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < left)
            values[item] += values[item + left];
    }
    return values[item];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_centred_sums(__global const SOURCE *restrict data, __global const double *restrict shift, long pitch,
                      int units, __global double *restrict sums)
{
    __local double values[GROUP];
    int            item = get_local_id(0), unit = get_group_id(0), band = get_global_id(1);
    double         total = 0;

    for (int i = item; i < UNIT; i += GROUP)
        total += centred(data, shift, pitch, band, (long)unit * UNIT + i);
    total = add_group(total, values);
    if (item == 0)
        sums[(long)band * units + unit] = total;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_centred_add_sums(__global const double *restrict sums, int units, __global double *restrict out)
{
    __local double values[GROUP];
    int            item = get_local_id(0), band = get_global_id(1);
    double         total = 0;

    for (int i = item; i < units; i += GROUP)
        total += sums[(long)band * units + i];
    total = add_group(total, values);
    if (item == 0)
        out[band] = total;
}

#endif

__kernel void pca_centred_fill(__global const SOURCE *restrict data, __global const double *restrict shift, long pitch,
                               int bands, long first, long end, long piece, __global REAL *restrict matrix)
{
    int  pixel = get_global_id(0), band = get_global_id(1);
    bool there = band < bands && first + pixel < end;

    matrix[band * piece + pixel] = there ? (REAL)centred(data, shift, pitch, band, first + pixel) : 0;
}

__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void pca_centred_flip(__global const SOURCE *restrict data, __global const double *restrict shift, long pitch,
                      int bands, long first, long end, int rows, __global REAL *restrict matrix)
{
    __local REAL tile[32][33];
    int          x = get_local_id(0), y = get_local_id(1), band = get_group_id(1) * 32;
    long         pixel = get_group_id(0) * 32;

    for (int i = y; i < 32; i += 8) {
        bool there = band + i < bands && first + pixel + x < end;

        tile[i][x] = there ? (REAL)centred(data, shift, pitch, band + i, first + pixel + x) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = y; i < 32; i += 8)
        matrix[(pixel + i) * rows + band + x] = tile[x][i];
}

__kernel void pca_centred_add(__global const REAL *restrict products, int row, int count, int bands, int first,
                              __global double *restrict gram)
{
    int    j = get_global_id(0), i = get_global_id(1);
    long   product = (long)row * row, at = (long)i * row + j;
    double total;

    if (j > i || i >= bands)
        return;
    total = first ? 0 : gram[(long)i * bands + j];
    for (int p = 0; p < count; p++)
        total += products[p * product + at];
    gram[(long)i * bands + j] = total;
    gram[(long)j * bands + i] = total;
}
