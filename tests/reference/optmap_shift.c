/* t0 of a pair: sums over all lags, or their transform. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "reference/optmap.h"

/* Values so close to the largest are equal to it. */
static const double tie = 1e-12;

enum { DIRECT = 512 /* samples up to which the sums themselves are taken */ };

static size_t power_of_two(size_t n)
{
    size_t z = 1;

    while (z < n)
        z *= 2;
    return z;
}

/* In place, sign -1 or +1 in the exponent, unnormalised; n a power of two. */
static void transform(size_t n, double complex *x, int sign)
{
    const double pi = acos(-1);

    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;

        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex swap = x[i];

            x[i] = x[j];
            x[j] = swap;
        }
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t k = 0; k < half; k++) {
            double complex w = cexp(I * (sign * pi * (double)k / (double)half));

            for (size_t i = k; i < n; i += 2 * half) {
                double complex odd = w * x[i + half];

                x[i + half] = x[i] - odd;
                x[i] += odd;
            }
        }
}

/* conj(Y_p) Y_q of z = y_p + i y_q at frequency k. */
static double complex product_at(size_t n, const double complex *z, size_t k)
{
    double complex a = z[k], b = conj(z[(n - k) % n]);

    return conj((a + b) / 2) * ((a - b) / (2 * I));
}

/* c of length n, circular; z: y_p + i y_q, padded, in its place after. Phase: frequencies up to band, by amplitude. */
static void circular(size_t n, double complex *z, bool phase, size_t band, double *c)
{
    double complex *product = calloc(n, sizeof *product);

    if (!product)
        abort();
    transform(n, z, -1);
    for (size_t k = 0; k < n; k++) {
        size_t frequency = k <= n / 2 ? k : n - k;

        product[k] = product_at(n, z, k);
        if (phase)
            product[k] = frequency <= band && product[k] != 0 ? product[k] / cabs(product[k]) : 0;
    }
    transform(n, product, 1);
    for (size_t t = 0; t < n; t++)
        c[t] = creal(product[t]) / (double)n;
    free(product);
}

/* sum_n y_p[n] y_q[n + t] by itself. */
static double correlation_at(long samples, const double *yp, const double *yq, long t)
{
    double sum = 0;

    for (long n = t < 0 ? -t : 0; n < samples && n + t < samples; n++)
        sum += yp[n] * yq[n + t];
    return sum;
}

/* Values of all lags at indices 0 .. n-1, negative ones from the end; of size 1 where p and q are the same. */
static void correlate(const penta_optmap_options *o, long samples, const double *yp, const double *yq, size_t n,
                      double *c)
{
    bool phase = o->correlation == PENTA_OPTMAP_PHASE;
    double complex *z = calloc(n, sizeof *z);
    double pp = sqrt(correlation_at(samples, yp, yp, 0)), qq = sqrt(correlation_at(samples, yq, yq, 0));
    size_t band = n / (2 * (size_t)o->interp);

    if (!z)
        abort();
    if (!phase && samples <= DIRECT) {
        for (long t = 1 - samples; t < samples; t++)
            c[t < 0 ? t + (long)n : t] = correlation_at(samples, yp, yq, t) / (pp * qq);
    } else {
        for (long i = 0; i < samples; i++)
            z[i] = yp[i] / pp + I * (yq[i] / qq);
        circular(n, z, phase, band, c);
        for (size_t t = 0; phase && t < n; t++)
            c[t] *= (double)n / (double)(2 * band + 1);
    }
    free(z);
}

int reference_optmap_shift(const penta_optmap_options *o, size_t frames, const double *yp, const double *yq,
                           double *gap)
{
    long samples = (long)frames * o->interp;
    size_t n = power_of_two((size_t)(2 * samples - 1));
    double *c = calloc(n, sizeof *c), best = -INFINITY, second = -INFINITY;
    long t0 = 0, most = o->max_lag >= 0 && o->max_lag < samples ? o->max_lag : samples - 1;

    if (!c)
        abort();
    correlate(o, samples, yp, yq, n, c);
    for (size_t i = 0; i < n; i++) {
        long lag = i <= n / 2 ? (long)i : (long)i - (long)n;

        if (labs(lag) > most)
            continue;
        if (c[i] > best) {
            second = best;
            best = c[i];
        } else if (c[i] > second) {
            second = c[i];
        }
    }
    for (size_t i = 0, found = 0; i < n && !found; i++) {
        long lag = i <= n / 2 ? (long)i : (long)i - (long)n;

        if (labs(lag) <= most && c[i] >= best - tie) {
            t0 = lag;
            found = 1;
        }
    }
    free(c);
    if (gap)
        *gap = best - second;
    return (int)t0;
}
