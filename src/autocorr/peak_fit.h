/*
 * Sub-pixel positions of extrema of C1D: stationary points of quartics fitted to the bins around them, weighted by
 * count. Several fits go side by side, because looking for where a slope changes its sign is one long chain of
 * additions.
 */
#pragma once

#include <pentacl/autocorr.h>

enum {
    PEAK_TERMS = 5,     /* of a fitted polynomial: a quartic */
    PEAK_BRACKETS = 16, /* places where a slope changes its sign, at a time */
    /* bins of a fit on each side of the extremum: more than a quartic needs, and a bound on the memory */
    MOST_TO_A_SIDE = 256
};

typedef struct {
    size_t first, last; /* bins, both included */
} peak_window;

/* A fit on its way. */
typedef struct {
    const penta_autocorr_bin *c1d;
    size_t at;
    double sign; /* +1 for a maximum, -1 for a minimum */
    bool bounded;
    size_t terms;         /* of the polynomial; 0: none was found */
    double origin, scale; /* it is in x = (mean_r - origin) / scale */
    double coefficient[PEAK_TERMS];
    double nearest; /* of its extrema to x = 0; infinite: none */
} peak_fit;

/* Where slopes change their signs: coefficients of the slopes, and between what. */
typedef struct {
    double slope[PEAK_TERMS - 1][PEAK_BRACKETS], low[PEAK_BRACKETS], high[PEAK_BRACKETS];
    peak_fit *of[PEAK_BRACKETS];
    size_t count;
} peak_brackets;

typedef struct {
    double r, c;
    bool found; /* the fit has an extremum of the right kind in its window */
} peak_extremum;

/* Factors of fits that come again and again with curves of the same counts and mean radii, and no sd. */
typedef struct peak_factors peak_factors;

penta_status autocorr_factors_create(peak_factors **out);
void autocorr_factors_destroy(peak_factors *factors);

/* How many bins the window of `at` may go to either side. */
size_t autocorr_fit_reach(size_t at);
/* The window of `at`: its neighbours, and the connected bins around them that differ from it by at most depth. If these
 * are few, the window grows down the flanks. */
peak_window autocorr_fit_window(const penta_autocorr_bin *c1d, size_t at, double sign, double depth,
                                peak_window limits);
/* known: for such curves; NULL for any. f stays in place until autocorr_fit_end. */
void autocorr_fit_begin(const penta_autocorr_bin *c1d, size_t at, double sign, peak_window w, peak_factors *known,
                        peak_brackets *brackets, peak_fit *f);
/* Before the first autocorr_fit_end. */
void autocorr_fit_solve(peak_brackets *brackets);
peak_extremum autocorr_fit_end(const peak_fit *f);
