/* Shared by the tests of the autocorrelation workload: running frames through a plan, and the variants of the kernels.
 */
#pragma once

#include "reference/autocorr.h"

/* A method of correlation. */
typedef struct {
    int method, fft;
} autocorr_variant;

enum { AUTOCORR_VARIANTS = 7 };
extern const autocorr_variant autocorr_variants[AUTOCORR_VARIANTS];

/* "naive", "fft vkfft", ... */
const char *autocorr_variant_name(autocorr_variant v);
/* Whether the context can run it: the simd FFT is for CPU devices. */
bool autocorr_variant_runs(penta_context *ctx, autocorr_variant v);

/* The defaults with R, estimator and demean of the case, and the variant; no bootstrap. */
penta_autocorr_options autocorr_case_options(const reference_autocorr *c, autocorr_variant v);

/* Arrays for the result of one frame. Freed by autocorr_arrays_free. */
penta_autocorr_result autocorr_arrays(size_t max_offset, bool numerators);
void autocorr_arrays_free(penta_autocorr_result *result);

/* Runs one frame through a plan of its own; on failure the running test fails with the library's text. */
void autocorr_run_case(penta_context *ctx, const reference_autocorr *c, const penta_autocorr_options *options,
                       penta_autocorr_result *result);
