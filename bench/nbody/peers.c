/* The peers' rows of the nbody benchmark and of its ladder. */
#include "cuda.h"
#include "input.h"

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

/* ---- native C ---- */

typedef struct {
    nbody_input *in;
    int threads;
    bool dbl;
} native_job;

static double native_check(void *data, const char *variant)
{
    const native_job *job = data;

    return nbody_check_peer(job->in, variant, job->dbl);
}

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
    native_job job = {in, threads, dbl};
    const char *variant =
        bench_text(in->b, "native-c openmp%s, %d thread%s", dbl ? ", double" : "", threads, threads == 1 ? "" : "s");

    if (nbody_interactions(in) > most_interactions * threads)
        bench_note(in->b, "%s left out: it would take too long", variant);
    else
        bench_work_row(in->b, variant, BENCH_PEER, BENCH_WALL, dbl ? native_work_double : native_work, native_check,
                       &job, NULL);
}

/* ---- CUDA ---- */

#ifdef PENTA_HAVE_CUDA

static double cuda_check(void *in, const char *variant)
{
    return nbody_check_peer(in, variant, false);
}

static void cuda_row(nbody_input *in)
{
    const bench_cuda_row row = {
        .variant = "cuda", .before_form = ", ", .first = in->peers, .check = cuda_check, .in = in};
    peer_bodies bodies = bodies_of(in);

    if (bench_cuda_suits(in->b))
        bench_cuda_add(in->b, &row, peer_nbody_cuda_create(&bodies));
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
