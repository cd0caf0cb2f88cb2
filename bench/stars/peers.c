/* The peers' rows of the stars benchmark. */
#include "input.h"

#include <stdio.h>
#include <string.h>

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

static void native_row(stars_input *in, const char *variant, void (*draw)(const peer_scene *, float *))
{
    native_job job = {in, scene_of(in), variant, draw};
    bench_samples samples;
    double none = 0;

    native_work(&job, &none);
    stars_check_peer(in, variant, tolerance_of(in));
    bench_measure(native_work, &job, &samples);
    bench_row(in->b, variant, BENCH_PEER, BENCH_WALL, &samples);
}

/* ---- CUDA ---- */

#ifdef PENTA_HAVE_CUDA

typedef struct {
    stars_input *in;
    peer_stars_cuda *peer;
} cuda_job;

static void cuda_work(void *data, double *device_seconds)
{
    const cuda_job *job = data;

    if (peer_stars_cuda_run(job->peer, device_seconds) != PEER_CUDA_OK)
        bench_fail(job->in->b, "cuda-star: %s", peer_cuda_error());
}

static void cuda_work_alone(void *data, double *device_seconds)
{
    const cuda_job *job = data;

    if (peer_stars_cuda_run_alone(job->peer, device_seconds) != PEER_CUDA_OK)
        bench_fail(job->in->b, "cuda-star alone: %s", peer_cuda_error());
}

static void cuda_row(stars_input *in)
{
    const penta_device *device = penta_context_device(bench_context(in->b));
    peer_scene scene = scene_of(in);
    cuda_job job = {.in = in};
    bench_samples samples;

    if (device->type != PENTA_DEVICE_GPU || !strstr(device->vendor, "NVIDIA")) {
        bench_note(in->b, "the CUDA peer is left out: the device under test is not an NVIDIA GPU");
        return;
    }
    if (peer_stars_cuda_create(&scene, &job.peer) != PEER_CUDA_OK) {
        bench_note(in->b, "cuda-star left out: %s", peer_cuda_error());
        return;
    }
    if (peer_stars_cuda_read(job.peer, in->image) != PEER_CUDA_OK)
        bench_fail(in->b, "cuda-star: %s", peer_cuda_error());
    stars_check_peer(in, "cuda-star", tolerance_of(in));
    bench_measure(cuda_work, &job, &samples);
    bench_row(in->b, "cuda-star", BENCH_PEER, BENCH_DEVICE, &samples);
    bench_measure(cuda_work_alone, &job, &samples);
    bench_row(in->b, "cuda-star alone", BENCH_PEER, BENCH_DEVICE, &samples);
    bench_machine_add(in->b, peer_stars_cuda_device(job.peer));
    peer_stars_cuda_destroy(job.peer);
}

#endif

void stars_peer_rows(stars_input *in)
{
    double work = (double)in->c->n * in->c->roi * in->c->roi;
    char variant[64];

    if (work <= 2e8)
        native_row(in, "naive-c 1 thread", peer_stars_naive);
    if (work <= 2e9)
        native_row(in, "separable-c 1 thread", peer_stars_separable);
    snprintf(variant, sizeof variant, "separable-c openmp, %d threads", bench_cores());
    if (work <= 2e9)
        native_row(in, variant, NULL);
    else
        bench_note(in->b, "native C left out: it would take too long");
#ifdef PENTA_HAVE_CUDA
    cuda_row(in);
#endif
}
