/* What the CUDA peers share. Everything runs on the default stream, so its order is the order of the calls. */
#ifndef PENTACL_BENCH_AUTOCORR_CUDA_CUH
#define PENTACL_BENCH_AUTOCORR_CUDA_CUH

#include "peers.h"

#include <cuda_runtime.h>

struct cufft_pipeline;

struct peer_cuda {
    peer_cuda_form form;
    size_t width, height, max_offset, frames;
    uint8_t *images; /* device: frames x height x width */
    int64_t *planes; /* device: frames x (R+1) x (2R+1) */
    cudaEvent_t start, stop;
    int repeats; /* of the whole batch between the two events */
    cufft_pipeline *fft;
    char device[256];
};

/* Records what failed, with its place; returns PEER_CUDA_FAILED. */
peer_cuda_status cuda_failed(const char *call, const char *why, const char *file, int line);

/* Returns PEER_CUDA_FAILED from the calling function when a runtime call fails. */
#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess)                                                                                     \
            return cuda_failed(#call, cudaGetErrorString(error_), __FILE__, __LINE__);                                 \
    } while (0)

#define PEER_TRY(call)                                                                                                 \
    do {                                                                                                               \
        peer_cuda_status status_ = (call);                                                                             \
        if (status_ != PEER_CUDA_OK)                                                                                   \
            return status_;                                                                                            \
    } while (0)

/* autocorr_cufft.cu. create tunes on the images that are there. */
peer_cuda_status cufft_pipeline_create(peer_cuda *peer);
peer_cuda_status cufft_pipeline_enqueue(const peer_cuda *peer);
void cufft_pipeline_destroy(peer_cuda *peer);

#endif
