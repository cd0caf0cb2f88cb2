/* What the peers by cuFFT share. */
#pragma once

#include "cuda_common.cuh"

#include <cufft.h>

#define CUFFT_TRY(call)                                                                                                \
    do {                                                                                                               \
        cufftResult result_ = (call);                                                                                  \
        if (result_ != CUFFT_SUCCESS)                                                                                  \
            return cuda_failed(#call, result_ == CUFFT_ALLOC_FAILED ? "CUFFT_ALLOC_FAILED" : "cuFFT error", __FILE__,  \
                               __LINE__);                                                                              \
    } while (0)

enum { THREADS = 256 };

static inline unsigned blocks(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static inline cufftResult transform(cufftHandle plan, double *in, cufftDoubleComplex *out)
{
    return cufftExecD2Z(plan, in, out);
}

static inline cufftResult transform(cufftHandle plan, float *in, cufftComplex *out)
{
    return cufftExecR2C(plan, in, out);
}

static inline cufftResult transform(cufftHandle plan, cufftDoubleComplex *in, double *out)
{
    return cufftExecZ2D(plan, in, out);
}

static inline cufftResult transform(cufftHandle plan, cufftComplex *in, float *out)
{
    return cufftExecC2R(plan, in, out);
}
