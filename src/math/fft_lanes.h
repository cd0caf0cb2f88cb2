/* Host side of cl/common/fft_lanes.clh: lengths, their radices, and the tables that the kernels read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

enum { FFT_LANES_STAGES = 6, FFT_LANES_MOST = 1 << 20 }; /* stages a..f; longest length */

/* A length as the product of its radices 1..10; 1 in unused stages; the last stage is always used. */
typedef struct fft_lanes_length {
    size_t n;
    int radix[FFT_LANES_STAGES];
    double cost; /* of a transform, relative */
} fft_lanes_length;

/* The cheapest radices of n. False when n has a prime factor over 7, needs more than six stages, or is not in 2..MOST.
 */
bool fft_lanes_plan(size_t n, fft_lanes_length *out);

/* Complex numbers in the twiddle tables of a length. */
size_t fft_lanes_twiddle_count(const fft_lanes_length *length);
/* The tables, real and imaginary parts alternating, each accurate to about half a unit in the last place. */
void fft_lanes_twiddles(const fft_lanes_length *length, double *out);

/* The index of element k < n of a spectrum after the forward transform. */
size_t fft_lanes_position(const fft_lanes_length *length, size_t k);

/* On the device: the twiddles as floats or doubles; for each k < count the indices of k and -k (modulo n), int32. */
penta_status fft_lanes_upload_twiddles(penta_context *ctx, const fft_lanes_length *length, bool dbl, penta_buffer *out);
penta_status fft_lanes_upload_order(penta_context *ctx, const fft_lanes_length *length, size_t count,
                                    penta_buffer *out);
