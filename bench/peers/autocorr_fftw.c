/* Autocorrelation by FFTW (Wiener-Khinchin): C = F^-1 |F(I padded)|^2. */
#include "peers.h"
#include "smooth_size.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    size_t width, height, max_offset, padded_width, padded_height;
    int threads;
} shape;

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define REAL       double
#define FFTW(name) fftw_##name
#define PLAN(name) double_##name
#include "autocorr_fftw.inc"
#undef REAL
#undef FFTW
#undef PLAN

#define REAL       float
#define FFTW(name) fftwf_##name
#define PLAN(name) single_##name
#include "autocorr_fftw.inc"
#undef REAL
#undef FFTW
#undef PLAN

struct peer_fftw {
    double_plan *of_double; /* one of the two is NULL */
    single_plan *of_single;
};

peer_fftw *peer_autocorr_fftw_create(size_t width, size_t height, size_t max_offset, bool single, int threads)
{
    shape s = {.width = width,
               .height = height,
               .max_offset = max_offset,
               .padded_width = smooth_size(width + max_offset),
               .padded_height = smooth_size(height + max_offset),
               .threads = threads};
    peer_fftw *fft = calloc(1, sizeof *fft);

    if (!fft || !fftw_init_threads() || !fftwf_init_threads()) {
        free(fft);
        return NULL;
    }
    if (single)
        fft->of_single = single_choose(&s);
    else
        fft->of_double = double_choose(&s);
    if (!fft->of_single && !fft->of_double) {
        free(fft);
        fft = NULL;
    }
    return fft;
}

void peer_autocorr_fftw_run(peer_fftw *fft, const uint8_t *image, int64_t *half_plane)
{
    if (fft->of_single)
        single_run(fft->of_single, image, half_plane);
    else
        double_run(fft->of_double, image, half_plane);
}

void peer_autocorr_fftw_frames(peer_fftw *const *workers, size_t worker_count, size_t frames,
                               const uint8_t *const *images, int64_t *half_planes)
{
    const shape *s = workers[0]->of_single ? &workers[0]->of_single->s : &workers[0]->of_double->s;
    size_t plane = (s->max_offset + 1) * (2 * s->max_offset + 1);

#pragma omp parallel for num_threads((int)worker_count) schedule(static, 1)
    for (size_t w = 0; w < worker_count; w++)
        for (size_t i = w; i < frames; i += worker_count)
            peer_autocorr_fftw_run(workers[w], images[i], half_planes + i * plane);
}

void peer_autocorr_fftw_destroy(peer_fftw *fft)
{
    if (!fft)
        return;
    double_free(fft->of_double);
    single_free(fft->of_single);
    free(fft);
}
