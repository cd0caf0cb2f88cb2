/* R_max alone, for the bootstrap, and the doubts about a finished peak. */
#ifndef PENTA_AUTOCORR_PEAK_H
#define PENTA_AUTOCORR_PEAK_H

#include <pentacl/autocorr.h>

/* The r_max that penta_peak_find gives, without computing the rest; NaN if the status is not PENTA_PEAK_OK. */
double autocorr_peak_position(const penta_autocorr_bin *c1d, size_t bins, double prominence);

/* Sets the doubts about a peak that is PENTA_PEAK_OK. If there is one, the status becomes PENTA_PEAK_WEAK. */
void autocorr_peak_judge(const penta_autocorr_options *options, size_t max_offset, penta_peak *peak);

#endif
