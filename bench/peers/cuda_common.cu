/* What all CUDA peers share. */
#include "cuda_common.cuh"

#include <stdio.h>
#include <string.h>

static char error_text[512];

peer_cuda_status cuda_failed(const char *call, const char *why, const char *file, int line)
{
    const char *name = strrchr(file, '/');

    snprintf(error_text, sizeof error_text, "%s: %s (%s:%d)", call, why, name ? name + 1 : file, line);
    return PEER_CUDA_FAILED;
}

const char *peer_cuda_error(void)
{
    return error_text;
}

peer_cuda_status cuda_open(char *name, size_t size)
{
    cudaDeviceProp properties;
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);

    if (error != cudaSuccess || devices == 0) {
        cuda_failed("cudaGetDeviceCount", error != cudaSuccess ? cudaGetErrorString(error) : "no device", __FILE__,
                    __LINE__);
        return PEER_CUDA_NO_DEVICE;
    }
    CUDA_TRY(cudaGetDeviceProperties(&properties, 0));
    CUDA_TRY(cudaSetDevice(0));
    snprintf(name, size, "%s", properties.name);
    return PEER_CUDA_OK;
}

peer_cuda_status cuda_timer_run(const cuda_timer *timer, cuda_work work, const void *data, double *seconds)
{
    float ms = 0;

    CUDA_TRY(cudaEventRecord(timer->start));
    for (int i = 0; i < timer->repeats; i++)
        PEER_TRY(work(data));
    CUDA_TRY(cudaEventRecord(timer->stop));
    CUDA_TRY(cudaEventSynchronize(timer->stop));
    CUDA_TRY(cudaEventElapsedTime(&ms, timer->start, timer->stop));
    *seconds = 1e-3 * ms / timer->repeats;
    return PEER_CUDA_OK;
}

peer_cuda_status cuda_timer_create(cuda_timer *timer)
{
    timer->repeats = 1;
    CUDA_TRY(cudaEventCreate(&timer->start));
    CUDA_TRY(cudaEventCreate(&timer->stop));
    return PEER_CUDA_OK;
}

peer_cuda_status cuda_timer_calibrate(cuda_timer *timer, cuda_work work, const void *data)
{
    const double lasting = 3e-3;
    const int most = 32;
    double seconds;

    PEER_TRY(cuda_timer_run(timer, work, data, &seconds)); /* loads the kernels */
    PEER_TRY(cuda_timer_run(timer, work, data, &seconds));
    if (seconds < lasting)
        timer->repeats = seconds * most > lasting ? (int)(lasting / seconds) + 1 : most;
    return PEER_CUDA_OK;
}

void cuda_timer_destroy(cuda_timer *timer)
{
    if (timer->start)
        cudaEventDestroy(timer->start);
    if (timer->stop)
        cudaEventDestroy(timer->stop);
}
