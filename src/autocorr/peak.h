/* R_max alone, for the bootstrap, and the doubts about a finished peak. */
#ifndef PENTA_AUTOCORR_PEAK_H
#define PENTA_AUTOCORR_PEAK_H

#include "autocorr/peak_fit.h"

enum { PEAKS_AT_ONCE = 16 };

/*
 * The r_max that penta_peak_find gives for each of n <= PEAKS_AT_ONCE curves (n x bins), without computing the rest;
 * NaN if the status is not PENTA_PEAK_OK. The curves have the same counts and mean radii, and sd 0; so have all for
 * which `known` is used.
 */
void autocorr_peak_positions(size_t n, const penta_autocorr_bin *c1d, size_t bins, double prominence,
                             peak_factors *known, double *positions);

/* Sets the doubts about a peak that is PENTA_PEAK_OK. If there is one, the status becomes PENTA_PEAK_WEAK. */
void autocorr_peak_judge(const penta_autocorr_options *options, size_t max_offset, penta_peak *peak);

#endif
