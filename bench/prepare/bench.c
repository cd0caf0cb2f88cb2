/*
 * Preparing photographs of 750 x 1500 px, 16 bit, with the default options (background divided out, dust masked, shift
 * to parts of a pixel, moved back by cubic interpolation, 16 bit), and registration beside what OpenCV and scikit-image
 * do, in C by FFTW.
 *
 * A run is the next frames of a series, 8 or as many as a batch has, all of which are registered.
 *
 *   all steps   kernels: by their events, the photographs in device memory to the prepared frames there; host to host:
 *               the same runs by the wall clock, pinned memory to pinned memory
 *   stages      kernels of the same runs by what they are for
 *   register    those of registration, beside the peers: these get the same pattern with its noise, flattened already
 *               and without dust, and have the key transformed
 *   rigid       all steps, with rotation
 *   single      all steps as on a device without double precision, in single precision; notes tell how many times
 * longer that takes
 *
 * Before anything is timed the drifts must be those of the scene, to 0.02 px rms.
 */
#include "input.h"

#include <math.h>

enum { LOAD = 0, BACKGROUND, DUST, REGISTER, OUTPUT, STAGES };

static const char *const stage_names[STAGES] = {"load", "background", "dust", "registration", "flatten, move, round"};

/* What kernels' names begin with; all others, and FFTs, are of registration. */
static const bench_stage_kernels kernels[] = {
    {"prepare_load", LOAD},       {"prepare_lit", LOAD},        {"prepare_take", LOAD},
    {"prepare_node", BACKGROUND}, {"prepare_poly", BACKGROUND}, {"prepare_planes", BACKGROUND},
    {"prepare_area", BACKGROUND}, {"prepare_dust", DUST},       {"prepare_count", DUST},
    {"prepare_histogram", DUST},  {"prepare_quantile", DUST},   {"prepare_flatten", OUTPUT},
    {"prepare_resample", OUTPUT}, {"prepare_contrast", OUTPUT}, {0},
};

enum { MOST = 64 }; /* frames a run */

typedef struct {
    prepare_input *in;
    int registration;
    penta_prepare *plan;
    size_t n; /* frames a run */
    penta_prepare_frame frames[MOST];
    penta_prepare_result results[MOST];
    bench_stages stages;
    bench_samples samples; /* of as many runs */
} job;

/* ---- runs ---- */

static void work(void *data, double *device_seconds)
{
    job *j = data;

    bench_time_kernels(j->in->b);
    bench_must(j->in->b, "prepare", penta_prepare_run(j->plan, j->n, j->frames, j->results));
    *device_seconds = bench_stages_add(j->in->b, &j->stages);
}

static void check_drifts(const job *j)
{
    double square = 0;

    for (size_t i = 0; i < j->n; i++) {
        const sample_place *truth = &j->in->places[i % PREPARE_FRAMES];
        double x = j->results[i].drift.dx - truth->dx, y = j->results[i].drift.dy - truth->dy;

        if (j->results[i].status != PENTA_PREPARED_OK)
            bench_fail(j->in->b, "frame %zu is %s", i + 1, penta_prepared_name(j->results[i].status));
        square += (x * x + y * y) / (double)j->n;
    }
    if (!(sqrt(square) <= 0.02))
        bench_fail(j->in->b, "drifts are off by %g px rms", sqrt(square));
}

/* ---- rows ---- */

/* The plan, warmed and checked. */
static void begin(prepare_input *in, int registration, job *j)
{
    bench *b = in->b;
    penta_prepare_options o;
    double none = 0;

    *j = (job){.in = in, .registration = registration, .stages = {.kernels = kernels, .others = REGISTER}};
    penta_prepare_options_init(&o);
    o.registration = registration;
    bench_must(b, "prepare",
               penta_prepare_create(bench_context(b), (size_t)in->scene.width, (size_t)in->scene.height, 1, PENTA_U16,
                                    &o, &j->plan));
    j->n = penta_prepare_batch(j->plan);
    j->n = j->n < PREPARE_FRAMES ? PREPARE_FRAMES : j->n > MOST ? MOST : j->n;
    for (size_t i = 0; i < j->n; i++) {
        j->frames[i].image = in->raw[i % PREPARE_FRAMES];
        j->results[i].image = bench_pinned(b, in->pixels * sizeof(uint16_t));
        j->results[i].mask = bench_pinned(b, in->pixels);
    }
    work(j, &none);
    check_drifts(j);
    j->stages.runs = 0;
}

/* Times of rows are those of PREPARE_FRAMES frames, whatever a run has. */
static void scale(const job *j, bench_samples *s)
{
    for (size_t i = 0; i < s->runs; i++)
        for (int clock = 0; clock < 2; clock++)
            s->seconds[clock][i] *= (double)PREPARE_FRAMES / (double)j->n;
}

static void stage_row(const job *j, int stage, const char *variant)
{
    bench_samples samples;

    bench_stages_samples(&j->stages, stage, &samples);
    scale(j, &samples);
    bench_row(j->in->b, variant, BENCH_OURS, BENCH_DEVICE, &samples);
}

/* Likewise without double precision. with: of that job, scaled. */
static void single_row(const job *j, const bench_samples *with)
{
    static job single;
    bench *b = j->in->b;
    prepare_input in = *j->in;
    bench_samples samples;

    if (!bench_single_begin(b))
        return;
    for (int i = 0; i < PREPARE_FRAMES; i++)
        in.raw[i] = bench_pinned_copy(b, in.raw[i], in.pixels * sizeof *in.raw[i]);
    begin(&in, j->registration, &single);
    bench_measure(work, &single, &samples);
    scale(&single, &samples);
    bench_row(b, "all steps, single, host to host", BENCH_OURS, BENCH_WALL, &samples);
    bench_slowdown(b, "a frame", "kernels", BENCH_DEVICE, with, &samples);
    bench_slowdown(b, "a frame", "host to host", BENCH_WALL, with, &samples);
    penta_prepare_destroy(single.plan);
    bench_single_end(b);
}

static void whole_rows(job *j)
{
    bench_samples samples = j->samples;

    scale(j, &samples);
    bench_row(j->in->b, "all steps, kernels", BENCH_OURS, BENCH_DEVICE, &samples);
    bench_row(j->in->b, "all steps, host to host", BENCH_OURS, BENCH_WALL, &samples);
    single_row(j, &samples);
}

static void stage_rows(job *j)
{
    for (int s = 0; s < STAGES; s++)
        stage_row(j, s, stage_names[s]);
}

static void register_rows(job *j)
{
    stage_row(j, REGISTER, "registration, kernels");
    prepare_peer_rows(j->in);
}

/* ---- cases ---- */

static const struct {
    const char *name;
    int registration;
    double angle; /* degrees */
    void (*rows)(job *j);
} cases[] = {
    {"750x1500", PENTA_PREPARE_SHIFT, 0, whole_rows},
    {"750x1500-stages", PENTA_PREPARE_SHIFT, 0, stage_rows},
    {"750x1500-register", PENTA_PREPARE_SHIFT, 0, register_rows},
    {"750x1500-rigid", PENTA_PREPARE_RIGID, 1, whole_rows},
};

/* Memory alone: 2 bytes of the photograph, 2 of the frame and 1 of its mask for each pixel. */
static void needs(const prepare_input *in)
{
    bench_needs(in->b, BENCH_NO_FLOPS, 0, 5.0 * (double)in->pixels, "5 w h bytes; w h = %d x %d", in->scene.width,
                in->scene.height);
}

void bench_prepare(bench *b)
{
    static job j;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        prepare_input in;

        if (!bench_case(b, cases[i].name, PREPARE_FRAMES, "frame"))
            continue;
        prepare_input_create(b, cases[i].angle, &in);
        begin(&in, cases[i].registration, &j);
        bench_measure(work, &j, &j.samples);
        if (cases[i].rows == whole_rows)
            needs(&in);
        cases[i].rows(&j);
        penta_prepare_destroy(j.plan);
        bench_release(b, 0);
    }
}
