/*
 * The slides' ladder on the device under test: each rung against the one before it, then our own kernels, then peers.
 * One work-item alone (gpu1) would take hours for many bodies: it has a sphere of its own with fewer.
 */
#include "input.h"

#include <pentacl/flops.h>

enum { GPU1_MOST = 1024 };

/* Most interactions of a rung on a core of a CPU device. */
static const double most_cpu = 5e8;

static void rung(const nbody_input *in, int kernel, const char *remark)
{
    nbody_job job;
    bench_samples samples;
    double none = 0, error;

    nbody_job_create(in, kernel, &job);
    nbody_job_run(&job, &none);
    error = nbody_check(in, job.name, NBODY_SINGLE);
    bench_measure(nbody_job_run, &job, &samples);
    bench_rate(in->b, nbody_interactions(in), "interaction");
    bench_row(in->b, job.name, BENCH_OURS, BENCH_DEVICE, &samples);
    bench_error(in->b, error, remark);
    nbody_job_destroy(&job);
}

static void gpu1(const nbody_input *in)
{
    size_t mark = bench_mark(in->b);
    nbody_input few;

    if (in->n <= GPU1_MOST) {
        rung(in, PENTA_NBODY_GPU1, NULL);
        return;
    }
    nbody_input_create(in->b, GPU1_MOST, &few);
    rung(&few, PENTA_NBODY_GPU1, "of 1024 bodies; compared by interactions/s");
    bench_release(in->b, mark);
}

static void one_case(bench *b, size_t n, bool cpu)
{
    nbody_input in;

    nbody_input_create(b, n, &in);
    gpu1(&in);
    for (int kernel = PENTA_NBODY_AOS; kernel <= PENTA_NBODY_UNROLL32; kernel++)
        rung(&in, kernel, NULL);
    rung(&in, cpu ? PENTA_NBODY_SIMD : PENTA_NBODY_BEST, NULL);
    if (!cpu && n <= 65536)
        rung(&in, PENTA_NBODY_JSPLIT, NULL);
    nbody_peer_rows(&in);
    bench_release(b, 0);
}

static void measure_peak(bench *b)
{
    double peak;

    if (penta_peak_flops(bench_context(b), &peak) != PENTA_OK)
        bench_fail(b, "%s", penta_last_error(bench_context(b)));
    bench_peak(b, peak, NBODY_FLOP);
}

void nbody_ladder(bench *b)
{
    bool measured = false;

    for (size_t i = 0; i < NBODY_CASES; i++) {
        double n = (double)nbody_cases[i].n;
        bool cpu;

        if (!bench_case(b, nbody_cases[i].name, 1, "evaluation"))
            continue;
        cpu = penta_context_device(bench_context(b))->type == PENTA_DEVICE_CPU;
        if (cpu && n * n > most_cpu * bench_cores()) {
            bench_note(b, "left out on a CPU device: it would take too long");
            continue;
        }
        if (!measured)
            measure_peak(b);
        measured = true;
        one_case(b, nbody_cases[i].n, cpu);
    }
}
