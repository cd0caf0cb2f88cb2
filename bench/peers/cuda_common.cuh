/* What all CUDA peers share: how a failing call is recorded. */
#ifndef PENTACL_BENCH_CUDA_COMMON_CUH
#define PENTACL_BENCH_CUDA_COMMON_CUH

#include "peers.h"

#include <cuda_runtime.h>

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

/* PEER_CUDA_NO_DEVICE when no GPU answers; else takes the first and copies its name. */
peer_cuda_status cuda_open(char *name, size_t size);

/* Times work on the default stream by two events. Zero-initialise; cuda_timer_create first. */
struct cuda_timer {
    cudaEvent_t start, stop;
    int repeats; /* of the work between the two events: so many as fill a few milliseconds, for the launch of the first
                    kernel not to be seen */
};

typedef peer_cuda_status (*cuda_work)(const void *data); /* enqueues the work once */

peer_cuda_status cuda_timer_create(cuda_timer *timer);
/* Runs the work, to load its kernels and to choose the repeats. */
peer_cuda_status cuda_timer_calibrate(cuda_timer *timer, cuda_work work, const void *data);
peer_cuda_status cuda_timer_run(const cuda_timer *timer, cuda_work work, const void *data, double *seconds);
void cuda_timer_destroy(cuda_timer *timer);

#endif
