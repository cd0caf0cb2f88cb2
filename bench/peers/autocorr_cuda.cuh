/* What the CUDA peers of autocorr share. */
#pragma once

#include "cuda_common.cuh"

struct autocorr_cuda : peer_cuda {
    size_t width, height, max_offset, frames;
    const uint8_t *const *host;
    uint8_t *images; /* device: frames x height x width */
    int64_t *planes; /* device: frames x (R+1) x (2R+1) */

    size_t plane_size() const
    {
        return (max_offset + 1) * (2 * max_offset + 1);
    }

    peer_cuda_status build() override;
    peer_cuda_status read(void *first, void *second) const override;
};

/* autocorr_cufft.cu; NULL: out of memory. */
autocorr_cuda *autocorr_cufft_new(bool single);
