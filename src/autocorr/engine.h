/*
 * Correlation engines and what runs one of them, the correlator: N(X,Y) = sum_xy a(x,y) b(x+X,y+Y) for |X| <= R and y0
 * <= Y <= R, y0 = 0 for a plane with itself (N(-X,-Y) = N(X,Y)) and -R for two planes. One correlator serves one shape
 * and element type.
 */
#ifndef PENTA_AUTOCORR_ENGINE_H
#define PENTA_AUTOCORR_ENGINE_H

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

/* After the results of a run were read: PENTA_INTERNAL when a rounded FFT result was not near an integer. */
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

/* Least distance from an integer that counts as a failure of the FFT. */
#define AUTOCORR_WORST_ALLOWED 0.25
/* After the results were read: PENTA_INTERNAL when the largest distance, the float in `worst`, is above that. The plan
 * stays usable. fft: the name of the library. */
penta_status autocorr_verify_exact(penta_context *ctx, penta_buffer *worst, const char *fft);

/* ---- what an engine gives to engine.c ---- */
typedef struct autocorr_engine {
    const char *name; /* of option method */
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

#endif
