/*
 * Sums over the lines of an image, as src/autocorr/frame.c makes them on the host: the same order, the same bits. One
 * work-item per line; rows[line][5] = pixels that count, sum, sum of squares, NaN among them, infinities. Sums of
 * integers are exact.
 */
#pragma OPENCL FP_CONTRACT OFF
#include "common/types.clh"

#define FIELDS 5

__kernel void autocorr_moments(__global const pixel_t *image, __global const uchar *mask, int masked, int width,
                               int height, __global double *rows)
{
    int y = get_global_id(0);
    double n = 0, sum = 0, square = 0, no_numbers = 0, infinite = 0;

    if (y >= height)
        return;
    image += (long)y * width;
    mask += masked ? (long)y * width : 0;
    for (int x = 0; x < width; x++) {
        double v = (double)image[x];

        if (masked && !mask[x])
            continue;
        n += 1;
        sum += v;
        square += fma(v, v, 0.0); /* the product rounded: Intel's runtime for CPUs contracts v * v all the same */
        no_numbers += isnan(v) ? 1 : 0;
        infinite += isinf(v) ? 1 : 0;
    }
    rows += (long)y * FIELDS;
    rows[0] = n;
    rows[1] = sum;
    rows[2] = square;
    rows[3] = no_numbers;
    rows[4] = infinite;
}
