/*
 * Light and dust of a frame. The light is the surface 1, x, y, r^2, r^4 fitted to the means of 8 x 8 blocks. It counts
 * where it explains the means and what it leaves is a pattern finer than the frame: a texture with structure as large
 * as a quarter of the frame leaves residuals of neighbouring blocks that are alike. Dust is what is darker than the
 * pattern ever is, where the pattern and not the specks makes up the variance.
 */
#include "autocorr/light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, BLOCKS = SIDE * SIDE, CORNERS = 4, POINTS = BLOCKS + CORNERS, TERMS = 5, SAMPLES = 40000 };
#define EXPLAINED 0.97 /* share of the variance of the means from which the light is certain, */
#define ENOUGH    0.5  /* and from which it is where residuals of neighbouring blocks */
#define ALIKE     0.6  /* correlate by less than this */
#define DARK      2.8  /* standard deviations below the median, by the 16th percentile */
#define MOST_DUST 0.15
#define PATTERN   0.25 /* least share of the variance that is not of dark pixels */
#define HARD      1.2  /* standard deviations, least step over 2 px at the edge of dust */
#define SMOOTH    0.5  /* least correlation of the pattern with itself 2 px off */

static double pixel(const penta_io_image *image, size_t i)
{
    switch (image->type) {
    case PENTA_U8:
        return ((const uint8_t *)image->data)[i];
    case PENTA_U16:
        return ((const uint16_t *)image->data)[i];
    case PENTA_F32:
        return (double)((const float *)image->data)[i];
    case PENTA_F64:
        return ((const double *)image->data)[i];
    default:
        return (double)NAN;
    }
}

static size_t block_of(const penta_io_image *image, size_t x, size_t y)
{
    return y * SIDE / image->height * SIDE + x * SIDE / image->width;
}

/* Means of blocks; false: a block has too few pixels, or there is no light. */
static bool block_means(const penta_io_image *image, const uint8_t *mask, size_t step, double *mean)
{
    double count[BLOCKS] = {0}, all[BLOCKS] = {0};

    memset(mean, 0, BLOCKS * sizeof *mean);
    for (size_t y = step / 2; y < image->height; y += step)
        for (size_t x = step / 2; x < image->width; x += step) {
            size_t i = y * image->width + x, b = block_of(image, x, y);
            double v = pixel(image, i);

            all[b]++;
            if ((!mask || mask[i]) && isfinite(v))
                count[b]++, mean[b] += v;
        }
    for (size_t b = 0; b < BLOCKS; b++) {
        if (!(4 * count[b] > all[b]))
            return false;
        mean[b] /= count[b];
        if (!(mean[b] > 0))
            return false;
    }
    return true;
}

/* The terms at the middles of blocks and the corners of the frame, orthonormal over the blocks. */
static void make_terms(double term[TERMS][POINTS])
{
    for (size_t p = 0; p < POINTS; p++) {
        double edge = (double)SIDE / (SIDE - 1), middle = (SIDE - 1) / 2.0;
        double x = p < BLOCKS ? ((double)(p % SIDE) - middle) / middle : p % 2 ? edge : -edge;
        double y = p < BLOCKS ? ((double)(p / SIDE) - middle) / middle : p / 2 % 2 ? edge : -edge;
        double r2 = x * x + y * y, value[TERMS] = {1, x, y, r2, r2 * r2};

        for (int k = 0; k < TERMS; k++)
            term[k][p] = value[k];
    }
    for (int k = 0; k < TERMS; k++)
        for (int j = 0; j <= k; j++) {
            double dot = 0;

            for (size_t p = 0; p < BLOCKS; p++)
                dot += term[k][p] * term[j][p];
            for (size_t p = 0; p < POINTS; p++)
                term[k][p] = j < k ? term[k][p] - dot * term[j][p] : term[k][p] / sqrt(dot);
        }
}

/* The fitted surface at all points; the share of the variance that it explains, and how like residuals of neighbouring
 * blocks are. */
static void fit_light(const double *mean, double *light, double *explained, double *alike)
{
    double term[TERMS][POINTS], total = 0, rest = 0, near = 0;

    make_terms(term);
    memset(light, 0, POINTS * sizeof *light);
    for (int k = 0; k < TERMS; k++) {
        double dot = 0;

        for (size_t p = 0; p < BLOCKS; p++)
            dot += mean[p] * term[k][p];
        for (size_t p = 0; p < POINTS; p++)
            light[p] += dot * term[k][p];
        total -= k == 0 ? dot * dot : 0;
    }
    for (size_t p = 0; p < BLOCKS; p++) {
        double here = mean[p] - light[p];

        total += mean[p] * mean[p];
        rest += here * here;
        near += p % SIDE + 1 < SIDE ? here * (mean[p + 1] - light[p + 1]) : 0;
        near += p + SIDE < BLOCKS ? here * (mean[p + SIDE] - light[p + SIDE]) : 0;
    }
    *explained = total > 0 ? 1 - rest / total : 0;
    *alike = rest > 0 ? near / rest / 2 * SIDE / (SIDE - 1) : 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The share of dark pixels, relative to the light of their block. */
static double find_dust(const penta_io_image *image, const uint8_t *mask, size_t step, const double *light)
{
    size_t n = 0, dark = 0, pairs = 0, edges = 0, most = (image->height / step + 1) * (image->width / step + 1);
    double *value = calloc(most, sizeof *value), *beside = calloc(most, sizeof *beside);
    double *sorted = calloc(most, sizeof *sorted);
    double middle, limit, s = 0, ss = 0, all = 0, all2 = 0, products = 0, steps = 0, share = 0;

    for (size_t y = step / 2; value && beside && sorted && y < image->height; y += step)
        for (size_t x = step / 2; x + 2 < image->width; x += step) {
            size_t i = y * image->width + x;
            double l = light[block_of(image, x, y)], v = pixel(image, i) / l, w = pixel(image, i + 2) / l;

            if ((!mask || (mask[i] && mask[i + 2])) && isfinite(v) && isfinite(w))
                value[n] = sorted[n] = v, beside[n++] = w;
        }
    if (n >= 1000) {
        qsort(sorted, n, sizeof *sorted, compare);
        middle = sorted[n / 2];
        limit = middle - DARK * (middle - sorted[n * 16 / 100]);
        for (size_t i = 0; i < n; i++) {
            double v = value[i] - middle, w = beside[i] - middle;

            all += v, all2 += v * v;
            dark += value[i] < limit;
            if ((value[i] < limit) != (beside[i] < limit))
                edges++, steps += fabs(v - w);
            if (value[i] >= limit && beside[i] >= limit)
                pairs++, s += v, ss += v * v, products += v * w;
        }
        s /= (double)pairs;
        ss = ss / (double)pairs - s * s;
        all2 = all2 / (double)n - all / (double)n * (all / (double)n);
        if (steps > HARD * (middle - sorted[n * 16 / 100]) * (double)edges && ss > PATTERN * all2 &&
            products / (double)pairs - s * s > SMOOTH * ss)
            share = (double)dark / (double)n;
    }
    free(value);
    free(beside);
    free(sorted);
    return share < MOST_DUST ? share : 0;
}

frame_light light_measure(const penta_io_image *image, const uint8_t *mask)
{
    frame_light out = {1, 0};
    double mean[BLOCKS], light[POINTS], explained, alike, top = 0, low = INFINITY;
    size_t step = 1;

    if (image->width < 4 * SIDE || image->height < 4 * SIDE)
        return out;
    while (image->width / step * (image->height / step) > SAMPLES)
        step++;
    if (!block_means(image, mask, step, mean))
        return out;
    fit_light(mean, light, &explained, &alike);
    for (size_t p = 0; p < POINTS; p++) {
        top = p < BLOCKS ? fmax(top, light[p]) : top;
        low = p < BLOCKS ? low : fmin(low, light[p]);
    }
    if (explained >= EXPLAINED || (explained >= ENOUGH && alike <= ALIKE))
        out.corner = fmax(low / top, 0);
    for (size_t p = 0; p < BLOCKS; p++)
        light[p] = fmax(explained >= ENOUGH ? light[p] : mean[p], 0.02 * top);
    out.dust = find_dust(image, mask, step, light);
    return out;
}
