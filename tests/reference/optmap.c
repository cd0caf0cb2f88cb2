/* Traces, filter and median; optmap_interpolate.c has y, optmap_shift.c the shifts. */
#include "reference/optmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- v ---- */

/* Rows of polynomials of degree 0 .. degree that are orthonormal on the samples. */
static void fill_polynomials(int degree, size_t n, long double *p)
{
    for (int d = 0; d <= degree; d++) {
        long double *row = p + (size_t)d * n, norm = 0;

        for (size_t t = 0; t < n; t++)
            row[t] = d ? (2 * (long double)t / (long double)(n - 1) - 1) * row[t - n] : 1;
        for (int pass = 0; pass < 2; pass++)
            for (int e = 0; e < d; e++) {
                const long double *other = p + (size_t)e * n;
                long double dot = 0;

                for (size_t t = 0; t < n; t++)
                    dot += row[t] * other[t];
                for (size_t t = 0; t < n; t++)
                    row[t] -= dot * other[t];
            }
        for (size_t t = 0; t < n; t++)
            norm += row[t] * row[t];
        for (size_t t = 0; t < n; t++)
            row[t] /= sqrtl(norm);
    }
}

/* Weights, then the least squares with them, in turns until nothing changes sides. */
void reference_optmap_drift(int degree, size_t n, size_t first, size_t end, double *v)
{
    int terms = degree + 1;
    long double *p = calloc((size_t)(terms + 1) * n, sizeof *p), *fit = p + (size_t)terms * n, mean = 0;
    double *weights = calloc(n, sizeof *weights);
    bool changed = true;

    if (!p || !weights)
        abort();
    fill_polynomials(degree, n, p);
    for (size_t t = 0; t < n; t++)
        weights[t] = 1;
    for (int pass = 0; changed && pass < 500; pass++) {
        long double a[10][11] = {{0}};

        for (size_t t = 0; t < n; t++)
            for (int r = 0; r < terms; r++) {
                for (int c = 0; c < terms; c++)
                    a[r][c] += weights[t] * p[(size_t)r * n + t] * p[(size_t)c * n + t];
                a[r][terms] += weights[t] * p[(size_t)r * n + t] * v[t];
            }
        for (int k = 0; k < terms; k++)
            for (int r = 0; r < terms; r++) {
                long double factor = a[r][k] / a[k][k];

                for (int c = k; r != k && c <= terms; c++)
                    a[r][c] -= factor * a[k][c];
            }
        changed = false;
        for (size_t t = 0; t < n; t++) {
            double weight;

            fit[t] = 0;
            for (int k = 0; k < terms; k++)
                fit[t] += a[k][terms] / a[k][k] * p[(size_t)k * n + t];
            weight = v[t] > fit[t] ? 0.01 : 1;
            changed |= weight < weights[t] || weight > weights[t];
            weights[t] = weight;
        }
    }
    for (size_t t = first; t < end; t++)
        mean += fit[t] / (long double)(end - first);
    for (size_t t = 0; t < n; t++)
        v[t] = (double)(v[t] - (fit[t] - mean));
    free(p);
    free(weights);
}

bool reference_optmap_trace(const penta_optmap_options *o, size_t frames, const double *f, size_t first, size_t end,
                            double *v)
{
    double f0 = 0, low = INFINITY, high = -INFINITY;

    for (size_t n = first; n < end; n++)
        f0 += f[n];
    f0 /= (double)(end - first);
    if (f0 == 0 || (o->min_intensity > 0 && f0 < o->min_intensity))
        return false;
    for (size_t n = 0; n < frames; n++)
        v[n] = (o->polarity == PENTA_OPTMAP_UP ? 1 : -1) * (f[n] - f0) / f0;
    if (o->drift >= 0)
        reference_optmap_drift(o->drift, frames, first, end, v);
    for (size_t n = 0; n < frames; n++) {
        low = fmin(low, v[n]);
        high = fmax(high, v[n]);
    }
    return high - low > o->min_range && (!o->min_value || high > strtod(o->min_value, NULL));
}

/* ---- the filter ---- */

typedef struct {
    const penta_optmap_options *o;
    size_t width, height, frames, samples, out_frames;
    const double *y; /* pixels x samples */
    const uint8_t *valid;
    const int32_t *shifts;
    double *weights; /* window x window */
} movie;

static double tail(const penta_optmap_options *o, long n, const double *y, long i)
{
    if (i >= 0 && i < n)
        return y[i];
    switch (o->tails) {
    case PENTA_OPTMAP_TAILS_ODD:
        return i < 0 ? 2 * y[0] - y[-i] : 2 * y[n - 1] - y[2 * (n - 1) - i];
    case PENTA_OPTMAP_TAILS_HOLD:
        return y[i < 0 ? 0 : n - 1];
    default:
        return 0;
    }
}

static void gaussian(int window, double sigma, double *out)
{
    int r = window / 2;
    double sum = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int dy = -r; dy <= r; dy++)
            for (int dx = -r; dx <= r; dx++) {
                double *g = &out[(dy + r) * window + dx + r];

                *g = pass ? *g / sum : exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
                sum += pass ? 0 : *g;
            }
}

/* The neighbour's pixel, or -1 beyond the frame. */
static long neighbour(size_t width, size_t height, int window, size_t pixel, int k)
{
    long x = (long)(pixel % width) + k % window - window / 2, y = (long)(pixel / width) + k / window - window / 2;

    return x < 0 || y < 0 || x >= (long)width || y >= (long)height ? -1 : y * (long)width + x;
}

/* Whether a pixel has a result: valid, its window in the frame unless the border shrinks it. */
static bool has_result(const penta_optmap_options *o, size_t width, size_t height, const uint8_t *valid, size_t pixel)
{
    int last = o->window * o->window - 1;

    return valid[pixel] &&
           (o->border == PENTA_OPTMAP_SHRINK || (neighbour(width, height, o->window, pixel, 0) >= 0 &&
                                                 neighbour(width, height, o->window, pixel, last) >= 0));
}

/* out_p[n]. */
static double filter_at(const movie *m, size_t pixel, size_t n)
{
    int neighbours = m->o->window * m->o->window;
    long at = (long)n * (m->o->output == PENTA_OPTMAP_INTERPOLATED ? 1 : m->o->interp);
    double sum = 0, weights = 0;

    for (int k = 0; k < neighbours; k++) {
        long q = neighbour(m->width, m->height, m->o->window, pixel, k);

        if (q < 0)
            continue;
        if (m->valid[q])
            sum += m->weights[k] * tail(m->o, (long)m->samples, m->y + (size_t)q * m->samples,
                                        at + m->shifts[pixel * (size_t)neighbours + (size_t)k]);
        if (m->valid[q] || m->o->invalid == PENTA_OPTMAP_ZERO)
            weights += m->weights[k];
    }
    return sum / weights;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of samples n - window/2 .. of x. */
static double median_at(int window, int edges, long n, const double *x, long at)
{
    double sorted[64];
    size_t count = 0;

    for (long i = at - window / 2; i < at - window / 2 + window; i++)
        if (i >= 0 && i < n)
            sorted[count++] = x[i];
        else if (edges == PENTA_OPTMAP_PAD)
            sorted[count++] = 0;
    qsort(sorted, count, sizeof *sorted, ascending);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static void filter_pixel(const movie *m, size_t pixel, double *scratch, double *filtered)
{
    bool result = has_result(m->o, m->width, m->height, m->valid, pixel);

    for (size_t n = 0; result && n < m->out_frames; n++)
        scratch[n] = filter_at(m, pixel, n);
    for (size_t n = 0; n < m->out_frames; n++) {
        double *out = filtered + n * m->width * m->height + pixel;

        *out = !result            ? NAN
               : m->o->median < 2 ? scratch[n]
                                  : median_at(m->o->median, m->o->median_edges, (long)m->out_frames, scratch, (long)n);
    }
}

/* ---- all of it ---- */

static void subtract_mean(size_t n, double *v)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += v[i];
    for (size_t i = 0; i < n; i++)
        v[i] -= sum / (double)n;
}

/* Traces, then y to filter and y to correlate (pixels x samples each). */
static void interpolate_all(const penta_optmap_options *o, size_t pixels, size_t frames, const double *f,
                            uint8_t *valid, double *y, double *correlated)
{
    size_t first = 0, end = frames, samples = frames * (size_t)o->interp;
    double *trace = calloc(2 * frames, sizeof *trace), *v = trace + frames;

    if (!trace)
        abort();
    if (o->baseline && sscanf(o->baseline, "%zu:%zu", &first, &end) != 2)
        abort();
    for (size_t p = 0; p < pixels; p++) {
        for (size_t n = 0; n < frames; n++)
            trace[n] = f[n * pixels + p];
        valid[p] = reference_optmap_trace(o, frames, trace, first, end, v);
        if (!valid[p])
            continue;
        reference_optmap_interpolate(o->interp, o->taps, frames, v, y + p * samples);
        if (o->demean)
            subtract_mean(frames, v);
        reference_optmap_interpolate(o->interp, o->taps, frames, v, correlated + p * samples);
    }
    free(trace);
}

static void find_shifts(const penta_optmap_options *o, size_t width, size_t height, size_t frames, const uint8_t *valid,
                        const double *correlated, int32_t *shifts, double *gaps)
{
    size_t samples = frames * (size_t)o->interp, neighbours = (size_t)(o->window * o->window);

    for (size_t i = 0; i < width * height * neighbours; i++) {
        size_t p = i / neighbours;
        long q = neighbour(width, height, o->window, p, (int)(i % neighbours));
        double gap = INFINITY;

        shifts[i] = INT32_MIN;
        if (has_result(o, width, height, valid, p) && q >= 0 && valid[q])
            shifts[i] = (size_t)q == p ? 0
                                       : reference_optmap_shift(o, frames, correlated + p * samples,
                                                                correlated + (size_t)q * samples, &gap);
        if (gaps)
            gaps[i] = gap;
    }
}

void reference_optmap(const penta_optmap_options *o, size_t width, size_t height, size_t frames, const double *f,
                      uint8_t *valid, int32_t *shifts, double *gaps, double *filtered)
{
    size_t pixels = width * height, samples = frames * (size_t)o->interp;
    size_t neighbours = (size_t)(o->window * o->window);
    double *y = calloc(2 * pixels * samples, sizeof *y), *weights = calloc(neighbours, sizeof *weights);
    uint8_t *good = calloc(pixels, sizeof *good);
    int32_t *t0 = calloc(pixels * neighbours, sizeof *t0);
    double *scratch = calloc(samples, sizeof *scratch);
    size_t out_frames = o->output == PENTA_OPTMAP_INTERPOLATED ? samples : frames;

    if (!y || !weights || !good || !t0 || !scratch)
        abort();
    interpolate_all(o, pixels, frames, f, good, y, y + pixels * samples);
    gaussian(o->window, o->sigma, weights);
    find_shifts(o, width, height, frames, good, y + pixels * samples, t0, gaps);
    for (size_t p = 0; filtered && p < pixels; p++) {
        movie m = {o, width, height, frames, samples, out_frames, y, good, t0, weights};

        filter_pixel(&m, p, scratch, filtered);
    }
    if (valid)
        memcpy(valid, good, pixels * sizeof *good);
    if (shifts)
        memcpy(shifts, t0, pixels * neighbours * sizeof *t0);
    free(y), free(weights), free(good), free(t0), free(scratch);
}
