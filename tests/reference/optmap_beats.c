#include "reference/optmap_beats.h"

#include <math.h>
#include <stdlib.h>

static double slope(const float *f, size_t n, size_t frames)
{
    double sum = 0;

    if (n == 0)
        return (double)f[1] - (double)f[0];
    if (n == frames - 1)
        return (double)f[n] - (double)f[n - 1];
    if (n == 1 || n == frames - 2)
        return ((double)f[n + 1] - (double)f[n - 1]) / 2;
    for (int k = -2; k <= 2; k++)
        sum += k * (double)f[n + (size_t)k];
    return sum / 10;
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static double noise_of(const float *f, size_t frames)
{
    float *second = calloc(frames, sizeof *second);
    double middle;

    for (size_t n = 1; n + 1 < frames; n++)
        second[n - 1] = fabsf((f[n - 1] - f[n]) - (f[n] - f[n + 1]));
    qsort(second, frames - 2, sizeof *second, compare);
    middle = (double)second[(frames - 3) / 2];
    free(second);
    return middle / 1.65;
}

/* Where the line from sample n - 1 to n has the value. */
static double cross(const float *f, size_t n, double value)
{
    double a = (double)f[n - 1], b = (double)f[n];

    return (double)n - 1 + (value - a) / (b - a);
}

/* The diastolic level between the action potential before, if `first` is not after it, and the upstroke. */
static double level_before(const float *f, size_t frames, size_t first, size_t steepest, size_t peak)
{
    size_t onset = steepest, from = first, count = 0;
    double sum = 0, limit;

    while (slope(f, onset, frames) > 0.1 * slope(f, steepest, frames))
        if (onset-- == first)
            return NAN;
    for (size_t n = first; n <= onset; n++)
        if (n + 5 > onset) {
            sum += (double)f[n];
            count++;
        }
    limit = 0.75 * sum / (double)count + 0.25 * (double)f[peak];
    for (size_t n = first; n < onset; n++)
        if ((double)f[n] > limit && (n == first || (double)f[n - 1] > limit))
            from = n + 1;
    sum = 0;
    count = 0;
    for (size_t n = onset - (onset - from) / 2; n <= onset - (onset - from) / 8; n++) {
        sum += (double)f[n];
        count++;
    }
    return sum / (double)count;
}

static double top_of_parabola(const float *f, size_t frames, size_t n)
{
    if (n == 0 || n == frames - 1)
        return (double)n;
    double a = slope(f, n - 1, frames), b = slope(f, n, frames), c = slope(f, n + 1, frames), bend = a - 2 * b + c;

    return bend < 0 ? (double)n + fmax(-0.5, fmin(0.5 * (a - c) / bend, 0.5)) : (double)n;
}

static double rise_of(const float *f, size_t first, size_t peak, double base, double amplitude)
{
    double low = base + 0.1 * amplitude, high = base + 0.9 * amplitude;
    size_t n = peak;

    while (n > first && (double)f[n - 1] > low)
        n--;
    if (n == first)
        return NAN;
    double begin = cross(f, n, low);

    while ((double)f[n] < high)
        n++;
    return cross(f, n, high) - begin;
}

void reference_beat(const float *f, size_t frames, double rate, size_t first, size_t end, double v[9])
{
    static const double levels[4] = {0.3, 0.5, 0.8, 0.9};
    size_t steepest = first, peak;
    double base, amplitude, at;

    for (int k = 0; k < 9; k++)
        v[k] = NAN;
    for (size_t n = 0; n < frames; n++)
        if (!isfinite(f[n]))
            return;
    for (size_t n = first; n < end; n++)
        if (slope(f, n, frames) > slope(f, steepest, frames))
            steepest = n;
    at = top_of_parabola(f, frames, steepest);
    peak = steepest;
    for (size_t n = steepest; n < end; n++)
        if (f[n] > f[peak])
            peak = n;
    if (!(slope(f, steepest, frames) > 0))
        return;
    base = level_before(f, frames, first, steepest, peak);
    amplitude = (double)f[peak] - base;
    if (amplitude <= 0)
        return;
    v[0] = at * 1000 / rate;
    if (isnan(base))
        return;
    for (int k = 0; k < 4; k++)
        for (size_t n = end - 1; n > peak; n--)
            if ((double)f[n] <= base + (1 - levels[k]) * amplitude)
                v[2 + k] = (cross(f, n, base + (1 - levels[k]) * amplitude) - at) * 1000 / rate;
    v[1] = v[0] + v[4];
    v[6] = rise_of(f, first, peak, base, amplitude) * 1000 / rate;
    v[7] = amplitude;
    v[8] = frames > 2 && noise_of(f, frames) > 0 ? 20 * log10(amplitude / noise_of(f, frames)) : NAN;
}

/* ---- velocity ---- */

/* Gauss with the largest pivot; false: singular. */
static bool solve(int n, double a[6][7])
{
    for (int k = 0; k < n; k++) {
        int best = k;

        for (int r = k; r < n; r++)
            best = fabs(a[r][k]) > fabs(a[best][k]) ? r : best;
        if (fabs(a[best][k]) < 1e-9)
            return false;
        for (int c = 0; c <= n; c++) {
            double keep = a[k][c];

            a[k][c] = a[best][c];
            a[best][c] = keep;
        }
        for (int r = 0; r < n; r++) {
            double factor = a[r][k] / a[k][k];

            for (int c = k; r != k && c <= n; c++)
                a[r][c] -= factor * a[k][c];
        }
    }
    return true;
}

/* The gradient, ms/px, of the best surface of degree 2. */
static bool fit(const float *t, size_t height, size_t width, size_t x, size_t y, int radius, double gradient[2])
{
    double a[6][7] = {{0}};
    int count = 0;

    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int u = (int)x + dx, v = (int)y + dy;

            if (u < 0 || v < 0 || u >= (int)width || v >= (int)height || isnan(t[(size_t)v * width + (size_t)u]))
                continue;
            double terms[] = {dx * dx, dy * dy, dx * dy, dx, dy, 1, (double)t[(size_t)v * width + (size_t)u]};

            count++;
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 7; c++)
                    a[r][c] += terms[r] * terms[c];
        }
    if (count < 9 || !solve(6, a))
        return false;
    gradient[0] = a[3][6] / a[3][3];
    gradient[1] = a[4][6] / a[4][4];
    return true;
}

void reference_velocity(const float *t, size_t height, size_t width, size_t x, size_t y, double pixel_size,
                        const penta_beats_options *o, double v[2])
{
    const float *at = t + y * width + x;
    double g[2], square;
    bool inside = x > 0 && y > 0 && x + 1 < width && y + 1 < height, known = !isnan(*at);

    v[0] = v[1] = NAN;
    if (o->velocity == PENTA_VELOCITY_BAYLY)
        known = known && fit(t, height, width, x, y, o->velocity_window / 2, g);
    else if ((known = known && inside)) {
        g[0] = ((double)at[1] - (double)at[-1]) / 2;
        g[1] = ((double)at[width] - (double)*(at - width)) / 2;
    }
    if (!known)
        return;
    square = g[0] * g[0] + g[1] * g[1];
    for (int k = 0; k < 2; k++)
        v[k] = square > 0 ? g[k] / square * pixel_size * 1000 : NAN;
}

/* ---- phase and frequency ---- */

static const double turn = 6.283185307179586;

static double mean_of(const float *trace, size_t frames)
{
    double sum = 0;

    for (size_t n = 0; n < frames; n++)
        sum += (double)trace[n];
    return sum / (double)frames;
}

/* Line k of x, frames numbers. */
static void line_of(const double *x, size_t frames, size_t k, double line[2])
{
    line[0] = line[1] = 0;
    for (size_t n = 0; n < frames; n++) {
        double angle = turn * (double)(k * n % frames) / (double)frames;

        line[0] += x[n] * cos(angle);
        line[1] -= x[n] * sin(angle);
    }
}

/* Of the trace and its mirror image, 2 frames long. */
void reference_analytic(const double *trace, size_t frames, double *f, double *h)
{
    double *both = calloc(2 * frames, sizeof *both), mean = 0, line[2];

    for (size_t n = 0; n < frames; n++)
        mean += trace[n] / (double)frames;
    for (size_t n = 0; n < frames; n++) {
        f[n] = both[n] = both[2 * frames - 1 - n] = trace[n] - mean;
        h[n] = 0;
    }
    for (size_t k = 1; k < frames; k++) { /* cos becomes sin, sin becomes -cos */
        line_of(both, 2 * frames, k, line);
        for (size_t n = 0; n < frames; n++) {
            double angle = turn * (double)(k * n % (2 * frames)) / (double)(2 * frames);

            h[n] += (line[0] * sin(angle) + line[1] * cos(angle)) / (double)frames;
        }
    }
    free(both);
}

void reference_dominant_frequency(const float *trace, size_t frames, double rate, double low, double high,
                                  double *frequency, double *regularity)
{
    double mean = mean_of(trace, frames), *x = calloc(2 * frames, sizeof *x), *power = x + frames, line[2], sum = 0;
    double step = rate / (double)frames, shift = 0;
    size_t best = 0;

    high = high == 0 ? rate / 2 : high;
    for (size_t n = 0; n < frames; n++)
        x[n] = ((double)trace[n] - mean) * (0.5 - 0.5 * cos(turn * (double)n / (double)frames));
    for (size_t k = 0; k <= frames / 2; k++) {
        line_of(x, frames, k, line);
        power[k] = line[0] * line[0] + line[1] * line[1];
        if (k == 0 || (double)k * step < low || (double)k * step > high)
            continue;
        sum += power[k];
        best = best == 0 || power[k] > power[best] ? k : best;
    }
    if (best < frames / 2) {
        double a = log(power[best - 1]), b = log(power[best]), c = log(power[best + 1]);

        shift = a - 2 * b + c < 0 ? fmax(-0.5, fmin(0.5 * (a - c) / (a - 2 * b + c), 0.5)) : 0;
    }
    *frequency = fmax(fmin((double)best + shift, floor(high / step)), fmax(ceil(low / step), 1)) * step;
    *regularity = power[best] / sum;
    for (size_t k = best - 1; k <= best + 1; k += 2)
        if (k > 0 && k <= frames / 2 && (double)k * step >= low && (double)k * step <= high)
            *regularity += power[k] / sum;
    free(x);
}
