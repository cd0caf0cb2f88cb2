/*
 * R_max: the first significant maximum of C1D after its first trough.
 *
 * Walking outwards, the first trough is confirmed once C1D has risen from its running minimum by
 *     rise > prominence (C(0) - C(trough))   and   rise > 2 sqrt(s_trough^2 + s^2),   s = sd / sqrt(count / 2),
 * because only half of a bin's offsets are independent: N(-R) = N(R). From there on, the running maximum is the maximum
 * once C1D has fallen from it (by a quarter of that prominence, and by twice that error) or has stayed below it out to
 * 1.5 times its radius. Bins farther out change nothing.
 * Positions are the stationary points of quartics fitted to the bins around the extremum, weighted by count. The
 * position of the maximum differs by at most max(0.3 px, 1 %) from that of the parabola through the bin and its
 * neighbours.
 */
#include <math.h>

#include "autocorr/peak.h"
#include "math/lsq.h"

enum {
    LEAST_BINS = 5,   /* a trough and a peak, and neighbours for both */
    LEAST_WINDOW = 5, /* bins in a fit, if the flanks are long enough */
    MOST_TERMS = 5,   /* terms of a fitted polynomial: a quartic */
    MOST_TO_A_SIDE =
        256, /* bins of a fit on each side of the extremum: more than a quartic needs, and a bound on the memory */
    AVERAGED_BINS = 64 /* beyond this bin the curve is straight within a bin */
};
static const double noise_multiple = 2;
static const double window_depth = 0.3;  /* of the rise to the peak, or of the fall behind it if that is less */
static const double window_reach = 0.25; /* of the extremum's radius: how far a window goes to either side */
static const double dip_share = 0.25;    /* of the prominence that a dip behind a maximum must have */
static const double sight = 1.5;         /* times the maximum's radius: bins farther out are ignored */
/* How far a maximum may be from the parabola through its bin and the neighbours, and from the bin. */
static const double stray_px = 0.29, stray_share = 0.0097, stray_bins = 1.45;
static const double most_error = 0.1;      /* of r_max, for a peak that is not weak */
static const double farthest = 0.9;        /* of R, likewise */
static const double flat_contrast = 1e-13; /* of the largest |C1D|: rounding */

const char *penta_peak_status_name(enum penta_peak_status status)
{
    static const char *const names[] = {"ok", "no_trough", "at_edge", "flat", "weak"};

    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

const char *penta_peak_doubt_text(enum penta_peak_doubt doubt)
{
    switch (doubt) {
    case PENTA_PEAK_DOUBT_ERROR:
        return "standard error over 10 % or none";
    case PENTA_PEAK_DOUBT_HEIGHT:
        return "C(R_max) <= 0";
    case PENTA_PEAK_DOUBT_RANGE:
        return "R_max over 0.9 R";
    }
    return NULL;
}

/* The number of bins before the first one without a value. */
static size_t usable_bins(const penta_autocorr_bin *c1d, size_t bins)
{
    size_t n = 0;

    while (n < bins && isfinite(c1d[n].c) && isfinite(c1d[n].mean_r) && c1d[n].count > 0)
        n++;
    return n;
}

static bool is_flat(const penta_autocorr_bin *c1d, size_t n)
{
    double low = c1d[0].c, high = c1d[0].c;

    for (size_t i = 1; i < n; i++) {
        low = fmin(low, c1d[i].c);
        high = fmax(high, c1d[i].c);
    }
    return high - low <= flat_contrast * fmax(fabs(low), fabs(high));
}

/* Variance of the bin's mean. */
static double variance(const penta_autocorr_bin *bin)
{
    double independent = fmax((double)bin->count / 2, 1);

    return isfinite(bin->sd) ? bin->sd * bin->sd / independent : 0;
}

/* The limits that a rise above a trough must exceed. */
typedef struct {
    double least;    /* the prominence times C(0) - C(trough) */
    double sure;     /* a rise above this is judged by two standard deviations only */
    double multiple; /* standard deviations that a smaller rise must exceed */
} bar;

/*
 * The multiple for a rise to bin i. An image whose correlation has fallen to half after one pixel is mostly white
 * noise. A rise must then beat the greatest of all rises among i independent bins, about 2 sqrt(ln i) standard
 * deviations, with 2 to spare because the innermost bins estimate their sd from a handful of offsets: 1 in 100 images
 * of noise passes.
 */
static bar bar_above(const penta_autocorr_bin *c1d, size_t i, size_t trough, double prominence)
{
    double fall = c1d[0].c - c1d[trough].c;
    bool white = c1d[0].c - c1d[1].c > fall / 2;

    return (bar){prominence * fall, fall / 4, white ? 2 + 2 * sqrt(log((double)i)) : noise_multiple};
}

static bool stands_out(const penta_autocorr_bin *low, const penta_autocorr_bin *high, bar b)
{
    double rise = high->c - low->c;

    return rise > b.least &&
           rise > (rise > b.sure ? noise_multiple : b.multiple) * sqrt(variance(low) + variance(high));
}

/* Index of the first trough, n where there is none. */
static size_t find_trough(const penta_autocorr_bin *c1d, size_t n, double prominence)
{
    size_t lowest = 0;

    for (size_t i = 1; i < n; i++) {
        if (c1d[i].c < c1d[lowest].c)
            lowest = i;
        else if (lowest > 0 && stands_out(c1d + lowest, c1d + i, bar_above(c1d, i, lowest, prominence)))
            return lowest;
    }
    return n;
}

/*
 * Index of the first maximum behind the trough that stands out from the trough; n if there is none, or if C1D still
 * rises at the last bin. A dip behind the maximum that does not stand out is a wiggle: a higher bin within sight
 * replaces the maximum.
 */
static size_t find_peak(const penta_autocorr_bin *c1d, size_t n, size_t trough, double prominence)
{
    size_t top = trough;
    bool rises = false; /* top stands out from the trough */

    for (size_t i = trough + 1; i < n; i++) {
        bar b = bar_above(c1d, top > trough ? top : i, trough, dip_share * prominence);

        if (c1d[i].c > c1d[top].c) {
            top = i;
            rises = stands_out(c1d + trough, c1d + top, bar_above(c1d, top, trough, prominence));
        } else if (rises && (stands_out(c1d + i, c1d + top, b) || (double)i >= sight * (double)top)) {
            return top;
        }
    }
    return rises && top + 1 < n ? top : n;
}

/* ---- sub-pixel positions; sign is +1 for a maximum and -1 for a minimum ---- */

typedef struct {
    size_t first, last; /* bins, both included */
} window;

/* Grows w by one bin down the flank that has fallen less; false if both flanks have turned or ended. */
static bool widen(const penta_autocorr_bin *c1d, double sign, window limits, window *w)
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

/* The window of `at`, its neighbours, and the connected bins around them that differ from it by at most depth. If these
 * are few, the window grows down the flanks. */
static window fit_window(const penta_autocorr_bin *c1d, size_t at, double sign, double depth, window limits)
{
    window w = {at > limits.first ? at - 1 : at, at < limits.last ? at + 1 : at};
    size_t reach = (size_t)(window_reach * (double)at);

    reach = reach < MOST_TO_A_SIDE ? reach : MOST_TO_A_SIDE;
    while (w.first > limits.first && at - w.first < reach && sign * (c1d[at].c - c1d[w.first - 1].c) <= depth)
        w.first--;
    while (w.last < limits.last && w.last - at < reach && sign * (c1d[at].c - c1d[w.last + 1].c) <= depth)
        w.last++;
    while (w.last - w.first + 1 < LEAST_WINDOW && widen(c1d, sign, limits, &w))
        ;
    return w;
}

typedef struct {
    double r, c;
    bool found; /* the fit has an extremum of the right kind in its window */
} extremum;

/* Where the slope changes from the sign of `sign` to its opposite in (low, high), by bisection. */
static double stationary_point(size_t degree, const double *coefficient, double sign, double low, double high)
{
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (sign * penta_polynomial_slope(degree, coefficient, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* The extremum of the polynomial that is nearest to x = 0. The bins of the window are at x[0..n-1], ascending. */
static bool nearest_extremum(size_t degree, const double *coefficient, double sign, const double *x, size_t n,
                             double *nearest)
{
    *nearest = INFINITY;
    for (size_t i = 0; i + 1 < n; i++)
        if (sign * penta_polynomial_slope(degree, coefficient, x[i]) > 0 &&
            sign * penta_polynomial_slope(degree, coefficient, x[i + 1]) <= 0) {
            double at = stationary_point(degree, coefficient, sign, x[i], x[i + 1]);

            if (fabs(at) < fabs(*nearest))
                *nearest = at;
        }
    return isfinite(*nearest);
}

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
    double mean_r = 0, sum[MOST_TERMS] = {0};

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

/*
 * Fits a polynomial in x = (mean_r - origin) / scale to the window, weighted by count. memory: 2 n + n terms doubles;
 * the first n return the bins' x. False if there is no fit.
 */
static bool fit_polynomial(const penta_autocorr_bin *c1d, window w, double origin, double scale, size_t terms,
                           double *memory, double *coefficient)
{
    size_t n = w.last - w.first + 1;
    double *x = memory, *y = x + n, *rows = y + n, power[MOST_TERMS];
    penta_lsq_result fit = {false, NAN};

    for (size_t i = 0; i < n; i++) {
        const penta_autocorr_bin *bin = c1d + w.first + i;
        double weight = sqrt((double)bin->count);

        x[i] = (bin->mean_r - origin) / scale;
        y[i] = weight * bin->c;
        if (!ring_powers(bin, w.first + i, origin, scale, terms, power))
            sample_powers(x[i], terms, power);
        for (size_t k = 0; k < terms; k++)
            rows[k * n + i] = weight * power[k];
    }
    return penta_lsq_linear(n, terms, rows, y, coefficient, NULL, &fit) == PENTA_OK && fit.ok;
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

/* Fits a quartic, or a lower degree if there are fewer bins: a cubic is wrong by over 1 % if the ring is only a few
 * bins wide. */
static extremum fit_extremum(const penta_autocorr_bin *c1d, size_t at, double sign, window w)
{
    size_t n = w.last - w.first + 1, terms = n < MOST_TERMS ? n : MOST_TERMS;
    bool bounded = sign > 0 && w.first < at && at < w.last;
    extremum result = {c1d[at].mean_r, c1d[at].c, false};
    double origin = c1d[at].mean_r, scale = fmax(origin - c1d[w.first].mean_r, c1d[w.last].mean_r - origin);
    double coefficient[MOST_TERMS], position, memory[(MOST_TERMS + 2) * (2 * MOST_TO_A_SIDE + 1)];

    if (bounded)
        result.r = near_parabola(c1d, at, result.r);
    if (n < 3)
        return result;
    if (fit_polynomial(c1d, w, origin, scale, terms, memory, coefficient) &&
        nearest_extremum(terms - 1, coefficient, sign, memory, n, &position)) {
        result.r = origin + position * scale;
        if (bounded)
            result.r = near_parabola(c1d, at, result.r);
        result.c = penta_polynomial_at(terms - 1, coefficient, (result.r - origin) / scale);
        result.found = true;
    }
    return result;
}

/* ---- the search ---- */

typedef struct {
    enum penta_peak_status status;
    size_t bins;         /* with values */
    size_t trough, peak; /* peak is the last bin if C1D still rises there */
    size_t dip;          /* the lowest bin behind the peak within sight */
    double depth;        /* of the windows of the fits */
} search;

static search search_bins(const penta_autocorr_bin *c1d, size_t bins, double prominence)
{
    search s = {PENTA_PEAK_NO_TROUGH, usable_bins(c1d, bins), 0, 0, 0, 0};

    if ((bins > 0 && s.bins == 0) || (s.bins > 1 && is_flat(c1d, s.bins))) {
        s.status = PENTA_PEAK_FLAT;
        return s;
    }
    if (s.bins < LEAST_BINS || (s.trough = find_trough(c1d, s.bins, prominence)) == s.bins)
        return s;
    s.peak = find_peak(c1d, s.bins, s.trough, prominence);
    if (s.peak < s.bins) {
        s.status = PENTA_PEAK_OK;
    } else {
        s.peak--;
        if (stands_out(c1d + s.trough, c1d + s.peak, bar_above(c1d, s.bins, s.trough, prominence)))
            s.status = PENTA_PEAK_AT_EDGE;
    }
    s.dip = s.peak;
    for (size_t i = s.peak + 1; i < s.bins && (double)i <= sight * (double)s.peak; i++)
        if (c1d[i].c < c1d[s.dip].c)
            s.dip = i;
    s.depth = window_depth * (c1d[s.peak].c - c1d[s.trough].c);
    return s;
}

/* Does not start from bin 0: a camera's noise is uncorrelated and raises C(0) alone. */
static extremum fit_trough(const penta_autocorr_bin *c1d, const search *s)
{
    return fit_extremum(c1d, s->trough, -1, fit_window(c1d, s->trough, -1, s->depth, (window){1, s->peak}));
}

/* The window lies between the trough and the dip, and the fall behind the peak, where the curve may be flat, limits its
 * depth. A peak beside the last bin whose fitted curve has no maximum may just be a wiggle of a curve that still rises.
 */
static extremum fit_peak(const penta_autocorr_bin *c1d, search *s)
{
    double depth = fmin(s->depth, window_depth * (c1d[s->peak].c - c1d[s->dip].c));
    extremum at = fit_extremum(c1d, s->peak, 1, fit_window(c1d, s->peak, 1, depth, (window){s->trough, s->dip}));

    if (!at.found && s->peak + 2 >= s->bins)
        s->status = PENTA_PEAK_AT_EDGE;
    return at;
}

double autocorr_peak_position(const penta_autocorr_bin *c1d, size_t bins, double prominence)
{
    search s = search_bins(c1d, bins, prominence);

    if (s.status == PENTA_PEAK_OK) {
        extremum top = fit_peak(c1d, &s);

        if (s.status == PENTA_PEAK_OK)
            return top.r;
    }
    return NAN;
}

penta_peak penta_peak_find(const penta_autocorr_bin *c1d, size_t bins, double prominence)
{
    penta_peak found = {PENTA_PEAK_NO_TROUGH, 0, NAN, NAN, NAN, NAN, NAN};
    search s = search_bins(c1d, bins, prominence);
    extremum at;

    if (s.status == PENTA_PEAK_OK) {
        at = fit_peak(c1d, &s);
        if (s.status == PENTA_PEAK_OK) {
            found.r_max = at.r;
            found.c_max = at.c;
        }
    }
    if (s.status == PENTA_PEAK_OK || s.status == PENTA_PEAK_AT_EDGE) {
        at = fit_trough(c1d, &s);
        found.r_min = at.r;
        found.c_min = at.c;
    }
    found.status = s.status;
    return found;
}

void autocorr_peak_judge(const penta_autocorr_options *options, size_t max_offset, penta_peak *peak)
{
    bool centred = options->demean != PENTA_AUTOCORR_DEMEAN_NONE || options->estimator == PENTA_AUTOCORR_PEARSON;

    peak->doubts = 0;
    if (peak->status != PENTA_PEAK_OK)
        return;
    if (options->bootstrap > 0 && !(peak->r_max_se <= most_error * peak->r_max))
        peak->doubts |= PENTA_PEAK_DOUBT_ERROR;
    if (centred && !(peak->c_max > 0))
        peak->doubts |= PENTA_PEAK_DOUBT_HEIGHT;
    if (peak->r_max > farthest * (double)max_offset)
        peak->doubts |= PENTA_PEAK_DOUBT_RANGE;
    if (peak->doubts)
        peak->status = PENTA_PEAK_WEAK;
}
