/* The conditioning of include/pentacl/optmap.h in double precision, as the formulas stand there. */
#ifndef PENTA_REFERENCE_OPTMAP_H
#define PENTA_REFERENCE_OPTMAP_H

#include <pentacl/optmap.h>

/* v of one pixel: F has `frames` numbers. Returns whether the pixel is valid. first, end: the baseline. */
bool reference_optmap_trace(const penta_optmap_options *o, size_t frames, const double *f, size_t first, size_t end,
                            double *v);

/* Weights w[m][k] of samples n + first + k, as optmap_filter has them; interp x 64 numbers are enough. */
void reference_optmap_weights(int interp, int taps, int *first, int *length, double *w);

/* y: interp * frames numbers. */
void reference_optmap_interpolate(int interp, int taps, size_t frames, const double *v, double *y);

/*
 * t0 of p and q by the correlation sum itself (all lags, no FFT; or by the sums' FFT in double where `frames` is
 * large). *gap: the largest value less the second largest, divided by sqrt(sum y_p^2 sum y_q^2): pairs with a gap below
 * 1e-12 have no unique maximum.
 */
int reference_optmap_shift(const penta_optmap_options *o, size_t frames, const double *yp, const double *yq,
                           double *gap);

/* Everything, from F (frames x height x width doubles). valid, shifts, filtered as penta_optmap_result, filtered in
 * double; gaps: height x width x window^2. NULL: not wanted. */
void reference_optmap(const penta_optmap_options *o, size_t width, size_t height, size_t frames, const double *f,
                      uint8_t *valid, int32_t *shifts, double *gaps, double *filtered);

#endif
