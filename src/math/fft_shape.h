/* Shapes of transforms on the device, shared by fft.c and its backends. */
#pragma once

#include "core/core.h"

enum penta_fft_wants {
    PENTA_FFT_PARTS = 1, /* rank 2: penta_fft_forward_first and penta_fft_inverse_first are wanted */
    PENTA_FFT_FORWARD    /* no inverse transform is, so that VkFFT makes no program for it */
};

typedef struct penta_fft_shape {
    unsigned rank; /* 1 or 2 */
    size_t nx, ny, batch;
    bool real, dbl;
    /* Rank 2, real. Rows that need no work: a hint that a backend may ignore. VkFFT shortens a range to even bounds: it
     * reads row zero_from if that is odd, and the row before an odd zero_to. Empty if from == to. */
    size_t zero_from, zero_to; /* input rows of the forward transform that are known to be zero (they must be zero) */
    size_t drop_from, drop_to; /* output rows of the inverse transform that are not needed */
    int wants;                 /* 0, or one of enum penta_fft_wants */
} penta_fft_shape;

/* Bytes of the buffer for a shape. */
penta_status penta_fft_bytes(penta_context *ctx, const penta_fft_shape *shape, size_t *bytes);

/* The least n' >= n whose only prime factors are 2, 3, 5 and 7. */
size_t penta_fft_good_size(size_t n);
