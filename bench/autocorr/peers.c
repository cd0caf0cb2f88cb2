/* The peers' rows of the autocorr benchmark. */
#include "input.h"
#include "peers/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_all(const autocorr_input *in, const char *variant, const int64_t *half_planes, double tolerance)
{
    for (size_t i = 0; i < in->c->frames; i++)
        autocorr_check(in, variant, i, half_planes + i * in->plane, tolerance);
}

/* Runs once, checks, measures, checks again, adds the row. half_planes is where the work puts its results. */
static void checked_row(const autocorr_input *in, const char *variant, bench_work work, void *data,
                        const int64_t *half_planes, double tolerance)
{
    bench_samples samples;
    double device = 0;

    work(data, &device);
    check_all(in, variant, half_planes, tolerance);
    bench_measure(work, data, &samples);
    check_all(in, variant, half_planes, tolerance);
    bench_row(in->b, variant, BENCH_PEER, BENCH_WALL, &samples);
}

/* ---- direct, on the host ---- */

typedef struct {
    const autocorr_input *in;
    void (*function)(const uint8_t *image, size_t width, size_t height, size_t max_offset, int64_t *half_plane);
    size_t max_offset;
    int64_t *half_plane;
} direct_job;

static void direct_work(void *data, double *device_seconds)
{
    const direct_job *job = data;

    (void)device_seconds;
    job->function(job->in->images[0], job->in->c->width, job->in->c->height, job->max_offset, job->half_plane);
}

static void direct_row(const autocorr_input *in, const char *variant,
                       void (*function)(const uint8_t *, size_t, size_t, size_t, int64_t *), int64_t *half_plane)
{
    direct_job job = {.in = in, .function = function, .max_offset = AUTOCORR_PROBE_OFFSET, .half_plane = half_plane};
    double none = 0, start;

    if (in->c->max_offset > AUTOCORR_PROBE_OFFSET) {
        start = bench_now();
        direct_work(&job, &none);
        if (autocorr_too_slow(in, variant, bench_now() - start))
            return;
    }
    job.max_offset = in->c->max_offset;
    checked_row(in, variant, direct_work, &job, half_plane, 0);
}

/* ---- FFTW ---- */

#ifdef PENTA_HAVE_FFTW

typedef struct {
    const autocorr_input *in;
    peer_fftw **workers; /* one: frame by frame with its threads; more: a frame each at a time */
    size_t count;
    int64_t *half_planes;
} fftw_job;

static void fftw_work(void *data, double *device_seconds)
{
    const fftw_job *job = data;
    const autocorr_input *in = job->in;

    (void)device_seconds;
    if (job->count > 1)
        peer_autocorr_fftw_frames(job->workers, job->count, in->c->frames, in->images, job->half_planes);
    else
        for (size_t i = 0; i < in->c->frames; i++)
            peer_autocorr_fftw_run(job->workers[0], in->images[i], job->half_planes + i * in->plane);
}

/* `workers` plans of `threads` each. */
static void fftw_row(const autocorr_input *in, const char *variant, bool single, size_t workers, int threads,
                     int64_t *half_planes)
{
    const autocorr_case *c = in->c;
    fftw_job job = {.in = in, .count = workers, .half_planes = half_planes};

    job.workers = bench_alloc(in->b, workers, sizeof *job.workers);
    for (size_t i = 0; i < workers; i++) {
        job.workers[i] = peer_autocorr_fftw_create(c->width, c->height, c->max_offset, single, threads);
        if (!job.workers[i])
            bench_fail(in->b, "%s: FFTW has no plan", variant);
    }
    checked_row(in, variant, fftw_work, &job, half_planes, single ? AUTOCORR_SINGLE_TOLERANCE : 0);
    for (size_t i = 0; i < workers; i++)
        peer_autocorr_fftw_destroy(job.workers[i]);
    free(job.workers);
}

static void fftw_rows(const autocorr_input *in, bool single, int64_t *half_planes)
{
    const char *precision = single ? "single" : "double";
    int cores = bench_cores();
    char variant[64];

    snprintf(variant, sizeof variant, "fftw-%s 1 thread", precision);
    fftw_row(in, variant, single, 1, 1, half_planes);
    if (cores == 1)
        return;
    snprintf(variant, sizeof variant, "fftw-%s %d threads", precision, cores);
    fftw_row(in, variant, single, 1, cores, half_planes);
    if (in->c->frames > 1) {
        snprintf(variant, sizeof variant, "fftw-%s %d frames at once", precision, cores);
        fftw_row(in, variant, single, (size_t)cores, 1, half_planes);
    }
}

#endif

/* ---- CUDA ---- */

#ifdef PENTA_HAVE_CUDA

typedef struct {
    const autocorr_input *in;
    const char *variant;
    peer_cuda *peer;
} cuda_job;

static void cuda_work(void *data, double *device_seconds)
{
    const cuda_job *job = data;

    if (peer_cuda_run(job->peer, device_seconds) != PEER_CUDA_OK)
        bench_fail(job->in->b, "%s: %s", job->variant, peer_cuda_error());
}

static void cuda_check(const cuda_job *job, int64_t *half_planes, double tolerance)
{
    if (peer_cuda_read(job->peer, half_planes) != PEER_CUDA_OK)
        bench_fail(job->in->b, "%s: %s", job->variant, peer_cuda_error());
    check_all(job->in, job->variant, half_planes, tolerance);
}

/* A peer that cannot start here steps aside. */
static void cuda_row(const autocorr_input *in, const char *variant, peer_cuda_form form, int64_t *half_planes)
{
    const autocorr_case *c = in->c;
    cuda_job job = {.in = in, .variant = variant};
    bench_samples samples;
    double device = 0, tolerance = form == PEER_CUDA_FFT_SINGLE ? AUTOCORR_SINGLE_TOLERANCE : 0;

    if (peer_cuda_create(form, c->width, c->height, c->max_offset, c->frames, &job.peer) != PEER_CUDA_OK) {
        bench_note(in->b, "%s left out: %s", variant, peer_cuda_error());
        return;
    }
    if (peer_cuda_upload(job.peer, in->images) != PEER_CUDA_OK)
        bench_fail(in->b, "%s: %s", variant, peer_cuda_error());
    cuda_work(&job, &device);
    cuda_check(&job, half_planes, tolerance);
    bench_measure(cuda_work, &job, &samples);
    cuda_check(&job, half_planes, tolerance);
    bench_row(in->b, variant, BENCH_PEER, BENCH_DEVICE, &samples);
    bench_machine_add(in->b, peer_cuda_device(job.peer));
    peer_cuda_destroy(job.peer);
}

static void cuda_rows(const autocorr_input *in, int64_t *half_planes)
{
    const penta_device *device = penta_context_device(bench_context(in->b));

    if (device->type != PENTA_DEVICE_GPU || !strstr(device->vendor, "NVIDIA")) {
        bench_note(in->b, "CUDA peers left out: the device under test is not an NVIDIA GPU");
        return;
    }
    cuda_row(in, "cufft-double", PEER_CUDA_FFT_DOUBLE, half_planes);
    cuda_row(in, "cufft-single", PEER_CUDA_FFT_SINGLE, half_planes);
    if (in->c->frames == 1)
        cuda_row(in, "cuda-direct", PEER_CUDA_DIRECT, half_planes);
}

#endif

void autocorr_peer_rows(const autocorr_input *in)
{
    int64_t *half_planes = bench_alloc(in->b, in->c->frames * in->plane, sizeof *half_planes);

    if (in->c->frames == 1) {
        direct_row(in, "naive-c", peer_autocorr_naive, half_planes);
        direct_row(in, "simd-c", peer_autocorr_simd, half_planes);
    }
#ifdef PENTA_HAVE_FFTW
    fftw_rows(in, false, half_planes);
    fftw_rows(in, true, half_planes);
#endif
#ifdef PENTA_HAVE_CUDA
    cuda_rows(in, half_planes);
#endif
    free(half_planes);
}
