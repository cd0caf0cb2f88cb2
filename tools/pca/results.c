/*
 * The second pass: scores, and the bands that they give back. Scaled scores need their ranges first: they stay on the
 * device meanwhile when there is room, and are computed twice where there is not.
 */
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>
#include "pca/outlet.h"
#include "pca/run.h"
#include "pca/plot_scree.h"

typedef struct {
    pca_run *run;
    pca_outlet *components, *bands; /* NULL: not wanted */
    pca_preview *preview;
    enum { WRITE_ALL, HOLD, MEASURE } step;
} results;

static int out_of_memory(const results *r)
{
    return cli_fail(r->run->job.command, CLI_ERROR, "out of memory");
}

/* Of the model, between the elements of the input and what is written. */
static int make_map(const results *r, int direction, penta_affine *out)
{
    const pca_run *run = r->run;
    const penta_io_model *c = &run->model;
    const penta_pca_scaling scaling = {c->low, c->high, c->least, c->largest};
    penta_status status = penta_pca_affine(&c->m, direction, run->gain, run->offset, c->rescale ? &scaling : NULL, out);

    return status == PENTA_OK ? CLI_OK : out_of_memory(r);
}

/* ---- what is written ---- */

static int precision_of(const pca_run *run)
{
    return run->options.precision;
}

static penta_type real_type(const pca_run *run)
{
    bool single = run->flags.type == PCA_TYPE_F32 ||
                  (run->flags.type == PCA_TYPE_AUTO && precision_of(run) == PENTA_PRECISION_SINGLE);

    return single ? PENTA_F32 : PENTA_F64;
}

/* Whether pixels may be left out; after a pass over them it is known. */
static bool has_gaps(const pca_run *run)
{
    bool may = run->mask || run->options.no_data;

    return may && (pca_has_model(run) || run->pixels < (uint64_t)run->about->rows * run->about->cols);
}

static pca_outlet_plan plan_of(const results *r, const char *stem)
{
    const pca_run *run = r->run;

    return (pca_outlet_plan){.stem = stem,
                             .format = run->flags.format,
                             .precision = precision_of(run),
                             .type = real_type(run),
                             .no_data = run->options.no_data,
                             .has_gaps = has_gaps(run),
                             .like = run->cube,
                             .kept = run->statistics};
}

/* What --rescale says; without it, what the model of --transform was written with. */
static pca_range range_of(const pca_run *run)
{
    const penta_io_model *c = &run->model;
    pca_range range = {.type = PENTA_F64};
    penta_io_error ignored;

    if (run->flags.rescale)
        pca_parse_range(run->flags.rescale, &range, &ignored);
    else if (c->rescale)
        range = pca_range_of(c->low, c->high);
    return range;
}

/* The type of scaled components, with a number for pixels that are left out. */
static penta_type scaled_type(pca_run *run, const pca_range *range)
{
    penta_type type = range->type;

    if (has_gaps(run))
        type = penta_map_type(range->low, range->high, true);
    if (type != range->type)
        job_note(&run->job, "components are %s, since %s has no number outside %g..%g for pixels that are left out",
                 penta_type_name(type == PENTA_F64 ? real_type(run) : type), penta_type_name(range->type), range->low,
                 range->high);
    return type;
}

static int open_outlet(const results *r, int direction, pca_outlet_plan *plan, pca_outlet **out)
{
    int code = make_map(r, direction, &plan->affine);

    if (code != CLI_OK)
        return code;
    code = pca_outlet_open(&r->run->job, plan, out);
    penta_affine_free(&plan->affine);
    return code;
}

static int open_components(results *r)
{
    pca_run *run = r->run;
    pca_outlet_plan plan = plan_of(r, "components");
    int code;

    plan.range = range_of(run);
    if (plan.range.on && run->flags.type == PCA_TYPE_AUTO && plan.range.type != PENTA_F64) {
        penta_type type = scaled_type(run, &plan.range);

        plan.type = type == PENTA_F64 ? plan.type : type;
    }
    if (plan.range.on && !run->flags.rescale) {
        plan.least = run->model.least;
        plan.largest = run->model.largest;
    }
    r->step = plan.range.on && !plan.least ? MEASURE : WRITE_ALL;
    code = open_outlet(r, PENTA_PCA_FORWARD, &plan, &r->components);
    if (code == CLI_OK && r->step == MEASURE && pca_outlet_can_hold(r->components))
        r->step = HOLD;
    return code;
}

static int open_bands(results *r)
{
    const pca_run *run = r->run;
    pca_outlet_plan plan = plan_of(r, "reconstructed");

    plan.wavelengths = run->flags.inverse ? run->model.wavelengths : run->about->wavelengths;
    return open_outlet(r, run->flags.inverse ? PENTA_PCA_INVERSE : PENTA_PCA_FILTER, &plan, &r->bands);
}

static int open_outlets(results *r)
{
    const pca_run *run = r->run;
    penta_io_error error = {""};
    int code = CLI_OK;

    if (run->flags.inverse)
        return open_bands(r);
    if (!pca_preview_open(run->about->rows, run->about->cols, run->model.m.components, &r->preview, &error))
        return job_fail_io(&run->job, &error);
    code = open_components(r);
    if (code == CLI_OK)
        pca_outlet_show(r->components, r->preview);
    return code == CLI_OK && run->flags.filter ? open_bands(r) : code;
}

/* ---- passes ---- */

static int use_rows(void *user, const penta_cube_rows *rows, size_t first)
{
    results *r = user;
    int code = CLI_OK;

    if (r->components)
        code = r->step == HOLD      ? pca_outlet_hold(r->components, rows, first)
               : r->step == MEASURE ? pca_outlet_measure(r->components, rows, first)
                                    : pca_outlet_write(r->components, rows, first);
    if (code == CLI_OK && r->bands && r->step != MEASURE)
        code = pca_outlet_write(r->bands, rows, first);
    return code;
}

static int pass(results *r, const char *title)
{
    const pca_run *run = r->run;

    return pca_pass(&run->job, run->source, run->about->rows, title, use_rows, r);
}

static int make_passes(results *r)
{
    int code = pass(r, r->step == MEASURE ? "ranges" : "scores");

    if (code != CLI_OK && r->step == HOLD && pca_outlet_let_go(r->components)) {
        r->step = MEASURE;
        code = pass(r, "ranges");
    }
    if (code == CLI_OK && r->step != WRITE_ALL)
        code = pca_outlet_take_range(r->components);
    if (code == CLI_OK && r->step == HOLD)
        code = pca_outlet_write_held(r->components);
    if (code == CLI_OK && r->step == MEASURE) {
        r->step = WRITE_ALL;
        code = pass(r, "scores");
    }
    return code;
}

/* ---- what is known by now ---- */

/* The model becomes that of these components. */
static void note_range(results *r)
{
    penta_io_model *c = &r->run->model;
    pca_range range = range_of(r->run);

    strcpy(c->no_data, pca_outlet_no_data(r->components));
    c->rescale = range.on;
    if (!range.on)
        return;
    free(c->least);
    free(c->largest);
    c->low = range.low;
    c->high = range.high;
    pca_outlet_give_range(r->components, &c->least, &c->largest);
}

static int check_pixels(results *r)
{
    pca_run *run = r->run;

    run->pixels = pca_outlet_pixels(r->components ? r->components : r->bands);
    if (run->pixels == 0)
        return cli_fail(run->job.command, CLI_ERROR, "%s: no pixel is valid: all are masked or no-data", run->path);
    run->clipped = r->components ? pca_outlet_clipped(r->components) : 0;
    if (run->clipped > 0)
        job_warn(&run->job,
                 "%llu of %llu valid pixels have scores beyond the model's range and were clipped to %g..%g "
                 "(--rescale LO,HI takes the range of this cube, --rescale none any)",
                 (unsigned long long)run->clipped, (unsigned long long)run->pixels, run->model.low, run->model.high);
    return CLI_OK;
}

/* ---- files, all or none ---- */

static char *path_of(const results *r, const char *name)
{
    return penta_io_join_path(r->run->job.common.output, name, "");
}

static bool write_model(const results *r, const char *path, penta_io_error *err)
{
    return penta_io_model_write(path, &r->run->model, err);
}

static bool write_preview(const results *r, const char *path, penta_io_error *err)
{
    return pca_preview_write(r->preview, path, err);
}

/* Without gnuplot there is a note instead of a picture. */
static bool draw_scree(const results *r, const char *base, penta_io_error *err)
{
    const penta_pca_model *m = &r->run->model.m;
    const job *j = &r->run->job;
    const pca_scree_values values = {.n = m->bands,
                                     .kept = m->components,
                                     .eigenvalues = m->eigenvalues,
                                     .percent = m->percent,
                                     .rounding = m->rounding,
                                     .noise_fractions = m->kind == PENTA_PCA_MNF};
    plot_status status = pca_plot_scree(base, r->run->path, &values, err);

    if (status == PLOT_NO_GNUPLOT)
        job_note(j, "%s; there is no scree.png: apt install gnuplot-nox", err->text);
    if (status == PLOT_TOO_SLOW)
        job_warn(j, "%s; the run goes on without it", err->text);
    return status != PLOT_FAILED;
}

typedef struct {
    const char *name;
    bool (*write)(const results *r, const char *path, penta_io_error *err);
    bool wanted;
} file;

static bool write_files(const results *r, const file *files, size_t count, penta_io_error *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < count; i++) {
        char *path = files[i].wanted ? path_of(r, files[i].name) : NULL;

        ok = !files[i].wanted || (path ? files[i].write(r, path, err) : penta_io_fail(err, "out of memory"));
        free(path);
    }
    return ok;
}

/* What is written waits for the run's commit. */
static bool finish(const results *r, penta_io_error *err)
{
    const file files[] = {{"model.json", write_model, r->components != NULL},
                          {"rgb.png", write_preview, r->components != NULL},
                          {"scree", draw_scree, !pca_has_model(r->run)}};
    pca_outlet *const cubes[] = {r->components, r->bands};
    bool ok = true;

    for (size_t i = 0; ok && i < sizeof cubes / sizeof *cubes; i++)
        ok = !cubes[i] || pca_outlet_finish(cubes[i], err);
    return ok && write_files(r, files, sizeof files / sizeof *files, err);
}

/* ---- all of it ---- */

static void close_results(results *r)
{
    pca_outlet_close(r->components);
    pca_outlet_close(r->bands);
    pca_preview_close(r->preview);
}

int pca_write_results(pca_run *run)
{
    results r = {.run = run};
    penta_io_error error = {""};
    int code = open_outlets(&r);

    code = code != CLI_OK ? code : make_passes(&r);
    code = code != CLI_OK ? code : check_pixels(&r);
    if (code == CLI_OK && r.components)
        note_range(&r);
    if (code == CLI_OK && cli_interrupted())
        code = cli_fail(run->job.command, CLI_ERROR, "interrupted; nothing was written");
    if (code == CLI_OK && !finish(&r, &error))
        code = job_fail_io(&run->job, &error);
    close_results(&r);
    return code;
}
