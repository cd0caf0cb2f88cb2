/*
 * Correlation through the FFT, the form for CPUs: N(X,Y) = sum_xy I(x,y) J(x+X,y+Y), |X| <= R, from
 * N = F^-1( conj(F I) F J ) with the images padded by zeros to NX x NY, NX >= width + R, NY >= height + R.
 *
 * Transforms run LANES at a time in vectors (fft_lanes.clh), and only those that the answer needs:
 *   rows      2 LANES image rows, two real rows a complex transform, none of the padding's; writes half the spectrum;
 *   columns   LANES columns: forward, product and inverse in one go, with one trip through memory. The product of an
 *             autocorrelation is real, so that two groups of columns share one inverse transform. Of the result only
 *             the rows of the answer are written;
 *   results   2 LANES rows of the answer, two real rows a complex transform, scaled and rounded.
 *
 * A work-item is a worker with its own slice of scratch memory, as many as the device has compute units; they draw
 * blocks of work from counters[counter], which must be zero before a launch. Local size 1. Which worker does a block
 * does not change its result.
 *
 * Build-time: PIXEL (uchar, ushort, float, double); REAL, LANES; the radices XA..XF of NX and YA..YF of NY (F not 1);
 * PENTA_CROSS: I and J differ and Y is in [-R,R], else I = J and Y in [0,R]; PENTA_SPLIT (integers): the pixel is
 * high * (I >> 8) + low * (I & 255); PENTA_EXACT: the answer is a sum of integers and is rounded to long.
 *
 * Memory: spectrum[frame][group][height], product[frame][group][rows], a group being LANES neighbouring columns as real
 * and imaginary vectors; answer[frame][rows][2R+1], rows = R+1 or 2R+1. Twiddles as in fft_lanes.clh; order[k] gives
 * the places of column k and of its mirror image NX - k in digit-reversed order, for k < GROUPS * LANES (modulo NX).
 */
#ifdef PENTA_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT ON
#include "common/fft_lanes.clh"
#include "common/prefetch.clh"

#define X2     (XD * XE * XF)
#define Y2     (YD * YE * YF)
#define NX     (XA * XB * XC * X2)
#define NY     (YA * YB * YC * Y2)
#define X_B(w) ((w) + FFT_TABLE_B(NX, XA))
#define X_C(w) ((w) + FFT_TABLE_C(NX, XA, XB))
#define X_D(w) ((w) + FFT_TABLE_D(NX, XA, XB, XC))
#define X_E(w) ((w) + FFT_TABLE_E(NX, XA, XB, XC, XD))
#define Y_B(w) ((w) + FFT_TABLE_B(NY, YA))
#define Y_C(w) ((w) + FFT_TABLE_C(NY, YA, YB))
#define Y_D(w) ((w) + FFT_TABLE_D(NY, YA, YB, YC))
#define Y_E(w) ((w) + FFT_TABLE_E(NY, YA, YB, YC, YD))

#define GROUPS ((NX / 2 + LANES) / LANES)
#define X_TILE (2 * XA * XB * XC)
#define Y_TILE (2 * YA * YB * YC)

#define PIXELS VECTOR(PIXEL)

#ifdef PENTA_EXACT
#define ANSWER long
#elif defined(PENTA_FP64)
#define ANSWER double
#else
#define ANSWER float
#endif
#define ANSWERS VECTOR(ANSWER)

#define WORKER     __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
#define NEXT_BLOCK atomic_inc(counters + counter)

/* ---- rows ---- */

FFT_DEFINE_TRANSPOSE(transpose_pixels, PIXELS)

/* The `left` < LANES last pixels of a row, and zeros. */
FFT_INLINE PIXELS row_end(__global const PIXEL *in, int left)
{
    PIXEL few[LANES];

    for (int k = 0; k < LANES; k++)
        few[k] = k < left ? in[k] : (PIXEL)0;
    return LOAD(few);
}

/* v[r] is a piece of row r; pixels[2k] becomes column k of the rows. */
FFT_INLINE void write_lanes(PIXELS *v, __global PIXELS *pixels, int high, int low)
{
    transpose_pixels(v);
#pragma unroll
    for (int k = 0; k < LANES; k++) {
#ifdef PENTA_SPLIT
        v[k] = (v[k] >> (PIXELS)(8)) * (PIXEL)high + (v[k] & (PIXELS)(255)) * (PIXEL)low;
#endif
        pixels[2 * k] = v[k];
    }
}

/* pixels[2x] holds column x of the first LANES rows, pixels[2x + 1] of the next; zero beyond the image. */
FFT_INLINE void rows_into_lanes(__global const PIXEL *in, __global PIXELS *pixels, int width, int rows, int high,
                                int low)
{
    PIXELS v[LANES];
    int x = 0;

    for (; x < width; x += LANES)
        for (int bank = 0; bank < 2; bank++) {
            if (x + LANES <= width) {
#pragma unroll
                for (int r = 0; r < LANES; r++) {
                    const int y = bank * LANES + r;

                    v[r] = y < rows ? LOAD(in + (long)y * width + x) : (PIXELS)(0);
                }
            } else {
                for (int r = 0; r < LANES; r++) {
                    const int y = bank * LANES + r;

                    v[r] = y < rows ? row_end(in + (long)y * width + x, width - x) : (PIXELS)(0);
                }
            }
            write_lanes(v, pixels + 2 * x + bank, high, low);
        }
    for (; x < NX; x++)
        pixels[2 * x] = pixels[2 * x + 1] = (PIXELS)(0);
}

typedef struct {
    __global const PIXELS *at;
    int step;
} pixels_strided;

FFT_INLINE complexes load_pixels(pixels_strided from, int e)
{
    __global const PIXELS *v = from.at + 2 * e * from.step;

    return (complexes){TO(REAL)(v[0]), TO(REAL)(v[1])};
}
FFT_DEFINE_DIF(dif_pixels, pixels_strided, load_pixels)

FFT_INLINE void forward_rows(__global const PIXELS *pixels, lanes_out tile, lanes_out line, twiddles w)
{
    for (int j = 0; j < X2; j++) {
        const pixels_strided in = {pixels + 2 * j, X2};
        lanes_out out = line + 2 * j;

        dif_pixels(XA, 1, XB * XC, in, XB > 1 ? tile : out, XB > 1 ? 1 : X2, w + j * (XA - 1), X2 * (XA - 1), false);
        dif_strided(XA, XB, XC, X2, tile, out, j, X_B(w), X_C(w));
    }
    for (int t = 0; t < NX; t += X2) {
        lanes_out at = line + 2 * t;

        dif_contiguous(XD, XE, XF, at, X_D(w), X_E(w));
        dif_stage(XF, XD * XE, 1, FFT_TILE(at), at, 1, w, 0, true);
    }
}

/* Lanes are rows, v[k] is column k of them; becomes row after row, as far as there are. */
FFT_INLINE void write_rows(REALS *v, lanes_out out, int rows)
{
    transpose_lanes(v);
#pragma unroll
    for (int r = 0; r < LANES; r++)
        if (r < rows)
            out[2 * r] = v[r];
}

/* Twice the spectra A, B of the rows from Z = A + i B: 2A(k) = Z(k) + conj Z(-k), 2B(k) = -i (Z(k) - conj Z(-k)).
 * out is the first row in group 0. */
FFT_INLINE void separate_rows(lanes_in line, __global const int2 *order, lanes_out out, int height, int rows)
{
    for (int g = 0; g < GROUPS; g++, out += 2 * (long)height) {
        lanes_out second = out + 2 * LANES;

#pragma unroll 1
        for (int part = 0; part < 2; part++) { /* real, imaginary */
            REALS sum[LANES], difference[LANES];

#pragma unroll
            for (int k = 0; k < LANES; k++) {
                const int2 at = part ? order[g * LANES + k].yx : order[g * LANES + k];

                sum[k] = line[2 * at.x + part] + line[2 * at.y + part];
                difference[k] = line[2 * at.y + part] - line[2 * at.x + part];
            }
            write_rows(sum, part ? second : out, part ? rows - LANES : rows);
            write_rows(difference, (part ? out : second) + 1, part ? rows : rows - LANES);
        }
    }
}

/* A block is 2 LANES rows of a frame. image + first is the first frame. */
WORKER void autocorr_cpu_rows(__global const PIXEL *restrict image, long first, __global const REAL2 *restrict w,
                              __global const int2 *restrict order, __global REALS *restrict spectrum,
                              __global REALS *restrict scratch, __global int *counters, int counter, int slice,
                              int frames, int width, int height, int high, int low)
{
    const int blocks = (height + 2 * LANES - 1) / (2 * LANES);
    lanes_out tile = scratch + (long)get_global_id(0) * slice;
    lanes_out line = tile + X_TILE;
    __global PIXELS *pixels = (__global PIXELS *)(line + 2 * NX);

    for (int g = NEXT_BLOCK; g < frames * blocks; g = NEXT_BLOCK) {
        const int y = g % blocks * 2 * LANES, rows = min(height - y, 2 * LANES);
        const long frame = g / blocks;

        rows_into_lanes(image + first + (frame * height + y) * width, pixels, width, rows, high, low);
        forward_rows(pixels, tile, line, w);
        separate_rows(line, order, spectrum + 2 * (frame * GROUPS * height + y), height, rows);
    }
}

/* ---- columns ---- */

/* Column j, j + Y2, ...: its first `limit` elements exist; `zeros` stands for the others. */
typedef struct {
    lanes_in at, zeros;
    int limit;
} padded_column;

/* The stride defeats the hardware's prefetcher; neighbouring elements are wanted two tiles later. */
FFT_INLINE complexes load_padded(padded_column from, int e)
{
    lanes_in v = e < from.limit ? from.at + 2 * e * Y2 : from.zeros;

    PREFETCH(v + 4);
    PREFETCH(v + 5);
    return c_load(v);
}
FFT_DEFINE_DIF(dif_column, padded_column, load_padded)

/* The strided pass; the contiguous one is part of multiply. */
FFT_INLINE void forward_column(lanes_in in, lanes_in zeros, lanes_out tile, lanes_out column, twiddles w, int height)
{
    for (int j = 0; j < Y2; j++) {
        const padded_column from = {in + 2 * j, zeros, (height - j + Y2 - 1) / Y2};
        lanes_out out = column + 2 * j;

        dif_column(YA, 1, YB * YC, from, YB > 1 ? tile : out, YB > 1 ? 1 : Y2, w + j * (YA - 1), Y2 * (YA - 1), false);
        dif_strided(YA, YB, YC, Y2, tile, out, j, Y_B(w), Y_C(w));
    }
}

FFT_INLINE void load_last_stage(lanes_in from, complexes *z)
{
#pragma unroll
    for (int q = 0; q < YF; q++)
        z[q] = c_load(from + 2 * q);
    dft(YF, z);
}

/* Last stage forward, product, first stage back, for YF neighbours of a and b. The product comes with real and
 * imaginary part exchanged: conj(a) b, or |a|^2 + i |b|^2 of two column groups. It replaces a. */
FFT_INLINE void multiply(lanes_out a, lanes_in b, const bool has_b)
{
    complexes z[YF], p[YF];

    load_last_stage(a, p);
#ifdef PENTA_CROSS
    load_last_stage(b, z);
#pragma unroll
    for (int q = 0; q < YF; q++) {
        const REALS re = p[q].re * z[q].re + p[q].im * z[q].im;

        z[q].re = p[q].re * z[q].im - p[q].im * z[q].re;
        z[q].im = re;
    }
#else
#pragma unroll
    for (int q = 0; q < YF; q++)
        p[q].im = p[q].re * p[q].re + p[q].im * p[q].im;
    if (has_b)
        load_last_stage(b, z);
#pragma unroll
    for (int q = 0; q < YF; q++) {
        z[q].re = has_b ? z[q].re * z[q].re + z[q].im * z[q].im : (REALS)(0);
        z[q].im = p[q].im;
    }
#endif
    dft(YF, z);
#pragma unroll
    for (int q = 0; q < YF; q++)
        c_store(a + 2 * q, z[q]);
}

FFT_INLINE void multiply_columns(lanes_out a, lanes_out b, twiddles w, const bool has_b)
{
    for (int t = 0; t < 2 * NY; t += 2 * Y2) {
#pragma unroll 1
        for (int both = 0; both <= has_b; both++)
            dif_contiguous(YD, YE, YF, (both ? b : a) + t, Y_D(w), Y_E(w));
        for (int e = 0; e < 2 * Y2; e += 2 * YF)
            multiply(a + t + e, b + t + e, has_b);
        dit_contiguous(YD, YE, YF, a + t, Y_D(w), Y_E(w));
    }
}

#ifdef PENTA_CROSS
#define COLUMN_BLOCKS GROUPS
#else
#define COLUMN_BLOCKS ((GROUPS + 1) / 2)
#endif

/* out row Y + R (two images) is Z(Y); or row Y of two groups from Z = G + i H, G and H spectra of real columns:
 * 2G(Y) = Z(Y) + conj Z(-Y), 2H(Y) = -i (Z(Y) - conj Z(-Y)). Z has its parts exchanged. */
FFT_INLINE void write_products(lanes_in z, lanes_out out, int max_offset, const bool has_b)
{
#ifdef PENTA_CROSS
    for (int y = -max_offset; y <= max_offset; y++, out += 2) {
        lanes_in at = z + 2 * (y < 0 ? y + NY : y);

        out[0] = at[1];
        out[1] = at[0];
    }
#else
    lanes_out other = out + 2 * (max_offset + 1);

    for (int y = 0; y <= max_offset; y++, out += 2, other += 2) {
        lanes_in at = z + 2 * y, mirror = z + 2 * (y ? NY - y : 0);

        out[0] = at[1] + mirror[1];
        out[1] = at[0] - mirror[0];
        if (has_b) {
            other[0] = at[0] + mirror[0];
            other[1] = mirror[1] - at[1];
        }
    }
#endif
}

/* A block is one group of columns of a and b, or two groups of a (b is not used; the last block may have but one). */
WORKER void autocorr_cpu_columns(__global const REALS *restrict spectrum_a, __global const REALS *restrict spectrum_b,
                                 __global const REAL2 *restrict w, __global REALS *restrict product,
                                 __global REALS *restrict scratch, __global int *counters, int counter, int slice,
                                 int frames, int height, int max_offset)
{
    lanes_out tile = scratch + (long)get_global_id(0) * slice;
    lanes_out zeros = tile + Y_TILE, a = zeros + 2, b = a + 2 * NY;

    zeros[0] = zeros[1] = (REALS)(0);
    for (int g = NEXT_BLOCK; g < frames * COLUMN_BLOCKS; g = NEXT_BLOCK) {
#ifdef PENTA_CROSS
        const long group = g;
        const bool has_b = true;
        lanes_in in_b = spectrum_b + 2 * group * height;
        const long rows = 2 * max_offset + 1;
#else
        const long group = (long)(g / COLUMN_BLOCKS) * GROUPS + 2 * (g % COLUMN_BLOCKS);
        const bool has_b = 2 * (g % COLUMN_BLOCKS) + 1 < GROUPS;
        lanes_in in_b = spectrum_a + 2 * (group + 1) * height;
        const long rows = max_offset + 1;
#endif
#pragma unroll 1
        for (int both = 0; both <= has_b; both++)
            forward_column(both ? in_b : spectrum_a + 2 * group * height, zeros, tile, both ? b : a, w, height);
        multiply_columns(a, b, w, has_b);
        for (int j = 0; j < Y2; j++)
            dit_strided(YA, YB, YC, Y2, tile, a + 2 * j, j, w, Y_B(w), Y_C(w));
        write_products(a, product + 2 * group * rows, max_offset, has_b);
    }
}

/* ---- results ---- */

/* v[r] = row r of in, the last row in place of rows beyond the end; then lanes are rows and v[k] is column k. */
FFT_INLINE void read_rows(lanes_in in, int from, int rows, REALS *v)
{
#pragma unroll
    for (int r = 0; r < LANES; r++)
        v[r] = in[2 * min(from + r, rows - 1)];
    transpose_lanes(v);
}

/* The spectrum of row + i row' from the half spectra A, B of real rows: Z(k) = A(k) + i B(k), Z(-k) = conj A(k) +
 * i conj B(k), in digit-reversed order with the parts exchanged. in is the first row in group 0. */
FFT_INLINE void join_rows(lanes_in in, __global const int2 *order, lanes_out line, int rows_all, int rows)
{
    for (int g = 0; g < GROUPS; g++, in += 2 * (long)rows_all) {
        const int columns = min(NX / 2 + 1 - g * LANES, LANES);

#pragma unroll 1
        for (int part = 0; part < 2; part++) { /* imaginary of Z, real */
            const REAL sign = part ? -1 : 1;
            REALS a[LANES], b[LANES];

            read_rows(in + part, 0, rows, a);
            read_rows(in + 1 - part, LANES, rows, b);
#pragma unroll
            for (int k = 0; k < LANES; k++)
                if (k < columns) {
                    const int2 at = part ? order[g * LANES + k].yx : order[g * LANES + k];

                    line[2 * at.y + 1 - part] = a[k] + b[k];
                    line[2 * at.x + 1 - part] = sign * (a[k] - b[k]);
                }
        }
    }
}

FFT_INLINE void inverse_rows(lanes_out tile, lanes_out line, twiddles w)
{
    for (int t = 0; t < NX; t += X2) {
        lanes_out at = line + 2 * t;

        dit_stage(XF, XD * XE, 1, FFT_TILE(at), at, 1, w, 0, true);
        dit_contiguous(XD, XE, XF, at, X_D(w), X_E(w));
    }
    for (int j = 0; j < X2; j++)
        dit_strided(XA, XB, XC, X2, tile, line + 2 * j, j, w, X_B(w), X_C(w));
}

/* out[k] = weight v[k], or adds it, for k < count. */
FFT_INLINE void write_answers(ANSWERS v, __global ANSWER *out, int count, long weight, int add)
{
    ANSWER few[LANES];

    v *= (ANSWER)weight;
    if (count >= LANES) {
        STORE(add ? v + LOAD(out) : v, out);
        return;
    }
    STORE(v, few);
    for (int k = 0; k < count; k++)
        out[k] = add ? few[k] + out[k] : few[k];
}

/* Rows from the lanes of line to out (column X = 0 of the first row). Returns the largest distance from an integer. */
FFT_INLINE REALS write_results(lanes_in line, __global ANSWER *out, int max_offset, int rows, REAL scale, long weight,
                               int add)
{
    REALS worst = (REALS)(0);

    for (int x = -max_offset; x <= max_offset; x += LANES)
        for (int bank = 0; bank < 2; bank++) {
            REALS v[LANES];

#pragma unroll
            for (int k = 0; k < LANES; k++) {
                const int at = x + k < 0 ? x + k + NX : min(x + k, NX - 1);

                v[k] = scale * line[2 * at + 1 - bank];
#ifdef PENTA_EXACT
                const REALS whole = rint(v[k]), distance = fabs(v[k] - whole);

                worst = fmax(worst, distance == distance ? distance : (REALS)(1)); /* fmax passes over NaN */
                v[k] = whole;
#endif
            }
            transpose_lanes(v);
            for (int r = 0; r < LANES && bank * LANES + r < rows; r++)
                write_answers(TO(ANSWER)(v[r]), out + (bank * LANES + r) * (2l * max_offset + 1) + x,
                              max_offset + 1 - x, weight, add);
        }
    return worst;
}

/* The largest distance over 1/8 is kept (float bits order as integers do). */
FFT_INLINE void keep_worst(REALS distances, __global int *worst)
{
    REAL parts[LANES], most = 0;

    STORE(distances, parts);
    for (int k = 0; k < LANES; k++)
        most = fmax(most, parts[k]);
    if (most > (REAL)0.125)
        atomic_max(worst, as_int((float)most));
}

/* A block is 2 LANES rows of a frame's answer; answer + first is the first frame. answer = or += weight * N.
 * scale: 1 / (8 NX NY), two images 1 / (4 NX NY): the passes before left out factors of 1/2. */
WORKER void autocorr_cpu_results(__global const REALS *restrict product, __global const REAL2 *restrict w,
                                 __global const int2 *restrict order, __global ANSWER *restrict answer, long first,
                                 __global int *worst, __global REALS *restrict scratch, __global int *counters,
                                 int counter, int slice, int frames, int max_offset, REAL scale, long weight, int add)
{
#ifdef PENTA_CROSS
    const int all = 2 * max_offset + 1;
#else
    const int all = max_offset + 1;
#endif
    const int blocks = (all + 2 * LANES - 1) / (2 * LANES);
    lanes_out tile = scratch + (long)get_global_id(0) * slice;
    lanes_out line = tile + X_TILE;
    REALS distances = (REALS)(0);

    for (int g = NEXT_BLOCK; g < frames * blocks; g = NEXT_BLOCK) {
        const int y = g % blocks * 2 * LANES, rows = min(all - y, 2 * LANES);
        const long frame = g / blocks;
        __global ANSWER *out = answer + first + (frame * all + y) * (2l * max_offset + 1) + max_offset;
        REALS d;

        join_rows(product + 2 * (frame * GROUPS * all + y), order, line, all, rows);
        inverse_rows(tile, line, w);
        d = write_results(line, out, max_offset, rows, scale, weight, add);
        distances = fmax(distances, d);
    }
    keep_worst(distances, worst);
}
