/*
 * Autocorrelation by cuFFT (Wiener-Khinchin), C = F^-1 |F(I padded)|^2, over a batch of frames. `chunk` frames go
 * through at a time, in place or out of place, whichever was fastest when tuned. In place the padded lines have room
 * for the spectrum's half line and the zeros around the image are written each time; out of place they are written
 * once.
 */
#include "autocorr_cuda.cuh"
#include "smooth_size.h"

#include <cufft.h>
#include <math.h>
#include <stdlib.h>

struct cufft_pipeline {
    size_t padded_width, padded_height, half; /* half line of the spectrum, complex values */
    size_t chunk;                             /* frames at a time; divides the batch */
    bool in_place;
    size_t row;           /* reals from line to line of the padded image */
    void *before, *after; /* padded images, correlations; in place both are the spectrum */
    void *spectrum, *work;
    cufftHandle forward, backward;
    bool has_forward, has_backward;
};

static const char *cufft_name(cufftResult result)
{
    switch (result) {
    case CUFFT_ALLOC_FAILED:
        return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_SIZE:
        return "CUFFT_INVALID_SIZE";
    case CUFFT_INTERNAL_ERROR:
        return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED:
        return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
        return "CUFFT_SETUP_FAILED";
    default:
        return "cuFFT error";
    }
}

#define CUFFT_TRY(call)                                                                                                \
    do {                                                                                                               \
        cufftResult result_ = (call);                                                                                  \
        if (result_ != CUFFT_SUCCESS)                                                                                  \
            return cuda_failed(#call, cufft_name(result_), __FILE__, __LINE__);                                        \
    } while (0)

/* ---- kernels ---- */

enum { THREADS = 256 };

/* Line blockIdx.y of frame blockIdx.z: pixels, then zeros up to `columns`. */
template <typename real>
static __global__ void pad(const uint8_t *images, size_t width, size_t height, real *padded, size_t row, size_t rows,
                           size_t columns)
{
    size_t x = (size_t)blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y, frame = blockIdx.z;

    if (x < columns)
        padded[(frame * rows + y) * row + x] =
            x < width && y < height ? (real)images[(frame * height + y) * width + x] : (real)0;
}

/* z <- |z|^2, z one complex value a thread. */
template <typename complex> static __global__ void power(complex *spectrum, size_t count)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < count) {
        complex z = spectrum[i];

        z.x = z.x * z.x + z.y * z.y;
        z.y = 0;
        spectrum[i] = z;
    }
}

/* Y = blockIdx.y, frame = blockIdx.z, X = x - r: the correlation at (X mod padded width, Y), scaled and rounded. */
template <typename real>
static __global__ void window(const real *padded, size_t row, size_t padded_width, size_t padded_height, double scale,
                              int64_t *planes, size_t r)
{
    size_t x = (size_t)blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y, frame = blockIdx.z;
    size_t from = x < r ? padded_width + x - r : x - r;

    if (x <= 2 * r)
        planes[(frame * (r + 1) + y) * (2 * r + 1) + x] =
            __double2ll_rn((double)padded[(frame * padded_height + y) * row + from] * scale);
}

/* ---- plan ---- */

static void release(cufft_pipeline *p)
{
    if (p->has_forward)
        cufftDestroy(p->forward);
    if (p->has_backward)
        cufftDestroy(p->backward);
    if (p->before != p->spectrum) {
        cudaFree(p->before);
        cudaFree(p->after);
    }
    cudaFree(p->spectrum);
    cudaFree(p->work);
    p->before = p->after = p->spectrum = p->work = NULL;
    p->has_forward = p->has_backward = false;
}

/* One plan, its workspace left to the caller. */
static peer_cuda_status plan_one(const cufft_pipeline *p, bool forward, bool single, cufftHandle *plan, bool *made,
                                 size_t *work)
{
    int sides[2] = {(int)p->padded_height, (int)p->padded_width};
    int real_sides[2] = {(int)p->padded_height, (int)p->row};
    int half_sides[2] = {(int)p->padded_height, (int)p->half};
    int real_frame = (int)(p->padded_height * p->row), half_frame = (int)(p->padded_height * p->half);
    cufftType type = forward ? (single ? CUFFT_R2C : CUFFT_D2Z) : (single ? CUFFT_C2R : CUFFT_Z2D);

    CUFFT_TRY(cufftCreate(plan));
    *made = true;
    CUFFT_TRY(cufftSetAutoAllocation(*plan, 0));
    if (forward)
        CUFFT_TRY(cufftMakePlanMany(*plan, 2, sides, real_sides, 1, real_frame, half_sides, 1, half_frame, type,
                                    (int)p->chunk, work));
    else
        CUFFT_TRY(cufftMakePlanMany(*plan, 2, sides, half_sides, 1, half_frame, real_sides, 1, real_frame, type,
                                    (int)p->chunk, work));
    return PEER_CUDA_OK;
}

/* Buffers and plans for p->chunk and p->in_place. On failure release cleans up. */
static peer_cuda_status prepare(cufft_pipeline *p, bool single)
{
    size_t real = single ? sizeof(float) : sizeof(double);
    size_t spectrum = p->chunk * p->padded_height * p->half * 2 * real, image, forward = 0, backward = 0;

    p->row = p->in_place ? 2 * p->half : p->padded_width;
    image = p->chunk * p->padded_height * p->row * real;
    CUDA_TRY(cudaMalloc(&p->spectrum, spectrum));
    if (p->in_place) {
        p->before = p->after = p->spectrum;
    } else {
        CUDA_TRY(cudaMalloc(&p->before, image));
        CUDA_TRY(cudaMemset(p->before, 0, image));
        CUDA_TRY(cudaMalloc(&p->after, image));
    }
    PEER_TRY(plan_one(p, true, single, &p->forward, &p->has_forward, &forward));
    PEER_TRY(plan_one(p, false, single, &p->backward, &p->has_backward, &backward));
    if (forward > 0 || backward > 0)
        CUDA_TRY(cudaMalloc(&p->work, forward > backward ? forward : backward)); /* the two never run at once */
    CUFFT_TRY(cufftSetWorkArea(p->forward, p->work));
    CUFFT_TRY(cufftSetWorkArea(p->backward, p->work));
    return PEER_CUDA_OK;
}

/* ---- run ---- */

static cufftResult execute_forward(const cufft_pipeline *p, double *)
{
    return cufftExecD2Z(p->forward, (cufftDoubleReal *)p->before, (cufftDoubleComplex *)p->spectrum);
}

static cufftResult execute_forward(const cufft_pipeline *p, float *)
{
    return cufftExecR2C(p->forward, (cufftReal *)p->before, (cufftComplex *)p->spectrum);
}

static cufftResult execute_backward(const cufft_pipeline *p, double *)
{
    return cufftExecZ2D(p->backward, (cufftDoubleComplex *)p->spectrum, (cufftDoubleReal *)p->after);
}

static cufftResult execute_backward(const cufft_pipeline *p, float *)
{
    return cufftExecC2R(p->backward, (cufftComplex *)p->spectrum, (cufftReal *)p->after);
}

static unsigned blocks(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

/* Frames first .. first + chunk - 1. */
template <typename real, typename complex>
static peer_cuda_status enqueue_chunk(const peer_cuda *peer, const cufft_pipeline *p, size_t first)
{
    size_t r = peer->max_offset, values = p->chunk * p->padded_height * p->half;
    size_t rows = p->in_place ? p->padded_height : peer->height, columns = p->in_place ? p->row : peer->width;
    unsigned frames = (unsigned)p->chunk;
    const uint8_t *images = peer->images + first * peer->width * peer->height;
    int64_t *planes = peer->planes + first * (r + 1) * (2 * r + 1);
    double scale = 1.0 / ((double)p->padded_width * (double)p->padded_height);

    pad<real><<<dim3(blocks(columns), (unsigned)rows, frames), THREADS>>>(
        images, peer->width, peer->height, (real *)p->before, p->row, p->padded_height, columns);
    CUDA_TRY(cudaGetLastError());
    CUFFT_TRY(execute_forward(p, (real *)NULL));
    power<complex><<<blocks(values), THREADS>>>((complex *)p->spectrum, values);
    CUDA_TRY(cudaGetLastError());
    CUFFT_TRY(execute_backward(p, (real *)NULL));
    window<real><<<dim3(blocks(2 * r + 1), (unsigned)(r + 1), frames), THREADS>>>(
        (const real *)p->after, p->row, p->padded_width, p->padded_height, scale, planes, r);
    CUDA_TRY(cudaGetLastError());
    return PEER_CUDA_OK;
}

static peer_cuda_status enqueue_batch(const peer_cuda *peer, const cufft_pipeline *p)
{
    for (size_t first = 0; first < peer->frames; first += p->chunk) {
        if (peer->form == PEER_CUDA_FFT_SINGLE)
            PEER_TRY((enqueue_chunk<float, cufftComplex>(peer, p, first)));
        else
            PEER_TRY((enqueue_chunk<double, cufftDoubleComplex>(peer, p, first)));
    }
    return PEER_CUDA_OK;
}

peer_cuda_status cufft_pipeline_enqueue(const peer_cuda *peer)
{
    return enqueue_batch(peer, peer->fft);
}

/* ---- tuning ---- */

/* The least of three times of a batch, s; the first run loads kernels and is not counted. */
static peer_cuda_status time_batch(const peer_cuda *peer, const cufft_pipeline *p, float *best)
{
    *best = INFINITY;
    for (int i = 0; i < 4; i++) {
        float ms;

        CUDA_TRY(cudaEventRecord(peer->timer.start));
        PEER_TRY(enqueue_batch(peer, p));
        CUDA_TRY(cudaEventRecord(peer->timer.stop));
        CUDA_TRY(cudaEventSynchronize(peer->timer.stop));
        CUDA_TRY(cudaEventElapsedTime(&ms, peer->timer.start, peer->timer.stop));
        if (i > 0 && ms < *best)
            *best = ms;
    }
    return PEER_CUDA_OK;
}

/* Tries one form; keeps it in *p->chunk, *p->in_place when it is the fastest so far. A form for which there is no
 * memory is passed over. */
static void try_form(const peer_cuda *peer, cufft_pipeline *p, size_t chunk, bool in_place, cufft_pipeline *fastest,
                     float *least)
{
    float ms;

    p->chunk = chunk;
    p->in_place = in_place;
    if (prepare(p, peer->form == PEER_CUDA_FFT_SINGLE) != PEER_CUDA_OK)
        (void)cudaGetLastError(); /* clears it */
    else if (time_batch(peer, p, &ms) == PEER_CUDA_OK && ms < *least) {
        *least = ms;
        fastest->chunk = chunk;
        fastest->in_place = in_place;
    }
    release(p);
}

peer_cuda_status cufft_pipeline_create(peer_cuda *peer)
{
    cufft_pipeline *p = (cufft_pipeline *)calloc(1, sizeof *p), trial;
    float least = INFINITY;

    if (!p)
        return cuda_failed("calloc", "out of memory", __FILE__, __LINE__);
    peer->fft = p;
    p->padded_width = smooth_size(peer->width + peer->max_offset);
    p->padded_height = smooth_size(peer->height + peer->max_offset);
    p->half = p->padded_width / 2 + 1;
    trial = *p;
    for (size_t chunk = 1; chunk <= peer->frames; chunk *= 2)
        if (peer->frames % chunk == 0) {
            try_form(peer, &trial, chunk, false, p, &least);
            try_form(peer, &trial, chunk, true, p, &least);
        }
    if (!(least < INFINITY))
        return PEER_CUDA_FAILED; /* the text is that of the last trial */
    return prepare(p, peer->form == PEER_CUDA_FFT_SINGLE);
}

void cufft_pipeline_destroy(peer_cuda *peer)
{
    if (!peer->fft)
        return;
    release(peer->fft);
    free(peer->fft);
    peer->fft = NULL;
}
