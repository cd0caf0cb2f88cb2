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

#include <math.h>
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

/* A plan, a map of its model, or both, at work. */
typedef struct {
    const pca_input *in;
    const char *name;
    double tolerance; /* of the covariance */
    penta_pca *plan;
    penta_map *map;
    size_t outs;
    bool rescale;
    void *out;  /* of the map; NULL: results stay on the device */
    bool check; /* the model of a whole job */
} job;

static void must(const job *j, penta_status status)
{
    bench_must(j->in->b, j->name, status);
}

static bool is_cpu(const pca_input *in)
{
    return bench_on_cpu(in->b);
}

/* ---- device time ---- */

/*
 * Gives all rows to `add`. A CPU device copies pixels with the cores that its kernels run on, so it gets them in
 * pieces, each after the kernels of those before; slabs hold a multiple of a piece.
 */
static void feed(const job *j)
{
    const size_t piece = 8192; /* pixels */
    const pca_input *in = j->in;
    size_t all = in->c->rows, step = is_cpu(in) ? piece / in->c->cols : all;

    for (size_t first = 0; first < all; first += step) {
        penta_cube_rows rows = pca_rows(in, first, step);
        const penta_profile_entry *entries;

        must(j, j->map ? penta_map_add(j->map, &rows) : penta_pca_add(j->plan, &rows));
        penta_profile(bench_context(in->b), &entries); /* waits */
    }
}

/* ---- covariance ---- */

/* The pixels of all cases fill slabs, which are powers of two or the cube, so the last kernel has run after this. */
static void covariance_work(void *data, double *device_seconds)
{
    const job *j = data;

    penta_pca_reset(j->plan);
    bench_time_kernels(j->in->b);
    feed(j);
    *device_seconds = bench_kernel_seconds(j->in->b);
}

static double check_covariance(void *data, const char *name)
{
    const job *j = data;
    penta_pca_model model;

    must(j, penta_pca_solve(j->plan, &model));
    pca_check_covariance(j->in, name, model.covariance, j->tolerance);
    penta_pca_model_free(&model);
    return NAN;
}

static void measure_covariance(const pca_input *in, const variant *v, const char *name, bench_samples *samples)
{
    penta_pca_options o = pca_options(in, v->method);
    job j = {.in = in, .name = v->name, .tolerance = pca_tolerance(in)};

    if (in->real == PENTA_F32 && v->tolerance > 0)
        j.tolerance = v->tolerance;
    must(&j, penta_pca_create(bench_context(in->b), in->c->bands, in->pixels, &o, &j.plan));
    bench_work_row(in->b, name, BENCH_OURS, BENCH_DEVICE, covariance_work, check_covariance, &j, samples);
    penta_pca_destroy(j.plan);
}

static void covariance_row(const pca_input *in, const variant *v)
{
    double work = (double)in->c->bands * (double)in->c->bands * (double)in->pixels;
    bench_samples with, without;

    if (v->method != PENTA_PCA_COV_TRIANGLE && !penta_context_device(bench_context(in->b))->fp64) {
        bench_note(in->b, "%s left out: the device has no double precision", v->name);
        return;
    }
    if (is_cpu(in) && v->most_cpu > 0 && work > v->most_cpu) {
        bench_note(in->b, "%s left out on a CPU device: it would take too long", v->name);
        return;
    }
    measure_covariance(in, v, v->name, &with);
    if (v->method != PENTA_PCA_COV_TRIANGLE || !bench_single_begin(in->b))
        return;
    measure_covariance(in, v, bench_text(in->b, "%s, single", v->name), &without);
    bench_slowdown(in->b, "the covariance", v->name, BENCH_DEVICE, &with, &without);
    bench_single_end(in->b);
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

/* Bytes from 0 to 255, as GRASS has them, or the scores themselves. */
static penta_map_format format_of(const pca_input *in, bool rescale)
{
    return (penta_map_format){.type = rescale ? PENTA_U8 : in->real, .rescale = rescale, .low = 0, .high = 255};
}

static void take(const job *j, void *out)
{
    penta_map_format format = format_of(j->in, j->rescale);

    must(j, penta_map_take(j->map, &format, out, j->in->pixels));
}

static void scores_work(void *data, double *device_seconds)
{
    const job *j = data;

    penta_map_reset(j->map);
    bench_time_kernels(j->in->b);
    feed(j);
    take(j, j->out);
    *device_seconds = map_seconds(bench_context(j->in->b));
}

static void check_scores(const job *j)
{
    if (j->rescale)
        pca_check_bytes(j->in, j->name, j->in->result);
    else
        pca_check_scores(j->in, j->name, j->in->result, j->outs);
}

/* All rows at once make the map's slabs as large as they get. */
static void check_map(const job *j)
{
    penta_cube_rows rows = pca_rows(j->in, 0, j->in->c->rows);

    pca_clear(j->in);
    must(j, penta_map_add(j->map, &rows));
    take(j, j->in->result);
    check_scores(j);
}

/* False with a note where the results do not fit. */
static bool measure_scores(pca_input *in, size_t outs, bool rescale, const char *name, bench_samples *samples)
{
    job j = {.in = in, .name = name, .outs = outs, .rescale = rescale, .out = rescale ? in->result : NULL};
    penta_affine affine = pca_affine(in, outs);
    bool fits;

    must(&j, penta_map_create(bench_context(in->b), &affine, pca_precision(in), NULL, &j.map));
    fits = penta_map_room(j.map) >= in->pixels;
    if (!fits)
        bench_note(in->b, "%s left out: this device keeps the results of %zu pixels", name, penta_map_room(j.map));
    else {
        check_map(&j);
        bench_measure(scores_work, &j, samples);
        bench_row(in->b, name, BENCH_OURS, BENCH_DEVICE, samples);
        if (rescale)
            check_scores(&j);
    }
    penta_map_destroy(j.map);
    return fits;
}

static void scores_row(pca_input *in, size_t outs, bool rescale, const char *name)
{
    bench_samples with, without;

    scores_needs(in, outs, rescale ? PENTA_U8 : in->real);
    if (!measure_scores(in, outs, rescale, name, &with) || !bench_single_begin(in->b))
        return;
    if (measure_scores(in, outs, rescale, bench_text(in->b, "%s, single", name), &without))
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

static void project(job *j, const penta_pca_model *model)
{
    const pca_input *in = j->in;
    penta_affine affine = {.ins = model->bands, .outs = j->outs, .matrix = model->forward, .before = model->mean};
    penta_cube_rows rows = pca_rows(in, 0, in->c->rows);

    must(j, penta_map_create(bench_context(in->b), &affine, pca_precision(in), NULL, &j->map));
    must(j, penta_pca_has_kept(j->plan) ? penta_map_add_kept(j->map, j->plan, 0, in->pixels)
                                        : penta_map_add(j->map, &rows));
    take(j, in->result);
    penta_map_destroy(j->map);
}

static void whole_work(void *data, double *device_seconds)
{
    job *j = data;
    penta_cube_rows rows = pca_rows(j->in, 0, j->in->c->rows);
    penta_pca_model model;

    (void)device_seconds;
    penta_pca_reset(j->plan);
    must(j, penta_pca_add(j->plan, &rows));
    must(j, penta_pca_solve(j->plan, &model));
    project(j, &model);
    if (j->check)
        pca_check_model(j->in, j->name, &model);
    penta_pca_model_free(&model);
}

static double check_whole(void *data, const char *name)
{
    job *j = data;

    (void)name;
    check_scores(j);
    j->check = false;
    return NAN;
}

static void whole_row(pca_input *in, penta_pca *plan, size_t outs, bool rescale, const char *name)
{
    job j = {.in = in, .name = name, .plan = plan, .outs = outs, .rescale = rescale, .check = true};

    pca_clear(in);
    bench_work_row(in->b, name, BENCH_OURS, BENCH_WALL, whole_work, check_whole, &j, NULL);
}

/* The device has nothing left to do once a model was made of the same rows. */
static void solve_work(void *data, double *device_seconds)
{
    job *j = data;
    penta_pca_model model;

    (void)device_seconds;
    must(j, penta_pca_solve(j->plan, &model));
    if (j->check)
        pca_check_model(j->in, j->name, &model);
    j->check = false;
    penta_pca_model_free(&model);
}

/* The three jobs; `how` ends their names. */
static void whole_rows(pca_input *in, penta_pca *plan, const char *how)
{
    const char *type = penta_type_name(in->real);

    whole_row(in, plan, in->c->bands, true, bench_text(in->b, "host to host, all, 8 bits%s", how));
    whole_row(in, plan, in->c->bands, false, bench_text(in->b, "host to host, all, %s%s", type, how));
    whole_row(in, plan, PCA_FIRST, false, bench_text(in->b, "host to host, first 10, %s%s", type, how));
}

static penta_pca *job_plan(const pca_input *in)
{
    penta_pca_options o = pca_options(in, PENTA_PCA_COV_AUTO);
    penta_pca *plan;

    bench_must(in->b, "job", penta_pca_create(bench_context(in->b), in->c->bands, in->pixels, &o, &plan));
    return plan;
}

/* A plan that keeps the pixels, on a GPU with room for them. */
static void kept_rows(pca_input *in)
{
    penta_cube_rows rows = pca_rows(in, 0, in->c->rows);
    penta_pca *plan = job_plan(in);

    bench_must(in->b, "job", penta_pca_keep(plan, 0));
    bench_must(in->b, "job", penta_pca_add(plan, &rows));
    if (penta_pca_has_kept(plan))
        whole_rows(in, plan, "");
    else
        bench_note(in->b, "jobs that keep their pixels on the device left out: it has no room for them");
    penta_pca_destroy(plan);
}

static void job_rows(pca_input *in)
{
    job solve = {.in = in, .name = "eigenvalues and loadings", .check = true};

    if (!is_cpu(in))
        kept_rows(in);
    solve.plan = job_plan(in);
    whole_rows(in, solve.plan, is_cpu(in) ? "" : ", read twice");
    bench_work_row(in->b, solve.name, BENCH_OURS, BENCH_WALL, solve_work, NULL, &solve, NULL);
    penta_pca_destroy(solve.plan);
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

/* The cube is made when the first stage wants it. */
static void have_input(bench *b, const pca_case *c, pca_input *in)
{
    if (!in->cube)
        pca_input_create(b, c, in);
}

void bench_pca(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pca_case *c = &cases[i];
        pca_input in = {0};
        char name[64];

        for (size_t s = 0; !c->sweep && s < sizeof stages / sizeof *stages; s++) {
            snprintf(name, sizeof name, "%s-%s", c->name, stages[s].name);
            if (!bench_case(b, name, 1, "cube"))
                continue;
            have_input(b, c, &in);
            bench_rate(b, (double)in.pixels, "pixel");
            stages[s].rows(&in);
        }
        if (c->sweep && bench_case(b, c->name, 1, "covariance")) {
            have_input(b, c, &in);
            bench_rate(b, (double)c->bands * (double)(c->bands + 1) * (double)in.pixels, "flop"); /* SYRK's, of all */
            covariance_rows(&in);
        }
        if (in.cube)
            pca_input_free(&in);
    }
}
