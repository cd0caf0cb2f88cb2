/* The peers' rows of the nbody benchmark and of its ladder. */
#include "input.h"

#include <stdio.h>
#include <string.h>

static const double most_interactions = 5e9; /* of a thread in one evaluation */

static peer_bodies bodies_of(const nbody_input *in)
{
    return (peer_bodies){.n = in->n,
                         .mass = in->single[0],
                         .x = in->single[1],
                         .y = in->single[2],
                         .z = in->single[3],
                         .eps = (float)NBODY_EPS};
}

static void add_row(nbody_input *in, const char *variant, bench_clock clock, const bench_samples *samples, double error)
{
    bench_row(in->b, variant, BENCH_PEER, clock, samples);
    bench_error(in->b, error, NULL);
}

/* ---- native C ---- */

typedef struct {
    nbody_input *in;
    int threads;
} native_job;

static void native_work(void *data, double *device_seconds)
{
    const native_job *job = data;
    const peer_bodies bodies = bodies_of(job->in);

    (void)device_seconds;
    peer_nbody_forces(&bodies, job->threads, job->in->peers);
}

static void native_work_double(void *data, double *device_seconds)
{
    const native_job *job = data;
    double *const *from = job->in->dbl;
    const peer_bodies_double bodies = {job->in->n, from[0], from[1], from[2], from[3], NBODY_EPS};

    (void)device_seconds;
    peer_nbody_forces_double(&bodies, job->threads, job->in->peers_double);
}

static void native_row(nbody_input *in, int threads, bool dbl)
{
    native_job job = {in, threads};
    bench_work work = dbl ? native_work_double : native_work;
    bench_samples samples;
    double none = 0, error;
    char variant[64];

    snprintf(variant, sizeof variant, "native-c openmp%s, %d thread%s", dbl ? ", double" : "", threads,
             threads == 1 ? "" : "s");
    if (nbody_interactions(in) > most_interactions * threads) {
        bench_note(in->b, "%s left out: it would take too long", variant);
        return;
    }
    work(&job, &none);
    error = nbody_check_peer(in, variant, dbl);
    bench_measure(work, &job, &samples);
    add_row(in, variant, BENCH_WALL, &samples, error);
}

/* ---- CUDA ---- */

#ifdef PENTA_HAVE_CUDA

typedef struct {
    nbody_input *in;
    peer_nbody_cuda *peer;
} cuda_job;

static void cuda_work(void *data, double *device_seconds)
{
    const cuda_job *job = data;

    if (peer_nbody_cuda_run(job->peer, device_seconds) != PEER_CUDA_OK)
        bench_fail(job->in->b, "cuda: %s", peer_cuda_error());
}

static void cuda_row(nbody_input *in)
{
    const penta_device *device = penta_context_device(bench_context(in->b));
    peer_bodies bodies = bodies_of(in);
    cuda_job job = {.in = in};
    bench_samples samples;
    double error;
    char variant[96];

    if (device->type != PENTA_DEVICE_GPU || !strstr(device->vendor, "NVIDIA")) {
        bench_note(in->b, "the CUDA peer is left out: the device under test is not an NVIDIA GPU");
        return;
    }
    if (peer_nbody_cuda_create(&bodies, &job.peer) != PEER_CUDA_OK) {
        bench_note(in->b, "the CUDA peer is left out: %s", peer_cuda_error());
        return;
    }
    if (peer_nbody_cuda_read(job.peer, in->peers) != PEER_CUDA_OK)
        bench_fail(in->b, "cuda: %s", peer_cuda_error());
    error = nbody_check_peer(in, "cuda", false);
    bench_measure(cuda_work, &job, &samples);
    snprintf(variant, sizeof variant, "cuda, %s", peer_nbody_cuda_form(job.peer));
    add_row(in, variant, BENCH_DEVICE, &samples, error);
    bench_machine_add(in->b, peer_nbody_cuda_device(job.peer));
    peer_nbody_cuda_destroy(job.peer);
}

#endif

void nbody_peer_rows(nbody_input *in)
{
    for (int dbl = 0; dbl < 2; dbl++) {
        native_row(in, 1, dbl);
        if (bench_cores() > 1)
            native_row(in, bench_cores(), dbl);
    }
#ifdef PENTA_HAVE_CUDA
    cuda_row(in);
#endif
}
