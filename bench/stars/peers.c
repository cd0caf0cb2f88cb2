/* The peers' rows of the stars benchmark. */
#include "cuda.h"
#include "input.h"

#include <math.h>

/* Differences of a peer: its positions are floats, so it draws at places that are off by up to the width's last bit. */
static double tolerance_of(const stars_input *in)
{
    return 1e-5 + 2e-7 * (double)in->c->width;
}

static peer_scene scene_of(const stars_input *in)
{
    return (peer_scene){.n = in->c->n,
                        .width = in->c->width,
                        .height = in->c->height,
                        .x = in->single[0],
                        .y = in->single[1],
                        .magnitude = in->single[2],
                        .roi = in->c->roi,
                        .sigma = (float)STARS_SIGMA,
                        .amplitude = (float)STARS_AMPLITUDE};
}

/* ---- native C ---- */

typedef struct {
    stars_input *in;
    peer_scene scene;
    const char *variant;
    void (*draw)(const peer_scene *scene, float *image);
} native_job;

static void native_work(void *data, double *device_seconds)
{
    const native_job *job = data;

    (void)device_seconds;
    if (job->draw)
        job->draw(&job->scene, job->in->image);
    else if (!peer_stars_openmp(&job->scene, job->in->image))
        bench_fail(job->in->b, "%s: out of memory", job->variant);
}

static double check(void *in, const char *variant)
{
    stars_check_peer(in, variant, tolerance_of(in));
    return NAN;
}

static double native_check(void *data, const char *variant)
{
    const native_job *job = data;

    return check(job->in, variant);
}

static void native_row(stars_input *in, const char *variant, void (*draw)(const peer_scene *, float *))
{
    native_job job = {in, scene_of(in), variant, draw};

    bench_work_row(in->b, variant, BENCH_PEER, BENCH_WALL, native_work, native_check, &job, NULL);
}

/* ---- CUDA ---- */

#ifdef PENTA_HAVE_CUDA

static void cuda_row(stars_input *in)
{
    const bench_cuda_row row = {
        .variant = "cuda-star", .alone = "cuda-star alone", .first = in->image, .check = check, .in = in};
    peer_scene scene = scene_of(in);

    if (bench_cuda_suits(in->b))
        bench_cuda_add(in->b, &row, peer_stars_cuda_create(&scene));
}

#endif

void stars_peer_rows(stars_input *in)
{
    double work = (double)in->c->n * in->c->roi * in->c->roi;

    if (work <= 2e8)
        native_row(in, "naive-c 1 thread", peer_stars_naive);
    if (work <= 2e9) {
        native_row(in, "separable-c 1 thread", peer_stars_separable);
        native_row(in, bench_text(in->b, "separable-c openmp, %d threads", bench_cores()), NULL);
    } else {
        bench_note(in->b, "native C left out: it would take too long");
    }
#ifdef PENTA_HAVE_CUDA
    cuda_row(in);
#endif
}
