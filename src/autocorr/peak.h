/* R_max in steps: from the rings, from circles, alone for the bootstrap; and the doubts about a finished peak. */
#pragma once

#include "autocorr/chance.h"
#include "autocorr/peak_fit.h"

enum { PEAKS_AT_ONCE = 16, MOST_CIRCLES = 2 * MOST_TO_A_SIDE + 3 };
enum { PEAK_UNSURE = 1 << 15 }; /* among the doubts until a peak is judged: only a small error makes it sure */
enum { CIRCLE_REACH = 4 };      /* px: how far C2D is read around a point, cl/autocorr/estimate.clh */

/* The circles on which a peak is refined: radii first, first + 1, ..., px. */
typedef struct {
    size_t first, count; /* count 0: none, the peak is too near the origin or the end */
    double depth;        /* of the window of the fit */
} peak_circles;

/* penta_peak_find of a curve whose image is known; NULL: it is not. A fall behind R_max that may be chance is a doubt,
 * with status PENTA_PEAK_OK. */
penta_peak autocorr_peak_find(const penta_autocorr_bin *c1d, size_t bins, double prominence, const chance_image *image,
                              peak_circles *circles);
/* Sets r_max and c_max from the means of C2D over the circles, which take the place of bins of c1d. A peak that cannot
 * be refined stays. */
void autocorr_peak_refine(const peak_circles *p, const double *c, penta_autocorr_bin *c1d, penta_peak *peak);

/*
 * The r_max that penta_peak_find gives for each of n <= PEAKS_AT_ONCE curves (n x bins), without computing the rest;
 * NaN if the status is not PENTA_PEAK_OK. A maximum below bin `least` is passed over. The curves have the same counts
 * and mean radii, and sd 0; so have all for which `known` is used.
 */
void autocorr_peak_positions(size_t n, const penta_autocorr_bin *c1d, size_t bins, double prominence, size_t least,
                             peak_factors *known, double *positions);

/* Adds to the doubts about a peak that is PENTA_PEAK_OK. If there is one, the status becomes PENTA_PEAK_WEAK. */
void autocorr_peak_judge(const penta_autocorr_options *options, size_t max_offset, penta_peak *peak);
