/*
 * Light and dust of a frame. The light is the surface 1, x, y, r^2 fitted to the means of 8 x 8 blocks; it falls off
 * where the fall is several of its standard errors, of residuals that are alike in neighbouring blocks. Dust is what is
 * darker than the pattern ever is, with edges steeper than its own.
 */
#include "autocorr/light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/prepare.h>

enum { SIDE = 8, BLOCKS = SIDE * SIDE, TERMS = 4, SAMPLES = 40000 };
#define CERTAIN   2.75 /* standard errors */
#define DARK      2.8  /* standard deviations below the median, by the 16th percentile */
#define MOST_DUST 0.15
#define PATTERN   0.25 /* least share of the variance that is not of dark pixels */
#define HARD      1.2  /* standard deviations, least step over 2 px at the edge of dust */

/* The terms at a block, orthogonal over all; column and row may be half a block beyond them. */
static void terms_at(double column, double row, double *t)
{
    const double half = (SIDE - 1) / 2.0;
    double x = column / half - 1, y = row / half - 1;

    t[0] = 1;
    t[1] = x;
    t[2] = y;
    t[3] = x * x + y * y - 2 * (SIDE + 1.0) / (3 * (SIDE - 1)); /* less its mean */
}

/* The fitted light of blocks; returns that of the darkest corner over the brightest light, 1 where it is not certain.
 */
static double fit_light(const double *mean, double *light)
{
    double t[BLOCKS][TERMS], c[TERMS] = {0}, norm[TERMS] = {0}, rest = 0, near = 0, low = INFINITY, error = INFINITY;
    double off[BLOCKS];
    size_t top = 0;

    for (int b = 0; b < BLOCKS; b++) {
        terms_at(b % SIDE, b / SIDE, t[b]);
        for (int k = 0; k < TERMS; k++)
            c[k] += mean[b] * t[b][k], norm[k] += t[b][k] * t[b][k];
    }
    for (size_t b = 0; b < BLOCKS; b++) {
        light[b] = 0;
        for (int k = 0; k < TERMS; k++)
            light[b] += c[k] / norm[k] * t[b][k];
        top = light[b] > light[top] ? b : top;
        off[b] = mean[b] - light[b];
        rest += off[b] * off[b];
        near += off[b] * ((b % SIDE > 0 ? off[b - 1] : 0) + (b >= SIDE ? off[b - SIDE] : 0));
    }
    near = rest > 0 ? fmin(fmax(near / rest / 2 * SIDE / (SIDE - 1), 0), 0.8) : 0;
    for (int corner = 0; corner < 4; corner++) {
        double at[TERMS], value = 0, variance = 0;

        terms_at(corner % 2 ? SIDE - 0.5 : -0.5, corner / 2 ? SIDE - 0.5 : -0.5, at);
        for (int k = 0; k < TERMS; k++) {
            value += c[k] / norm[k] * at[k];
            variance += (at[k] - t[top][k]) * (at[k] - t[top][k]) / norm[k];
        }
        if (value < low)
            low = value, error = sqrt(variance * rest / (BLOCKS - TERMS)) * (1 + near) / (1 - near);
    }
    return light[top] - low > CERTAIN * error ? fmax(low / light[top], 0) : 1;
}

/* The first number of rank `rank`, counted from 0, of n pairs, which are reordered: Hoare's partition. */
static double first_at(size_t n, float (*p)[2], size_t rank)
{
    float(*first)[2] = p, (*last)[2] = p + n - 1;

    while (first < last) {
        float pivot = first[(last - first) / 2][0], (*i)[2] = first, (*j)[2] = last;

        while (i <= j) {
            while ((*i)[0] < pivot)
                i++;
            while (pivot < (*j)[0])
                j--;
            if (i <= j) {
                float here[2] = {(*i)[0], (*i)[1]};

                memcpy(i++, j, sizeof here);
                memcpy(j--, here, sizeof here);
            }
        }
        if (p + rank <= j)
            last = j;
        else if (p + rank >= i)
            first = i;
        else
            break;
    }
    return (double)p[rank][0];
}

/* The share of dust among pairs of pixels, 2 px apart; reorders them. */
static double dust_of(size_t n, float (*p)[2])
{
    double middle, sd, limit, s = 0, ss = 0, all = 0, all2 = 0, edges = 0, steps = 0;
    size_t dark = 0;

    middle = first_at(n, p, n / 2);
    sd = middle - first_at(n, p, n * 16 / 100);
    limit = middle - DARK * sd;
    for (size_t i = 0; i < n; i++)
        dark += (double)p[i][0] < limit;
    for (size_t i = 0; i < n; i++) {
        double v = (double)p[i][0] - middle, w = (double)p[i][1] - middle;
        bool is_dark = (double)p[i][0] < limit;

        all += v / (double)n, all2 += v * v / (double)n;
        if (!is_dark)
            s += v / (double)(n - dark), ss += v * v / (double)(n - dark);
        if (is_dark != (w < limit - middle))
            edges++, steps += fabs(v - w);
    }
    if (steps > HARD * sd * edges && ss - s * s > PATTERN * (all2 - all * all) && (double)dark < MOST_DUST * (double)n)
        return (double)dark / (double)n;
    return 0;
}

/* Of levels, NaN where they do not count. */
static frame_light light_of(size_t width, size_t height, const float *level)
{
    frame_light out = {1, 0};
    double mean[BLOCKS], light[BLOCKS], count[BLOCKS] = {0}, sum[BLOCKS] = {0};
    float(*pairs)[2] = malloc(SAMPLES * sizeof *pairs);
    size_t n = 0, step = width * height / SAMPLES + 1;

    for (size_t i = 0; i < width * height; i++)
        if (isfinite(level[i])) {
            size_t b = i / width * SIDE / height * SIDE + i % width * SIDE / width;

            count[b]++, sum[b] += (double)level[i];
        }
    for (size_t b = 0; b < BLOCKS; b++) {
        mean[b] = sum[b] / count[b];
        if (!(5 * BLOCKS * count[b] > (double)(width * height)) || !(mean[b] > 0)) /* too few pixels, or no light */
            goto cleanup;
    }
    out.corner = fit_light(mean, light);
    for (size_t i = 0; pairs && i + 2 < width * height; i += step) {
        double here = light[i / width * SIDE / height * SIDE + i % width * SIDE / width];

        if (i % width + 2 < width && isfinite(level[i]) && isfinite(level[i + 2]) && here > 0) {
            pairs[n][0] = (float)((double)level[i] / here);
            pairs[n++][1] = (float)((double)level[i + 2] / here);
        }
    }
    out.dust = n >= 1000 ? dust_of(n, pairs) : 0;
cleanup:
    free(pairs);
    return out;
}

frame_light light_measure(const penta_io_image *image, const uint8_t *mask)
{
    frame_light out = {1, 0};
    size_t pixels = image->width * image->height;
    float *level = malloc(pixels * sizeof *level);

    if (level && image->width >= 4 * SIDE && image->height >= 4 * SIDE) {
        penta_prepare_levels(image->width, image->height, 1, image->type, image->data, PENTA_PREPARE_LUMINANCE, level);
        for (size_t i = 0; mask && i < pixels; i++)
            level[i] = mask[i] ? level[i] : NAN;
        out = light_of(image->width, image->height, level);
    }
    free(level);
    return out;
}
