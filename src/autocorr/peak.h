/* R_max alone, for the bootstrap, and what a finished peak is worth. */
#ifndef PENTA_AUTOCORR_PEAK_H
#define PENTA_AUTOCORR_PEAK_H

#include <pentacl/autocorr.h>

/* r_max as penta_peak_find gives it, without the work of the rest; NaN where the status is not PENTA_PEAK_OK. */
double autocorr_peak_position(const penta_autocorr_bin *c1d, size_t bins, double prominence);

/* Makes a peak that is PENTA_PEAK_OK PENTA_PEAK_WEAK where penta_autocorr_run says so (autocorr.h). */
void autocorr_peak_judge(const penta_autocorr_options *options, size_t max_offset, penta_peak *peak);

#endif
