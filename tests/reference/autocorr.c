#include "reference/autocorr.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef long double real;

double reference_pixel(penta_type type, const void *image, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)image)[i];
    case PENTA_U16:
        return ((const uint16_t *)image)[i];
    case PENTA_F32:
        return (double)((const float *)image)[i];
    default:
        return ((const double *)image)[i];
    }
}

uint32_t reference_hash(uint32_t x, uint32_t y)
{
    uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u;

    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    h *= 0x297A2D39u;
    h ^= h >> 15;
    return h;
}

void reference_hash_image(penta_type type, size_t width, size_t height, uint32_t seed, void *out)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            uint32_t h = reference_hash((uint32_t)x + seed, (uint32_t)y);
            size_t i = y * width + x;

            if (type == PENTA_U8)
                ((uint8_t *)out)[i] = (uint8_t)(h & 255);
            else if (type == PENTA_U16)
                ((uint16_t *)out)[i] = (uint16_t)(h & 65535);
            else if (type == PENTA_F32)
                ((float *)out)[i] = (float)(h & 0xFFFFFF) * 0x1p-24f;
            else
                ((double *)out)[i] = (double)(h & 0xFFFFFF) * 0x1p-24;
        }
}

/* ---- pairs of pixels ---- */

static bool valid(const reference_autocorr *c, long x, long y)
{
    if (x < 0 || y < 0 || x >= (long)c->width || y >= (long)c->height)
        return false;
    return !c->mask || c->mask[(size_t)y * c->width + (size_t)x];
}

int64_t reference_numerator(const reference_autocorr *c, long X, long Y)
{
    const void *second = c->with ? c->with : c->image;
    int64_t sum = 0;

    for (long y = 0; y < (long)c->height; y++)
        for (long x = 0; x < (long)c->width; x++)
            if (valid(c, x, y) && valid(c, x + X, y + Y))
                sum += (int64_t)reference_pixel(c->type, c->image, (size_t)y * c->width + (size_t)x) *
                       (int64_t)reference_pixel(c->type, second, (size_t)(y + Y) * c->width + (size_t)(x + X));
    return sum;
}

void reference_numerators(const reference_autocorr *c, int64_t *out)
{
    long R = (long)c->max_offset;

    for (long Y = -R; Y <= R; Y++)
        for (long X = -R; X <= R; X++)
            *out++ = reference_numerator(c, X, Y);
}

/* ---- what is taken off first ---- */

static real determinant(real m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Normal equations of v = p[0] + p[1] x + p[2] y over the mask by Cramer's rule; mean only: p[1] = p[2] = 0. */
static void fit(const reference_autocorr *c, const void *image, bool slopes, real p[3])
{
    real m[3][3] = {{0}}, rhs[3] = {0};

    for (size_t i = 0; i < c->width * c->height; i++) {
        real row[3] = {1, (real)(i % c->width), (real)(i / c->width)};

        for (int a = 0; a < 3 && (!c->mask || c->mask[i]); a++) {
            rhs[a] += row[a] * reference_pixel(c->type, image, i);
            for (int b = 0; b < 3; b++)
                m[a][b] += row[a] * row[b];
        }
    }
    p[0] = rhs[0] / m[0][0];
    p[1] = p[2] = 0;
    for (int k = 0; k < 3 && slopes; k++) {
        real replaced[3][3];

        for (int i = 0; i < 9; i++)
            replaced[i / 3][i % 3] = i % 3 == k ? rhs[i / 3] : m[i / 3][i % 3];
        p[k] = determinant(replaced) / determinant(m);
    }
}

static real *prepare(const reference_autocorr *c, const void *image)
{
    real *out = calloc(c->width * c->height, sizeof *out), p[3] = {0, 0, 0};

    if (!out)
        abort();
    if (c->demean != PENTA_AUTOCORR_DEMEAN_NONE)
        fit(c, image, c->demean == PENTA_AUTOCORR_DEMEAN_PLANE, p);
    for (size_t i = 0; i < c->width * c->height; i++)
        out[i] = reference_pixel(c->type, image, i) - p[0] - p[1] * (real)(i % c->width) - p[2] * (real)(i / c->width);
    return out;
}

/* ---- estimators ---- */

/* The six masked sums of one offset, and whether one side of the pairs is constant. */
typedef struct {
    real N, n, S1, S2, Q1, Q2;
    bool constant;
} pair_sums;

static pair_sums sums_at(const reference_autocorr *c, const real *a, const real *b, long X, long Y)
{
    pair_sums s = {0};
    real first_u = 0, first_v = 0;
    bool same_u = true, same_v = true;

    for (long y = 0; y < (long)c->height; y++)
        for (long x = 0; x < (long)c->width; x++) {
            real u, v;

            if (!valid(c, x, y) || !valid(c, x + X, y + Y))
                continue;
            u = a[(size_t)y * c->width + (size_t)x];
            v = b[(size_t)(y + Y) * c->width + (size_t)(x + X)];
            if (s.n == 0) {
                first_u = u;
                first_v = v;
            }
            same_u &= u == first_u;
            same_v &= v == first_v;
            s.N += u * v;
            s.n += 1;
            s.S1 += u;
            s.S2 += v;
            s.Q1 += u * u;
            s.Q2 += v * v;
        }
    s.constant = same_u || same_v;
    return s;
}

/* Sums of squares about the means of the pairs. */
static real variance(real sum, real square, real n)
{
    return square - sum * sum / n;
}

/* The sum of products that one unit of C2D stands for; NaN where there is no C2D. */
static real unit_of(const reference_autocorr *c, const pair_sums *s, const pair_sums *origin)
{
    real norm = sqrtl(origin->Q1 * origin->Q2);

    if (s->n == 0)
        return (real)NAN;
    if (c->estimator == PENTA_AUTOCORR_EQ1)
        return norm;
    if (c->estimator == PENTA_AUTOCORR_UNBIASED)
        return norm * s->n / origin->n;
    if (s->constant)
        return (real)NAN;
    return sqrtl(variance(s->S1, s->Q1, s->n) * variance(s->S2, s->Q2, s->n));
}

/* The part of it that an error in the sums must be compared with. */
static real smallest_divisor(const reference_autocorr *c, const pair_sums *s, real unit)
{
    if (c->estimator != PENTA_AUTOCORR_PEARSON || isnan(unit))
        return unit;
    return fminl(variance(s->S1, s->Q1, s->n), variance(s->S2, s->Q2, s->n));
}

/* sqrt(sum I^2 sum J^2) of the images as they came. */
static real power_of(const reference_autocorr *c)
{
    reference_autocorr raw = *c;
    pair_sums origin;
    real *a, *b;

    raw.demean = PENTA_AUTOCORR_DEMEAN_NONE;
    a = prepare(&raw, c->image);
    b = prepare(&raw, c->with ? c->with : c->image);
    origin = sums_at(&raw, a, b, 0, 0);
    free(a);
    free(b);
    return sqrtl(origin.Q1 * origin.Q2);
}

void reference_c2d(const reference_autocorr *c, double *c2d, double *condition)
{
    long R = (long)c->max_offset;
    real *a = prepare(c, c->image), *b = prepare(c, c->with ? c->with : c->image), power = power_of(c);
    pair_sums origin = sums_at(c, a, b, 0, 0);
    size_t i = 0;

    for (long Y = -R; Y <= R; Y++)
        for (long X = -R; X <= R; X++, i++) {
            pair_sums s = sums_at(c, a, b, X, Y);
            real unit = unit_of(c, &s, &origin);
            real sum = c->estimator == PENTA_AUTOCORR_PEARSON ? s.N - s.S1 * s.S2 / s.n : s.N;

            c2d[i] = (double)(sum / unit);
            if (condition)
                condition[i] = (double)(power / smallest_divisor(c, &s, unit));
        }
    free(a);
    free(b);
}

/* ---- rings ---- */

void reference_c1d(const double *c2d, size_t max_offset, penta_autocorr_bin *bins)
{
    long R = (long)max_offset;
    real *square = calloc(max_offset + 1, sizeof *square), *sum = calloc(max_offset + 1, sizeof *sum);

    if (!square || !sum)
        abort();
    for (long r = 0; r <= R; r++)
        bins[r] = (penta_autocorr_bin){0};
    for (int pass = 0; pass < 2; pass++) /* the second: squares about the mean */
        for (long Y = -R; Y <= R; Y++)
            for (long X = -R; X <= R; X++) {
                double v = c2d[(Y + R) * (2 * R + 1) + X + R], distance = sqrt((double)(X * X + Y * Y));
                long r = (long)floor(distance + 0.5);

                if (isnan(v) || r > R)
                    continue;
                if (pass) {
                    square[r] += (v - sum[r] / bins[r].count) * (v - sum[r] / bins[r].count);
                    continue;
                }
                bins[r].count++;
                bins[r].mean_r += distance;
                sum[r] += v;
            }
    for (long r = 0; r <= R; r++) {
        bins[r].c = (double)(sum[r] / bins[r].count);
        bins[r].sd = (double)sqrtl(square[r] / bins[r].count);
        bins[r].mean_r /= (double)bins[r].count;
    }
    free(square);
    free(sum);
}
