/*
 * Autocorrelation by cuFFT (Wiener-Khinchin), C = F^-1 |F(I padded)|^2, over a batch of frames. `chunk` frames go
 * through at a time, in place or out of place, whichever was fastest when tuned. In place the padded lines have room
 * for the spectrum's half line and the zeros around the image are written each time; out of place they are written
 * once.
 */
#include "autocorr_cuda.cuh"
#include "cufft_common.cuh"
#include "smooth_size.h"

#include <math.h>

/* ---- kernels ---- */

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

/* ---- the peer ---- */

template <typename real, typename complex> struct autocorr_cufft : autocorr_cuda {
    size_t padded_width, padded_height, half; /* half line of the spectrum, complex values */
    size_t chunk;                             /* frames at a time; divides the batch */
    bool in_place;
    size_t row;                              /* reals from line to line of the padded image */
    real *before = NULL, *after = NULL;      /* padded images, correlations; in place both are the spectrum */
    complex *spectrum = NULL;                /* chunk x padded_height x half */
    void *work = NULL;                       /* of both plans, which never run at once */
    cufftHandle forward = -1, backward = -1; /* -1: none */

    ~autocorr_cufft() override
    {
        release();
    }

    void release()
    {
        if (forward >= 0)
            cufftDestroy(forward);
        if (backward >= 0)
            cufftDestroy(backward);
        if ((void *)before != (void *)spectrum) {
            cudaFree(before);
            cudaFree(after);
        }
        cudaFree(spectrum);
        cudaFree(work);
        before = after = NULL;
        spectrum = NULL;
        work = NULL;
        forward = backward = -1;
    }

    /* One plan, its workspace left to the caller. */
    peer_cuda_status plan(bool ahead, cufftHandle *out, size_t *bytes)
    {
        bool single = sizeof(real) == sizeof(float);
        int sides[2] = {(int)padded_height, (int)padded_width};
        int real_sides[2] = {(int)padded_height, (int)row}, half_sides[2] = {(int)padded_height, (int)half};
        int reals = (int)(padded_height * row), halves = (int)(padded_height * half);

        CUFFT_TRY(cufftCreate(out));
        CUFFT_TRY(cufftSetAutoAllocation(*out, 0));
        if (ahead)
            CUFFT_TRY(cufftMakePlanMany(*out, 2, sides, real_sides, 1, reals, half_sides, 1, halves,
                                        single ? CUFFT_R2C : CUFFT_D2Z, (int)chunk, bytes));
        else
            CUFFT_TRY(cufftMakePlanMany(*out, 2, sides, half_sides, 1, halves, real_sides, 1, reals,
                                        single ? CUFFT_C2R : CUFFT_Z2D, (int)chunk, bytes));
        return PEER_CUDA_OK;
    }

    /* Buffers and plans for a form. */
    peer_cuda_status prepare(size_t count, bool within)
    {
        size_t image, bytes[2] = {0, 0};

        release();
        chunk = count;
        in_place = within;
        row = in_place ? 2 * half : padded_width;
        image = chunk * padded_height * row * sizeof *before;
        CUDA_TRY(cudaMalloc((void **)&spectrum, chunk * padded_height * half * sizeof *spectrum));
        if (in_place) {
            before = after = (real *)spectrum;
        } else {
            CUDA_TRY(cudaMalloc((void **)&before, image));
            CUDA_TRY(cudaMemset(before, 0, image));
            CUDA_TRY(cudaMalloc((void **)&after, image));
        }
        PEER_TRY(plan(true, &forward, &bytes[0]));
        PEER_TRY(plan(false, &backward, &bytes[1]));
        if (bytes[0] > 0 || bytes[1] > 0)
            CUDA_TRY(cudaMalloc(&work, bytes[0] > bytes[1] ? bytes[0] : bytes[1]));
        CUFFT_TRY(cufftSetWorkArea(forward, work));
        CUFFT_TRY(cufftSetWorkArea(backward, work));
        return PEER_CUDA_OK;
    }

    /* ---- run ---- */

    /* Frames first .. first + chunk - 1. */
    peer_cuda_status enqueue_chunk(size_t first) const
    {
        size_t r = max_offset, values = chunk * padded_height * half;
        size_t rows = in_place ? padded_height : height, columns = in_place ? row : width;
        unsigned count = (unsigned)chunk;
        double scale = 1.0 / ((double)padded_width * (double)padded_height);

        pad<<<dim3(blocks(columns), (unsigned)rows, count), THREADS>>>(images + first * width * height, width, height,
                                                                       before, row, padded_height, columns);
        CUDA_TRY(cudaGetLastError());
        CUFFT_TRY(transform(forward, before, spectrum));
        power<<<blocks(values), THREADS>>>(spectrum, values);
        CUDA_TRY(cudaGetLastError());
        CUFFT_TRY(transform(backward, spectrum, after));
        window<<<dim3(blocks(2 * r + 1), (unsigned)(r + 1), count), THREADS>>>(
            (const real *)after, row, padded_width, padded_height, scale, planes + first * plane_size(), r);
        CUDA_TRY(cudaGetLastError());
        return PEER_CUDA_OK;
    }

    peer_cuda_status enqueue() const override
    {
        for (size_t first = 0; first < frames; first += chunk)
            PEER_TRY(enqueue_chunk(first));
        return PEER_CUDA_OK;
    }

    /* ---- tuning ---- */

    /* The least of three times of a batch, s; the first run loads kernels and is not counted. */
    peer_cuda_status time_form(size_t count, bool within, double *best)
    {
        double seconds;

        *best = INFINITY;
        PEER_TRY(prepare(count, within));
        for (int i = 0; i < 4; i++) {
            PEER_TRY(time(1, &seconds));
            if (i > 0 && seconds < *best)
                *best = seconds;
        }
        return PEER_CUDA_OK;
    }

    /* The fastest form. One for which there is no memory is passed over. */
    peer_cuda_status build() override
    {
        size_t best = 0;
        bool best_place = false;
        double least = INFINITY, seconds;

        PEER_TRY(autocorr_cuda::build());
        padded_width = smooth_size(width + max_offset);
        padded_height = smooth_size(height + max_offset);
        half = padded_width / 2 + 1;
        for (size_t count = 1; count <= frames; count *= 2)
            for (int within = 0; within < 2 && frames % count == 0; within++) {
                if (time_form(count, within, &seconds) != PEER_CUDA_OK) {
                    (void)cudaGetLastError(); /* clears it */
                } else if (seconds < least) {
                    least = seconds;
                    best = count;
                    best_place = within;
                }
            }
        return best > 0 ? prepare(best, best_place) : PEER_CUDA_FAILED; /* the text is that of the last trial */
    }
};

autocorr_cuda *autocorr_cufft_new(bool single)
{
    if (single)
        return new (std::nothrow) autocorr_cufft<float, cufftComplex>;
    return new (std::nothrow) autocorr_cufft<double, cufftDoubleComplex>;
}
