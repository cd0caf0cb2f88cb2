/*
 * Principal components of the cube of Du et al. (512 x 512 pixels, 224 bands, double), of the same in float and in
 * 16-bit integers, and of a smaller one, stage by stage beside OpenBLAS and cuBLAS; then the covariance of more and
 * more bands (their Fig. 13).
 *
 *   covariance   mean and covariance by each method, from pixels in device memory to sums there: all kernels by their
 *                events
 *   scores       all components of all pixels, as they are and rescaled to 0 .. 255: likewise, but without the kernel
 *                that looks for numbers that are not finite, which pixels that stayed on the device do not need
 *   first10      scores of the first ten
 *   job          the host's part (moments, eigenvalues, loadings) and the whole job, from pinned memory to pinned
 *                memory, by the wall clock; on a GPU the pixels stay there in between, or are sent twice
 *
 *   single       covariance and scores as on a device without double precision: in pairs of floats, of integers in
 *                integers; notes tell how many times longer they take
 *
 * Peers get centred pixels: the centring is in none of their times.
 */
#include "input.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const pca_case cases[] = {
    {"512x512x224-f64", 512, 512, 224, PENTA_F64, false},
    {"512x512x224-f32", 512, 512, 224, PENTA_F32, false},
    {"512x512x224-u16", 512, 512, 224, PENTA_U16, false},
    {"256x256x224-f32", 256, 256, 224, PENTA_F32, false},
    {"syrk-32-f64", 256, 256, 32, PENTA_F64, true},   {"syrk-32-f32", 256, 256, 32, PENTA_F32, true},
    {"syrk-64-f64", 256, 256, 64, PENTA_F64, true},   {"syrk-64-f32", 256, 256, 64, PENTA_F32, true},
    {"syrk-128-f64", 256, 256, 128, PENTA_F64, true}, {"syrk-128-f32", 256, 256, 128, PENTA_F32, true},
    {"syrk-224-f64", 256, 256, 224, PENTA_F64, true}, {"syrk-224-f32", 256, 256, 224, PENTA_F32, true},
    {"syrk-448-f64", 256, 256, 448, PENTA_F64, true}, {"syrk-448-f32", 256, 256, 448, PENTA_F32, true},
};
/* clang-format on */

typedef struct {
    int method;
    const char *name;
    double tolerance; /* of sums in float; 0: pca_tolerance */
    double most_cpu;  /* bands^2 pixels that a CPU device is given; 0: any */
} variant;

/* CLBlast's SYRK and GEMM add all pixels in one float, which was 5e-5 of a variance off over 2^18 of them on a CPU, and
 * just over 2e-4 on an H200. */
static const variant variants[] = {
    {PENTA_PCA_COV_TRIANGLE, "triangle", 0, 0},        {PENTA_PCA_COV_SYRK, "syrk (CLBlast)", 1e-3, 4e9},
    {PENTA_PCA_COV_GEMM, "gemm (CLBlast)", 1e-3, 4e9}, {PENTA_PCA_COV_SPLITK, "splitk (CLBlast)", 0, 4e9},
    {PENTA_PCA_COV_SQUARE, "square", 0, 4e9},          {PENTA_PCA_COV_VOLKOV, "volkov", 0, 4e9},
};

static bool is_cpu(const pca_input *in)
{
    return penta_context_device(bench_context(in->b))->type == PENTA_DEVICE_CPU;
}

static void must(const pca_input *in, const char *name, penta_status status)
{
    if (status != PENTA_OK)
        bench_fail(in->b, "%s: %s", name, penta_last_error(bench_context(in->b)));
}

/* ---- device time ---- */

/*
 * Gives all rows to `add`. A CPU device copies pixels with the cores that its kernels run on, so it gets them in
 * pieces, each after the kernels of those before; slabs hold a multiple of a piece.
 */
static void feed(const pca_input *in, const char *name, penta_status (*add)(void *, const penta_cube_rows *), void *to)
{
    const size_t piece = 8192; /* pixels */
    size_t all = in->c->rows, step = is_cpu(in) ? piece / in->c->cols : all;

    for (size_t first = 0; first < all; first += step) {
        penta_cube_rows rows = pca_rows(in, first, step);
        const penta_profile_entry *entries;

        must(in, name, add(to, &rows));
        penta_profile(bench_context(in->b), &entries); /* waits */
    }
}

/* ---- covariance ---- */

typedef struct {
    const pca_input *in;
    const char *name;
    penta_pca *plan;
} covariance_job;

static penta_status add_to_plan(void *plan, const penta_cube_rows *rows)
{
    return penta_pca_add(plan, rows);
}

/* The pixels of all cases fill slabs, which are powers of two or the cube, so the last kernel has run after this. */
static void covariance_work(void *data, double *device_seconds)
{
    const covariance_job *j = data;

    penta_pca_reset(j->plan);
    bench_time_kernels(j->in->b);
    feed(j->in, j->name, add_to_plan, j->plan);
    *device_seconds = bench_kernel_seconds(j->in->b);
}

static void covariance_create(const pca_input *in, const variant *v, covariance_job *j)
{
    penta_pca_options o = pca_options(in, v->method);

    *j = (covariance_job){.in = in, .name = v->name};
    must(in, v->name, penta_pca_create(bench_context(in->b), in->c->bands, in->pixels, &o, &j->plan));
}

static void check_covariance(const covariance_job *j, const variant *v)
{
    double tolerance = pca_tolerance(j->in), none = 0;
    penta_pca_model model;

    if (j->in->real == PENTA_F32 && v->tolerance > 0)
        tolerance = v->tolerance;
    covariance_work((void *)j, &none);
    must(j->in, j->name, penta_pca_solve(j->plan, &model));
    pca_check_covariance(j->in, j->name, model.covariance, tolerance);
    penta_pca_model_free(&model);
}

static void measure_covariance(const pca_input *in, const variant *v, const char *name, bench_samples *samples)
{
    covariance_job j;

    covariance_create(in, v, &j);
    check_covariance(&j, v);
    bench_measure(covariance_work, &j, samples);
    bench_row(in->b, name, BENCH_OURS, BENCH_DEVICE, samples);
    penta_pca_destroy(j.plan);
}

/* Likewise without double precision. */
static void single_covariance(const pca_input *in, const variant *v, const bench_samples *with)
{
    bench_samples samples;
    char name[64];

    if (!bench_single_begin(in->b))
        return;
    snprintf(name, sizeof name, "%s, single", v->name);
    measure_covariance(in, v, name, &samples);
    bench_slowdown(in->b, "the covariance", v->name, BENCH_DEVICE, with, &samples);
    bench_single_end(in->b);
}

static void covariance_row(const pca_input *in, const variant *v)
{
    double work = (double)in->c->bands * (double)in->c->bands * (double)in->pixels;
    bench_samples samples;

    if (v->method != PENTA_PCA_COV_TRIANGLE && !penta_context_device(bench_context(in->b))->fp64) {
        bench_note(in->b, "%s left out: the device has no double precision", v->name);
        return;
    }
    if (is_cpu(in) && v->most_cpu > 0 && work > v->most_cpu) {
        bench_note(in->b, "%s left out on a CPU device: it would take too long", v->name);
        return;
    }
    measure_covariance(in, v, v->name, &samples);
    if (v->method == PENTA_PCA_COV_TRIANGLE)
        single_covariance(in, v, &samples);
}

static size_t bytes_each(penta_type type)
{
    return type == PENTA_F64 ? 8 : type == PENTA_F32 ? 4 : type == PENTA_U16 ? 2 : 1;
}

/* Of real numbers; integers are added by other units on some devices. */
static void covariance_needs(const pca_input *in)
{
    double b = (double)in->c->bands, n = (double)in->pixels;

    if (in->c->type == in->real)
        bench_needs(in->b, in->real == PENTA_F32 ? BENCH_SINGLE : BENCH_DOUBLE, b * (b + 1) * n,
                    b * n * (double)bytes_each(in->real), "b (b + 1) n flops, %zu b n bytes; b = %zu, n = %zu",
                    bytes_each(in->real), in->c->bands, in->pixels);
}

static void scores_needs(const pca_input *in, size_t outs, penta_type out)
{
    double b = (double)in->c->bands, n = (double)in->pixels, k = (double)outs;

    bench_needs(in->b, in->real == PENTA_F32 ? BENCH_SINGLE : BENCH_DOUBLE, 2 * b * k * n,
                n * (b * (double)bytes_each(in->c->type) + k * (double)bytes_each(out)),
                "2 b k n flops, (%zu b + %zu k) n bytes; b = %zu, k = %zu, n = %zu", bytes_each(in->c->type),
                bytes_each(out), in->c->bands, outs, in->pixels);
}

static void covariance_rows(pca_input *in)
{
    covariance_needs(in);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        covariance_row(in, &variants[k]);
    pca_covariance_peers(in);
}

/* ---- scores ---- */

static double map_seconds(penta_context *ctx)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);
    double seconds = 0;

    for (size_t i = 0; i < count; i++)
        if (!entries[i].transfer && strcmp(entries[i].name, "pca_slab_inspect") != 0)
            seconds += entries[i].seconds;
    return seconds;
}

typedef struct {
    const pca_input *in;
    const char *name;
    size_t outs;
    bool rescale;
    void *out; /* NULL: results stay on the device */
    penta_map *map;
} scores_job;

static penta_status add_to_map(void *map, const penta_cube_rows *rows)
{
    return penta_map_add(map, rows);
}

/* Bytes from 0 to 255, as GRASS has them, or the scores themselves. */
static penta_map_format format_of(const pca_input *in, bool rescale)
{
    return (penta_map_format){.type = rescale ? PENTA_U8 : in->real, .rescale = rescale, .low = 0, .high = 255};
}

static void scores_work(void *data, double *device_seconds)
{
    const scores_job *j = data;
    penta_context *ctx = bench_context(j->in->b);
    penta_map_format format = format_of(j->in, j->rescale);

    penta_map_reset(j->map);
    bench_time_kernels(j->in->b);
    feed(j->in, j->name, add_to_map, j->map);
    must(j->in, j->name, penta_map_take(j->map, &format, j->out, j->in->pixels));
    *device_seconds = map_seconds(ctx);
}

static void check_scores(const pca_input *in, const char *name, size_t outs, bool rescaled)
{
    if (rescaled)
        pca_check_bytes(in, name, in->result);
    else
        pca_check_scores(in, name, in->result, outs);
}

/* All rows at once make the map's slabs as large as they get. */
static void check_map(pca_input *in, const scores_job *j)
{
    penta_cube_rows rows = pca_rows(in, 0, in->c->rows);
    penta_map_format format = format_of(in, j->rescale);

    pca_clear(in);
    must(in, j->name, penta_map_add(j->map, &rows));
    must(in, j->name, penta_map_take(j->map, &format, in->result, in->pixels));
    check_scores(in, j->name, j->outs, j->rescale);
}

/* False with a note where the results do not fit. */
static bool measure_scores(pca_input *in, size_t outs, bool rescale, const char *name, bench_samples *samples)
{
    scores_job j = {.in = in, .name = name, .outs = outs, .rescale = rescale, .out = rescale ? in->result : NULL};
    penta_affine affine = pca_affine(in, outs);
    bool fits;

    must(in, name, penta_map_create(bench_context(in->b), &affine, pca_precision(in), NULL, &j.map));
    fits = penta_map_room(j.map) >= in->pixels;
    if (!fits)
        bench_note(in->b, "%s left out: this device keeps the results of %zu pixels", name, penta_map_room(j.map));
    else {
        check_map(in, &j);
        bench_measure(scores_work, &j, samples);
        bench_row(in->b, name, BENCH_OURS, BENCH_DEVICE, samples);
        if (rescale)
            check_scores(in, name, outs, true);
    }
    penta_map_destroy(j.map);
    return fits;
}

static void scores_row(pca_input *in, size_t outs, bool rescale, const char *name)
{
    bench_samples with, without;
    char single[64];

    scores_needs(in, outs, rescale ? PENTA_U8 : in->real);
    if (!measure_scores(in, outs, rescale, name, &with) || !bench_single_begin(in->b))
        return;
    snprintf(single, sizeof single, "%s, single", name);
    if (measure_scores(in, outs, rescale, single, &without))
        bench_slowdown(in->b, "the map", name, BENCH_DEVICE, &with, &without);
    bench_single_end(in->b);
}

static void all_scores_rows(pca_input *in)
{
    scores_row(in, in->c->bands, false, "all components");
    scores_row(in, in->c->bands, true, "all components, rescaled to 8 bits");
    scores_needs(in, in->c->bands, in->real);
    pca_scores_peers(in, in->c->bands);
}

static void first_scores_rows(pca_input *in)
{
    scores_row(in, PCA_FIRST, false, "first 10 components");
    pca_scores_peers(in, PCA_FIRST);
}

/* ---- the whole job ---- */

typedef struct {
    const pca_input *in;
    const char *name;
    penta_pca *plan;
    size_t outs;
    bool rescale, check;
} whole_job;

static void project(const whole_job *j, const penta_pca_model *model)
{
    const pca_input *in = j->in;
    penta_affine affine = {.ins = model->bands, .outs = j->outs, .matrix = model->forward, .before = model->mean};
    penta_cube_rows rows = pca_rows(in, 0, in->c->rows);
    penta_map_format format = format_of(in, j->rescale);
    penta_map *map;

    must(in, j->name, penta_map_create(bench_context(in->b), &affine, pca_precision(in), NULL, &map));
    must(in, j->name,
         penta_pca_has_kept(j->plan) ? penta_map_add_kept(map, j->plan, 0, in->pixels) : penta_map_add(map, &rows));
    must(in, j->name, penta_map_take(map, &format, in->result, in->pixels));
    penta_map_destroy(map);
}

static void whole_work(void *data, double *device_seconds)
{
    const whole_job *j = data;
    penta_cube_rows rows = pca_rows(j->in, 0, j->in->c->rows);
    penta_pca_model model;

    (void)device_seconds;
    penta_pca_reset(j->plan);
    must(j->in, j->name, penta_pca_add(j->plan, &rows));
    must(j->in, j->name, penta_pca_solve(j->plan, &model));
    project(j, &model);
    if (j->check)
        pca_check_model(j->in, j->name, &model);
    penta_pca_model_free(&model);
}

static void whole_row(pca_input *in, penta_pca *plan, size_t outs, bool rescale, const char *name)
{
    whole_job j = {.in = in, .name = name, .plan = plan, .outs = outs, .rescale = rescale, .check = true};
    bench_samples samples;
    double none = 0;

    pca_clear(in);
    whole_work(&j, &none);
    check_scores(in, name, outs, rescale);
    j.check = false;
    bench_measure(whole_work, &j, &samples);
    bench_row(in->b, name, BENCH_OURS, BENCH_WALL, &samples);
}

/* The device has nothing left to do once a model was made of the same rows. */
static void solve_work(void *data, double *device_seconds)
{
    const whole_job *j = data;
    penta_pca_model model;

    (void)device_seconds;
    must(j->in, j->name, penta_pca_solve(j->plan, &model));
    penta_pca_model_free(&model);
}

static void solve_row(const pca_input *in, penta_pca *plan)
{
    whole_job j = {.in = in, .name = "eigenvalues and loadings", .plan = plan};
    bench_samples samples;
    penta_pca_model model;

    must(in, j.name, penta_pca_solve(plan, &model));
    pca_check_model(in, j.name, &model);
    penta_pca_model_free(&model);
    bench_measure(solve_work, &j, &samples);
    bench_row(in->b, j.name, BENCH_OURS, BENCH_WALL, &samples);
}

/* The three jobs; `how` ends their names. */
static void whole_rows(pca_input *in, penta_pca *plan, const char *how)
{
    const char *type = penta_type_name(in->real);
    char name[64];

    snprintf(name, sizeof name, "host to host, all, 8 bits%s", how);
    whole_row(in, plan, in->c->bands, true, name);
    snprintf(name, sizeof name, "host to host, all, %s%s", type, how);
    whole_row(in, plan, in->c->bands, false, name);
    snprintf(name, sizeof name, "host to host, first 10, %s%s", type, how);
    whole_row(in, plan, PCA_FIRST, false, name);
}

/* A plan that keeps the pixels, on a GPU with room for them. */
static void kept_rows(pca_input *in)
{
    penta_pca_options o = pca_options(in, PENTA_PCA_COV_AUTO);
    penta_cube_rows rows = pca_rows(in, 0, in->c->rows);
    penta_pca *plan;

    must(in, "job", penta_pca_create(bench_context(in->b), in->c->bands, in->pixels, &o, &plan));
    must(in, "job", penta_pca_keep(plan, 0));
    must(in, "job", penta_pca_add(plan, &rows));
    if (penta_pca_has_kept(plan))
        whole_rows(in, plan, "");
    else
        bench_note(in->b, "jobs that keep their pixels on the device left out: it has no room for them");
    penta_pca_destroy(plan);
}

static void job_rows(pca_input *in)
{
    penta_pca_options o = pca_options(in, PENTA_PCA_COV_AUTO);
    penta_pca *plan;

    if (!is_cpu(in))
        kept_rows(in);
    must(in, "job", penta_pca_create(bench_context(in->b), in->c->bands, in->pixels, &o, &plan));
    whole_rows(in, plan, is_cpu(in) ? "" : ", read twice");
    solve_row(in, plan);
    penta_pca_destroy(plan);
}

/* ---- cases ---- */

static const struct {
    const char *name;
    void (*rows)(pca_input *in);
} stages[] = {
    {"covariance", covariance_rows},
    {"scores", all_scores_rows},
    {"first10", first_scores_rows},
    {"job", job_rows},
};

enum { STAGES = sizeof stages / sizeof *stages };

/* The cube is made when the first stage wants it. */
static void have_input(bench *b, const pca_case *c, pca_input *in)
{
    if (!in->cube)
        pca_input_create(b, c, in);
}

static void drop_input(pca_input *in)
{
    if (in->cube)
        pca_input_free(in);
}

/* SYRK's operations, of all methods and peers. */
static void one_sweep(bench *b, const pca_case *c)
{
    pca_input in = {0};

    if (!bench_case(b, c->name, 1, "covariance"))
        return;
    have_input(b, c, &in);
    bench_rate(b, (double)c->bands * (double)(c->bands + 1) * (double)in.pixels, "flop");
    covariance_rows(&in);
    drop_input(&in);
}

static void one_cube(bench *b, const pca_case *c)
{
    pca_input in = {0};
    char name[64];

    for (size_t s = 0; s < STAGES; s++) {
        snprintf(name, sizeof name, "%s-%s", c->name, stages[s].name);
        if (!bench_case(b, name, 1, "cube"))
            continue;
        have_input(b, c, &in);
        bench_rate(b, (double)in.pixels, "pixel");
        stages[s].rows(&in);
    }
    drop_input(&in);
}

void bench_pca(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        (cases[i].sweep ? one_sweep : one_cube)(b, &cases[i]);
}
