/*
 * The thesis's pipeline of cardiac movies by cuFFT. All interpolated traces, padded, and their spectra stay in device
 * memory; `chunk` neighbours at a time are multiplied, transformed back and searched. The chunk is tuned: small ones
 * stay in the cache, large ones fill the device.
 */
#include "cuda_common.cuh"

#include <cufft.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, FORWARD = 1024 /* pixels at a time */, MOST_MEDIAN = 16 };

/* What kernels are given: sizes and device memory. */
struct layout {
    int width, height, frames, interp, first, length, window, median;
    int samples, size, half; /* of y; of a transform; size / 2 + 1 */
    int across, down;        /* pixels with full windows */
    const uint16_t *movie;
    const double *weights, *gaussian;
    float *filtered;
    int *shifts;
};

struct peer_optmap_cufft {
    layout l;
    bool single;
    size_t chunk, pairs, pixels; /* pixels rounded up to FORWARD */
    void *v, *padded, *spectra;  /* pixels x frames, x size, x half complex */
    void *products, *c, *sums;   /* chunk x half complex, chunk x size; pixels x frames */
    cufftHandle forward, backward;
    bool has_forward, has_backward;
    cuda_timer timer;
    char device[256], form[64];
};

#define CUFFT_TRY(call)                                                                                                \
    do {                                                                                                               \
        cufftResult result_ = (call);                                                                                  \
        if (result_ != CUFFT_SUCCESS)                                                                                  \
            return cuda_failed(#call, result_ == CUFFT_ALLOC_FAILED ? "CUFFT_ALLOC_FAILED" : "cuFFT error", __FILE__,  \
                               __LINE__);                                                                              \
    } while (0)

/* ---- traces: a thread a pixel, then a thread a sample of y ---- */

template <typename real> static __global__ void normalise(layout l, real *v)
{
    size_t pixel = (size_t)blockIdx.x * THREADS + threadIdx.x, pixels = (size_t)l.width * l.height;
    double sum = 0;

    if (pixel >= pixels)
        return;
    for (int n = 0; n < l.frames; n++)
        sum += l.movie[n * pixels + pixel];
    for (int n = 0; n < l.frames; n++)
        v[pixel * l.frames + n] = (real)(-((double)l.movie[n * pixels + pixel] * l.frames - sum) / sum);
}

template <typename real> static __device__ real reflected(int n, const real *v, int i)
{
    return i < 0 ? 2 * v[0] - v[-i] : i >= n ? 2 * v[n - 1] - v[2 * (n - 1) - i] : v[i];
}

/* y and the zeros after it. */
template <typename real> static __global__ void interpolate(layout l, const real *v, real *padded)
{
    int j = blockIdx.x * THREADS + threadIdx.x, n = j / l.interp, phase = j % l.interp;
    size_t pixel = blockIdx.y;
    real sum = 0;

    if (j >= l.size)
        return;
    v += pixel * l.frames;
    for (int k = 0; j < l.samples && k < l.length; k++)
        sum += (real)l.weights[phase * l.length + k] * reflected(l.frames, v, n + l.first + k);
    padded[pixel * l.size + j] = sum;
}

/* ---- pairs ---- */

/* Pair i: pixels and the place of its shift. */
struct pair {
    size_t p, q, slot;
};

static __device__ pair pair_of(const layout &l, size_t i)
{
    int neighbours = l.window * l.window - 1, r = l.window / 2;
    size_t at = i / neighbours;
    int k = (int)(i % neighbours), x = (int)(at % l.across) + r, y = (int)(at / l.across) + r;
    pair pq;

    k += k >= neighbours / 2;
    pq.p = (size_t)y * l.width + x;
    pq.q = (size_t)(y + k / l.window - r) * l.width + (x + k % l.window - r);
    pq.slot = pq.p * l.window * l.window + k;
    return pq;
}

/* conj(Y_p) Y_q of pair first + blockIdx.y. */
template <typename complex>
static __global__ void multiply(layout l, const complex *spectra, complex *products, size_t first)
{
    int k = blockIdx.x * THREADS + threadIdx.x;
    pair pq = pair_of(l, first + blockIdx.y);

    if (k < l.half) {
        complex a = spectra[pq.p * l.half + k], b = spectra[pq.q * l.half + k], out;

        out.x = a.x * b.x + a.y * b.y;
        out.y = a.x * b.y - a.y * b.x;
        products[(size_t)blockIdx.y * l.half + k] = out;
    }
}

/* A block a pair: the index of the largest value, the first of equal ones. Indices between the lags hold zeros and are
 * passed over. */
template <typename real> static __global__ void search(layout l, const real *c, size_t first)
{
    __shared__ real values[THREADS];
    __shared__ int places[THREADS];
    int me = threadIdx.x, at = 0;
    real best;

    c += (size_t)blockIdx.x * l.size;
    best = c[0];
    for (int i = me; i < l.size; i += THREADS)
        if ((i < l.samples || i > l.size - l.samples) && c[i] > best) {
            best = c[i];
            at = i;
        }
    values[me] = best;
    places[me] = at;
    for (int step = THREADS / 2; step > 0; step /= 2) {
        __syncthreads();
        if (me < step &&
            (values[me + step] > values[me] || (values[me + step] == values[me] && places[me + step] < places[me]))) {
            values[me] = values[me + step];
            places[me] = places[me + step];
        }
    }
    if (me == 0)
        l.shifts[pair_of(l, first + blockIdx.x).slot] = places[0] < l.samples ? places[0] : places[0] - l.size;
}

/* ---- filter: a thread a sample; pixels are in x, of which a launch takes more than in y ---- */

static __device__ bool has_result(const layout &l, int pixel)
{
    int x = pixel % l.width, y = pixel / l.width, r = l.window / 2;

    return x >= r && y >= r && x + r < l.width && y + r < l.height;
}

/* sums, pixels x frames: shifted neighbours, weighted. */
template <typename real> static __global__ void blend(layout l, const real *padded, real *sums)
{
    int n = blockIdx.y * THREADS + threadIdx.x, pixel = blockIdx.x, r = l.window / 2;
    real sum = 0;

    if (n >= l.frames || !has_result(l, pixel))
        return;
    for (int k = 0; k < l.window * l.window; k++) {
        int q = pixel + (k / l.window - r) * l.width + k % l.window - r;
        int at = l.interp * n + l.shifts[(size_t)pixel * l.window * l.window + k];

        sum += (real)l.gaussian[k] * reflected(l.samples, padded + (size_t)q * l.size, at);
    }
    sums[(size_t)pixel * l.frames + n] = sum;
}

template <typename real> static __global__ void median(layout l, const real *sums)
{
    int pixel = blockIdx.x * THREADS + threadIdx.x, n = blockIdx.y, pixels = l.width * l.height;
    real sorted[MOST_MEDIAN];

    if (pixel >= pixels)
        return;
    for (int i = 0; i < l.median; i++) {
        int from = n - l.median / 2 + i, at = i;
        real x = from >= 0 && from < l.frames ? sums[(size_t)pixel * l.frames + from] : (real)0;

        for (; at > 0 && sorted[at - 1] > x; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = x;
    }
    l.filtered[(size_t)n * pixels + pixel] =
        has_result(l, pixel) ? (float)((sorted[(l.median - 1) / 2] + sorted[l.median / 2]) / 2) : nanf("");
}

/* The centre's shift is 0 where there are others, which have overwritten theirs when `blend` begins. */
static __global__ void clear_shifts(layout l)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, window = (size_t)l.window * l.window;

    if (i < window * l.width * l.height)
        l.shifts[i] = has_result(l, (int)(i / window)) ? 0 : INT32_MIN;
}

/* ---- run ---- */

static cufftResult forward(const peer_optmap_cufft *p, double *in, cufftDoubleComplex *out)
{
    return cufftExecD2Z(p->forward, in, out);
}

static cufftResult forward(const peer_optmap_cufft *p, float *in, cufftComplex *out)
{
    return cufftExecR2C(p->forward, in, out);
}

static cufftResult backward(const peer_optmap_cufft *p, cufftDoubleComplex *in, double *out)
{
    return cufftExecZ2D(p->backward, in, out);
}

static cufftResult backward(const peer_optmap_cufft *p, cufftComplex *in, float *out)
{
    return cufftExecC2R(p->backward, in, out);
}

static unsigned blocks(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

template <typename real, typename complex> static peer_cuda_status enqueue_spectra(const peer_optmap_cufft *p)
{
    const layout *l = &p->l;
    size_t pixels = (size_t)l->width * l->height;
    real *v = (real *)p->v, *padded = (real *)p->padded;
    complex *spectra = (complex *)p->spectra;

    normalise<<<blocks(pixels), THREADS>>>(*l, v);
    for (size_t first = 0; first < pixels; first += FORWARD) {
        size_t count = pixels - first < FORWARD ? pixels - first : FORWARD;

        interpolate<<<dim3(blocks(l->size), (unsigned)count), THREADS>>>(*l, v + first * l->frames,
                                                                         padded + first * l->size);
        CUFFT_TRY(forward(p, padded + first * l->size, spectra + first * l->half));
    }
    return PEER_CUDA_OK;
}

template <typename real, typename complex> static peer_cuda_status enqueue_shifts(const peer_optmap_cufft *p)
{
    const layout *l = &p->l;
    complex *products = (complex *)p->products;
    real *c = (real *)p->c;

    clear_shifts<<<blocks((size_t)l->window * l->window * l->width * l->height), THREADS>>>(*l);
    for (size_t first = 0; first < p->pairs; first += p->chunk) {
        unsigned count = (unsigned)(p->pairs - first < p->chunk ? p->pairs - first : p->chunk);

        multiply<<<dim3(blocks(l->half), count), THREADS>>>(*l, (const complex *)p->spectra, products, first);
        CUFFT_TRY(backward(p, products, c));
        search<<<count, THREADS>>>(*l, (const real *)c, first);
    }
    return PEER_CUDA_OK;
}

template <typename real> static void enqueue_filter(const peer_optmap_cufft *p)
{
    const layout *l = &p->l;
    const real *padded = (const real *)p->padded;
    real *sums = (real *)p->sums;
    size_t pixels = (size_t)l->width * l->height;

    blend<<<dim3((unsigned)pixels, blocks(l->frames)), THREADS>>>(*l, padded, sums);
    median<<<dim3(blocks(pixels), l->frames), THREADS>>>(*l, (const real *)sums);
}

template <typename real, typename complex> static peer_cuda_status enqueue_movie(const peer_optmap_cufft *p)
{
    PEER_TRY((enqueue_spectra<real, complex>(p)));
    PEER_TRY((enqueue_shifts<real, complex>(p)));
    enqueue_filter<real>(p);
    CUDA_TRY(cudaGetLastError());
    return PEER_CUDA_OK;
}

static peer_cuda_status enqueue(const void *data)
{
    const peer_optmap_cufft *p = (const peer_optmap_cufft *)data;

    return p->single ? enqueue_movie<float, cufftComplex>(p) : enqueue_movie<double, cufftDoubleComplex>(p);
}

/* ---- making and releasing ---- */

static peer_cuda_status plan(const peer_optmap_cufft *p, bool forward, size_t count, cufftHandle *out, bool *made)
{
    cufftType type = forward ? (p->single ? CUFFT_R2C : CUFFT_D2Z) : (p->single ? CUFFT_C2R : CUFFT_Z2D);
    int n = p->l.size;
    size_t work;

    CUFFT_TRY(cufftCreate(out));
    *made = true;
    CUFFT_TRY(cufftMakePlanMany(*out, 1, &n, NULL, 1, 0, NULL, 1, 0, type, (int)count, &work));
    return PEER_CUDA_OK;
}

static void drop_chunk(peer_optmap_cufft *p)
{
    if (p->has_backward)
        cufftDestroy(p->backward);
    p->has_backward = false;
    cudaFree(p->products);
    cudaFree(p->c);
    p->products = p->c = NULL;
}

static peer_cuda_status set_chunk(peer_optmap_cufft *p, size_t chunk)
{
    size_t real = p->single ? sizeof(float) : sizeof(double);

    drop_chunk(p);
    p->chunk = chunk;
    CUDA_TRY(cudaMalloc(&p->products, chunk * p->l.half * 2 * real));
    CUDA_TRY(cudaMemset(p->products, 0, chunk * p->l.half * 2 * real)); /* the last chunk is not full */
    CUDA_TRY(cudaMalloc(&p->c, chunk * p->l.size * real));
    snprintf(p->form, sizeof p->form, "%zu at a time", chunk);
    return plan(p, false, chunk, &p->backward, &p->has_backward);
}

/* The chunk of the shortest run; the second run with each counts. */
static peer_cuda_status tune(peer_optmap_cufft *p)
{
    static const size_t chunks[] = {96, 384, 1536, 6144};
    size_t best = chunks[0];
    double least = 0, seconds;

    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        if (i > 0 && chunks[i] > p->pairs)
            break;
        PEER_TRY(set_chunk(p, chunks[i]));
        PEER_TRY(cuda_timer_run(&p->timer, enqueue, p, &seconds));
        PEER_TRY(cuda_timer_run(&p->timer, enqueue, p, &seconds));
        if (i == 0 || seconds < least) {
            least = seconds;
            best = chunks[i];
        }
    }
    PEER_TRY(set_chunk(p, best));
    return cuda_timer_calibrate(&p->timer, enqueue, p);
}

template <typename type> static peer_cuda_status copy_in(const type *from, size_t n, const type **to)
{
    void *memory;

    CUDA_TRY(cudaMalloc(&memory, n * sizeof *from));
    *to = (const type *)memory;
    CUDA_TRY(cudaMemcpy(memory, from, n * sizeof *from, cudaMemcpyHostToDevice));
    return PEER_CUDA_OK;
}

static layout layout_of(const peer_optmap_movie *m)
{
    layout l = {};

    l.width = (int)m->width;
    l.height = (int)m->height;
    l.frames = (int)m->frames;
    l.interp = m->interp;
    l.first = m->first;
    l.length = m->length;
    l.window = m->window;
    l.median = m->median;
    l.samples = l.frames * l.interp;
    l.size = 1;
    while (l.size < 2 * l.samples - 1)
        l.size *= 2;
    l.half = l.size / 2 + 1;
    l.across = l.width - l.window + 1;
    l.down = l.height - l.window + 1;
    return l;
}

static peer_cuda_status allocate(peer_optmap_cufft *p, const peer_optmap_movie *m)
{
    layout *l = &p->l;
    size_t pixels = m->width * m->height, window = (size_t)m->window * m->window;
    size_t real = p->single ? sizeof(float) : sizeof(double);

    PEER_TRY(copy_in(m->movie, pixels * m->frames, &l->movie));
    PEER_TRY(copy_in(m->weights, (size_t)m->interp * m->length, &l->weights));
    PEER_TRY(copy_in(m->gaussian, window, &l->gaussian));
    CUDA_TRY(cudaMalloc((void **)&l->shifts, pixels * window * sizeof *l->shifts));
    CUDA_TRY(cudaMalloc((void **)&l->filtered, pixels * m->frames * sizeof *l->filtered));
    CUDA_TRY(cudaMalloc(&p->v, pixels * m->frames * real));
    CUDA_TRY(cudaMalloc(&p->sums, pixels * m->frames * real));
    CUDA_TRY(cudaMemset(p->sums, 0, pixels * m->frames * real));
    CUDA_TRY(cudaMalloc(&p->padded, p->pixels * l->size * real));
    CUDA_TRY(cudaMemset(p->padded, 0, p->pixels * l->size * real));
    CUDA_TRY(cudaMalloc(&p->spectra, p->pixels * l->half * 2 * real));
    return PEER_CUDA_OK;
}

static peer_cuda_status build(peer_optmap_cufft *p, const peer_optmap_movie *m)
{
    size_t pixels = m->width * m->height;

    p->l = layout_of(m);
    p->pixels = (pixels + FORWARD - 1) / FORWARD * FORWARD;
    p->pairs = (size_t)p->l.across * p->l.down * ((size_t)m->window * m->window - 1);
    PEER_TRY(cuda_open(p->device, sizeof p->device));
    PEER_TRY(cuda_timer_create(&p->timer));
    PEER_TRY(allocate(p, m));
    PEER_TRY(plan(p, true, FORWARD, &p->forward, &p->has_forward));
    return tune(p);
}

peer_cuda_status peer_optmap_cufft_create(const peer_optmap_movie *movie, bool single, peer_optmap_cufft **out)
{
    peer_optmap_cufft *p = (peer_optmap_cufft *)calloc(1, sizeof *p);
    peer_cuda_status status;

    *out = NULL;
    if (!p)
        return cuda_failed("calloc", "out of memory", __FILE__, __LINE__);
    p->single = single;
    status = build(p, movie);
    if (status == PEER_CUDA_OK)
        *out = p;
    else
        peer_optmap_cufft_destroy(p);
    return status;
}

peer_cuda_status peer_optmap_cufft_run(peer_optmap_cufft *peer, double *seconds)
{
    return cuda_timer_run(&peer->timer, enqueue, peer, seconds);
}

peer_cuda_status peer_optmap_cufft_read(peer_optmap_cufft *peer, int32_t *shifts, float *filtered)
{
    const layout *l = &peer->l;
    size_t pixels = (size_t)l->width * l->height;

    CUDA_TRY(cudaMemcpy(shifts, l->shifts, pixels * l->window * l->window * sizeof *shifts, cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(filtered, l->filtered, pixels * l->frames * sizeof *filtered, cudaMemcpyDeviceToHost));
    return PEER_CUDA_OK;
}

const char *peer_optmap_cufft_form(const peer_optmap_cufft *peer)
{
    return peer->form;
}

const char *peer_optmap_cufft_device(const peer_optmap_cufft *peer)
{
    return peer->device;
}

void peer_optmap_cufft_destroy(peer_optmap_cufft *p)
{
    if (!p)
        return;
    drop_chunk(p);
    if (p->has_forward)
        cufftDestroy(p->forward);
    cuda_timer_destroy(&p->timer);
    cudaFree((void *)p->l.movie);
    cudaFree((void *)p->l.weights);
    cudaFree((void *)p->l.gaussian);
    cudaFree(p->l.shifts);
    cudaFree(p->l.filtered);
    cudaFree(p->v);
    cudaFree(p->sums);
    cudaFree(p->padded);
    cudaFree(p->spectra);
    free(p);
}
