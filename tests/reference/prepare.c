/* Load, flatten, resample, percentiles. */
#include "reference/prepare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"

/* ---- load ---- */

static double grey_of(const double *v, size_t channels, int grey)
{
    static const double weights[][3] = {
        {0.299, 0.587, 0.114}, {1 / 3.0, 1 / 3.0, 1 / 3.0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double sum = 0;

    if (channels == 1)
        return v[0];
    for (size_t c = 0; c < 3; c++)
        if (weights[grey][c] != 0) /* another channel may be anything */
            sum += weights[grey][c] * v[c];
    return sum;
}

/* crop: X, Y, W, H. The mean over the crop of flat - dark. */
static double mean_light(const double *dark, const double *flat, size_t in_width, const size_t crop[4])
{
    double sum = 0;

    for (size_t y = 0; y < crop[3]; y++)
        for (size_t x = 0; x < crop[2]; x++) {
            size_t at = (crop[1] + y) * in_width + crop[0] + x;

            sum += flat[at] - (dark ? dark[at] : 0);
        }
    return sum / (double)(crop[2] * crop[3]);
}

void reference_prepare_grey(const double *image, size_t in_width, size_t in_height, size_t channels, int grey,
                            const size_t crop[4], const double *dark, const double *flat, double *out, uint8_t *mask)
{
    double mean = flat ? mean_light(dark, flat, in_width, crop) : 1;

    (void)in_height;
    for (size_t y = 0; y < crop[3]; y++)
        for (size_t x = 0; x < crop[2]; x++) {
            size_t at = (crop[1] + y) * in_width + crop[0] + x, to = y * crop[2] + x;
            double below = dark ? dark[at] : 0, light = flat ? flat[at] - below : 1;
            double v = (grey_of(image + at * channels, channels, grey) - below) * mean / light;

            mask[to] = isfinite(v) && (!flat || light >= mean / 20);
            out[to] = mask[to] ? v : 0;
        }
}

/* ---- flatten ---- */

void reference_prepare_flatten(const reference_nodes *n, const double *b, int flatten, double white, const double *grey,
                               size_t width, size_t height, double *out)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t at = y * width + x;
            double behind = reference_prepare_background_at(n, b, (double)x, (double)y);

            if (flatten == PENTA_PREPARE_FLATTEN_NONE)
                out[at] = grey[at];
            else if (flatten == PENTA_PREPARE_OVERLAY)
                out[at] = (grey[at] + white - behind) / 2;
            else
                out[at] = white / 2 * grey[at] / behind;
        }
}

/* ---- resample ---- */

/* Weights of the taps first, first + 1 .. about t; returns how many. */
static int taps_of(int interpolation, double at, long *first, double w[4])
{
    double t = at - floor(at);

    *first = (long)floor(at);
    if (interpolation == PENTA_PREPARE_NEAREST) {
        *first = (long)floor(at + 0.5);
        w[0] = 1;
        return 1;
    }
    if (interpolation == PENTA_PREPARE_LINEAR) {
        w[0] = 1 - t;
        w[1] = t;
        return 2;
    }
    --*first; /* Keys 1981, a = -1/2 */
    w[0] = ((-0.5 * t + 1) * t - 0.5) * t;
    w[1] = (1.5 * t - 2.5) * t * t + 1;
    w[2] = ((-1.5 * t + 2) * t + 0.5) * t;
    w[3] = (0.5 * t - 0.5) * t * t;
    return 4;
}

static size_t clamp(long i, size_t size)
{
    return i < 0 ? 0 : i >= (long)size ? size - 1 : (size_t)i;
}

static double value_at(const double *image, const uint8_t *mask, size_t width, size_t height, int interpolation,
                       const double place[2], uint8_t *good)
{
    double wx[4], wy[4], sum = 0;
    long x0, y0;
    int n = taps_of(interpolation, place[0], &x0, wx);

    taps_of(interpolation, place[1], &y0, wy);
    *good = 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t x = clamp(x0 + i, width), y = clamp(y0 + j, height);
            double w = wx[i] * wy[j];

            sum += w * image[y * width + x];
            if (w != 0 && ((long)x != x0 + i || (long)y != y0 + j || !mask[y * width + x]))
                *good = 0;
        }
    return sum;
}

void reference_prepare_resample(const double *image, const uint8_t *mask, size_t width, size_t height,
                                penta_drift drift, int interpolation, double *out, uint8_t *out_mask)
{
    double a = drift.angle * acos(-1) / 180, co = cos(a), si = sin(a);
    double cx = (double)(width - 1) / 2, cy = (double)(height - 1) / 2;

    if (interpolation == PENTA_PREPARE_NEAREST) {
        drift.dx = floor(drift.dx + 0.5);
        drift.dy = floor(drift.dy + 0.5);
    }
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double u = (double)x - cx, v = (double)y - cy;
            const double place[2] = {drift.angle == 0 ? (double)x + drift.dx : cx + co * u - si * v + drift.dx,
                                     drift.angle == 0 ? (double)y + drift.dy : cy + si * u + co * v + drift.dy};

            out[y * width + x] = value_at(image, mask, width, height, interpolation, place, &out_mask[y * width + x]);
        }
}

/* ---- percentiles ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double reference_prepare_percentile(const double *image, const uint8_t *mask, size_t count, double percent)
{
    double *v = must_calloc(count + 1, sizeof *v), at, value;
    size_t n = 0, i;

    for (size_t k = 0; k < count; k++)
        if (!mask || mask[k])
            v[n++] = image[k];
    qsort(v, n, sizeof *v, ascending);
    at = fmin(fmax(percent / 100 * (double)n - 0.5, 0), n > 0 ? (double)(n - 1) : 0);
    i = (size_t)at;
    value = i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[i];
    free(v);
    return value;
}
