/* What a backend provides to fft.c. */
#ifndef PENTA_MATH_FFT_BACKEND_H
#define PENTA_MATH_FFT_BACKEND_H

#include "math/fft_shape.h"

typedef struct penta_fft_driver {
    const char *forward_name, *inverse_name; /* in the profile */
    /* *state belongs to the backend. */
    penta_status (*create)(penta_context *ctx, const penta_fft_shape *shape, void **state);
    penta_status (*execute)(penta_context *ctx, void *state, penta_buffer *data, bool inverse);
    void (*destroy)(void *state);
} penta_fft_driver;

extern const penta_fft_driver penta_fft_clfft, penta_fft_vkfft;

#endif
