/* The peers' rows of the optmap benchmark. */
#include "cuda.h"
#include "input.h"

#include <math.h>

static double equal_of(bool single)
{
    return single ? OPTMAP_SINGLE_EQUAL : 1;
}

/* ---- FFTW ---- */

#ifdef PENTA_HAVE_FFTW

/* s. A peer that would take longer for a movie is left out; one that takes longer is not repeated. */
static const double most_seconds = 100, most_repeated = 3;

typedef struct {
    optmap_input *in;
    const char *variant;
    peer_optmap_fftw *peer;
    int threads;
} fftw_job;

static void fftw_part(const fftw_job *job, size_t from, size_t to)
{
    if (!peer_optmap_fftw_run(job->peer, from, to, job->threads, job->in->shifts, job->in->filtered))
        bench_fail(job->in->b, "%s: out of memory", job->variant);
}

static void fftw_work(void *data, double *device_seconds)
{
    const fftw_job *job = data;
    size_t r = (size_t)job->in->options.window / 2;

    (void)device_seconds;
    fftw_part(job, r, job->in->c->height - r);
}

/* From a row of pixels for each thread, s. */
static double expected_seconds(const fftw_job *job)
{
    size_t r = (size_t)job->in->options.window / 2, all = job->in->c->height - 2 * r;
    size_t rows = (size_t)job->threads < all ? (size_t)job->threads : all;
    double start = bench_now();

    fftw_part(job, r, r + rows);
    return (bench_now() - start) * (double)all / (double)rows;
}

/* Runs once, checks, and adds the row; where a run is long, that one is the measurement. */
static void fftw_measured(fftw_job *job, bool single)
{
    optmap_input *in = job->in;
    bench_samples samples = {.runs = 1};
    double start = bench_now(), none = 0;

    optmap_clear(in);
    start = bench_now();
    fftw_work(job, &none);
    samples.seconds[BENCH_WALL][0] = bench_now() - start;
    optmap_check(in, job->variant, equal_of(single));
    if (samples.seconds[BENCH_WALL][0] <= most_repeated)
        bench_measure(fftw_work, job, &samples);
    bench_row(in->b, job->variant, BENCH_PEER, BENCH_WALL, &samples);
}

static void fftw_row(optmap_input *in, bool single, int threads)
{
    fftw_job job = {.in = in, .threads = threads};
    peer_optmap_movie movie = optmap_peer_movie(in);
    double expected;

    job.variant =
        bench_text(in->b, "fftw-%s %d thread%s", single ? "single" : "double", threads, threads > 1 ? "s" : "");
    job.peer = peer_optmap_fftw_create(&movie, single);
    if (!job.peer)
        bench_fail(in->b, "%s: FFTW has no plan", job.variant);
    expected = expected_seconds(&job);
    if (expected > most_seconds)
        bench_note(in->b, "%s left out: it would take %.0f s", job.variant, expected);
    else
        fftw_measured(&job, single);
    peer_optmap_fftw_destroy(job.peer);
}

static void fftw_rows(optmap_input *in)
{
    int cores = bench_cores();

    if (cores == 1 || !bench_is_brief(in->b))
        fftw_row(in, true, 1);
    if (cores > 1)
        fftw_row(in, true, cores);
    if (!bench_is_brief(in->b))
        fftw_row(in, false, cores);
}

#else

static void fftw_rows(optmap_input *in)
{
    bench_note(in->b, "FFTW left out: this build has none");
}

#endif

/* ---- cuFFT ---- */

#ifdef PENTA_HAVE_CUDA

static double check_double(void *in, const char *variant)
{
    optmap_check(in, variant, equal_of(false));
    return NAN;
}

static double check_single(void *in, const char *variant)
{
    optmap_check(in, variant, equal_of(true));
    return NAN;
}

static void cufft_row(optmap_input *in, bool single)
{
    peer_optmap_movie movie = optmap_peer_movie(in);
    const bench_cuda_row row = {.variant = single ? "cufft-single" : "cufft-double",
                                .before_form = " ",
                                .first = in->shifts,
                                .second = in->filtered,
                                .check = single ? check_single : check_double,
                                .in = in};

    optmap_clear(in);
    bench_cuda_add(in->b, &row, peer_optmap_cufft_create(&movie, single));
}

static void cufft_rows(optmap_input *in)
{
    if (!bench_cuda_suits(in->b))
        return;
    cufft_row(in, false);
    cufft_row(in, true);
}

#endif

void optmap_peer_rows(optmap_input *in)
{
    fftw_rows(in);
#ifdef PENTA_HAVE_CUDA
    cufft_rows(in);
#endif
}
