/*
 * 2-D transforms of real images, float, in place, for CPU devices; lengths with no prime factor over 7. Layout as in
 * src/math/fft.h. One program for all lengths: where transforms are few, compiling costs more than they do.
 *
 * A block is LANES columns, or 2 LANES rows, two of them as one complex row. It is read into lanes, transformed by
 * Stockham's algorithm, x to y and back, and written. Inverse: real and imaginary part are swapped before and after.
 *
 * Work-item i of n does blocks i, i + n, ...; its scratch: 4 `length` vectors. Local size 1. w[k] =
 * exp(-2 pi I k / length); radices: those of the stages, four bits each, the first lowest.
 */
#define REAL  float
#define LANES 16
#include "common/fft_lanes.clh"

enum { ROWS_FORWARD, COLUMNS_FORWARD, COLUMNS_INVERSE, ROWS_INVERSE }; /* as in src/math/fft_simd.c */

/* ---- rows ---- */

/* Number e of LANES rows, of which `rows` exist. */
FFT_INLINE float16 row_lanes(__global const float *row, long pitch, int rows, int e)
{
    float some[LANES];

    for (int r = 0; r < LANES; r++)
        some[r] = r < rows ? row[r * pitch + e] : 0;
    return vload16(0, some);
}

FFT_INLINE void put_row_lanes(float16 v, __global float *row, long pitch, int rows, int e)
{
    float some[LANES];

    vstore16(v, 0, some);
    for (int r = 0; r < LANES; r++)
        if (r < rows)
            row[r * pitch + e] = some[r];
}

FFT_INLINE void read_rows(__global const float *row, long pitch, int rows, int n, lanes_out x)
{
    for (int e = 0; e < n; e++) {
        x[2 * e] = row_lanes(row, pitch, rows, e);
        x[2 * e + 1] = row_lanes(row + LANES * pitch, pitch, rows - LANES, e);
    }
}

/* A(k) = (Z(k) + conj Z(-k)) / 2, B(k) = (Z(k) - conj Z(-k)) / 2i. */
FFT_INLINE void write_spectra(lanes_in x, __global float *row, long pitch, int rows, int n)
{
    __global float *other = row + LANES * pitch;

    for (int k = 0; k <= n / 2; k++) {
        const complexes z = c_load(x + 2 * k), mirror = c_load(x + 2 * (k ? n - k : 0));

        put_row_lanes(0.5f * (z.re + mirror.re), row, pitch, rows, 2 * k);
        put_row_lanes(0.5f * (z.im - mirror.im), row, pitch, rows, 2 * k + 1);
        put_row_lanes(0.5f * (z.im + mirror.im), other, pitch, rows - LANES, 2 * k);
        put_row_lanes(0.5f * (mirror.re - z.re), other, pitch, rows - LANES, 2 * k + 1);
    }
}

/* Z(k) = A(k) + i B(k), Z(-k) = conj A(k) + i conj B(k), swapped. */
FFT_INLINE void read_spectra(__global const float *row, long pitch, int rows, int n, lanes_out x)
{
    __global const float *other = row + LANES * pitch;

    for (int k = 0; k <= n / 2; k++) {
        const float16 a_re = row_lanes(row, pitch, rows, 2 * k), a_im = row_lanes(row, pitch, rows, 2 * k + 1);
        const float16 b_re = row_lanes(other, pitch, rows - LANES, 2 * k),
                      b_im = row_lanes(other, pitch, rows - LANES, 2 * k + 1);

        c_store(x + 2 * (k ? n - k : 0), (complexes){b_re - a_im, a_re + b_im});
        c_store(x + 2 * k, (complexes){a_im + b_re, a_re - b_im});
    }
}

FFT_INLINE void write_rows(lanes_in x, __global float *row, long pitch, int rows, int n)
{
    for (int e = 0; e < n; e++) {
        put_row_lanes(x[2 * e + 1], row, pitch, rows, e);
        put_row_lanes(x[2 * e], row + LANES * pitch, pitch, rows - LANES, e);
    }
}

/* ---- columns ---- */

FFT_INLINE void read_columns(__global const float *at, long pitch, int columns, int n, bool swapped, lanes_out x)
{
    for (int e = 0; e < n; e++, at += pitch) {
        float some[2 * LANES];
        float16 low, high;

        for (int k = 0; columns < LANES && k < 2 * LANES; k++)
            some[k] = k < 2 * columns ? at[k] : 0;
        low = columns < LANES ? vload16(0, some) : vload16(0, at);
        high = columns < LANES ? vload16(1, some) : vload16(1, at);
        x[2 * e + swapped] = (float16)(low.even, high.even);
        x[2 * e + !swapped] = (float16)(low.odd, high.odd);
    }
}

FFT_INLINE void write_columns(lanes_in x, __global float *at, long pitch, int columns, int n, bool swapped)
{
    for (int e = 0; e < n; e++, at += pitch) {
        const float16 re = x[2 * e + swapped], im = x[2 * e + !swapped];
        const float16 low = FFT_ZIP_LOW(float16, re, im), high = FFT_ZIP_HIGH(float16, re, im);
        float some[2 * LANES];

        if (columns >= LANES) {
            vstore16(low, 0, at);
            vstore16(high, 1, at);
            continue;
        }
        vstore16(low, 0, some);
        vstore16(high, 1, some);
        for (int k = 0; k < 2 * columns; k++)
            at[k] = some[k];
    }
}

/* ---- transforms ---- */

/* `stride` transforms of radix m numbers: y(q + stride (radix p + k)) = w^(p k) sum_j x(q + stride (p + m j))
 * exp(-2 pi I j k / radix). */
FFT_INLINE void stage(const int radix, lanes_in x, lanes_out y, int m, int stride, __global const float2 *w)
{
    for (int p = 0; p < m; p++)
        for (int q = 0; q < stride; q++) {
            lanes_in from = x + 2 * (q + stride * p);
            lanes_out to = y + 2 * (q + stride * radix * p);
            complexes z[7];

#pragma unroll
            for (int k = 0; k < radix; k++)
                z[k] = c_load(from + 2 * stride * m * k);
            dft(radix, z);
            c_store(to, z[0]);
#pragma unroll
            for (int k = 1; k < radix; k++)
                c_store(to + 2 * stride * k, c_mul(z[k], w[p * k * stride]));
        }
}

/* Returns where the spectrum is: x or y. */
FFT_INLINE lanes_out transform(lanes_out x, lanes_out y, int n, ulong radices, __global const float2 *w)
{
    for (int stride = 1; radices; radices >>= 4) {
        const int radix = radices & 15, m = n / radix / stride;
        lanes_out done = x;

        switch (radix) {
        case 2:
            stage(2, x, y, m, stride, w);
            break;
        case 3:
            stage(3, x, y, m, stride, w);
            break;
        case 4:
            stage(4, x, y, m, stride, w);
            break;
        case 5:
            stage(5, x, y, m, stride, w);
            break;
        case 7:
            stage(7, x, y, m, stride, w);
            break;
        }
        x = y;
        y = done;
        stride *= radix;
    }
    return x;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
penta_fft_lines(__global const float2 *restrict w, int what, ulong radices, int nx, int ny, int images,
                __global float16 *restrict scratch, __global float *restrict data)
{
    const bool rows = what == ROWS_FORWARD || what == ROWS_INVERSE, swapped = what == COLUMNS_INVERSE;
    const int n = rows ? nx : ny, each = rows ? 2 * LANES : LANES, lines = rows ? ny : nx / 2 + 1;
    const int blocks = (lines + each - 1) / each;
    const long pitch = 2 * (nx / 2 + 1);
    lanes_out x = scratch + 4 * (long)n * get_global_id(0), y = x + 2 * n;

    for (int g = get_global_id(0); g < images * blocks; g += get_global_size(0)) {
        const int first = g % blocks * each, left = lines - first;
        __global float *at = data + g / blocks * ny * pitch + (rows ? first * pitch : 2 * first);
        lanes_out z;

        if (what == ROWS_FORWARD)
            read_rows(at, pitch, left, n, x);
        else if (what == ROWS_INVERSE)
            read_spectra(at, pitch, left, n, x);
        else
            read_columns(at, pitch, left, n, swapped, x);
        z = transform(x, y, n, radices, w);
        if (what == ROWS_FORWARD)
            write_spectra(z, at, pitch, left, n);
        else if (what == ROWS_INVERSE)
            write_rows(z, at, pitch, left, n);
        else
            write_columns(z, at, pitch, left, n, swapped);
    }
}
