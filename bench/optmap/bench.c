/*
 * Conditioning of cardiac movies (pentacl/optmap.h with its default options), engines `fast` and `literal`, beside the
 * literal pipeline by FFTW and cuFFT. The movies are 16-bit, made in memory at 1 kHz, every pixel valid.
 *
 *   kernels        all kernels of a run by their events, from the movie in device memory to the filtered one there
 *   host to host   the same runs by the wall clock: the movie from pinned memory, the filtered one to pinned memory
 *   stages         a case of its own, of the same runs: kernels of traces (layout, F0, v), of shifts (t0 of all pairs)
 *                  and of the filter (shift, Gaussian, median)
 *   single         engine `fast` host to host as on a device without double precision, where the host makes the traces
 *                  and decides between shifts that floats leave open; a note tells how many times longer that takes
 *
 * Times are per movie, the rate is in recorded seconds a second: how many times faster than the camera.
 */
#include "input.h"

#include <stdio.h>

static const optmap_case cases[] = {
    {"50x50x256", 50, 50, 256, true},
    {"100x100x1024", 100, 100, 1024, false},
    {"256x256x1024", 256, 256, 1024, false},
};

enum { TRACES = 0, SHIFTS, FILTER, STAGES };

static const char *const stage_names[STAGES] = {"traces", "shifts", "filter"};

/* Kernels that are not of the stage `shifts`. */
static const bench_stage_kernels kernels[] = {
    {"optmap_layout", TRACES},
    {"optmap_normalise", TRACES},
    {"optmap_blend", FILTER},
    {"literal_shift", FILTER},
    {"literal_gaussian", FILTER},
    {"literal_median", FILTER},
    {0},
};

/* An engine in a case. */
typedef struct {
    optmap_input *in;
    int engine;
    const char *name;
    penta_optmap *plan;
    bench_stages stages;
    bench_samples samples; /* of as many runs */
} job;

/* ---- runs ---- */

static void work(void *data, double *device_seconds)
{
    job *j = data;
    penta_movie movie = optmap_movie(j->in);
    penta_optmap_result result = {.filtered = j->in->filtered};

    bench_time_kernels(j->in->b);
    bench_must(j->in->b, j->name, penta_optmap_run(j->plan, &movie, &result));
    *device_seconds = bench_stages_add(j->in->b, &j->stages);
}

/* Makes the plan, warms it and checks it, shifts included. */
static void begin(job *j)
{
    optmap_input *in = j->in;
    penta_movie movie = optmap_movie(in);
    penta_optmap_result result = {.filtered = in->filtered, .shifts = in->shifts};
    penta_optmap_options o = in->options;

    o.engine = j->engine;
    bench_must(in->b, j->name,
               penta_optmap_create(bench_context(in->b), in->c->width, in->c->height, in->c->frames, &o, &j->plan));
    optmap_clear(in);
    bench_must(j->in->b, j->name, penta_optmap_run(j->plan, &movie, &result));
    if (result.valid_pixels != in->pixels)
        bench_fail(in->b, "%s: %zu of %zu pixels are valid", j->name, result.valid_pixels, in->pixels);
    optmap_check(in, j->name, 1);
}

/* Unless that was done before. */
static void measure(job *j)
{
    if (j->stages.runs > 0)
        return;
    begin(j);
    bench_measure(work, j, &j->samples);
    penta_optmap_destroy(j->plan);
}

/* ---- rows ---- */

static bool is_left_out(const job *j)
{
    return j->engine == PENTA_OPTMAP_LITERAL && !j->in->c->literal_on_cpu && bench_on_cpu(j->in->b);
}

static void engine_rows(job *j)
{
    bench *b = j->in->b;

    if (is_left_out(j)) {
        bench_note(b, "%s left out on a CPU device: %zu pairs, transformed in double, take minutes", j->name,
                   j->in->pairs);
        return;
    }
    measure(j);
    bench_row(b, bench_text(b, "%s kernels", j->name), BENCH_OURS, BENCH_DEVICE, &j->samples);
    bench_row(b, bench_text(b, "%s host to host", j->name), BENCH_OURS, BENCH_WALL, &j->samples);
}

/* Engine `fast` without double precision, beside `with`. */
static void single_rows(const job *with)
{
    bench *b = with->in->b;
    size_t bytes = with->in->pixels * with->in->c->frames;
    optmap_input in = *with->in;
    job j = {.in = &in, .engine = with->engine, .name = "single", .stages = with->stages};

    if (!bench_single_begin(b))
        return;
    j.stages.runs = 0;
    in.frames = bench_alloc(b, in.c->frames, sizeof *in.frames);
    in.movie = bench_pinned_copy(b, in.movie, bytes * sizeof *in.movie);
    in.filtered = bench_pinned(b, bytes * sizeof *in.filtered);
    for (size_t n = 0; n < in.c->frames; n++)
        in.frames[n] = in.movie + n * in.pixels;
    measure(&j);
    bench_row(b, "single host to host", BENCH_OURS, BENCH_WALL, &j.samples);
    bench_slowdown(b, "a movie", "host to host", BENCH_WALL, &with->samples, &j.samples);
    bench_single_end(b);
}

static void stage_rows(job *j)
{
    bench *b = j->in->b;
    bench_samples samples;

    if (is_left_out(j))
        return;
    measure(j);
    for (int s = 0; s < STAGES; s++) {
        bench_stages_samples(&j->stages, s, &samples);
        bench_row(b, bench_text(b, "%s %s", j->name, stage_names[s]), BENCH_OURS, BENCH_DEVICE, &samples);
    }
}

/* ---- cases ---- */

/* The movie is made when a case wants it. */
static void have_input(bench *b, const optmap_case *c, optmap_input *in)
{
    bench_rate(b, (double)c->frames / OPTMAP_RATE, "recorded second");
    if (!in->movie)
        optmap_input_create(b, c, in);
}

static void one_movie(bench *b, const optmap_case *c)
{
    optmap_input in = {0};
    const bench_stages stages = {.kernels = kernels, .others = SHIFTS};
    job engines[] = {{.in = &in, .engine = PENTA_OPTMAP_FAST, .name = "fast", .stages = stages},
                     {.in = &in, .engine = PENTA_OPTMAP_LITERAL, .name = "literal", .stages = stages}};
    char name[64];

    if (bench_case(b, c->name, 1, "movie")) {
        have_input(b, c, &in);
        bench_needs(b, BENCH_NO_FLOPS, 0, 6.0 * (double)(in.pixels * c->frames),
                    "6 w h t bytes (16 bits in, float out); w h t = %zu x %zu x %zu", c->width, c->height, c->frames);
        engine_rows(&engines[0]);
        single_rows(&engines[0]);
        if (!bench_is_brief(b))
            engine_rows(&engines[1]);
        optmap_peer_rows(&in);
    }
    snprintf(name, sizeof name, "%s-stages", c->name);
    if (bench_case(b, name, 1, "movie")) {
        have_input(b, c, &in);
        stage_rows(&engines[0]);
        stage_rows(&engines[1]);
    }
    bench_release(b, 0);
}

void bench_optmap(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        one_movie(b, &cases[i]);
}
