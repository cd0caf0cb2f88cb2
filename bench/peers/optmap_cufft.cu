/*
 * The thesis's pipeline of cardiac movies by cuFFT. All interpolated traces, padded, and their spectra stay in device
 * memory; `chunk` neighbours at a time are multiplied, transformed back and searched. The chunk is tuned: small ones
 * stay in the cache, large ones fill the device.
 */
#include "cufft_common.cuh"

#include <stdint.h>
#include <stdio.h>

enum { FORWARD = 1024 /* pixels at a time */, MOST_MEDIAN = 16 };

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

/* ---- the peer ---- */

template <typename real, typename complex> struct optmap_cufft : peer_cuda {
    peer_optmap_movie m;
    layout l;
    size_t pixels, pairs, chunk = 0;
    real *v, *padded, *sums, *c = NULL;      /* pixels x frames, x size; pixels x frames; chunk x size */
    complex *spectra, *products = NULL;      /* pixels x half; chunk x half */
    cufftHandle forward = -1, backward = -1; /* -1: none */

    explicit optmap_cufft(const peer_optmap_movie *movie) : m(*movie), l(layout_of(movie))
    {
        pixels = m.width * m.height;
        pairs = (size_t)l.across * l.down * ((size_t)m.window * m.window - 1);
    }

    ~optmap_cufft() override
    {
        drop_chunk();
        if (forward >= 0)
            cufftDestroy(forward);
    }

    /* ---- run ---- */

    peer_cuda_status enqueue_spectra() const
    {
        normalise<<<blocks(pixels), THREADS>>>(l, v);
        for (size_t first = 0; first < pixels; first += FORWARD) {
            size_t count = pixels - first < FORWARD ? pixels - first : FORWARD;

            interpolate<<<dim3(blocks(l.size), (unsigned)count), THREADS>>>(l, (const real *)v + first * l.frames,
                                                                            padded + first * l.size);
            CUFFT_TRY(transform(forward, padded + first * l.size, spectra + first * l.half));
        }
        return PEER_CUDA_OK;
    }

    peer_cuda_status enqueue_shifts() const
    {
        clear_shifts<<<blocks((size_t)l.window * l.window * pixels), THREADS>>>(l);
        for (size_t first = 0; first < pairs; first += chunk) {
            unsigned count = (unsigned)(pairs - first < chunk ? pairs - first : chunk);

            multiply<<<dim3(blocks(l.half), count), THREADS>>>(l, (const complex *)spectra, products, first);
            CUFFT_TRY(transform(backward, products, c));
            search<<<count, THREADS>>>(l, (const real *)c, first);
        }
        return PEER_CUDA_OK;
    }

    peer_cuda_status enqueue() const override
    {
        PEER_TRY(enqueue_spectra());
        PEER_TRY(enqueue_shifts());
        blend<<<dim3((unsigned)pixels, blocks(l.frames)), THREADS>>>(l, (const real *)padded, sums);
        median<<<dim3(blocks(pixels), l.frames), THREADS>>>(l, (const real *)sums);
        CUDA_TRY(cudaGetLastError());
        return PEER_CUDA_OK;
    }

    /* ---- making and releasing ---- */

    peer_cuda_status plan(cufftType type, size_t count, cufftHandle *out)
    {
        CUFFT_TRY(cufftPlan1d(out, l.size, type, (int)count));
        return PEER_CUDA_OK;
    }

    void drop_chunk()
    {
        if (backward >= 0)
            cufftDestroy(backward);
        backward = -1;
        cudaFree(products);
        cudaFree(c);
        products = NULL;
        c = NULL;
    }

    peer_cuda_status set_chunk(size_t count)
    {
        drop_chunk();
        chunk = count;
        CUDA_TRY(cudaMalloc((void **)&products, chunk * l.half * sizeof *products));
        CUDA_TRY(cudaMemset(products, 0, chunk * l.half * sizeof *products)); /* the last chunk is not full */
        CUDA_TRY(cudaMalloc((void **)&c, chunk * l.size * sizeof *c));
        snprintf(form, sizeof form, "%zu at a time", chunk);
        return plan(sizeof(real) == sizeof(float) ? CUFFT_C2R : CUFFT_Z2D, chunk, &backward);
    }

    /* The chunk of the shortest run; the second run with each counts. */
    peer_cuda_status tune()
    {
        static const size_t chunks[] = {96, 384, 1536, 6144};
        size_t best = chunks[0];
        double least = 0, seconds;

        for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
            if (i > 0 && chunks[i] > pairs)
                break;
            PEER_TRY(set_chunk(chunks[i]));
            PEER_TRY(time(1, &seconds));
            PEER_TRY(time(1, &seconds));
            if (i == 0 || seconds < least) {
                least = seconds;
                best = chunks[i];
            }
        }
        return set_chunk(best);
    }

    peer_cuda_status build() override
    {
        size_t rounded = (pixels + FORWARD - 1) / FORWARD * FORWARD, window = (size_t)m.window * m.window;

        PEER_TRY(make(pixels * m.frames, &l.movie, m.movie));
        PEER_TRY(make((size_t)m.interp * m.length, &l.weights, m.weights));
        PEER_TRY(make(window, &l.gaussian, m.gaussian));
        PEER_TRY(make(pixels * window, &l.shifts));
        PEER_TRY(make(pixels * m.frames, &l.filtered));
        PEER_TRY(make(pixels * m.frames, &v));
        PEER_TRY(make(pixels * m.frames, &sums));
        PEER_TRY(make(rounded * l.size, &padded));
        PEER_TRY(make(rounded * l.half, &spectra));
        PEER_TRY(plan(sizeof(real) == sizeof(float) ? CUFFT_R2C : CUFFT_D2Z, FORWARD, &forward));
        return tune();
    }

    /* Shifts and the filtered movie. */
    peer_cuda_status read(void *first, void *second) const override
    {
        size_t shifts = pixels * l.window * l.window, values = pixels * l.frames;

        CUDA_TRY(cudaMemcpy(first, l.shifts, shifts * sizeof *l.shifts, cudaMemcpyDeviceToHost));
        CUDA_TRY(cudaMemcpy(second, l.filtered, values * sizeof *l.filtered, cudaMemcpyDeviceToHost));
        return PEER_CUDA_OK;
    }
};

peer_cuda *peer_optmap_cufft_create(const peer_optmap_movie *movie, bool single)
{
    if (single)
        return cuda_create(new (std::nothrow) optmap_cufft<float, cufftComplex>(movie));
    return cuda_create(new (std::nothrow) optmap_cufft<double, cufftDoubleComplex>(movie));
}
