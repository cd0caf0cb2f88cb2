/*
 * Discrete Fourier transforms on the device, in place and unnormalised in both directions, through clFFT, VkFFT or, on
 * CPU devices, kernels of ours.
 *
 * Layout. Complex: batch x ny x nx interleaved complex numbers. Real: rows of 2*(nx/2+1) real numbers, of which the
 * first nx are used; the spectrum has rows of nx/2+1 complex numbers in the same place. x is the fast axis; rank 1 has
 * ny = 1. Elements are double when `dbl`, else float.
 */
#pragma once

#include <pentacl/fft.h>

#include "math/fft_shape.h"

typedef struct penta_fft penta_fft;

/*
 * backend AUTO takes VkFFT, which was 3 to 10 times as fast as clFFT on an H200 and 2.5 times on PoCL
 * (docs/development/benchmarks.md). SIMD is for CPU devices; where it cannot do the shape (fft_simd.c), VkFFT does it.
 * Errors: PENTA_UNSUPPORTED (a length the backend cannot do, double without fp64), PENTA_MEMORY, PENTA_DEVICE.
 */
penta_status penta_fft_create(penta_context *ctx, enum penta_fft_backend backend, const penta_fft_shape *shape,
                              penta_fft **out);
penta_status penta_fft_forward(penta_fft *fft, penta_buffer *data);
penta_status penta_fft_inverse(penta_fft *fft, penta_buffer *data);
/* The first `count` transforms of the batch; the shape has `parts`. data needs room for these where count is 1,
 * otherwise for the whole batch: clFFT then transforms all of it. */
penta_status penta_fft_forward_first(penta_fft *fft, penta_buffer *data, size_t count);
penta_status penta_fft_inverse_first(penta_fft *fft, penta_buffer *data, size_t count);
void penta_fft_destroy(penta_fft *fft); /* NULL is fine */

/* Whether forward reads all rows that the hint says are zero, not only those at odd bounds. */
bool penta_fft_reads_zeros(const penta_fft *fft);

/* The backend in use. */
enum penta_fft_backend penta_fft_backend_of(const penta_fft *fft);

/* Tells which backend penta_fft_create takes for this one, and why. of: what is said behind its name, as " for masked
 * frames", or "". */
void penta_fft_tell(penta_context *ctx, enum penta_fft_backend backend, const char *of);
