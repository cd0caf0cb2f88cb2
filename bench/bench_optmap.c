/*
 * Conditioning of cardiac movies (pentacl/optmap.h with its default options), engines `fast` and `literal`, beside the
 * literal pipeline by FFTW and cuFFT. The movies are 16-bit, made in memory at 1 kHz, every pixel valid.
 *
 *   kernels        all kernels of a run by their events, from the movie in device memory to the filtered one there;
 *                  then those of its stages: traces (layout, F0, v), shifts (t0 of all pairs), filter (shift, Gaussian,
 *                  median)
 *   host to host   the same runs by the wall clock: the movie from pinned memory, the filtered one to pinned memory
 *
 * Times are per movie, the rate is in recorded seconds a second: how many times faster than the camera.
 */
#include "optmap_input.h"

#include <stdio.h>
#include <string.h>

static const optmap_case cases[] = {
    {"50x50x256", 50, 50, 256, true},
    {"100x100x1024", 100, 100, 1024, false},
    {"256x256x1024", 256, 256, 1024, false},
};

typedef enum { TRACES = 0, SHIFTS, FILTER, STAGES } stage;

static const char *const stage_names[STAGES] = {"traces", "shifts", "filter"};

/* Kernels that are not of the stage `shifts`. */
static const struct {
    const char *name;
    stage stage;
} kernels[] = {
    {"optmap_layout", TRACES}, {"optmap_normalise", TRACES}, {"optmap_blend", FILTER},
    {"literal_shift", FILTER}, {"literal_gaussian", FILTER}, {"literal_median", FILTER},
};

typedef struct {
    optmap_input *in;
    const char *engine;
    penta_optmap *plan;
    size_t runs;
    double seconds[BENCH_MAX_RUNS + 1][STAGES]; /* of each run */
} job;

static void must(const job *j, penta_status status)
{
    if (status != PENTA_OK)
        bench_fail(j->in->b, "%s: %s", j->engine, penta_last_error(bench_context(j->in->b)));
}

static stage stage_of(const char *kernel)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernel, kernels[i].name) == 0)
            return kernels[i].stage;
    return SHIFTS;
}

/* Adds up the kernels since the profile was reset. */
static double kernel_seconds(penta_context *ctx, double *stages)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);
    double seconds = 0;

    for (stage s = TRACES; s < STAGES; s++)
        stages[s] = 0;
    for (size_t i = 0; i < count; i++)
        if (!entries[i].transfer) {
            stages[stage_of(entries[i].name)] += entries[i].seconds;
            seconds += entries[i].seconds;
        }
    return seconds;
}

static void work(void *data, double *device_seconds)
{
    job *j = data;
    penta_context *ctx = bench_context(j->in->b);
    penta_movie movie = optmap_movie(j->in);
    penta_optmap_result result = {.filtered = j->in->filtered};

    penta_profile_reset(ctx);
    must(j, penta_optmap_run(j->plan, &movie, &result));
    *device_seconds = kernel_seconds(ctx, j->seconds[j->runs++]);
}

/* Makes the plan, warms it and checks it, shifts included. */
static void begin(job *j, optmap_input *in, int engine)
{
    penta_movie movie = optmap_movie(in);
    penta_optmap_result result = {.filtered = in->filtered, .shifts = in->shifts};
    penta_optmap_options o = in->options;

    *j = (job){.in = in, .engine = engine == PENTA_OPTMAP_FAST ? "fast" : "literal"};
    o.engine = engine;
    must(j, penta_optmap_create(bench_context(in->b), in->c->width, in->c->height, in->c->frames, &o, &j->plan));
    optmap_clear(in);
    must(j, penta_optmap_run(j->plan, &movie, &result));
    if (result.valid_pixels != in->pixels)
        bench_fail(in->b, "%s: %zu of %zu pixels are valid", j->engine, result.valid_pixels, in->pixels);
    optmap_check(in, j->engine, 1);
}

static void stage_row(const job *j, stage s, bench_samples *samples)
{
    char variant[64];

    for (size_t i = 0; i < samples->runs; i++)
        samples->seconds[BENCH_DEVICE][i] = j->seconds[i][s];
    snprintf(variant, sizeof variant, "%s kernels: %s", j->engine, stage_names[s]);
    bench_row(j->in->b, variant, BENCH_OURS, BENCH_DEVICE, samples);
}

static void engine_rows(optmap_input *in, int engine)
{
    bench_samples samples;
    char variant[64];
    job j;

    begin(&j, in, engine);
    bench_measure(work, &j, &samples);
    snprintf(variant, sizeof variant, "%s kernels", j.engine);
    bench_row(in->b, variant, BENCH_OURS, BENCH_DEVICE, &samples);
    snprintf(variant, sizeof variant, "%s host to host", j.engine);
    bench_row(in->b, variant, BENCH_OURS, BENCH_WALL, &samples);
    for (stage s = TRACES; s < STAGES; s++)
        stage_row(&j, s, &samples);
    penta_optmap_destroy(j.plan);
}

static void one_case(bench *b, const optmap_case *c)
{
    optmap_input in;

    if (!bench_case(b, c->name, 1, "movie"))
        return;
    bench_rate(b, (double)c->frames / OPTMAP_RATE, "recorded second");
    optmap_input_create(b, c, &in);
    engine_rows(&in, PENTA_OPTMAP_FAST);
    if (c->literal_on_cpu || penta_context_device(bench_context(b))->type != PENTA_DEVICE_CPU)
        engine_rows(&in, PENTA_OPTMAP_LITERAL);
    else
        bench_note(b, "literal left out on a CPU device: its %zu transforms in double take minutes", in.pairs);
    optmap_peer_rows(&in);
    optmap_input_free(&in);
}

void bench_optmap(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        one_case(b, &cases[i]);
}
