/*
 * Gravity between the bodies of a Plummer sphere: our kernels beside native C and a CUDA kernel, rates in interactions
 * (i, j) a second, n^2 an evaluation; and with --ladder the slides' ladder (ladder.c).
 *
 * "forces": all kernels of an evaluation of the accelerations by their events, from the state in double to
 * accelerations in double, both in device memory. "leapfrog": a whole kick-drift-kick step, of the kernel that the
 * library chooses. "single": both as on a device without double precision, with the state in pairs of floats; notes
 * tell how many times longer they take.
 */
#include "input.h"

#include <stdint.h>
#include <stdio.h>

static const double most_cpu = 5e9; /* interactions of an evaluation that a core of a CPU device is given */

typedef struct {
    int kernel;
    double tolerance;
    bool for_gpu, for_cpu; /* devices that it is meant for */
    size_t most_bodies;    /* and bodies */
} variant;

/* clang-format off */
static const variant variants[] = {
    {PENTA_NBODY_BEST, NBODY_SINGLE, true, false, SIZE_MAX},
    {PENTA_NBODY_JSPLIT, NBODY_SINGLE, true, false, 65536},
    {PENTA_NBODY_SIMD, NBODY_SINGLE, false, true, SIZE_MAX},
    {PENTA_NBODY_DS, NBODY_SINGLE, true, true, SIZE_MAX},
    {PENTA_NBODY_DOUBLE, NBODY_DOUBLE, true, true, SIZE_MAX},
};
/* clang-format on */

static bool is_cpu(const nbody_input *in)
{
    return penta_context_device(bench_context(in->b))->type == PENTA_DEVICE_CPU;
}

/* ---- forces ---- */

/* The usual count; the kernel that meets each pair once gets by with fewer. State: 7 doubles in, 3 out. */
static void needs(const nbody_input *in, bench_numbers numbers)
{
    bench_needs(in->b, numbers, NBODY_FLOP * nbody_interactions(in), 80.0 * (double)in->n,
                "%d n^2 flops, 80 n bytes; n = %zu", NBODY_FLOP, in->n);
}

/* what: "forces". */
static void force_row(const nbody_input *in, const variant *v, const char *what, bench_samples *samples)
{
    nbody_job job;
    double none = 0, error;
    char name[64];

    nbody_job_create(in, v->kernel, &job);
    snprintf(name, sizeof name, "%s %s", job.name, what);
    nbody_job_run(&job, &none);
    error = nbody_check(in, name, v->tolerance);
    bench_measure(nbody_job_run, &job, samples);
    bench_row(in->b, name, BENCH_OURS, BENCH_DEVICE, samples);
    bench_error(in->b, error, NULL);
    nbody_job_destroy(&job);
}

/* With and without double precision, unless the kernel needs it. */
static void force_row_pair(const nbody_input *in, const variant *v)
{
    bool dbl = v->kernel == PENTA_NBODY_DOUBLE;
    bench_samples with, without;

    if (dbl && !penta_context_device(bench_context(in->b))->fp64) {
        bench_note(in->b, "double left out: the device has no double precision");
        return;
    }
    needs(in, dbl ? BENCH_DOUBLE : BENCH_SINGLE);
    force_row(in, v, "forces", &with);
    if (dbl || !bench_single_begin(in->b))
        return;
    force_row(in, v, "forces, single", &without);
    bench_slowdown(in->b, "an evaluation", v->kernel == PENTA_NBODY_DS ? "ds" : "single forces", BENCH_DEVICE, &with,
                   &without);
    bench_single_end(in->b);
}

static void force_rows(const nbody_input *in)
{
    bool cpu = is_cpu(in);

    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        const variant *v = &variants[k];

        if ((cpu ? v->for_cpu : v->for_gpu) && in->n <= v->most_bodies)
            force_row_pair(in, v);
    }
}

/* ---- steps ---- */

typedef struct {
    nbody_job job;
    size_t steps; /* of a run: some, so that what is done once in a call does not count much */
} step_job;

static void step_work(void *data, double *device_seconds)
{
    const step_job *s = data;
    penta_context *ctx = bench_context(s->job.in->b);

    bench_time_kernels(s->job.in->b);
    if (penta_nbody_advance(s->job.plan, s->steps) != PENTA_OK)
        bench_fail(s->job.in->b, "leapfrog: %s", penta_last_error(ctx));
    *device_seconds = bench_kernel_seconds(s->job.in->b);
}

static void a_step_each(bench_samples *samples, size_t steps)
{
    for (size_t i = 0; i < samples->runs; i++) {
        samples->seconds[BENCH_WALL][i] /= (double)steps;
        samples->seconds[BENCH_DEVICE][i] /= (double)steps;
    }
}

/* The forces are those of a row above, which was checked. how: "leapfrog". */
static void step_row(const nbody_input *in, const char *how, bench_samples *samples)
{
    double a_run = is_cpu(in) ? 2e8 : 2e11; /* interactions */
    step_job s = {.steps = (size_t)(a_run / nbody_interactions(in)) + 1};
    double none = 0;
    char name[64];

    if (s.steps > 32)
        s.steps = 32;
    nbody_job_create(in, PENTA_NBODY_AUTO, &s.job);
    step_work(&s, &none);
    bench_measure(step_work, &s, samples);
    a_step_each(samples, s.steps);
    snprintf(name, sizeof name, "%s device", how);
    bench_row(in->b, name, BENCH_OURS, BENCH_DEVICE, samples);
    snprintf(name, sizeof name, "%s host", how);
    bench_row(in->b, name, BENCH_OURS, BENCH_WALL, samples);
    nbody_job_destroy(&s.job);
}

static void step_rows(const nbody_input *in)
{
    bench_samples with, without;

    needs(in, BENCH_SINGLE);
    step_row(in, "leapfrog", &with);
    if (!bench_single_begin(in->b))
        return;
    step_row(in, "leapfrog, single", &without);
    bench_slowdown(in->b, "a step", "leapfrog", BENCH_DEVICE, &with, &without);
    bench_single_end(in->b);
}

/* ---- cases ---- */

static void one_case(bench *b, size_t n)
{
    nbody_input in = {.b = b, .n = n};

    if (is_cpu(&in) && nbody_interactions(&in) > most_cpu * bench_cores()) {
        bench_note(b, "left out on a CPU device: it would take too long");
        return;
    }
    nbody_input_create(b, n, &in);
    bench_rate(b, nbody_interactions(&in), "interaction");
    force_rows(&in);
    step_rows(&in);
    nbody_peer_rows(&in);
    bench_release(b, 0);
}

void bench_nbody(bench *b)
{
    if (bench_ladder(b)) {
        nbody_ladder(b);
        return;
    }
    for (size_t i = 0; i < NBODY_CASES; i++)
        if (bench_case(b, nbody_cases[i].name, 1, "evaluation"))
            one_case(b, nbody_cases[i].n);
}
