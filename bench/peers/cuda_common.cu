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

/* ---- making and releasing ---- */

static peer_cuda_status open_device(peer_cuda *peer)
{
    cudaDeviceProp properties;
    int devices = 0;

    CUDA_TRY(cudaGetDeviceCount(&devices));
    if (devices == 0)
        return cuda_failed("cudaGetDeviceCount", "no device", __FILE__, __LINE__);
    CUDA_TRY(cudaGetDeviceProperties(&properties, 0));
    CUDA_TRY(cudaSetDevice(0));
    snprintf(peer->device, sizeof peer->device, "%s", properties.name);
    CUDA_TRY(cudaEventCreate(&peer->start));
    CUDA_TRY(cudaEventCreate(&peer->stop));
    return PEER_CUDA_OK;
}

peer_cuda *cuda_create(peer_cuda *peer)
{
    peer_cuda_status status = peer ? open_device(peer) : cuda_failed("new", "out of memory", __FILE__, __LINE__);

    if (status == PEER_CUDA_OK)
        status = peer->build();
    if (status == PEER_CUDA_OK)
        status = peer->calibrate();
    if (status == PEER_CUDA_OK)
        return peer;
    delete peer;
    return NULL;
}

peer_cuda_status peer_cuda::make_bytes(size_t bytes, void **out, const void *from)
{
    if (array_count == CUDA_MOST_ARRAYS)
        return cuda_failed("make_bytes", "too many arrays", __FILE__, __LINE__);
    CUDA_TRY(cudaMalloc(out, bytes));
    arrays[array_count++] = *out;
    CUDA_TRY(from ? cudaMemcpy(*out, from, bytes, cudaMemcpyHostToDevice) : cudaMemset(*out, 0, bytes));
    return PEER_CUDA_OK;
}

peer_cuda::~peer_cuda()
{
    while (array_count > 0)
        cudaFree(arrays[--array_count]);
    if (start)
        cudaEventDestroy(start);
    if (stop)
        cudaEventDestroy(stop);
}

/* ---- time ---- */

peer_cuda_status peer_cuda::time(int times, double *seconds) const
{
    float ms = 0;

    CUDA_TRY(cudaEventRecord(start));
    for (int i = 0; i < times; i++)
        PEER_TRY(enqueue());
    CUDA_TRY(cudaEventRecord(stop));
    CUDA_TRY(cudaEventSynchronize(stop));
    CUDA_TRY(cudaEventElapsedTime(&ms, start, stop));
    *seconds = 1e-3 * ms / times;
    return PEER_CUDA_OK;
}

peer_cuda_status peer_cuda::calibrate()
{
    const double lasting = 3e-3;
    const int most = 32;
    double seconds;

    PEER_TRY(time(repeats, &seconds)); /* loads the kernels */
    PEER_TRY(time(repeats, &seconds));
    if (seconds < lasting)
        repeats = seconds * most > lasting ? (int)(lasting / seconds) + 1 : most;
    return PEER_CUDA_OK;
}

/* ---- for C ---- */

peer_cuda_status peer_cuda_run(const peer_cuda *peer, bool alone, double *seconds)
{
    return peer->time(alone ? 1 : peer->repeats, seconds);
}

peer_cuda_status peer_cuda_read(const peer_cuda *peer, void *first, void *second)
{
    return peer->read(first, second);
}

const char *peer_cuda_device(const peer_cuda *peer)
{
    return peer->device;
}

const char *peer_cuda_form(const peer_cuda *peer)
{
    return peer->form;
}

void peer_cuda_destroy(peer_cuda *peer)
{
    delete peer;
}
