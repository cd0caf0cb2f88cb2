/*
 * Covariance on CPU devices: gram = sum over pixels of (x_i - shift_i) (x_j - shift_j), its lower triangle.
 *
 * pca_triangle_cpu: work-item `item` has piece item / parts of the pixels, and of their products every parts'th strip
 * of columns, from item % parts on. It takes BLOCK pixels at a time: all bands of them go to its scratch as panels of
 * LANES bands, panel[pixel][LANES], converted, less the shift. Tiles of ROWS x STRIP products then stay in registers
 * for all of the block's pixels; their sums are added to sums in double, partial[piece][strip][row][STRIP], where
 * a strip's tiles follow one another. Sums of reals run over BLOCK pixels at most, so that those of 8-bit integers are
 * exact in float. Bands bands .. padded - 1 are zeros. No barriers.
 *
 * pca_triangle_cpu_add: adds the sums of the pieces in order, for both triangles.
 *
 * Defines: those of vectors_cpu.clh; SHIFTED: there is a shift.
 */
#include "pca/transpose_cpu.clh"

#define BLOCK    256 /* pixels; 255^2 BLOCK < 2^24. As in src/pca/triangle_cpu.c */
#define ADD_ROWS 8   /* as in src/pca/triangle_cpu.c */

/* Registers: 2 ROWS sums, two columns, one row. */
#if REGISTER == 64
#define ROWS 8
#else
#define ROWS 4
#endif
#define STRIP (2 * LANES) /* columns */

/* Doubles of a piece; the last strip may be half a strip. */
#define AREA(padded) ((long)(padded) * ((padded) + 16))

/* Pixels whose products are added one after the other; short, where sums round. */
#if defined(REAL_DOUBLE) || !defined(SHIFTED)
#define RUN BLOCK
#else
#define RUN 64
#endif

/* ---- panels ---- */

/* LANES pixels of band i, less its shift where they do not fit into reals without. */
static inline reals pixels_of(__global const PIXEL *data, double shift)
{
#if defined(SHIFTED) && !defined(EXACT_IN_REAL)
    return TO(REAL)(TO(double)(LOAD(data)) - shift);
#else
    return TO(REAL)(LOAD(data));
#endif
}

/* Bands first .. first + LANES - 1 of a block's pixels: into a panel, and their sums. Bands that are not there: 0. */
static inline void fill_panel(__global const PIXEL *data, long pitch, int bands, int first,
                              __global const double *shift, __global real *panel, __global double *sums)
{
    reals sum = 0, shifts = 0, there = 0;

    for (int b = 0; b < LANES; b++) {
        ((real *)&shifts)[b] = shift[min(first + b, bands - 1)];
        ((real *)&there)[b] = first + b < bands;
    }
    for (int p = 0; p < BLOCK; p += LANES) {
        reals v[LANES];

#pragma unroll
        for (int b = 0; b < LANES; b++) {
            int band = min(first + b, bands - 1);

            v[b] = pixels_of(data + band * pitch + p, shift[band]);
        }
        transpose(v);
#pragma unroll
        for (int k = 0; k < LANES; k++) {
#if defined(SHIFTED) && defined(EXACT_IN_REAL)
            v[k] -= shifts;
#endif
            v[k] *= there;
            STORE(v[k], panel + (p + k) * LANES);
            sum += v[k];
        }
    }
    STORE(LOAD(sums + first) + TO(double)(sum), sums + first);
}

/* ---- products ---- */

/*
 * sums[ROWS][panels LANES] += rows' * columns over a block, for 1 panel of columns and for 2; rows: ROWS bands of a
 * panel. Two functions, since a bound that varies keeps the sums out of registers.
 */
static inline void add_to(__global double *sums, reals more)
{
    STORE(LOAD(sums) + TO(double)(more), sums);
}

static inline void add_narrow(__global const real *rows, __global const real *columns, __global double *sums)
{
    reals total[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        total[r] = 0;
    for (int from = 0; from < BLOCK * LANES; from += RUN * LANES) {
        reals tile[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++)
            tile[r] = 0;
        for (int p = from; p < from + RUN * LANES; p += LANES) {
            reals column = LOAD(columns + p);

#pragma unroll
            for (int r = 0; r < ROWS; r++)
                tile[r] = fma((reals)rows[p + r], column, tile[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            total[r] += tile[r];
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        add_to(sums + r * STRIP, total[r]);
}

static inline void add_wide(__global const real *rows, __global const real *columns, __global double *sums)
{
    reals totals[ROWS][2];

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        totals[r][0] = totals[r][1] = 0;
    for (int from = 0; from < BLOCK * LANES; from += RUN * LANES) {
        reals left[ROWS], right[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++)
            left[r] = right[r] = 0;
        for (int p = from; p < from + RUN * LANES; p += LANES) {
            reals first = LOAD(columns + p), second = LOAD(columns + BLOCK * LANES + p);

#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                left[r] = fma((reals)rows[p + r], first, left[r]);
                right[r] = fma((reals)rows[p + r], second, right[r]);
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            totals[r][0] += left[r];
            totals[r][1] += right[r];
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        add_to(sums + r * STRIP, totals[r][0]);
        add_to(sums + r * STRIP + LANES, totals[r][1]);
    }
}

/* All rows from the diagonal down of the strip of columns from `column` on; sums: the strip's. */
static inline void add_strip(__global const real *panels, int padded, int column, __global double *sums)
{
    for (int row = column / ROWS * ROWS; row < padded; row += ROWS) {
        __global const real *rows = panels + (row / LANES * BLOCK * LANES + row % LANES);
        __global double *to = sums + row * STRIP;

        if (row + ROWS > column + LANES && column + LANES < padded)
            add_wide(rows, panels + column * BLOCK, to);
        else
            add_narrow(rows, panels + column * BLOCK, to);
    }
}

__kernel void pca_triangle_cpu(__global const PIXEL *restrict data, long pitch, int bands,
                               __global const double *restrict shift, int blocks, int pieces, int parts,
                               __global real *restrict scratch, __global double *restrict partial,
                               __global double *restrict partial_sums)
{
    int item = get_global_id(0), piece = item / parts, part = item % parts;
    int padded = (bands + 15) / 16 * 16;
    __global real *panels = scratch + (long)item * padded * BLOCK;
    __global double *gram = partial + (long)piece * AREA(padded);
    __global double *sums = partial_sums + (long)item * padded;

    for (int i = 0; i < padded; i++)
        sums[i] = 0;
    for (int column = part * STRIP; column < padded; column += parts * STRIP)
        for (int row = column / ROWS * ROWS; row < padded; row++)
            for (int j = 0; j < STRIP; j++)
                gram[(long)column * padded + row * STRIP + j] = 0;
    for (int block = (long)blocks * piece / pieces; block < (long)blocks * (piece + 1) / pieces; block++) {
        for (int band = 0; band < padded; band += LANES)
            fill_panel(data + (long)block * BLOCK, pitch, bands, band, shift, panels + band * BLOCK, sums);
        for (int column = part * STRIP; column < padded; column += parts * STRIP)
            add_strip(panels, padded, column, gram + (long)column * padded);
    }
}

/* One work-item per ADD_ROWS rows, so that the mirrored numbers lie together. */
__kernel void pca_triangle_cpu_add(__global const double *restrict partial,
                                   __global const double *restrict partial_sums, int bands, int pieces, int parts,
                                   __global double *restrict gram, __global double *restrict sums)
{
    int first = get_global_id(0) * ADD_ROWS, end = min(first + ADD_ROWS, bands), padded = (bands + 15) / 16 * 16;

    for (int j = 0; j < end; j++)
        for (int i = max(first, j); i < end; i++) {
            double sum = 0;

            for (int piece = 0; piece < pieces; piece++)
                sum += partial[piece * AREA(padded) + (long)(j - j % STRIP) * padded + i * STRIP + j % STRIP];
            gram[(long)i * bands + j] = sum;
            gram[(long)j * bands + i] = sum;
        }
    for (int i = first; i < end; i++) {
        sums[i] = 0;
        for (int piece = 0; piece < pieces; piece++)
            sums[i] += partial_sums[(long)piece * parts * padded + i];
    }
}
