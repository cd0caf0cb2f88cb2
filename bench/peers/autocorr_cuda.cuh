/* What the CUDA peers of autocorr share. Everything runs on the default stream, so its order is that of the calls. */
#ifndef PENTACL_BENCH_AUTOCORR_CUDA_CUH
#define PENTACL_BENCH_AUTOCORR_CUDA_CUH

#include "cuda_common.cuh"

struct cufft_pipeline;

struct peer_cuda {
    peer_cuda_form form;
    size_t width, height, max_offset, frames;
    uint8_t *images; /* device: frames x height x width */
    int64_t *planes; /* device: frames x (R+1) x (2R+1) */
    cuda_timer timer; /* of whole batches */
    cufft_pipeline *fft;
    char device[256];
};

/* autocorr_cufft.cu. create tunes on the images that are there. */
peer_cuda_status cufft_pipeline_create(peer_cuda *peer);
peer_cuda_status cufft_pipeline_enqueue(const peer_cuda *peer);
void cufft_pipeline_destroy(peer_cuda *peer);

#endif
