/* Shapes of transforms on the device: what the seam and its backends share. */
#ifndef PENTA_MATH_FFT_SHAPE_H
#define PENTA_MATH_FFT_SHAPE_H

#include "core/core.h"

typedef struct penta_fft_shape {
    unsigned rank; /* 1 or 2 */
    size_t nx, ny, batch;
    bool real, dbl;
    /* Rank 2, real. Rows that need no work; a backend may use the hint or not, and VkFFT shortens a range to even
     * bounds: an odd zero_from is read, and so is the row before an odd zero_to. Empty when from == to. */
    size_t zero_from, zero_to; /* input rows of the forward transform that are known to be zero (they must be zero) */
    size_t drop_from, drop_to; /* output rows of the inverse transform that nobody reads */
} penta_fft_shape;

/* Bytes of the buffer that a shape needs. */
penta_status penta_fft_bytes(penta_context *ctx, const penta_fft_shape *shape, size_t *bytes);

/* The least n' >= n whose only prime factors are 2, 3, 5 and 7. */
size_t penta_fft_good_size(size_t n);

#endif
