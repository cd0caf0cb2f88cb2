/*
 * Gravity between the bodies of a Plummer sphere: our kernels beside native C and a CUDA kernel, rates in interactions
 * (i, j) a second, n^2 an evaluation.
 *
 * "forces": all kernels of an evaluation of the accelerations by their events, from the state in double to
 * accelerations in double, both in device memory. "leapfrog": a whole kick-drift-kick step, of the kernel that the
 * library chooses. "single": both as on a device without double precision, with the state in pairs of floats; notes
 * tell how many times longer they take.
 *
 * With --ladder the slides' ladder: each rung against the one before it, then our own kernels, then peers. One
 * work-item alone (gpu1) would take hours for many bodies: it has a sphere of its own with fewer.
 */
#include "input.h"

#include <pentacl/flops.h>
#include <stdint.h>

static const struct {
    const char *name;
    size_t n;
} cases[] = {{"1024", 1024}, {"4096", 4096}, {"16384", 16384}, {"65536", 65536}, {"262144", 262144}};

/* Interactions of an evaluation that a core of a CPU device is given, at most, also of a rung of the ladder. */
static const double most_cpu = 5e9, most_cpu_rung = 5e8;

enum { JSPLIT_MOST = 65536, GPU1_MOST = 1024 }; /* bodies */

typedef struct {
    int kernel;
    double tolerance;
    bool for_gpu, for_cpu; /* devices that it is meant for */
    size_t most_bodies;    /* and bodies */
} variant;

/* clang-format off */
static const variant variants[] = {
    {PENTA_NBODY_BEST, NBODY_SINGLE, true, false, SIZE_MAX},
    {PENTA_NBODY_JSPLIT, NBODY_SINGLE, true, false, JSPLIT_MOST},
    {PENTA_NBODY_SIMD, NBODY_SINGLE, false, true, SIZE_MAX},
    {PENTA_NBODY_DS, NBODY_SINGLE, true, true, SIZE_MAX},
    {PENTA_NBODY_DOUBLE, NBODY_DOUBLE, true, true, SIZE_MAX},
};
/* clang-format on */

/* An evaluation of the forces, or some steps, by one of our kernels. */
typedef struct {
    const nbody_input *in;
    penta_nbody *plan;
    double tolerance;
    size_t steps;
} job;

static void begin(const nbody_input *in, int kernel, job *j)
{
    penta_nbody_options o;

    penta_nbody_options_init(&o);
    o.kernel = kernel;
    o.eps = NBODY_EPS;
    *j = (job){.in = in};
    bench_must(in->b, "plan", penta_nbody_create(bench_context(in->b), in->n, &o, &j->plan));
    bench_must(in->b, "plan", penta_nbody_set(j->plan, in->bodies));
}

/* ---- forces ---- */

static void forces(void *data, double *device_seconds)
{
    const job *j = data;

    bench_time_kernels(j->in->b);
    bench_must(j->in->b, penta_nbody_kernel_name(j->plan), penta_nbody_forces(j->plan, j->in->ours, NULL));
    *device_seconds = bench_kernel_seconds(j->in->b);
}

static double check(void *data, const char *name)
{
    const job *j = data;

    return nbody_check(j->in, name, j->tolerance);
}

/* The usual count; the kernel that meets each pair once gets by with fewer. State: 7 doubles in, 3 out. */
static void needs(const nbody_input *in, bench_numbers numbers)
{
    bench_needs(in->b, numbers, NBODY_FLOP * nbody_interactions(in), 80.0 * (double)in->n,
                "%d n^2 flops, 80 n bytes; n = %zu", NBODY_FLOP, in->n);
}

/* what: " forces". */
static void force_row(const nbody_input *in, int kernel, double tolerance, const char *what, bench_samples *samples)
{
    job j;

    begin(in, kernel, &j);
    j.tolerance = tolerance;
    bench_work_row(in->b, bench_text(in->b, "%s%s", penta_nbody_kernel_name(j.plan), what), BENCH_OURS, BENCH_DEVICE,
                   forces, check, &j, samples);
    penta_nbody_destroy(j.plan);
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
    force_row(in, v->kernel, v->tolerance, " forces", &with);
    if (dbl || !bench_single_begin(in->b))
        return;
    force_row(in, v->kernel, v->tolerance, " forces, single", &without);
    bench_slowdown(in->b, "an evaluation", v->kernel == PENTA_NBODY_DS ? "ds" : "single forces", BENCH_DEVICE, &with,
                   &without);
    bench_single_end(in->b);
}

/* ---- steps ---- */

static void steps(void *data, double *device_seconds)
{
    const job *j = data;

    bench_time_kernels(j->in->b);
    bench_must(j->in->b, "leapfrog", penta_nbody_advance(j->plan, j->steps));
    *device_seconds = bench_kernel_seconds(j->in->b);
}

/* The forces are those of a row above, which was checked; a run has some steps, so that what is done once in a call
 * does not count much. how: "leapfrog". */
static void step_row(const nbody_input *in, const char *how, bench_samples *samples)
{
    double a_run = bench_on_cpu(in->b) ? 2e8 : 2e11, none = 0; /* interactions */
    size_t count = (size_t)(a_run / nbody_interactions(in)) + 1;
    job j;

    begin(in, PENTA_NBODY_AUTO, &j);
    j.steps = count < 32 ? count : 32;
    steps(&j, &none);
    bench_measure(steps, &j, samples);
    for (size_t i = 0; i < samples->runs; i++)
        for (int clock = 0; clock < 2; clock++)
            samples->seconds[clock][i] /= (double)j.steps;
    bench_row(in->b, bench_text(in->b, "%s device", how), BENCH_OURS, BENCH_DEVICE, samples);
    bench_row(in->b, bench_text(in->b, "%s host", how), BENCH_OURS, BENCH_WALL, samples);
    penta_nbody_destroy(j.plan);
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

static void rows(const nbody_input *in)
{
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        const variant *v = &variants[k];

        if ((bench_on_cpu(in->b) ? v->for_cpu : v->for_gpu) && in->n <= v->most_bodies)
            force_row_pair(in, v);
    }
    step_rows(in);
}

/* ---- the ladder ---- */

static void rung(const nbody_input *in, int kernel)
{
    bench_rate(in->b, nbody_interactions(in), "interaction");
    force_row(in, kernel, NBODY_SINGLE, "", NULL);
}

static void gpu1(const nbody_input *in)
{
    size_t mark = bench_mark(in->b);
    nbody_input few;

    if (in->n <= GPU1_MOST) {
        rung(in, PENTA_NBODY_GPU1);
        return;
    }
    nbody_input_create(in->b, GPU1_MOST, &few);
    rung(&few, PENTA_NBODY_GPU1);
    bench_remark(in->b, "of 1024 bodies; compared by interactions/s");
    bench_release(in->b, mark);
}

static void rungs(const nbody_input *in)
{
    gpu1(in);
    for (int kernel = PENTA_NBODY_AOS; kernel <= PENTA_NBODY_UNROLL32; kernel++)
        rung(in, kernel);
    rung(in, bench_on_cpu(in->b) ? PENTA_NBODY_SIMD : PENTA_NBODY_BEST);
    if (!bench_on_cpu(in->b) && in->n <= JSPLIT_MOST)
        rung(in, PENTA_NBODY_JSPLIT);
}

/* Once. */
static void measure_peak(bench *b)
{
    static double peak;

    if (!(peak > 0))
        bench_must(b, "peak", penta_peak_flops(bench_context(b), &peak));
    bench_peak(b, peak, NBODY_FLOP);
}

/* ---- cases ---- */

void bench_nbody(bench *b)
{
    bool ladder = bench_ladder(b);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nbody_input in = {.b = b, .n = cases[i].n};

        if (!bench_case(b, cases[i].name, 1, "evaluation"))
            continue;
        if (bench_on_cpu(b) && nbody_interactions(&in) > (ladder ? most_cpu_rung : most_cpu) * bench_cores()) {
            bench_note(b, "left out on a CPU device: it would take too long");
            continue;
        }
        if (ladder)
            measure_peak(b);
        nbody_input_create(b, cases[i].n, &in);
        bench_rate(b, nbody_interactions(&in), "interaction");
        (ladder ? rungs : rows)(&in);
        nbody_peer_rows(&in);
        bench_release(b, 0);
    }
}
