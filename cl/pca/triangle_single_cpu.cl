/*
 * As triangle_cpu.cl, without double precision. The work-item's block of pixels goes to its scratch as panels of LANES
 * bands, panel[pixel][LANES]; products of ROWS bands with a strip of LANES columns stay in registers for all of them and
 * are then added to partial[piece][strip][row][LANES]. A number of partial has eight bytes: an integer, or a pair of
 * floats, all high parts of a row before the low ones. Sums of bands lie likewise.
 *
 * Defines: PIXEL (TYPE is another name of it), KIND (centre.clh), and one of
 *
 *   INTEGERS   pixels of 8 and 16 bits as LANEs: int with LONG_PRODUCTS, or, of 8 bits, float, which is exact in a block
 *   SINGLES    pixels less the shift as floats (LANE), sums of a block in float
 *   PAIRED     the same in pairs of floats
 */
#define TYPE PIXEL
#include "pca/centre.clh"
#include "pca/transpose_cpu.clh"

#define BLOCK    256 /* pixels; 255^2 BLOCK < 2^24. As in src/pca/triangle_cpu.c */
#define ADD_ROWS 8   /* as in src/pca/triangle_cpu.c */

#if REGISTER == 64
#define ROWS 8
#else
#define ROWS 4
#endif

#define RUN 64 /* pixels whose products are added one after the other in float, or in a pair that is not rounded */

typedef LANE lane_t;
typedef VECTOR(long) longs;

#ifdef INTEGERS
typedef long total_t; /* a number of partial */
#define ADD_TOTALS(a, b) ((a) + (b))
#else
typedef pair total_t;
#define ADD_TOTALS(a, b) pair_sum(a, b)
#endif

#ifdef PAIRED
#define PLANES 2 /* of the scratch: high and low parts */
#else
#define PLANES 1
#endif

/* ---- numbers of partial ---- */

#ifdef INTEGERS

/* The LANES numbers of a row grow by more. */
static inline void add_to(__global long *row, longs more)
{
    STORE(LOAD(row) + more, row);
}

static inline long total_at(__global const long *row, int lane)
{
    return row[lane];
}

static inline ulong double_of(long total, int exponent)
{
    return double_of_fixed(fixed_of_long(total));
}

#else

static inline void add_to(__global long *row, reals sum, reals rest)
{
    __global float *high = (__global float *)row, *low = high + LANES;
    reals old = LOAD(high), new = old + sum, taken = new - old, all;

    rest += LOAD(low) + ((old - (new - taken)) + (sum - taken));
    all = new + rest;
    STORE(all, high);
    STORE(rest - (all - new), low);
}

static inline pair total_at(__global const long *row, int lane)
{
    __global const float *high = (__global const float *)row;

    return (pair)(high[lane], high[LANES + lane]);
}

static inline ulong double_of(pair total, int exponent)
{
    return double_of_fixed(fixed_of_pair(total, exponent));
}

#endif

/* ---- panels ---- */

#ifdef INTEGERS

static inline void fill_panel(__global const PIXEL *data, long pitch, int bands, int first, __global const ulong *shift,
                              __global const int *exponents, __global lane_t *panel, __global lane_t *low,
                              __global long *sums)
{
    lanes_t sum = 0, there = 0;

    for (int b = 0; b < LANES; b++)
        ((lane_t *)&there)[b] = first + b < bands;
    for (int p = 0; p < BLOCK; p += LANES) {
        lanes_t v[LANES];

#pragma unroll
        for (int b = 0; b < LANES; b++)
            v[b] = TO(LANE)(LOAD(data + min(first + b, bands - 1) * pitch + p));
        transpose(v);
#pragma unroll
        for (int k = 0; k < LANES; k++) {
            v[k] *= there;
            STORE(v[k], panel + (p + k) * LANES);
            sum += v[k];
        }
    }
    add_to(sums + first, TO(long)(sum));
}

#else

/* Bands first .. first + LANES - 1 of a block's pixels: into a panel, their low parts into another one, and their sums. */
static inline void fill_panel(__global const PIXEL *data, long pitch, int bands, int first, __global const ulong *shift,
                              __global const int *exponents, __global lane_t *panel, __global lane_t *low,
                              __global long *sums)
{
    reals sum = 0, rest = 0, there = 0;

    for (int b = 0; b < LANES; b++)
        ((float *)&there)[b] = first + b < bands;
    for (int p = 0; p < BLOCK; p += LANES) {
        reals v[LANES], w[LANES];

        for (int b = 0; b < LANES; b++) {
            int band = min(first + b, bands - 1);
            centre_t centre = centre_of(shift[band], scale_of(exponents[band]));

            for (int k = 0; k < LANES; k++) {
                pair d = centred(data[band * pitch + p + k], centre);

                ((float *)&v[b])[k] = d.x;
                ((float *)&w[b])[k] = d.y;
            }
        }
        transpose(v);
#ifdef PAIRED
        transpose(w);
#endif
        for (int k = 0; k < LANES; k++) {
            v[k] *= there;
            STORE(v[k], panel + (p + k) * LANES);
#ifdef PAIRED
            w[k] *= there;
            STORE(w[k], low + (p + k) * LANES);
            rest += w[k];
#endif
            ADD_PRODUCT(reals, sum, rest, v[k], (reals)1);
        }
    }
    add_to(sums + first, sum, rest);
}

#endif

/* ---- products ---- */

/* to[ROWS][LANES] += rows' * columns over a block; rows: ROWS bands of a panel. low: from a number to its low part. */
#if defined(LONG_PRODUCTS)

static inline void add_tile(__global const lane_t *rows, __global const lane_t *columns, long low, __global long *to)
{
    longs sum[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        sum[r] = 0;
    for (int p = 0; p < BLOCK * LANES; p += LANES) {
        longs column = TO(long)(LOAD(columns + p));

#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sum[r] += (longs)(long)rows[p + r] * column;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        add_to(to + r * LANES, sum[r]);
}

#elif !defined(PAIRED)

static inline void add_tile(__global const lane_t *rows, __global const lane_t *columns, long low, __global long *to)
{
    reals total[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        total[r] = 0;
    for (int from = 0; from < BLOCK * LANES; from += RUN * LANES) {
        reals sum[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sum[r] = 0;
        for (int p = from; p < from + RUN * LANES; p += LANES) {
            reals column = LOAD(columns + p);

#pragma unroll
            for (int r = 0; r < ROWS; r++)
                sum[r] = fma((reals)rows[p + r], column, sum[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            total[r] += sum[r];
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#ifdef INTEGERS
        add_to(to + r * LANES, TO(long)(total[r]));
#else
        add_to(to + r * LANES, total[r], (reals)0);
#endif
}

#else

static inline void add_tile(__global const lane_t *rows, __global const lane_t *columns, long low, __global long *to)
{
    for (int from = 0; from < BLOCK * LANES; from += RUN * LANES) {
        reals sum[ROWS], rest[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            sum[r] = 0;
            rest[r] = 0;
        }
        for (int p = from; p < from + RUN * LANES; p += LANES) {
            reals column = LOAD(columns + p), column_low = LOAD(columns + low + p);

#pragma unroll
            for (int r = 0; r < ROWS; r++)
                ADD_PAIRS(reals, sum[r], rest[r], (reals)rows[p + r], (reals)rows[low + p + r], column, column_low);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            add_to(to + r * LANES, sum[r], rest[r]);
    }
}

#endif

__kernel void pca_triangle_cpu(__global const PIXEL *restrict data, long pitch, int bands,
                               __global const ulong *restrict shift, __global const int *restrict exponents, int blocks,
                               int pieces, int parts, __global lane_t *restrict scratch, __global long *restrict partial,
                               __global long *restrict partial_sums)
{
    int item = get_global_id(0), piece = item / parts, part = item % parts;
    int padded = (bands + 15) / 16 * 16;
    long low = (long)padded * BLOCK;
    __global lane_t *panels = scratch + item * PLANES * low;
    __global long *gram = partial + (long)piece * padded * padded;
    __global long *sums = partial_sums + (long)item * padded;

    for (int i = 0; i < padded; i++)
        sums[i] = 0;
    for (int column = part * LANES; column < padded; column += parts * LANES)
        for (int i = 0; i < padded * LANES; i++)
            gram[(long)column * padded + i] = 0;
    for (int block = (long)blocks * piece / pieces; block < (long)blocks * (piece + 1) / pieces; block++) {
        for (int band = 0; band < padded; band += LANES)
            fill_panel(data + (long)block * BLOCK, pitch, bands, band, shift, exponents, panels + band * BLOCK,
                       panels + (PLANES - 1) * low + band * BLOCK, sums);
        for (int column = part * LANES; column < padded; column += parts * LANES)
            for (int row = column / ROWS * ROWS; row < padded; row += ROWS)
                add_tile(panels + (row / LANES * BLOCK * LANES + row % LANES), panels + column * BLOCK, low,
                         gram + (long)column * padded + row * LANES);
    }
}

/* One work-item per ADD_ROWS rows, so that the mirrored numbers lie together. */
__kernel void pca_triangle_cpu_add(__global const long *restrict partial, __global const long *restrict partial_sums,
                                   __global const int *restrict exponents, int bands, int pieces, int parts,
                                   __global ulong *restrict gram, __global ulong *restrict sums)
{
    int first = get_global_id(0) * ADD_ROWS, end = min(first + ADD_ROWS, bands), padded = (bands + 15) / 16 * 16;

    for (int j = 0; j < end; j++)
        for (int i = max(first, j); i < end; i++) {
            total_t sum = 0;
            int exponent = scale_of(exponents[i]) + scale_of(exponents[j]);

            for (int piece = 0; piece < pieces; piece++)
                sum = ADD_TOTALS(sum, total_at(partial + (long)piece * padded * padded + (long)(j - j % LANES) * padded +
                                                   i * LANES, j % LANES));
            gram[(long)i * bands + j] = gram[(long)j * bands + i] = double_of(sum, exponent);
        }
    for (int i = first; i < end; i++) {
        total_t sum = 0;

        for (int piece = 0; piece < pieces; piece++)
            sum = ADD_TOTALS(sum, total_at(partial_sums + (long)piece * parts * padded + i - i % LANES, i % LANES));
        sums[i] = double_of(sum, scale_of(exponents[i]));
    }
}
