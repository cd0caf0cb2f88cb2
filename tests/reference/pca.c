#include "reference/pca.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void *memory(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    if (!p)
        abort();
    return p;
}

/* ---- covariances ---- */

uint64_t reference_pca_covariance(size_t bands, size_t pixels, const double *x, const uint8_t *mask, int ddof,
                                  double *mean, double *covariance)
{
    long double *m = memory(bands, sizeof *m);
    uint64_t n = 0;

    for (size_t p = 0; p < pixels; p++)
        n += !mask || mask[p];
    for (size_t i = 0; i < bands; i++) {
        for (size_t p = 0; p < pixels; p++)
            m[i] += !mask || mask[p] ? x[i * pixels + p] : 0.0L;
        m[i] /= n;
        mean[i] = (double)m[i];
    }
    for (size_t i = 0; i < bands; i++)
        for (size_t j = 0; j <= i; j++) {
            long double sum = 0;

            for (size_t p = 0; p < pixels; p++)
                if (!mask || mask[p])
                    sum += (x[i * pixels + p] - m[i]) * (x[j * pixels + p] - m[j]);
            covariance[i * bands + j] = covariance[j * bands + i] =
                (double)(sum / ((long double)n - (long double)ddof));
        }
    free(m);
    return n;
}

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* The nearest double: the quotient to 60 bits or more, its last one set where something is left over. */
static double nearest(wide numerator, wide denominator)
{
    unsigned_wide size = (unsigned_wide)(numerator < 0 ? -numerator : numerator), quotient;
    int shift = 0;
    double value;

    while (size && !(size >> 125)) {
        size <<= 1;
        shift++;
    }
    quotient = size / (unsigned_wide)denominator;
    quotient |= size % (unsigned_wide)denominator != 0;
    value = ldexp((double)quotient, -shift);
    return numerator < 0 ? -value : value;
}

uint64_t reference_pca_exact(size_t bands, size_t pixels, const double *x, const uint8_t *mask, int ddof, double *mean,
                             double *covariance)
{
    wide n = 0;

    for (size_t p = 0; p < pixels; p++)
        n += !mask || mask[p];
    for (size_t i = 0; i < bands; i++)
        for (size_t j = 0; j <= i; j++) {
            wide a = 0, b = 0, ab = 0;

            for (size_t p = 0; p < pixels; p++)
                if (!mask || mask[p]) {
                    int64_t u = (int64_t)x[i * pixels + p], v = (int64_t)x[j * pixels + p];

                    a += u;
                    b += v;
                    ab += (wide)u * v;
                }
            mean[i] = nearest(a, n);
            covariance[i * bands + j] = covariance[j * bands + i] = nearest(n * ab - a * b, n * (n - ddof));
        }
    return (uint64_t)n;
}

uint64_t reference_pca_noise(size_t bands, size_t rows, size_t cols, const double *x, const uint8_t *mask,
                             double *noise)
{
    size_t pixels = rows * cols;
    double *d = memory(bands * pixels, sizeof *d), *mean = memory(bands, sizeof *mean);
    uint8_t *both = memory(pixels, 1);
    uint64_t n;

    for (size_t p = 0; p < pixels; p++) {
        both[p] = (p + 1) % cols != 0 && (!mask || (mask[p] && mask[p + 1]));
        for (size_t i = 0; both[p] && i < bands; i++)
            d[i * pixels + p] = x[i * pixels + p + 1] - x[i * pixels + p];
    }
    n = reference_pca_covariance(bands, pixels, d, both, 1, mean, noise);
    for (size_t i = 0; i < bands * bands; i++)
        noise[i] /= 2;
    free(d);
    free(mean);
    free(both);
    return n;
}

/* ---- eigenvalues ---- */

/* Turns rows and columns p, q of a, and rows p, q of v, so that a_pq becomes 0. */
static void rotate(size_t n, long double *a, long double *v, size_t p, size_t q)
{
    long double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    long double t = (theta < 0 ? -1 : 1) / (fabsl(theta) + sqrtl(theta * theta + 1));
    long double c = 1 / sqrtl(t * t + 1), s = t * c;

    for (size_t k = 0; k < n; k++) {
        long double x = a[k * n + p], y = a[k * n + q];

        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (size_t k = 0; k < n; k++) {
        long double x = a[p * n + k], y = a[q * n + k], vx = v[p * n + k], vy = v[q * n + k];

        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
        v[p * n + k] = c * vx - s * vy;
        v[q * n + k] = s * vx + c * vy;
    }
    a[p * n + q] = a[q * n + p] = 0;
}

/* a becomes diagonal, v (n x n) its eigenvectors as rows, both in the order of a. */
static void jacobi(size_t n, long double *a, long double *v)
{
    long double tiny = 0;
    bool moved = true;

    for (size_t i = 0; i < n; i++)
        tiny = fmaxl(tiny, LDBL_EPSILON / 16 * fabsl(a[i * n + i]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            v[i * n + j] = i == j;
    for (int sweep = 0; sweep < 100 && moved; sweep++) {
        moved = false;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                if (fabsl(a[p * n + q]) <= tiny)
                    continue;
                rotate(n, a, v, p, q);
                moved = true;
            }
    }
    if (moved)
        abort();
}

/* The first of the entries that are the largest, but for rounding, is made positive. */
static void make_positive(size_t n, long double *v)
{
    long double largest = 0;
    size_t first = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmaxl(largest, fabsl(v[i]));
    while (fabsl(v[first]) < largest - 1e-8L * largest)
        first++;
    if (v[first] < 0)
        for (size_t i = 0; i < n; i++)
            v[i] = -v[i];
}

/* Sorts by value into the results. */
static void give(size_t n, const long double *a, long double *v, double *values, double *vectors)
{
    bool *given = memory(n, sizeof *given);

    for (size_t i = 0; i < n; i++) {
        size_t best = n;

        for (size_t k = 0; k < n; k++)
            if (!given[k] && (best == n || a[k * n + k] > a[best * n + best]))
                best = k;
        given[best] = true;
        values[i] = (double)a[best * n + best];
        make_positive(n, v + best * n);
        for (size_t k = 0; k < n; k++)
            vectors[i * n + k] = (double)v[best * n + k];
    }
    free(given);
}

void reference_pca_eigen(size_t n, const double *a, double *values, double *vectors)
{
    long double *work = memory(2 * n * n, sizeof *work);

    for (size_t i = 0; i < n * n; i++)
        work[i] = a[i];
    jacobi(n, work, work + n * n);
    give(n, work, work + n * n, values, vectors);
    free(work);
}

/* out = w a w^T */
static void congruent(size_t n, const long double *w, const long double *a, long double *out)
{
    long double *half = memory(n * n, sizeof *half);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                half[i * n + j] += w[i * n + k] * a[k * n + j];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            out[i * n + j] = 0;
            for (size_t k = 0; k < n; k++)
                out[i * n + j] += half[i * n + k] * w[j * n + k];
        }
    free(half);
}

/* With b = E^T diag(e) E and w = diag(e)^-1/2 E: w b w^T = 1, so what is left is w a w^T u = lambda u, v = u w. */
void reference_pca_generalised(size_t n, const double *a, const double *b, double *values, double *vectors)
{
    long double *work = memory(5 * n * n, sizeof *work);
    long double *e = work, *w = work + n * n, *c = w + n * n, *u = c + n * n, *v = u + n * n;

    for (size_t i = 0; i < n * n; i++) {
        e[i] = b[i];
        c[i] = a[i];
    }
    jacobi(n, e, w);
    for (size_t i = 0; i < n * n; i++)
        w[i] /= sqrtl(e[i / n * n + i / n]);
    congruent(n, w, c, e);
    for (size_t i = 0; i < n; i++) /* whole again, to the last bit */
        for (size_t j = 0; j < i; j++)
            e[i * n + j] = e[j * n + i];
    jacobi(n, e, u);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                v[i * n + j] += u[i * n + k] * w[k * n + j];
    give(n, e, v, values, vectors);
    free(work);
}

/* ---- maps ---- */

void reference_pca_map(size_t ins, size_t outs, size_t pixels, const double *matrix, const double *before,
                       const double *after, const double *x, double *out)
{
    for (size_t o = 0; o < outs; o++)
        for (size_t p = 0; p < pixels; p++) {
            long double sum = after ? after[o] : 0;

            for (size_t i = 0; i < ins; i++)
                sum += matrix[o * ins + i] * ((long double)x[i * pixels + p] - (before ? before[i] : 0));
            out[o * pixels + p] = (double)sum;
        }
}
