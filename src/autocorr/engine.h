/*
 * Correlation engines, and the correlator, which runs one of them: N(X,Y) = sum_xy a(x,y) b(x+X,y+Y) for |X| <= R and
 * y0
 * <= Y <= R, y0 = 0 for a plane with itself (N(-X,-Y) = N(X,Y)) and -R for two planes. One correlator serves one shape
 * and element type.
 */
#pragma once

#include <pentacl/autocorr.h>

#include "autocorr/shape.h"

typedef struct autocorr_correlator autocorr_correlator;

/* method and fft: AUTO is resolved here. batch: most frames of one run. */
penta_status autocorr_correlator_create(penta_context *ctx, const autocorr_shape *shape,
                                        enum penta_autocorr_method method, enum penta_fft_backend fft, size_t batch,
                                        autocorr_correlator **out);

/*
 * a, b: frames planes one after another (b unused unless cross). out: [frame][rows][2R+1], int64 for U8 and U16, double
 * for the others (float where the device has no double). Enqueued, not waited for.
 */
penta_status autocorr_correlator_run(autocorr_correlator *correlator, size_t frames, penta_buffer *a, penta_buffer *b,
                                     penta_buffer *out);

/* After the results of a run have been read: PENTA_INTERNAL if a rounded FFT result was not near an integer. */
penta_status autocorr_correlator_verify(autocorr_correlator *correlator);
void autocorr_correlator_destroy(autocorr_correlator *correlator); /* NULL is fine */

const char *autocorr_correlator_method(const autocorr_correlator *correlator);
const char *autocorr_correlator_fft(const autocorr_correlator *correlator); /* NULL for direct methods */

/* Tells the listener of the context the method and the FFT, and why. of: what is said behind their names, as " for
 * masked frames", or "". */
void autocorr_correlator_tell(const autocorr_correlator *correlator, const char *of);

/* Device bytes per frame of a batch, roughly; to choose the batch. */
size_t autocorr_correlator_bytes(penta_context *ctx, const autocorr_shape *shape, enum penta_autocorr_method method,
                                 enum penta_fft_backend fft);

/* "-DPENTA_U8" and so on, for kernels of this type. */
const char *autocorr_type_define(penta_type type);

/* ---- exact FFTs, whose correlations are rounded to integers (exact.c) ---- */

/* A correlation that is farther than this from an integer counts as a failure of the FFT. */
#define AUTOCORR_WORST_ALLOWED 0.25
/* After the results have been read: PENTA_INTERNAL if the largest distance, the float in `worst`, is above that limit.
 * The plan stays usable. fft: the name of the library. */
penta_status autocorr_verify_exact(penta_context *ctx, penta_buffer *worst, const char *fft);

/* ---- the functions of an engine, for engine.c ---- */
typedef struct autocorr_engine {
    const char *name; /* as the option `method` has it */
    penta_status (*create)(penta_context *ctx, const autocorr_shape *shape, enum penta_fft_backend fft, size_t batch,
                           void **state);
    penta_status (*run)(void *state, size_t frames, penta_buffer *a, penta_buffer *b, penta_buffer *out);
    penta_status (*verify)(void *state);                  /* may be NULL */
    enum penta_fft_backend (*backend)(const void *state); /* NULL: no FFT */
    void (*destroy)(void *state);
} autocorr_engine;

/* GPU forms (they run on any device), and the forms for CPU devices. */
extern const autocorr_engine autocorr_naive, autocorr_lines, autocorr_tiled, autocorr_spectral, autocorr_ntt;
extern const autocorr_engine autocorr_tiled_cpu, autocorr_spectral_simd;
