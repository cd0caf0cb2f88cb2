/* The peers' rows of the autocorr benchmark. */
#include "cuda.h"
#include "input.h"

#include <math.h>

/* What a peer works on; the half planes of all frames are where it puts its results. */
typedef struct {
    const autocorr_input *in;
    int64_t *half_planes;
    double tolerance;
    void (*direct)(const uint8_t *image, size_t width, size_t height, size_t max_offset, int64_t *half_plane);
    size_t max_offset;   /* of `direct` */
    peer_fftw **workers; /* one: frame by frame with its threads; more: a frame each at a time */
    size_t count;
} job;

static double check(void *data, const char *variant)
{
    const job *j = data;

    for (size_t i = 0; i < j->in->c->frames; i++)
        autocorr_check(j->in, variant, i, j->half_planes + i * j->in->plane, j->tolerance);
    return NAN;
}

/* ---- direct, on the host ---- */

static void direct_work(void *data, double *device_seconds)
{
    const job *j = data;

    (void)device_seconds;
    j->direct(j->in->images[0], j->in->c->width, j->in->c->height, j->max_offset, j->half_planes);
}

static void direct_row(job j, const char *variant, void (*direct)(const uint8_t *, size_t, size_t, size_t, int64_t *))
{
    double none = 0, start;

    j.direct = direct;
    j.max_offset = AUTOCORR_PROBE_OFFSET;
    if (j.in->c->max_offset > AUTOCORR_PROBE_OFFSET) {
        start = bench_now();
        direct_work(&j, &none);
        if (autocorr_too_slow(j.in, variant, bench_now() - start))
            return;
    }
    j.max_offset = j.in->c->max_offset;
    bench_work_row(j.in->b, variant, BENCH_PEER, BENCH_WALL, direct_work, check, &j, NULL);
}

/* ---- FFTW ---- */

#ifdef PENTA_HAVE_FFTW

static void fftw_work(void *data, double *device_seconds)
{
    const job *j = data;
    const autocorr_input *in = j->in;

    (void)device_seconds;
    if (j->count > 1)
        peer_autocorr_fftw_frames(j->workers, j->count, in->c->frames, in->images, j->half_planes);
    else
        for (size_t i = 0; i < in->c->frames; i++)
            peer_autocorr_fftw_run(j->workers[0], in->images[i], j->half_planes + i * in->plane);
}

/* `workers` plans of `threads` each. */
static void fftw_row(job j, const char *variant, bool single, size_t workers, int threads)
{
    const autocorr_case *c = j.in->c;

    j.count = workers;
    j.tolerance = single ? AUTOCORR_SINGLE_TOLERANCE : 0;
    j.workers = bench_alloc(j.in->b, workers, sizeof *j.workers);
    for (size_t i = 0; i < workers; i++) {
        j.workers[i] = peer_autocorr_fftw_create(c->width, c->height, c->max_offset, single, threads);
        if (!j.workers[i])
            bench_fail(j.in->b, "%s: FFTW has no plan", variant);
    }
    bench_work_row(j.in->b, variant, BENCH_PEER, BENCH_WALL, fftw_work, check, &j, NULL);
    for (size_t i = 0; i < workers; i++)
        peer_autocorr_fftw_destroy(j.workers[i]);
}

static void fftw_rows(job j, bool single)
{
    const char *precision = single ? "single" : "double";
    int cores = bench_cores();
    bench *b = j.in->b;

    if (cores == 1 || !bench_is_brief(b))
        fftw_row(j, bench_text(b, "fftw-%s 1 thread", precision), single, 1, 1);
    if (cores > 1)
        fftw_row(j, bench_text(b, "fftw-%s %d threads", precision, cores), single, 1, cores);
    if (cores > 1 && j.in->c->frames > 1)
        fftw_row(j, bench_text(b, "fftw-%s %d frames at once", precision, cores), single, (size_t)cores, 1);
}

#endif

/* ---- CUDA ---- */

#ifdef PENTA_HAVE_CUDA

static void cuda_row(job j, const char *variant, peer_cuda_form_of_autocorr form)
{
    const autocorr_case *c = j.in->c;
    const bench_cuda_row row = {.variant = variant, .first = j.half_planes, .check = check, .in = &j};

    j.tolerance = form == PEER_CUDA_FFT_SINGLE ? AUTOCORR_SINGLE_TOLERANCE : 0;
    bench_cuda_add(j.in->b, &row,
                   peer_autocorr_cuda_create(form, c->width, c->height, c->max_offset, c->frames, j.in->images));
}

static void cuda_rows(job j)
{
    if (!bench_cuda_suits(j.in->b))
        return;
    cuda_row(j, "cufft-double", PEER_CUDA_FFT_DOUBLE);
    cuda_row(j, "cufft-single", PEER_CUDA_FFT_SINGLE);
    if (j.in->c->frames == 1)
        cuda_row(j, "cuda-direct", PEER_CUDA_DIRECT);
}

#endif

void autocorr_peer_rows(const autocorr_input *in)
{
    job j = {.in = in, .half_planes = bench_alloc(in->b, in->c->frames * in->plane, sizeof *j.half_planes)};

    if (in->c->frames == 1) {
        if (!bench_is_brief(in->b))
            direct_row(j, "naive-c", peer_autocorr_naive);
        direct_row(j, "simd-c", peer_autocorr_simd);
    }
#ifdef PENTA_HAVE_FFTW
    fftw_rows(j, false);
    fftw_rows(j, true);
#endif
#ifdef PENTA_HAVE_CUDA
    cuda_rows(j);
#endif
}
