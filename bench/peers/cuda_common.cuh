/* What all CUDA peers share. Everything runs on the default stream, so its order is that of the calls. */
#pragma once

#include "peers.h"

#include <cuda_runtime.h>
#include <new>

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

enum { CUDA_MOST_ARRAYS = 16 };

/* A peer as it is built: its inputs stay on the device, and so do its results. */
struct peer_cuda {
    char device[256] = "", form[64] = "";

    virtual ~peer_cuda();
    virtual peer_cuda_status build() = 0; /* memory, plans, the fastest form; the device is open */
    virtual peer_cuda_status enqueue() const = 0;
    virtual peer_cuda_status read(void *first, void *second) const = 0;

    /* Times the work by two events. repeats: between them, so many as fill a few milliseconds, for the launch of the
     * first kernel not to be seen. */
    peer_cuda_status time(int times, double *seconds) const;
    peer_cuda_status calibrate(); /* runs the work, to load its kernels and to choose the repeats */
    int repeats = 1;

    /* Device memory that lasts as long as the peer: of these contents, or zeros. */
    template <typename type> peer_cuda_status make(size_t count, type **out, const void *from = NULL)
    {
        return make_bytes(count * sizeof(type), (void **)out, from);
    }
    peer_cuda_status make_bytes(size_t bytes, void **out, const void *from = NULL);

    void *arrays[CUDA_MOST_ARRAYS] = {};
    int array_count = 0;
    cudaEvent_t start = NULL, stop = NULL;
};

/* Opens the first device and builds the peer, which is NULL where memory ran out. Returns it, or NULL. */
peer_cuda *cuda_create(peer_cuda *peer);
