/* What a backend provides to fft.c. */
#pragma once

#include "math/fft_shape.h"

typedef struct penta_fft_driver {
    const char *forward_name, *inverse_name; /* in the profile; NULL: execute launches kernels of ours */
    bool parts;                              /* execute can do fewer transforms of rank 2 than the plan's batch */
    /* *state belongs to the backend. */
    penta_status (*create)(penta_context *ctx, const penta_fft_shape *shape, void **state);
    /* count: the first of the batch; all of them unless `parts`. */
    penta_status (*execute)(penta_context *ctx, void *state, penta_buffer *data, bool inverse, size_t count);
    void (*destroy)(void *state);
} penta_fft_driver;

extern const penta_fft_driver penta_fft_clfft, penta_fft_vkfft, penta_fft_simd;
bool penta_fft_simd_takes(const penta_fft_shape *shape);
