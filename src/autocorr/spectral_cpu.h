/* Correlation by FFT in its form for CPU devices, cl/autocorr/spectral_cpu.cl: the "simd" FFT backend. */
#pragma once

#include "autocorr/engine.h"

typedef struct autocorr_spectral_cpu autocorr_spectral_cpu;

/* Choices of a plan; zero lets the plan choose. */
typedef struct autocorr_spectral_cpu_cut {
    size_t lanes;  /* transforms in a vector: 4, 8, or 16 in single precision */
    size_t nx, ny; /* padded lengths: at least image plus R, factors 2, 3, 5 and 7 */
} autocorr_spectral_cpu_cut;

/*
 * Plan for runs of about batch frames. 8-bit and 16-bit images in double precision give exact integers: 16-bit ones by
 * three correlations, of their high bytes H, their low bytes L and H + L. cut may be NULL.
 * Errors: PENTA_UNSUPPORTED (too large for an exact result or for the transforms; no double precision), PENTA_MEMORY,
 * PENTA_BUILD, PENTA_DEVICE. On failure *out is NULL.
 */
penta_status autocorr_spectral_cpu_create(penta_context *ctx, const autocorr_shape *shape,
                                          const autocorr_spectral_cpu_cut *cut, size_t batch,
                                          autocorr_spectral_cpu **out);

/*
 * As autocorr_correlator_run: out is [frame][rows][2R+1] of int64 for integer images, else of double (float on a
 * device without double precision). Enqueued, not waited for.
 */
penta_status autocorr_spectral_cpu_run(autocorr_spectral_cpu *plan, size_t frames, penta_buffer *a, penta_buffer *b,
                                       penta_buffer *out);

/* After the results have been read: PENTA_INTERNAL if one was not near an integer. */
penta_status autocorr_spectral_cpu_verify(autocorr_spectral_cpu *plan);
void autocorr_spectral_cpu_destroy(autocorr_spectral_cpu *plan); /* NULL is fine */
