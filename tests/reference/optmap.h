/* The conditioning of include/pentacl/optmap.h in double precision, as the formulas stand there. */
#pragma once

#include <pentacl/optmap.h>

/* v of one pixel: F has `frames` numbers. Returns whether the pixel is valid. first, end: the baseline. */
bool reference_optmap_trace(const penta_optmap_options *o, size_t frames, const double *f, size_t first, size_t end,
                            double *v);

/* Takes D - D0 off v; first, end: the baseline. */
void reference_optmap_drift(int degree, size_t frames, size_t first, size_t end, double *v);

/* Weights w[m][k] of samples n + first + k, as optmap_filter has them; interp x 64 numbers are enough. */
void reference_optmap_weights(int interp, int taps, int *first, int *length, double *w);

/* y: interp * frames numbers. */
void reference_optmap_interpolate(int interp, int taps, size_t frames, const double *v, double *y);

/*
 * t0 of p and q from their interpolated traces (with demean: of v less its mean), by the correlation's sums themselves
 * or, of more than 512 samples, their transform in double. *gap: the largest value less the second largest, over
 * sqrt(sum y_p^2 sum y_q^2), which is the value of equal traces; with phase correlation over its value of equal traces.
 * Pairs with a gap below 1e-12 have no unique maximum: t0 is the first lag of such values. With phase correlation the
 * rounding of the weakest frequency let through counts as much as the strongest: there a gap must be larger by their
 * ratio.
 */
int reference_optmap_shift(const penta_optmap_options *o, size_t frames, const double *yp, const double *yq,
                           double *gap);

/* Everything, from F (frames x height x width doubles). valid, shifts, filtered as penta_optmap_result, filtered in
 * double; gaps: height x width x window^2, infinite where no pair was compared. NULL: not wanted. */
void reference_optmap(const penta_optmap_options *o, size_t width, size_t height, size_t frames, const double *f,
                      uint8_t *valid, int32_t *shifts, double *gaps, double *filtered);
