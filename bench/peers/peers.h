/* Native C versions of the workloads' hot loops: what a user of the same machine would otherwise write. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * On the first CUDA device, where nvcc is (PENTA_HAVE_CUDA). Inputs and results stay there. A workload's create copies
 * the inputs, tunes where there are several forms, and runs once, so that read gives results; NULL after a
 * failure.
 */
typedef struct peer_cuda peer_cuda;

typedef enum { PEER_CUDA_OK = 0, PEER_CUDA_FAILED } peer_cuda_status;

/** The seconds of a run, of some without a pause, or alone: of one between two events, as an OpenCL device is timed. */
peer_cuda_status peer_cuda_run(const peer_cuda *peer, bool alone, double *seconds);
/** What the last run left; second: of a peer that has two results. */
peer_cuda_status peer_cuda_read(const peer_cuda *peer, void *first, void *second);
/** What failed last in any of them, with its place. */
const char *peer_cuda_error(void);
/** Name of the device that answered; the form that was the fastest, "4 bodies x 256 threads", "" where it has no name.
 */
const char *peer_cuda_device(const peer_cuda *peer);
const char *peer_cuda_form(const peer_cuda *peer);
void peer_cuda_destroy(peer_cuda *peer); /* NULL is fine */

/*
 * Autocorrelation numerators of a width x height image, half plane: half_plane holds (R+1) rows Y = 0..R of 2R+1 values
 * X = -R..R, N(X,Y) = sum I(x,y) I(x+X,y+Y) over the overlap, R = max_offset < min(width, height).
 */

/** One thread, the formula as written. */
void peer_autocorr_naive(const uint8_t *image, size_t width, size_t height, size_t max_offset, int64_t *half_plane);

/** OpenMP over the rows of offsets, SIMD along the image lines. Compile with -O3 -march=native -fopenmp. */
void peer_autocorr_simd(const uint8_t *image, size_t width, size_t height, size_t max_offset, int64_t *half_plane);

/*
 * The same by FFT: pad to 7-smooth sides >= width + R and height + R, r2c, |F|^2, c2r, round. Present where FFTW is
 * (PENTA_HAVE_FFTW). The plan is measured by FFTW_MEASURE, in place and out of place, and the faster is kept. create
 * returns NULL when memory runs out; use and destroy a plan from one thread at a time, create from one thread only.
 */
typedef struct peer_fftw peer_fftw;

peer_fftw *peer_autocorr_fftw_create(size_t width, size_t height, size_t max_offset, bool single, int threads);
void peer_autocorr_fftw_run(peer_fftw *fft, const uint8_t *image, int64_t *half_plane);
void peer_autocorr_fftw_destroy(peer_fftw *fft); /* NULL is fine */

/** Many frames, a thread for each of the workers (plans of one thread, of one size); half planes one after another. */
void peer_autocorr_fftw_frames(peer_fftw *const *workers, size_t worker_count, size_t frames,
                               const uint8_t *const *images, int64_t *half_planes);

/** CUDA: a batch of frames; half planes one after another. */
typedef enum {
    PEER_CUDA_FFT_DOUBLE, /* cuFFT: pad, D2Z, |F|^2, Z2D, round; place and frames at a time are tuned */
    PEER_CUDA_FFT_SINGLE, /* likewise R2C, C2R */
    PEER_CUDA_DIRECT      /* dp4a over tiles in shared memory, each thread 4 offsets */
} peer_cuda_form_of_autocorr;

peer_cuda *peer_autocorr_cuda_create(peer_cuda_form_of_autocorr form, size_t width, size_t height, size_t max_offset,
                                     size_t frames, const uint8_t *const *images);

/*
 * Star frames: each of n stars (x, y in px, magnitude) adds amplitude 2.512^-magnitude times a Gaussian of sigma px to
 * the roi x roi pixels from ceil(x - roi/2), ceil(y - roi/2) on. image: height x width, overwritten.
 */
typedef struct peer_scene {
    size_t n, width, height;
    const float *x, *y, *magnitude;
    int roi;
    float sigma, amplitude;
} peer_scene;

/** One thread, the formula as written: an exponential a pixel. */
void peer_stars_naive(const peer_scene *scene, float *image);

/** One thread; the Gaussian as a product, 2 roi exponentials a star. */
void peer_stars_separable(const peer_scene *scene, float *image);

/** The same with OpenMP: stars sorted into bands of rows, a band a thread at a time. False when memory runs out. */
bool peer_stars_openmp(const peer_scene *scene, float *image);

/** CUDA, star-centric as in the paper's Fig. 5: a block a star, a thread a pixel of its ROI, atomicAdd. A run clears
 * the image, too. */
peer_cuda *peer_stars_cuda_create(const peer_scene *scene);

/*
 * Gravity: acceleration (all ax, all ay, all az, n each) of body i is the sum over j of m_j d / (d^2 + eps^2)^(3/2),
 * d = r_j - r_i, all in single precision, or all in double. eps > 0.
 */
typedef struct peer_bodies {
    size_t n;
    const float *mass, *x, *y, *z;
    float eps;
} peer_bodies;

typedef struct peer_bodies_double {
    size_t n;
    const double *mass, *x, *y, *z;
    double eps;
} peer_bodies_double;

/** Plain loops, SIMD across bodies, OpenMP over blocks of them. Compile with -Ofast -march=native -fopenmp. */
void peer_nbody_forces(const peer_bodies *bodies, int threads, float *acceleration);
void peer_nbody_forces_double(const peer_bodies_double *bodies, int threads, double *acceleration);

/** CUDA: sources in tiles of shared memory; bodies a thread, 1, 2 or 4, and threads a block, 128 to 512, are tuned. */
peer_cuda *peer_nbody_cuda_create(const peer_bodies *bodies);

/*
 * Products of principal components, of centred pixels X (bands x pixels, row-major): X X^T, its lower triangle, or the
 * scores M X of `outs` components, M outs x bands. All numbers are float where `single`, else double.
 */
typedef enum {
    PEER_PCA_SYRK,  /* X X^T; the upper triangle is left as it is */
    PEER_PCA_GEMM,  /* X X^T by a general product */
    PEER_PCA_SCORES /* M X */
} peer_pca_form;

typedef struct peer_pca_product {
    peer_pca_form form;
    bool single;
    size_t bands, pixels, outs;
    const void *centred, *matrix; /* X, M */
} peer_pca_product;

/** OpenBLAS, where it is (PENTA_HAVE_OPENBLAS). result: bands x bands or outs x pixels. The number of threads that it
 * had before is set again. */
void peer_pca_openblas(const peer_pca_product *product, int threads, void *result);

/** cuBLAS. */
peer_cuda *peer_pca_cublas_create(const peer_pca_product *product);

/*
 * Cardiac movies: the thesis's pipeline (pentacl/optmap.h with its default options), every step as it stands: traces,
 * interpolation, zeros up to the next power of two of 2 L N - 1, a transform a pixel, and for each pixel with a full
 * window and each neighbour the product, its inverse transform and the place of the largest value; then shift, Gaussian
 * and median at the camera's rate. Every pixel is taken for valid. All numbers are float where `single`, else double.
 */
typedef struct peer_optmap_movie {
    size_t width, height, frames;
    const uint16_t *movie;     /* frames x height x width */
    int interp, first, length; /* L; phase m of y[L n + m] = sum_k weights[m][k] v[n + first + k], frames > length */
    const double *weights;     /* interp x length */
    int window, median;        /* odd; median < 16 */
    const double *gaussian;    /* window x window */
} peer_optmap_movie;

/**
 * FFTW and OpenMP (PENTA_HAVE_FFTW): rows of pixels in as many blocks as threads, each thread with the spectra of the
 * last `window` rows. shifts: height x width x window^2, filtered: frames x height x width; both as penta_optmap_result
 * has them, in rows from .. to - 1, which have full windows; the others are not written. create returns NULL when
 * memory runs out; run, false.
 */
typedef struct peer_optmap_fftw peer_optmap_fftw;

peer_optmap_fftw *peer_optmap_fftw_create(const peer_optmap_movie *movie, bool single);
bool peer_optmap_fftw_run(peer_optmap_fftw *peer, size_t from, size_t to, int threads, int32_t *shifts,
                          float *filtered);
void peer_optmap_fftw_destroy(peer_optmap_fftw *peer); /* NULL is fine */

/** cuFFT. The number of neighbours that are transformed back at a time is tuned. Results are shifts and the filtered
 * movie, NaN and INT32_MIN where there is none. */
peer_cuda *peer_optmap_cufft_create(const peer_optmap_movie *movie, bool single);

/* ---- prepare: registration of two frames of floats, as others do it, by FFTW (PENTA_HAVE_FFTW) ---- */

/**
 * Plans for frames of one size (FFTW_MEASURE, single precision). shift[0] is dx, shift[1] dy of the content of g
 * against f. Of one thread at a time; NULL when memory runs out. opencv: cv::phaseCorrelate: Hann window, C / |C|, the
 * centroid of 5 x 5 about the largest value. skimage: phase_cross_correlation(normalization=None, upsample_factor=100):
 * whole pixels by FFT, then the transform around them on a grid of 1/100 px over 1.5 px by two matrix products
 * (Guizar-Sicairos et al. 2008).
 */
typedef struct peer_register peer_register;
typedef enum { PEER_REGISTER_OPENCV = 0, PEER_REGISTER_SKIMAGE } peer_register_form;
peer_register *peer_register_create(peer_register_form form, size_t width, size_t height);
void peer_register_key(peer_register *peer, const float *f); /* transforms the frame that others are compared with */
void peer_register_run(peer_register *peer, const float *g, double shift[2]);
/** Many frames, a thread for each of the workers, which all have the key. */
void peer_register_frames(peer_register *const *workers, size_t worker_count, size_t frames, const float *const *g,
                          double (*shifts)[2]);
void peer_register_destroy(peer_register *peer); /* NULL is fine */

#ifdef __cplusplus
}
#endif
