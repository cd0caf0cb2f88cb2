/*
 * R_max: the first significant maximum of C1D after its first trough.
 *
 * Walking outwards, the first trough is confirmed once C1D has risen from its running minimum by
 *     rise > prominence (C(0) - C(trough))   and   rise > 2 sqrt(s_trough^2 + s^2),   s = sd / sqrt(count / 2),
 * because only half of a bin's offsets are independent: N(-R) = N(R). Where the image behind the curve is known, the
 * rise must also exceed 5 standard deviations of what its texture does by chance (chance.h). From there on, the running
 * maximum is the maximum once C1D has fallen from it (by a quarter of that prominence, and by twice that error) or has
 * stayed below it out to 1.5 times its radius. Bins farther out change nothing. Positions are the stationary points of
 * quartics fitted to the bins around the extremum, weighted by count. The position of the maximum differs by at most
 * max(0.3 px, 1 %) from that of the parabola through the bin and its neighbours.
 */
#include <math.h>

#include "autocorr/peak.h"

enum { LEAST_BINS = 5 }; /* a trough and a peak, and neighbours for both */
static const double noise_multiple = 2;
static const double window_depth = 0.3; /* of the rise to the peak, or of the fall behind it if that is less */
static const double dip_share = 0.25;   /* of the prominence that a dip behind a maximum must have */
static const double sight = 1.5;        /* times the maximum's radius: bins farther out are ignored */
static const double chance_rise = 5;    /* standard deviations of the texture's chance that a rise to a peak exceeds */
static const double chance_fall = 3;    /* likewise the fall behind it, for a peak that is not weak */
static const double sure_fall = 4;      /* likewise, for a peak whose error may be over half of most_error */
static const double most_error = 0.1;   /* of r_max, for a peak that is not weak */
static const double farthest = 0.9;     /* of R, likewise */
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
    case PENTA_PEAK_DOUBT_CHANCE:
        return "a fall behind R_max that may be chance";
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
    double least; /* the prominence times C(0) - C(trough) */
    double sure;  /* a rise above this is judged by two standard deviations only */
    bool white;
    size_t bin;
} bar;

/* For a rise to bin i. An image whose correlation has fallen to half after one pixel is mostly white noise. */
static bar bar_above(const penta_autocorr_bin *c1d, size_t i, size_t trough, double prominence)
{
    double fall = c1d[0].c - c1d[trough].c;

    return (bar){prominence * fall, fall / 4, c1d[0].c - c1d[1].c > fall / 2, i};
}

/*
 * The standard deviations that a rise must exceed. In noise it must beat the greatest of all rises among b.bin
 * independent bins, about 2 sqrt(ln b.bin) standard deviations, with 2 to spare because the innermost bins estimate
 * their sd from a handful of offsets: 1 in 100 images of noise passes.
 */
static double deviations(bar b, double rise)
{
    return b.white && !(rise > b.sure) ? 2 + 2 * sqrt(log((double)b.bin)) : noise_multiple;
}

static bool stands_out(const penta_autocorr_bin *low, const penta_autocorr_bin *high, bar b)
{
    double rise = high->c - low->c;

    return rise > b.least && rise > deviations(b, rise) * sqrt(variance(low) + variance(high));
}

/* Whether C1D differs between two bins by more than so many standard deviations of its chance; true of a curve without
 * an image. */
static bool beats_chance(const penta_autocorr_bin *c1d, size_t trough, size_t low, size_t high, double multiple,
                         const chance_image *image)
{
    chance_core core;

    if (!image)
        return true;
    core = autocorr_chance_core(c1d, trough, image);
    return c1d[high].c - c1d[low].c > multiple * autocorr_chance_sd(&core, c1d[low].mean_r, c1d[high].mean_r);
}

/* What a search goes by. */
typedef struct {
    double prominence;
    size_t least;              /* a maximum below this bin is passed over */
    const chance_image *image; /* NULL: not known */
} rules;

/* Whether bin i rises out of the trough: above noise, and above what the texture does by chance. */
static bool rises_from(const penta_autocorr_bin *c1d, size_t trough, size_t i, const rules *by)
{
    return stands_out(c1d + trough, c1d + i, bar_above(c1d, i, trough, by->prominence)) &&
           beats_chance(c1d, trough, trough, i, chance_rise, by->image);
}

/* Index of the first trough, n where there is none. */
static size_t find_trough(const penta_autocorr_bin *c1d, size_t n, const rules *by)
{
    size_t lowest = 0;

    for (size_t i = 1; i < n; i++) {
        if (c1d[i].c < c1d[lowest].c)
            lowest = i;
        else if (lowest > 0 && rises_from(c1d, lowest, i, by))
            return lowest;
    }
    return n;
}

/*
 * Index of the first maximum behind the trough that stands out from the trough; n if there is none, or if C1D still
 * rises at the last bin. A dip behind the maximum that does not stand out is a wiggle: a higher bin within sight
 * replaces the maximum.
 */
static size_t find_peak(const penta_autocorr_bin *c1d, size_t n, size_t trough, const rules *by)
{
    size_t top = trough;
    bool rises = false; /* top stands out from the trough */

    for (size_t i = trough + 1; i < n; i++) {
        bar b = bar_above(c1d, top > trough ? top : i, trough, dip_share * by->prominence);

        if (c1d[i].c > c1d[top].c) {
            top = i;
            rises = rises_from(c1d, trough, top, by);
        } else if (rises && top >= by->least &&
                   (stands_out(c1d + i, c1d + top, b) || (double)i >= sight * (double)top)) {
            return top;
        }
    }
    return rises && top + 1 < n ? top : n;
}

/* ---- the search ---- */

typedef struct {
    enum penta_peak_status status;
    size_t bins;         /* with values */
    size_t trough, peak; /* peak is the last bin if C1D still rises there */
    size_t dip;          /* the lowest bin behind the peak within sight */
    double depth;        /* of the windows of the fits */
} search;

static search search_bins(const penta_autocorr_bin *c1d, size_t bins, const rules *by)
{
    search s = {PENTA_PEAK_NO_TROUGH, usable_bins(c1d, bins), 0, 0, 0, 0};

    if ((bins > 0 && s.bins == 0) || (s.bins > 1 && is_flat(c1d, s.bins))) {
        s.status = PENTA_PEAK_FLAT;
        return s;
    }
    if (s.bins < LEAST_BINS || (s.trough = find_trough(c1d, s.bins, by)) == s.bins)
        return s;
    s.peak = find_peak(c1d, s.bins, s.trough, by);
    if (s.peak < s.bins) {
        s.status = PENTA_PEAK_OK;
    } else {
        s.peak--;
        if (stands_out(c1d + s.trough, c1d + s.peak, bar_above(c1d, s.bins, s.trough, by->prominence)))
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
static void begin_trough(const penta_autocorr_bin *c1d, const search *s, peak_brackets *brackets, peak_fit *fit)
{
    peak_window w = autocorr_fit_window(c1d, s->trough, -1, s->depth, (peak_window){1, s->peak});

    autocorr_fit_begin(c1d, s->trough, -1, w, NULL, brackets, fit);
}

/* The window lies between the trough and the dip, and the fall behind the peak, where the curve may be flat, limits its
 * depth. */
static double peak_depth(const penta_autocorr_bin *c1d, const search *s)
{
    return fmin(s->depth, window_depth * (c1d[s->peak].c - c1d[s->dip].c));
}

static void begin_peak(const penta_autocorr_bin *c1d, const search *s, peak_factors *known, peak_brackets *brackets,
                       peak_fit *fit)
{
    peak_window w = autocorr_fit_window(c1d, s->peak, 1, peak_depth(c1d, s), (peak_window){s->trough, s->dip});

    autocorr_fit_begin(c1d, s->peak, 1, w, known, brackets, fit);
}

/* A peak beside the last bin whose fitted curve has no maximum may just be a wiggle of a curve that still rises. */
static peak_extremum end_peak(const peak_fit *fit, search *s)
{
    peak_extremum at = autocorr_fit_end(fit);

    if (!at.found && s->peak + 2 >= s->bins)
        s->status = PENTA_PEAK_AT_EDGE;
    return at;
}

void autocorr_peak_positions(size_t n, const penta_autocorr_bin *c1d, size_t bins, double prominence, size_t least,
                             peak_factors *known, double *positions)
{
    const rules by = {prominence, least, NULL};
    search s[PEAKS_AT_ONCE];
    peak_fit fits[PEAKS_AT_ONCE];
    peak_brackets brackets = {0};

    for (size_t i = 0; i < n; i++) {
        s[i] = search_bins(c1d + i * bins, bins, &by);
        if (s[i].status == PENTA_PEAK_OK)
            begin_peak(c1d + i * bins, &s[i], known, &brackets, &fits[i]);
    }
    autocorr_fit_solve(&brackets);
    for (size_t i = 0; i < n; i++) {
        positions[i] = NAN;
        if (s[i].status == PENTA_PEAK_OK) {
            double r = end_peak(&fits[i], &s[i]).r;

            positions[i] = s[i].status == PENTA_PEAK_OK ? r : NAN;
        }
    }
}

/* As far to either side as the window of a fit goes, and a bin more, since the top of coarse rings may be beside it. */
static peak_circles circles_around(const penta_autocorr_bin *c1d, const search *s)
{
    size_t reach = autocorr_fit_reach(s->peak) + 1, first = s->peak > reach ? s->peak - reach : 0;
    size_t last = s->peak + reach < s->dip ? s->peak + reach : s->dip;

    first = first > s->trough ? first : s->trough;
    first = first > CIRCLE_REACH ? first : CIRCLE_REACH;
    last = last + CIRCLE_REACH < s->bins ? last : s->bins - 1 - CIRCLE_REACH;
    return s->bins > CIRCLE_REACH && first + 2 <= s->peak && s->peak + 2 <= last
               ? (peak_circles){first, last - first + 1, peak_depth(c1d, s)}
               : (peak_circles){0};
}

penta_peak autocorr_peak_find(const penta_autocorr_bin *c1d, size_t bins, double prominence, const chance_image *image,
                              peak_circles *circles)
{
    penta_peak found = {PENTA_PEAK_NO_TROUGH, 0, NAN, NAN, NAN, NAN, NAN};
    search s = search_bins(c1d, bins, &(rules){prominence, 0, image});
    peak_brackets brackets = {0};
    peak_fit trough, peak;
    peak_extremum at;

    *circles = (peak_circles){0};
    found.status = s.status;
    if (s.status != PENTA_PEAK_OK && s.status != PENTA_PEAK_AT_EDGE)
        return found;
    begin_trough(c1d, &s, &brackets, &trough);
    if (s.status == PENTA_PEAK_OK)
        begin_peak(c1d, &s, NULL, &brackets, &peak);
    autocorr_fit_solve(&brackets);
    at = autocorr_fit_end(&trough);
    found.r_min = at.r;
    found.c_min = at.c;
    if (s.status == PENTA_PEAK_OK) {
        at = end_peak(&peak, &s);
        found.status = s.status;
    }
    if (s.status == PENTA_PEAK_OK) {
        found.r_max = at.r;
        found.c_max = at.c;
        if (!beats_chance(c1d, s.trough, s.dip, s.peak, chance_fall, image))
            found.doubts = PENTA_PEAK_DOUBT_CHANCE;
        else if (!beats_chance(c1d, s.trough, s.dip, s.peak, sure_fall, image))
            found.doubts = PEAK_UNSURE;
        *circles = circles_around(c1d, &s);
    }
    return found;
}

penta_peak penta_peak_find(const penta_autocorr_bin *c1d, size_t bins, double prominence)
{
    peak_circles circles;

    return autocorr_peak_find(c1d, bins, prominence, NULL, &circles);
}

void autocorr_peak_refine(const peak_circles *p, const double *c, penta_autocorr_bin *c1d, penta_peak *peak)
{
    size_t top = p->first, last = p->first + p->count - 1;
    peak_brackets brackets = {0};
    peak_window w;
    peak_fit fit;
    peak_extremum at;

    for (size_t i = 0; i < p->count; i++) {
        size_t r = p->first + i;

        if (!isfinite(c[i]))
            return;
        c1d[r] = (penta_autocorr_bin){c1d[r].count, (double)r, c[i], 0};
        top = c[i] > c1d[top].c ? r : top;
    }
    if (top == p->first || top == last)
        return;
    w = autocorr_fit_window(c1d, top, 1, p->depth, (peak_window){p->first, last});
    autocorr_fit_begin(c1d, top, 1, w, NULL, &brackets, &fit);
    autocorr_fit_solve(&brackets);
    at = autocorr_fit_end(&fit);
    if (at.found) {
        peak->r_max = at.r;
        peak->c_max = at.c;
    }
}

void autocorr_peak_judge(const penta_autocorr_options *options, size_t max_offset, penta_peak *peak)
{
    bool centred = options->demean != PENTA_AUTOCORR_DEMEAN_NONE || options->estimator == PENTA_AUTOCORR_PEARSON;
    bool unsure = peak->doubts & PEAK_UNSURE;

    peak->doubts &= ~(unsigned)PEAK_UNSURE;
    if (peak->status != PENTA_PEAK_OK)
        return;
    if (unsure && options->bootstrap > 0 && !(peak->r_max_se <= most_error / 2 * peak->r_max))
        peak->doubts |= PENTA_PEAK_DOUBT_CHANCE;
    if (options->bootstrap > 0 && !(peak->r_max_se <= most_error * peak->r_max))
        peak->doubts |= PENTA_PEAK_DOUBT_ERROR;
    if (centred && !(peak->c_max > 0))
        peak->doubts |= PENTA_PEAK_DOUBT_HEIGHT;
    if (peak->r_max > farthest * (double)max_offset)
        peak->doubts |= PENTA_PEAK_DOUBT_RANGE;
    if (peak->doubts)
        peak->status = PENTA_PEAK_WEAK;
}
