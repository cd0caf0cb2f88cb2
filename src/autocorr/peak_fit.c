#include "autocorr/peak_fit.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "math/lsq.h"
#include "math/wide.h"

enum {
    LEAST_WINDOW = 5,   /* bins in a fit, if the flanks are long enough */
    AVERAGED_BINS = 64, /* beyond this bin the curve is straight within a bin */
    KNOWN_BINS = 32,    /* in a window whose factors are kept */
    KNOWN_WINDOWS = 16,
    HALVINGS = 60
};
static const double window_reach = 0.25; /* of the extremum's radius: how far a window goes to either side */
/* How far a maximum may be from the parabola through its bin and the neighbours, and from the bin. */
static const double stray_px = 0.29, stray_share = 0.0097, stray_bins = 1.45;

/* ---- the window ---- */

/* Grows w by one bin down the flank that has fallen less; false if both flanks have turned or ended. */
static bool widen(const penta_autocorr_bin *c1d, double sign, peak_window limits, peak_window *w)
{
    bool left = w->first > limits.first && sign * (c1d[w->first].c - c1d[w->first - 1].c) > 0;
    bool right = w->last < limits.last && sign * (c1d[w->last].c - c1d[w->last + 1].c) > 0;

    if (left && right)
        left = sign * (c1d[w->first - 1].c - c1d[w->last + 1].c) >= 0;
    if (left)
        w->first--;
    else if (right)
        w->last++;
    return left || right;
}

size_t autocorr_fit_reach(size_t at)
{
    size_t reach = (size_t)(window_reach * (double)at);

    return reach < MOST_TO_A_SIDE ? reach : MOST_TO_A_SIDE;
}

peak_window autocorr_fit_window(const penta_autocorr_bin *c1d, size_t at, double sign, double depth, peak_window limits)
{
    peak_window w = {at > limits.first ? at - 1 : at, at < limits.last ? at + 1 : at};
    size_t reach = autocorr_fit_reach(at);

    while (w.first > limits.first && at - w.first < reach && sign * (c1d[at].c - c1d[w.first - 1].c) <= depth)
        w.first--;
    while (w.last < limits.last && w.last - at < reach && sign * (c1d[at].c - c1d[w.last + 1].c) <= depth)
        w.last++;
    while (w.last - w.first + 1 < LEAST_WINDOW && widen(c1d, sign, limits, &w))
        ;
    return w;
}

/* ---- the polynomial ---- */

/*
 * power[k] = mean over the offsets of bin `radius` of ((r - origin) / scale)^k. A polynomial's terms average to these
 * in the bin, so a fit in these terms is free of the smoothing by the bins (which would shift r_max by 0.4 % at 8 px).
 * In whole numbers the bin is radius^2 - radius < X^2 + Y^2 <= radius^2 + radius. False if the bin is not the mean over
 * all of these offsets, but over part of them, or a sample at mean_r.
 */
static bool ring_powers(const penta_autocorr_bin *bin, size_t radius, double origin, double scale, size_t terms,
                        double *power)
{
    int64_t reach = (int64_t)radius, inner = reach * reach - reach, outer = reach * reach + reach, offsets = 0;
    double mean_r = 0, sum[PEAK_TERMS] = {0};

    if (radius > AVERAGED_BINS || !(bin->sd > 0))
        return false;
    /* One quadrant, X >= 1 and Y >= 0; the others are rotations of it. */
    for (int64_t y = 0; y <= reach; y++)
        for (int64_t x = (int64_t)sqrt(fmax(0, (double)(inner - y * y))); x * x + y * y <= outer; x++) {
            double r = sqrt((double)(x * x + y * y)), term = 1;

            if (x == 0 || x * x + y * y <= inner)
                continue;
            offsets++;
            mean_r += r;
            for (size_t k = 0; k < terms; k++, term *= (r - origin) / scale)
                sum[k] += term;
        }
    for (size_t k = 0; k < terms; k++)
        power[k] = sum[k] / (double)offsets;
    return bin->count == 4 * offsets && fabs(bin->mean_r - mean_r / (double)offsets) < 1e-6;
}

static void sample_powers(double x, size_t terms, double *power)
{
    double term = 1;

    for (size_t k = 0; k < terms; k++, term *= x)
        power[k] = term;
}

/* What a fit is whatever the heights of the bins are. */
typedef struct {
    size_t at;
    peak_window window;
    bool solvable;
    double *x, *weight; /* of the bins; weight: the root of their counts */
    penta_lsq_factors factors;
} known_window;

#define WINDOW_MEMORY(n) (((PEAK_TERMS + 2) * (n)) + PENTA_LSQ_FACTORS(PEAK_TERMS)) /* doubles, for n bins */

struct peak_factors {
    known_window windows[KNOWN_WINDOWS];
    size_t count, next; /* next: to be replaced */
    double memory[KNOWN_WINDOWS][WINDOW_MEMORY(KNOWN_BINS)];
};

penta_status autocorr_factors_create(peak_factors **out)
{
    return penta_calloc(NULL, 1, sizeof **out, out);
}

void autocorr_factors_destroy(peak_factors *factors)
{
    free(factors);
}

static size_t bins_of(peak_window w)
{
    return w.last - w.first + 1;
}

/* memory: WINDOW_MEMORY(n) */
static void factor_window(const peak_fit *f, peak_window w, double *memory, known_window *out)
{
    size_t n = bins_of(w);
    double *rows = memory + 2 * n, power[PEAK_TERMS];

    *out = (known_window){.at = f->at, .window = w, .x = memory, .weight = memory + n};
    for (size_t i = 0; i < n; i++) {
        const penta_autocorr_bin *bin = f->c1d + w.first + i;

        out->weight[i] = sqrt((double)bin->count);
        out->x[i] = (bin->mean_r - f->origin) / f->scale;
        if (!ring_powers(bin, w.first + i, f->origin, f->scale, f->terms, power))
            sample_powers(out->x[i], f->terms, power);
        for (size_t k = 0; k < f->terms; k++)
            rows[k * n + i] = out->weight[i] * power[k];
    }
    out->solvable = penta_lsq_factor(n, f->terms, rows, rows + f->terms * n, &out->factors);
}

static const known_window *find_window(const peak_fit *f, peak_window w, peak_factors *known)
{
    size_t place = known->next;

    for (size_t i = 0; i < known->count; i++) {
        const known_window *k = &known->windows[i];

        if (k->at == f->at && k->window.first == w.first && k->window.last == w.last)
            return k;
    }
    factor_window(f, w, known->memory[place], &known->windows[place]);
    known->next = (place + 1) % KNOWN_WINDOWS;
    known->count = known->count < KNOWN_WINDOWS ? known->count + 1 : KNOWN_WINDOWS;
    return &known->windows[place];
}

static bool fit_polynomial(const known_window *k, const penta_autocorr_bin *c1d, double *coefficient)
{
    double y[2 * MOST_TO_A_SIDE + 1];

    if (!k->solvable)
        return false;
    for (size_t i = 0; i < k->factors.n; i++)
        y[i] = k->weight[i] * c1d[k->window.first + i].c;
    return penta_lsq_solve(&k->factors, y, coefficient);
}

/* ---- its extrema ---- */

/* Halves every bracket as often as a double tells apart. */
PENTA_WIDE static void halve(peak_brackets *b)
{
    for (int i = 0; i < HALVINGS; i++)
        for (size_t k = 0; k < PEAK_BRACKETS; k++) {
            double middle = (b->low[k] + b->high[k]) / 2;
            double slope =
                ((b->slope[3][k] * middle + b->slope[2][k]) * middle + b->slope[1][k]) * middle + b->slope[0][k];

            b->low[k] = slope > 0 ? middle : b->low[k];
            b->high[k] = slope > 0 ? b->high[k] : middle;
        }
}

void autocorr_fit_solve(peak_brackets *b)
{
    halve(b);
    for (size_t k = 0; k < b->count; k++) {
        double at = (b->low[k] + b->high[k]) / 2;

        if (fabs(at) < fabs(b->of[k]->nearest))
            b->of[k]->nearest = at;
    }
    b->count = 0;
}

/* slope: from the sign of f->sign to its opposite in (low, high). */
static void add_bracket(peak_brackets *b, peak_fit *f, double low, double high)
{
    size_t k;

    if (b->count == PEAK_BRACKETS)
        autocorr_fit_solve(b);
    k = b->count++;
    for (size_t j = 1; j < PEAK_TERMS; j++)
        b->slope[j - 1][k] = j < f->terms ? f->sign * ((double)j * f->coefficient[j]) : 0;
    b->low[k] = low;
    b->high[k] = high;
    b->of[k] = f;
}

/* The bins of the window are at x[0..n-1], ascending. */
static void add_brackets(peak_brackets *b, peak_fit *f, const double *x, size_t n)
{
    double before = f->sign * penta_polynomial_slope(f->terms - 1, f->coefficient, x[0]);

    for (size_t i = 1; i < n; i++) {
        double slope = f->sign * penta_polynomial_slope(f->terms - 1, f->coefficient, x[i]);

        if (before > 0 && slope <= 0)
            add_bracket(b, f, x[i - 1], x[i]);
        before = slope;
    }
}

/* ---- a fit ---- */

void autocorr_fit_begin(const penta_autocorr_bin *c1d, size_t at, double sign, peak_window w, peak_factors *known,
                        peak_brackets *brackets, peak_fit *f)
{
    double memory[WINDOW_MEMORY(2 * MOST_TO_A_SIDE + 1)];
    size_t n = bins_of(w);
    known_window once;
    const known_window *k = &once;

    *f = (peak_fit){.c1d = c1d,
                    .at = at,
                    .sign = sign,
                    .bounded = sign > 0 && w.first < at && at < w.last,
                    .origin = c1d[at].mean_r,
                    .nearest = INFINITY};
    if (n < 3)
        return;
    /* A lower degree if there are fewer bins; but a cubic is wrong by over 1 % if the ring is only a few bins wide. */
    f->terms = n < PEAK_TERMS ? n : PEAK_TERMS;
    f->scale = fmax(f->origin - c1d[w.first].mean_r, c1d[w.last].mean_r - f->origin);
    if (known && n <= KNOWN_BINS)
        k = find_window(f, w, known);
    else
        factor_window(f, w, memory, &once);
    if (fit_polynomial(k, c1d, f->coefficient))
        add_brackets(brackets, f, k->x, n);
    else
        f->terms = 0;
}

/* The place where the parabola through a maximum at x and its neighbours, at distances `left` and `right`, is highest.
 */
static double parabola_top(const penta_autocorr_bin *top, double x, double left, double right)
{
    double rise = (top->c - top[-1].c) / left, fall = (top->c - top[1].c) / right;

    return rise + fall > 0 ? x + (rise * right - fall * left) / (2 * (rise + fall)) : x;
}

/* r, or the nearest place that a maximum at bin `at` may have: near the parabola, whether its bins are placed at their
 * mean radii or at whole radii. */
static double near_parabola(const penta_autocorr_bin *c1d, size_t at, double r)
{
    const penta_autocorr_bin *top = c1d + at;
    double mean = parabola_top(top, top->mean_r, top->mean_r - top[-1].mean_r, top[1].mean_r - top->mean_r);
    double whole = parabola_top(top, (double)at, 1, 1), stray = fmax(stray_px, stray_share * whole);
    double low = fmax(fmax(mean, whole) - stray, (double)at - stray_bins);
    double high = fmin(fmin(mean, whole) + stray, (double)at + stray_bins);

    return low > high ? whole : fmin(fmax(r, low), high);
}

peak_extremum autocorr_fit_end(const peak_fit *f)
{
    peak_extremum result = {f->origin, f->c1d[f->at].c, f->terms > 0 && isfinite(f->nearest)};

    if (result.found)
        result.r = f->origin + f->nearest * f->scale;
    if (f->bounded)
        result.r = near_parabola(f->c1d, f->at, result.r);
    if (result.found)
        result.c = penta_polynomial_at(f->terms - 1, f->coefficient, (result.r - f->origin) / f->scale);
    return result;
}
