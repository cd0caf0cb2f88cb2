/*
 * The interpolation filter and the Gaussian.
 *
 * A phase's weights w minimise the mean squared error of interpolating signals with a flat spectrum up to alpha times
 * the Nyquist frequency: Phi w = g (G. Oetken, T. W. Parks, H. W. Schuessler, IEEE Trans. ASSP 23, 301-309 (1975)).
 * Phi's smallest eigenvalue falls tenfold per sample, to below 1e-10 for 16 samples. Therefore all is in pairs of
 * doubles, and at most 16 samples. alpha is 1/2.
 */
#include <math.h>
#include <stdlib.h>

#include "math/pair.h"
#include "optmap/optmap.h"

enum { MOST_SAMPLES = 16 }; /* samples per phase */

/* sin(pi x) / (pi x) for x = k / n, from the Taylor series about the nearest multiple of 1/2. */
static penta_pair sinc(long k, long n)
{
    static const penta_pair pi = {3.141592653589793116, 1.2246467991473532e-16};
    long halves = lround(2.0 * (double)k / (double)n), turn = ((halves % 4) + 4) % 4;
    penta_pair angle = penta_pair_multiply(
        pi, penta_pair_divide((penta_pair){(double)(2 * k - halves * n), 0}, (penta_pair){2.0 * (double)n, 0}));
    penta_pair square = penta_pair_negative(penta_pair_multiply(angle, angle)), sum = {0, 0};
    penta_pair term = turn % 2 ? (penta_pair){1, 0} : angle; /* the cosine, or the sine */

    if (k == 0)
        return (penta_pair){1, 0};
    for (int i = turn % 2 ? 1 : 2; i < 40; i += 2) {
        sum = penta_pair_add(sum, term);
        term = penta_pair_divide(penta_pair_multiply(term, square), (penta_pair){(double)i * (i + 1), 0});
    }
    sum = turn < 2 ? sum : penta_pair_negative(sum);
    return penta_pair_divide(
        sum, penta_pair_multiply(pi, penta_pair_divide((penta_pair){(double)k, 0}, (penta_pair){(double)n, 0})));
}

/* a - b c */
static penta_pair less(penta_pair a, penta_pair b, penta_pair c)
{
    return penta_pair_add(a, penta_pair_negative(penta_pair_multiply(b, c)));
}

/* Solves a x = b, a symmetric positive definite, n x n, by a = l l^T in its lower triangle; x replaces b. */
static void solve(int n, penta_pair a[][MOST_SAMPLES], penta_pair *b)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] = less(a[i][j], a[i][k], a[j][k]);
            a[i][j] = i == j ? penta_pair_root(a[i][i]) : penta_pair_divide(a[i][j], a[j][j]);
        }
        for (int k = 0; k < i; k++)
            b[i] = less(b[i], a[i][k], b[k]);
        b[i] = penta_pair_divide(b[i], a[i][i]);
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] = less(b[i], a[k][i], b[k]);
        b[i] = penta_pair_divide(b[i], a[i][i]);
    }
}

/* The first and last sample with |interp i - phase| <= half. */
static int first_sample(const optmap_filter *f, int phase)
{
    return -(((f->taps - 1) / 2 - phase) / f->interp);
}

static int last_sample(const optmap_filter *f, int phase)
{
    return ((f->taps - 1) / 2 + phase) / f->interp;
}

/* w: weights of samples first_sample .. last_sample. */
static void design_phase(const optmap_filter *f, int phase, penta_pair *w)
{
    penta_pair phi[MOST_SAMPLES][MOST_SAMPLES];
    int first = first_sample(f, phase), n = last_sample(f, phase) - first + 1;

    for (int i = 0; i < n; i++) {
        w[i] = sinc((long)(first + i) * f->interp - phase, 2L * f->interp);
        for (int j = 0; j <= i; j++)
            phi[i][j] = sinc(i - j, 2);
    }
    solve(n, phi, w);
}

static void fill(optmap_filter *f)
{
    penta_pair w[MOST_SAMPLES];

    f->b[(f->taps - 1) / 2] = 1;
    f->weights[-f->first] = 1;
    for (int m = 1; m < f->interp; m++) {
        design_phase(f, m, w);
        for (int i = first_sample(f, m); i <= last_sample(f, m); i++) {
            double weight = w[i - first_sample(f, m)].hi;

            f->b[(f->taps - 1) / 2 + m - f->interp * i] = weight;
            f->weights[(size_t)m * (size_t)f->length + (size_t)(i - f->first)] = weight;
        }
    }
}

penta_status optmap_filter_check(penta_context *ctx, int interp, int taps)
{
    int most = MOST_SAMPLES * interp + 1;

    if (taps % 2 == 0)
        return penta_fail(ctx, PENTA_INVALID, "`taps` is %d; it must be odd", taps);
    if (interp > 1 && (taps < 2 * interp + 1 || taps > most))
        return penta_fail(ctx, PENTA_INVALID, "`taps` is %d; to interpolate by %d it must be between %d and %d", taps,
                          interp, 2 * interp + 1, most);
    return PENTA_OK;
}

/* Designs the filter. interp 1 keeps samples as they are, whatever the taps. */
penta_status optmap_filter_design(penta_context *ctx, int interp, int taps, optmap_filter *out)
{
    penta_status status = PENTA_OK;
    optmap_filter f = {.interp = interp, .taps = taps};

    *out = (optmap_filter){0};
    TRY(optmap_filter_check(ctx, interp, taps));
    if (interp == 1)
        f.taps = 1;
    f.first = interp == 1 ? 0 : first_sample(&f, 1);
    f.length = last_sample(&f, interp - 1) - f.first + 1;
    TRY(penta_calloc(ctx, (size_t)f.taps, sizeof *f.b, &f.b));
    TRY(penta_calloc(ctx, (size_t)interp * (size_t)f.length, sizeof *f.weights, &f.weights));
    fill(&f);
    *out = f;
    f = (optmap_filter){0};
cleanup:
    optmap_filter_free(&f);
    return status;
}

void optmap_filter_free(optmap_filter *filter)
{
    free(filter->b);
    free(filter->weights);
    *filter = (optmap_filter){0};
}

void optmap_gaussian(int window, double sigma, double *out)
{
    double sum = 0;

    for (int y = 0, r = window / 2; y < window; y++)
        for (int x = 0; x < window; x++) {
            out[y * window + x] = exp(-((x - r) * (x - r) + (y - r) * (y - r)) / (2 * sigma * sigma));
            sum += out[y * window + x];
        }
    for (int i = 0; i < window * window; i++)
        out[i] /= sum;
}
