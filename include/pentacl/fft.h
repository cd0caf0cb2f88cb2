/* The FFT backends that a workload's --fft option names. */
#ifndef PENTACL_FFT_H
#define PENTACL_FFT_H

#include <pentacl/status.h>

PENTA_BEGIN_DECLS

enum penta_fft_backend {
    PENTA_FFT_AUTO = 0, /* the fastest for the device and the shape */
    PENTA_FFT_CLFFT,    /* clFFT: lengths of factors 2, 3, 5, 7, 11, 13 */
    PENTA_FFT_VKFFT,    /* VkFFT: any length from 2 on */
    PENTA_FFT_SIMD      /* our own for CPU devices: vectors across the batch; workloads that have such a form */
};

/** "auto", "clfft", "vkfft" or "simd". */
PENTA_API const char *penta_fft_backend_name(enum penta_fft_backend backend);

PENTA_END_DECLS
#endif
