/*
 * Spectra of pixels on CPU devices: 2 LANES pixels of a row at a time, two real traces per complex transform
 * (fft_lanes.clh, REAL float), scaled by 1 / sqrt(M).
 *
 * spectrum[row][k][re, im][LANES + width rounded up to LANES + LANES], k = 0 .. M / 2: pixels are adjacent, with zeros
 * before and after a row, so that neighbours of LANES pixels are a vector as well. order[k]: positions of k and of M -
 * k. A work-item is a worker with scratch memory; workers take blocks from *counter, which is 0 before a launch.
 */
#include "optmap/shift.clh"
#include "optmap/shift_lanes.clh"

/* Loads traces with pixels as lanes: line[2 t + bank] is sample t of bank 0 or 1 of LANES pixels, zeros after the last
 * one. */
FFT_INLINE void traces_into_lanes(__global const float *x, int pitch, int frames, int pixels, lanes_out line)
{
    int t = 0;

    for (; t < frames; t += LANES)
        for (int bank = 0; bank < 2; bank++) {
            REALS v[LANES];

#pragma unroll
            for (int i = 0; i < LANES; i++) {
                const int pixel = bank * LANES + i;

                v[i] = pixel < pixels ? vload16(0, x + (long)pixel * pitch + t) : (REALS)(0);
            }
            transpose_lanes(v);
#pragma unroll
            for (int k = 0; k < LANES; k++)
                line[2 * (t + k) + bank] = v[k];
        }
    for (; t < LENGTH; t++)
        line[2 * t] = line[2 * t + 1] = (REALS)(0);
}

/* From Z = A + i B: 2A(k) = Z(k) + conj Z(-k), 2B(k) = -i (Z(k) - conj Z(-k)). out: k = 0 of bank 0. Adds up the
 * margins of both banks. */
FFT_INLINE void separate(lanes_in line, __global const int2 *order, __global const float *margin, __global float *out,
                         int row, bool second, REALS *bend)
{
    const float scale = 0.5f / sqrt((float)LENGTH);

    bend[0] = bend[1] = (REALS)(0);
    for (int k = 0; k < BINS; k++, out += 2 * row) {
        lanes_in z = line + 2 * order[k].x, m = line + 2 * order[k].y;
        const REALS a = scale * (z[0] + m[0]), b = scale * (z[1] - m[1]);
        const REALS c = scale * (z[1] + m[1]), d = scale * (m[0] - z[0]);

        vstore16(a, 0, out);
        vstore16(b, 0, out + row);
        bend[0] += margin[k] * (a * a + b * b);
        if (second) {
            vstore16(c, 0, out + LANES);
            vstore16(d, 0, out + LANES + row);
            bend[1] += margin[k] * (c * c + d * d);
        }
    }
}

/* The padding of a row of pixels, its first and last vectors. */
FFT_INLINE void clear_padding(__global float *out, int row)
{
    for (int k = 0; k < 2 * BINS; k++, out += row) {
        vstore16((REALS)(0), 0, out);
        vstore16((REALS)(0), 0, out + row - LANES);
    }
}

WORKER void optmap_shift_spectra(__global const float *restrict x, __global const float2 *restrict w,
                                 __global const int2 *restrict order, __global const float *restrict margin,
                                 __global const geometry *restrict g, __global float *restrict spectrum,
                                 __global float4 *restrict bounds, __global float16 *restrict scratch, int slice,
                                 __global int *counter)
{
    const int width = g->width, wide = (width + LANES - 1) / LANES, row = (wide + 2) * LANES;
    const int across = (wide + 1) / 2;
    lanes_out tile = scratch + (long)get_global_id(0) * slice, line = tile + TILE;

    for (int block = atomic_inc(counter); block < across * g->rows; block = atomic_inc(counter)) {
        const int y = block / across, x0 = block % across * 2 * LANES, pixels = min(width - x0, 2 * LANES);
        const long pixel = (long)y * width + x0;
        REALS bend[2];

        if (x0 == 0)
            clear_padding(spectrum + (long)y * BINS * 2 * row, row);
        traces_into_lanes(x + pixel * (g->pitch + 2 * PAD) + PAD, g->pitch + 2 * PAD, g->frames, pixels, line);
        forward_line(tile, line, w);
        separate(line, order, margin, spectrum + (long)y * BINS * 2 * row + LANES + x0, row, pixels > LANES, bend);
        for (int i = 0; i < pixels; i++)
            bounds[pixel + i].w = ((float *)bend)[i];
    }
}
