/* Dust: robust outliers at two scales, grown; copies from nearby. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/prepare.h"
#include "support/device.h"

typedef struct picture {
    size_t width, height;
} picture;

static size_t clamp(long i, size_t size)
{
    return i < 0 ? 0 : i >= (long)size ? size - 1 : (size_t)i;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of the 5 x 5 about each pixel; the edge pixels repeat. */
static void median_5x5(const double *in, picture p, double *out)
{
    for (size_t y = 0; y < p.height; y++)
        for (size_t x = 0; x < p.width; x++) {
            double v[25];

            for (int k = 0; k < 25; k++)
                v[k] = in[clamp((long)y + k / 5 - 2, p.height) * p.width + clamp((long)x + k % 5 - 2, p.width)];
            qsort(v, 25, sizeof *v, ascending);
            out[y * p.width + x] = v[12];
        }
}

/* The 97th percentile of |d| over the mask, over that of a Gaussian, but no more than three times what the 85th says;
 * infinite where that is under 1/2048: there is no noise. */
static double robust_sigma(const double *d, const uint8_t *mask, size_t count)
{
    double *v = must_calloc(count, sizeof *v), near, far;

    for (size_t i = 0; i < count; i++)
        v[i] = fabs(d[i]);
    near = reference_prepare_percentile(v, mask, count, 85);
    far = reference_prepare_percentile(v, mask, count, 97);
    free(v);
    return near > 1.0 / 2048 ? fmin(far / 2.17009, 3 * near / 1.43953) : INFINITY;
}

/* ---- slopes ---- */

/* The smaller of two steps, 0 where they differ in sign. */
static double smaller_step(double a, double b)
{
    return a * b > 0 ? fmin(fabs(a), fabs(b)) : 0;
}

/* 0.3 times the 97th percentile of the slopes of the picture over the mask: what the bends of its edges leave. */
static double edge_scale(const double *ratio, const uint8_t *mask, picture p)
{
    size_t count = p.width * p.height;
    double *slope = must_calloc(count, sizeof *slope), far;

    for (size_t i = 0; i < count; i++) {
        size_t x = i % p.width, y = i / p.width;
        double left = ratio[y * p.width + clamp((long)x - 1, p.width)];
        double right = ratio[y * p.width + clamp((long)x + 1, p.width)];
        double above = ratio[clamp((long)y - 1, p.height) * p.width + x];
        double below = ratio[clamp((long)y + 1, p.height) * p.width + x];

        slope[i] =
            hypot(smaller_step(right - ratio[i], ratio[i] - left), smaller_step(below - ratio[i], ratio[i] - above));
    }
    far = reference_prepare_percentile(slope, mask, count, 97);
    free(slope);
    return 0.3 * far;
}

/* ---- the fine scale in bands of light ---- */

enum { BANDS = 8 };

/* Between bands: linear between these levels of light, i at the i-th, less than 0 below and BANDS beyond. */
static double band_place(double light)
{
    static const double from[BANDS + 1] = {0.2, 0.3, 0.4, 0.6, 0.8, 1.2, 1.6, 2.4, 3.2};
    int i = 0;

    if (light >= from[BANDS])
        return BANDS;
    while (i < BANDS - 1 && light >= from[i + 1])
        i++;
    return i + (light - from[i]) / (from[i + 1] - from[i]);
}

static int band_of(double light)
{
    return (int)fmin(fmax(band_place(light), 0), BANDS - 1);
}

/* Of each band its own scale, or where it has hardly a pixel or no noise a line between those that have, but at least
 * `edge`; where none has noise the edge, if that is one. */
static void band_scales(const double *d, const double *light, const uint8_t *mask, size_t count, double edge,
                        double *scale)
{
    uint8_t *in = must_calloc(count, 1);
    size_t pixels[BANDS] = {0}, all = 0;
    int last = -1;

    for (size_t i = 0; i < count; i++) {
        pixels[band_of(light[i])] += mask[i];
        all += mask[i];
    }
    for (int k = 0; k < BANDS; k++) {
        for (size_t i = 0; i < count; i++)
            in[i] = mask[i] && band_of(light[i]) == k;
        scale[k] = pixels[k] > 0 && pixels[k] >= all / 64 ? robust_sigma(d, in, count) : INFINITY;
    }
    for (int k = 0; k < BANDS; k++) {
        if (isinf(scale[k]))
            continue;
        for (int i = last + 1; i < k; i++)
            scale[i] = last < 0 ? scale[k] : scale[last] + (scale[k] - scale[last]) * (i - last) / (k - last);
        last = k;
    }
    for (int i = last + 1; last >= 0 && i < BANDS; i++)
        scale[i] = scale[last];
    for (int i = 0; i < BANDS; i++)
        scale[i] = last < 0 && edge >= 0.005 ? edge : fmax(scale[i], edge);
    free(in);
}

/* Linear between the bands' middles. */
static double scale_at(const double *scale, double light)
{
    double place = fmin(fmax(band_place(light) - 0.5, 0), BANDS - 1);
    int k = (int)fmin(place, BANDS - 2);

    return isinf(scale[k]) ? INFINITY : scale[k] + (place - k) * (scale[k + 1] - scale[k]);
}

/* ---- residuals ---- */

/* Means of f x f blocks over the mask, 1 where nothing counts. */
static void shrink(const double *in, const uint8_t *mask, picture p, size_t f, picture q, double *out)
{
    for (size_t j = 0; j < q.height; j++)
        for (size_t i = 0; i < q.width; i++) {
            double sum = 0, count = 0;

            for (size_t y = j * f; y < (j + 1) * f && y < p.height; y++)
                for (size_t x = i * f; x < (i + 1) * f && x < p.width; x++)
                    if (mask[y * p.width + x]) {
                        sum += in[y * p.width + x];
                        count++;
                    }
            out[j * q.width + i] = count > 0 ? sum / count : 1;
        }
}

/* Bilinear between the blocks' middles, the outer ones' values beyond them. */
static double enlarged_at(const double *in, picture q, size_t f, size_t x, size_t y)
{
    double half = (double)(f - 1) / 2;
    double u = fmin(fmax(((double)x - half) / (double)f, 0), (double)(q.width - 1));
    double v = fmin(fmax(((double)y - half) / (double)f, 0), (double)(q.height - 1));
    size_t i = (size_t)u, j = (size_t)v, right = i + 1 < q.width, down = j + 1 < q.height ? q.width : 0;
    const double *at = in + j * q.width + i;

    u -= (double)i;
    v -= (double)j;
    return (1 - v) * ((1 - u) * at[0] + u * at[right]) + v * ((1 - u) * at[down] + u * at[down + right]);
}

static void fine_difference(const double *ratio, picture p, double *d)
{
    median_5x5(ratio, p, d);
    for (size_t i = 0; i < p.width * p.height; i++)
        d[i] = ratio[i] - d[i];
}

static void coarse_difference(const double *ratio, const uint8_t *usable, picture p, int size, double *d)
{
    size_t f = ((size_t)size + 2) / 3;
    picture q = {(p.width + f - 1) / f, (p.height + f - 1) / f};
    double *small = must_calloc(q.width * q.height, sizeof *small);
    double *middle = must_calloc(q.width * q.height, sizeof *middle);

    shrink(ratio, usable, p, f, q, small);
    median_5x5(small, q, middle);
    for (size_t y = 0; y < p.height; y++)
        for (size_t x = 0; x < p.width; x++)
            d[y * p.width + x] = ratio[y * p.width + x] - enlarged_at(middle, q, f, x, y);
    free(small);
    free(middle);
}

static bool has_neighbour(const uint8_t *set, picture p, size_t x, size_t y)
{
    for (long v = (long)y - 1; v <= (long)y + 1; v++)
        for (long u = (long)x - 1; u <= (long)x + 1; u++)
            if (u >= 0 && v >= 0 && u < (long)p.width && v < (long)p.height && set[(size_t)v * p.width + (size_t)u])
                return true;
    return false;
}

/* Under two of the eight neighbours (the edge repeated) lie beyond the middle between a pixel and its median. */
static bool is_alone(const double *ratio, picture p, double d1, size_t x, size_t y)
{
    double middle = ratio[y * p.width + x] - d1 / 2, side = d1 > 0 ? 1 : -1;
    int like = 0;

    for (int k = 0; k < 9; k++)
        if (k != 4)
            like +=
                side * (ratio[clamp((long)y + k / 3 - 1, p.height) * p.width + clamp((long)x + k % 3 - 1, p.width)] -
                        middle) >
                0;
    return like < 2;
}

/* Pixels beyond the limit at the fine scale: 1 bright, 2 dark, 3 alone; the others 0. */
static void fine_outliers(const double *ratio, const double *light, const uint8_t *mask, picture p, double limit,
                          uint8_t *kind)
{
    size_t count = p.width * p.height;
    double *d = must_calloc(count, sizeof *d), scale[BANDS];

    fine_difference(ratio, p, d);
    band_scales(d, light, mask, count, edge_scale(ratio, mask, p), scale);
    for (size_t i = 0; i < count; i++)
        if (fabs(d[i]) > limit * scale_at(scale, light[i]))
            kind[i] = is_alone(ratio, p, d[i], i % p.width, i / p.width) ? 3 : d[i] > 0 ? 1 : 2;
    free(d);
}

/* Adds to dust the outliers of one sign: kind 1 (sign 1), 2 (sign -1) and those of d, of scale s, grown. */
static void outliers(const uint8_t *kind, const double *d, double s, double sign, picture p, double limit, int size,
                     uint8_t *dust)
{
    size_t count = p.width * p.height;
    uint8_t *seed = must_calloc(count, 1), *next = must_calloc(count, 1);

    for (size_t i = 0; i < count; i++)
        seed[i] = kind[i] == (sign > 0 ? 1 : 2) || (kind[i] != 3 && sign * d[i] > limit * s);
    for (int step = 0; step < size / 2; step++) {
        for (size_t i = 0; i < count; i++)
            next[i] = seed[i] || (sign * d[i] > 2.75 * s && has_neighbour(seed, p, i % p.width, i / p.width));
        memcpy(seed, next, count);
    }
    for (size_t i = 0; i < count; i++)
        dust[i] |= seed[i];
    free(seed);
    free(next);
}

/* dust: 1 where it is, to be grown; alone: 1 where a pixel is for itself. */
static void find_outliers(const double *ratio, const double *light, const uint8_t *usable, const uint8_t *mask,
                          picture p, double limit, int size, uint8_t *dust, uint8_t *alone)
{
    size_t count = p.width * p.height;
    double *d = must_calloc(count, sizeof *d), s;
    uint8_t *kind = must_calloc(count, 1);

    fine_outliers(ratio, light, mask, p, limit, kind);
    coarse_difference(ratio, usable, p, size, d);
    s = robust_sigma(d, mask, count);
    outliers(kind, d, s, 1, p, limit, size, dust);
    outliers(kind, d, s, -1, p, limit, size, dust);
    for (size_t i = 0; i < count; i++)
        alone[i] = kind[i] == 3;
    free(d);
    free(kind);
}

/* 1 where dust lies within the disc. */
static bool near_dust(const uint8_t *dust, picture p, size_t x, size_t y, int grow)
{
    int most = grow > 0 ? grow * grow + 1 : 0;

    for (int dy = -grow; dy <= grow; dy++)
        for (int dx = -grow; dx <= grow; dx++) {
            long u = (long)x + dx, v = (long)y + dy;

            if (dx * dx + dy * dy <= most && u >= 0 && v >= 0 && u < (long)p.width && v < (long)p.height &&
                dust[(size_t)v * p.width + (size_t)u])
                return true;
        }
    return false;
}

/* Dust at 1 to 4 pixels in that direction. */
static bool has_dust(const uint8_t *dust, picture p, size_t x, size_t y, int dx, int dy)
{
    for (int k = 1; k <= 4; k++) {
        long u = (long)x + k * dx, v = (long)y + k * dy;

        if (u >= 0 && v >= 0 && u < (long)p.width && v < (long)p.height && dust[(size_t)v * p.width + (size_t)u])
            return true;
    }
    return false;
}

static bool is_hole(const uint8_t *dust, picture p, size_t x, size_t y)
{
    return has_dust(dust, p, x, y, 1, 0) && has_dust(dust, p, x, y, -1, 0) && has_dust(dust, p, x, y, 0, 1) &&
           has_dust(dust, p, x, y, 0, -1);
}

size_t reference_prepare_dust(const double *grey, const double *ratio, const double *light, const uint8_t *usable,
                              size_t width, size_t height, const double *key, double limit, int size, int grow,
                              uint8_t *mask)
{
    picture p = {width, height};
    size_t count = width * height, found = 0;
    uint8_t *sample = must_calloc(count, 1); /* of the mask every second row */
    uint8_t *dust = must_calloc(count, 1), *alone = must_calloc(count, 1), *grown = must_calloc(count, 1);

    for (size_t i = 0; i < count; i++)
        sample[i] = mask[i] && i / width % 2 == 0;
    if (limit > 0)
        find_outliers(ratio, light, usable, sample, p, limit, size, dust, alone);
    for (size_t i = 0; i < count; i++)
        dust[i] |= !usable[i] || (key && (grey[i] < key[0] || grey[i] > key[1]));
    for (size_t i = 0; i < count; i++)
        grown[i] = near_dust(dust, p, i % width, i / width, grow);
    for (size_t i = 0; i < count; i++) {
        mask[i] = !alone[i] && !grown[i] && !(limit > 0 && is_hole(grown, p, i % width, i / width));
        found += !mask[i];
    }
    free(sample);
    free(dust);
    free(alone);
    free(grown);
    return found;
}

/* The pixel that p is replaced by: the nearest along 8 directions that counts; false: none. */
static bool source_of(const uint8_t *mask, picture p, size_t x, size_t y, int step, size_t *from)
{
    static const int directions[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};

    for (int k = 1; k <= 16; k++)
        for (int i = 0; i < 8; i++) {
            long u = (long)x + k * step * directions[i][0], v = (long)y + k * step * directions[i][1];

            if (u < 0 || v < 0 || u >= (long)p.width || v >= (long)p.height)
                continue;
            *from = (size_t)v * p.width + (size_t)u;
            if (mask[*from])
                return true;
        }
    return false;
}

size_t reference_prepare_copy(double *image, uint8_t *mask, size_t width, size_t height, int size)
{
    picture p = {width, height};
    size_t count = width * height, filled = 0, from;
    uint8_t *before = must_calloc(count, 1);

    memcpy(before, mask, count);
    for (size_t i = 0; i < count; i++)
        if (!before[i] && source_of(before, p, i % width, i / width, size / 4 > 2 ? size / 4 : 2, &from)) {
            image[i] = image[from];
            mask[i] = 1;
            filled++;
        }
    free(before);
    return filled;
}

/* ---- drawn on ---- */

typedef struct {
    int off; /* 0: none */
    double value, slope;
} line_end;

static bool is_seen(const uint8_t *mask, picture p, long x, long y)
{
    return x >= 0 && y >= 0 && x < (long)p.width && y < (long)p.height && mask[(size_t)y * p.width + (size_t)x];
}

static line_end end_of(const double *image, const uint8_t *mask, picture p, size_t at, int dx, int dy, int most)
{
    long x = (long)(at % p.width), y = (long)(at / p.width), width = (long)p.width;

    for (int k = 1; k <= most; k++) {
        long u = x + k * dx, v = y + k * dy;
        line_end e = {.off = k};

        if (!is_seen(mask, p, u, v))
            continue;
        e.value = image[v * width + u];
        if (is_seen(mask, p, u + dx, v + dy))
            e.slope = image[(v + dy) * width + u + dx] - e.value;
        return e;
    }
    return (line_end){0};
}

/* Newton's form of the cubic with two nodes, each twice, at 0 of a line from -a.off to b.off. */
static double cubic_at_0(line_end a, line_end b)
{
    double length = a.off + b.off, from_a = a.off, from_b = -b.off;
    double slope_a = -a.slope, slope_b = b.slope, chord = (b.value - a.value) / length;

    return a.value + slope_a * from_a + (chord - slope_a) / length * from_a * from_a +
           (slope_a + slope_b - 2 * chord) / (length * length) * from_a * from_a * from_b;
}

size_t reference_prepare_fill(double *image, uint8_t *mask, size_t width, size_t height, int most)
{
    static const int lines[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    picture p = {width, height};
    size_t count = width * height, filled = 0;
    uint8_t *before = must_calloc(count, 1);

    memcpy(before, mask, count);
    for (size_t i = 0; i < count; i++) {
        double sum = 0, weights = 0;

        for (int k = 0; k < 4 && !before[i]; k++) {
            line_end a = end_of(image, before, p, i, -lines[k][0], -lines[k][1], most);
            line_end b = end_of(image, before, p, i, lines[k][0], lines[k][1], most);
            double weight = pow((a.off + b.off) * hypot(lines[k][0], lines[k][1]), -3);

            if (a.off && b.off) {
                sum += weight * cubic_at_0(a, b);
                weights += weight;
            }
        }
        if (weights > 0) {
            image[i] = sum / weights;
            mask[i] = 1;
            filled++;
        }
    }
    free(before);
    return filled;
}
