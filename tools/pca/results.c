/*
 * The second pass: scores, and the bands that they give back. Scaled scores need their ranges first: they stay on the
 * device meanwhile when there is room, and are computed twice where there is not.
 */
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>
#include "pca/members.h"
#include "pca/outlet.h"
#include "pca/plot_scree.h"
#include "shared/stages.h"

typedef struct {
    pca_run *run;
    pca_outlet *components, *bands; /* NULL: not wanted */
    pca_preview *preview;           /* of several members, it is the first one's */
    void *edge;                     /* the last row, where the device has some of its pixels only; or NULL */
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
                             .kept = run->statistics,
                             .first_row = run->first_row,
                             .rows = run->rows};
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

/* Integers of so few values hold little of a component: 0,1 gives two. */
static void note_coarse(pca_run *run, const pca_range *range)
{
    double values = range->high - range->low + 1;

    if (values < 32)
        job_note(&run->job, "--rescale %s rounds each component to %.0f integers; --type f32 keeps its fractions",
                 run->flags.rescale ? run->flags.rescale : "of the model", values);
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

    if (run->group)
        plan.writer = &run->shared->writers[0];
    plan.range = range_of(run);
    if (plan.range.on && run->flags.type == PCA_TYPE_AUTO && plan.range.type != PENTA_F64) {
        penta_type type = scaled_type(run, &plan.range);

        note_coarse(run, &plan.range);
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

    if (run->group)
        plan.writer = &run->shared->writers[1];
    plan.wavelengths = run->flags.inverse ? run->model.wavelengths : run->about->wavelengths;
    return open_outlet(r, run->flags.inverse ? PENTA_PCA_INVERSE : PENTA_PCA_FILTER, &plan, &r->bands);
}

static int open_preview(results *r)
{
    const pca_run *run = r->run;
    penta_io_error error = {""};

    const size_t all = run->about->rows;
    bool leads = pca_leads(run); /* it has all rows, a rank its own */

    if (run->group && !leads && run->shared->preview)
        r->preview = run->shared->preview;
    else if (!pca_preview_open(all, run->about->cols, run->model.m.components, leads ? 0 : run->first_row,
                               leads ? all : run->rows, &r->preview, &error))
        return job_fail_io(&run->job, &error);
    if (run->group)
        run->shared->preview = r->preview;
    return CLI_OK;
}

static int open_own_outlets(results *r)
{
    const pca_run *run = r->run;
    int code = CLI_OK;

    if (run->flags.inverse)
        return open_bands(r);
    code = open_preview(r);
    code = code != CLI_OK ? code : open_components(r);
    if (code == CLI_OK)
        pca_outlet_show(r->components, r->preview);
    return code == CLI_OK && run->flags.filter ? open_bands(r) : code;
}

/* The files are made by the first member, before the others write into them. */
static int open_outlets(results *r)
{
    pca_run *run = r->run;
    int code = run->group && !pca_leads(run) ? pca_share_writers(run) : CLI_OK;

    code = code != CLI_OK ? code : open_own_outlets(r);
    return code == CLI_OK && run->group && pca_leads(run) ? pca_share_writers(run) : code;
}

/* ---- passes ---- */

static int use_piece(results *r, const penta_cube_rows *rows, size_t first)
{
    int code = CLI_OK;

    if (r->components)
        code = r->step == HOLD      ? pca_outlet_hold(r->components, rows, first)
               : r->step == MEASURE ? pca_outlet_measure(r->components, rows, first)
                                    : pca_outlet_write(r->components, rows, first);
    if (code == CLI_OK && r->bands && r->step != MEASURE)
        code = pca_outlet_write(r->bands, rows, first);
    return code;
}

/* Whether the device has pixels of this row, but not all. */
static bool is_edge(const pca_run *run, size_t row)
{
    return run->group && run->statistics && (uint64_t)(row + 1) * run->about->cols > run->part.first + run->part.pixels;
}

/* The row from the file. */
static int read_edge(results *r, size_t row, penta_cube_rows *out)
{
    const pca_run *run = r->run;
    const penta_io_cube_info *about = run->about;
    penta_io_cube *cube = run->own_cube ? run->own_cube : run->cube;
    penta_io_error error = {""};

    if (!r->edge)
        r->edge = malloc(about->cols * about->bands * penta_type_size(about->type));
    if (!r->edge)
        return out_of_memory(r);
    *out = (penta_cube_rows){.rows = 1,
                             .cols = about->cols,
                             .layout = about->layout,
                             .type = about->type,
                             .data = r->edge,
                             .mask = run->mask ? run->mask + row * about->cols : NULL};
    return penta_io_cube_read(cube, row, 1, r->edge, &error) ? CLI_OK : job_fail_io(&run->job, &error);
}

static int use_rows(void *user, const penta_cube_rows *rows, size_t first)
{
    results *r = user;
    size_t last = first + rows->rows - 1;
    penta_cube_rows some = *rows;
    int code = CLI_OK;

    if (!is_edge(r->run, last))
        return use_piece(r, rows, first);
    some.rows--;
    if (some.rows > 0)
        code = use_piece(r, &some, first);
    code = code != CLI_OK ? code : read_edge(r, last, &some);
    return code != CLI_OK ? code : use_piece(r, &some, last);
}

static int pass(results *r, const char *title)
{
    const pca_run *run = r->run;

    return pca_pass(&run->job, run->source, run->first_row, run->rows, pca_leads(run) ? title : NULL, use_rows, r);
}

/* The ranges of all members. */
static int join_ranges(results *r)
{
    pca_run *run = r->run;
    double *least, *largest, *all = NULL, *mine;
    size_t n;
    int code;

    pca_outlet_range(r->components, &least, &largest, &n);
    mine = malloc(2 * n * sizeof *mine);
    if (!mine)
        return out_of_memory(r);
    memcpy(mine, least, n * sizeof *mine);
    memcpy(mine + n, largest, n * sizeof *mine);
    code = pca_gather(run, mine, 2 * n * sizeof *mine, (void **)&all);
    for (size_t i = 0; code == CLI_OK && i < penta_group_size(run->group) * n; i++) {
        const double *of = all + i / n * 2 * n + i % n;

        least[i % n] = of[0] < least[i % n] ? of[0] : least[i % n];
        largest[i % n] = of[n] > largest[i % n] ? of[n] : largest[i % n];
    }
    if (code == CLI_OK && least[0] > largest[0])
        code = cli_fail(run->job.command, CLI_ERROR, "none of %zu pixels is valid, so results have no range",
                        run->about->rows * run->about->cols);
    free(mine);
    free(all);
    return code;
}

static int take_range(results *r)
{
    int code = pca_outlet_take_range(r->components, r->run->group != NULL);

    return code == CLI_OK && r->run->group ? join_ranges(r) : code;
}

static int make_passes(results *r)
{
    int code = pass(r, r->step == MEASURE ? "ranges" : "scores");

    if (code != CLI_OK && r->step == HOLD && pca_outlet_let_go(r->components)) {
        r->step = MEASURE;
        code = pass(r, "ranges");
    }
    if (code == CLI_OK && r->step != WRITE_ALL)
        code = take_range(r);
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

/* Of all members, which have written by then. */
static int count_pixels(results *r)
{
    pca_run *run = r->run;
    uint64_t mine[2] = {pca_outlet_pixels(r->components ? r->components : r->bands),
                        r->components ? pca_outlet_clipped(r->components) : 0};
    uint64_t *all = NULL;
    int code = CLI_OK;

    run->pixels = mine[0];
    run->clipped = mine[1];
    if (!run->group)
        return CLI_OK;
    code = pca_gather(run, mine, sizeof mine, (void **)&all);
    run->pixels = run->clipped = 0;
    for (size_t i = 0; code == CLI_OK && i < penta_group_size(run->group); i++) {
        run->pixels += all[2 * i];
        run->clipped += all[2 * i + 1];
    }
    free(all);
    return code;
}

static int check_pixels(results *r)
{
    pca_run *run = r->run;
    int code = count_pixels(r);

    if (code != CLI_OK)
        return code;
    if (run->pixels == 0)
        return cli_fail(run->job.command, CLI_ERROR, "%s: no pixel is valid: all are masked or no-data", run->path);
    if (run->clipped > 0 && pca_leads(run))
        job_warn(&run->job,
                 "%llu of %llu valid pixels have scores beyond the model's range and were clipped to %g..%g "
                 "(--rescale LO,HI takes the range of this cube, --rescale none any)",
                 (unsigned long long)run->clipped, (unsigned long long)run->pixels, run->model.low, run->model.high);
    return CLI_OK;
}

/* ---- files beside the cubes ---- */

typedef struct {
    const pca_run *run;
    const pca_preview *preview;
    char *model, *rgb, *scree; /* paths */
} files;

static bool write_model(files *f, penta_io_error *err)
{
    return penta_io_model_write(f->model, &f->run->model, err);
}

static bool draw_preview(files *f, penta_io_error *err)
{
    return pca_preview_write(f->preview, f->rgb, err);
}

static bool draw_scree(files *f, penta_io_error *err)
{
    const penta_pca_model *m = &f->run->model.m;
    const pca_scree_values values = {.n = m->bands,
                                     .kept = m->components,
                                     .eigenvalues = m->eigenvalues,
                                     .percent = m->percent,
                                     .rounding = m->rounding,
                                     .noise_fractions = m->kind == PENTA_PCA_MNF};

    return pca_has_model(f->run) || !figures_ready(NULL) || pca_plot_scree(f->scree, f->run->path, &values, err);
}

/* On any thread. */
static bool write_one(void *user, size_t i, penta_io_error *err)
{
    static bool (*const write[3])(files *, penta_io_error *) = {draw_scree, draw_preview, write_model};

    return write[i](user, err);
}

/* model.json, rgb.png and, of a model that the run has made, the scree plot; each waits for the run's commit. */
static bool write_files(const pca_run *run, const pca_preview *preview, penta_io_error *err)
{
    const char *folder = run->job.common.output;
    files f = {.run = run,
               .preview = preview,
               .model = penta_io_join_path(folder, "model.json", ""),
               .rgb = penta_io_join_path(folder, "rgb.png", ""),
               .scree = penta_io_join_path(folder, "scree", "")};
    penta_io_error missing;
    stage before = stages_enter(STAGE_PICTURES);
    bool ok = (f.model && f.rgb && f.scree) || penta_io_fail(err, "out of memory");

    ok = ok && penta_io_output_together(3, write_one, &f, err);
    (void)stages_enter(before);
    if (ok && !pca_has_model(run) && !figures_ready(&missing)) /* an error stands alone */
        job_note(&run->job, "%s", missing.text);
    free(f.model);
    free(f.rgb);
    free(f.scree);
    return ok;
}

/* What is written waits for the run's commit. */
static bool finish(const results *r, penta_io_error *err)
{
    pca_outlet *const cubes[] = {r->components, r->bands};
    bool ok = true;

    (void)stages_enter(STAGE_WRITE);
    for (size_t i = 0; ok && i < sizeof cubes / sizeof *cubes; i++)
        ok = !cubes[i] || pca_outlet_finish(cubes[i], err);
    return ok && (!r->components || write_files(r->run, r->preview, err));
}

/* ---- all of it ---- */

static void close_results(results *r)
{
    pca_outlet_close(r->components);
    pca_outlet_close(r->bands);
    if (!r->run->group)
        pca_preview_close(r->preview);
    free(r->edge);
}

int pca_write_results(pca_run *run)
{
    results r = {.run = run};
    penta_io_error error = {""};
    int code = open_outlets(&r);

    code = code != CLI_OK ? code : make_passes(&r);
    code = code != CLI_OK ? code : check_pixels(&r);
    if (code == CLI_OK && run->group)
        code = pca_end_writers(run);
    if (code == CLI_OK && run->group)
        code = pca_join_previews(run);
    if (code == CLI_OK && r.components && pca_leads(run))
        note_range(&r);
    if (code == CLI_OK && cli_interrupted())
        code = cli_fail(run->job.command, CLI_ERROR, "interrupted; nothing was written");
    if (code == CLI_OK && pca_leads(run) && !finish(&r, &error))
        code = job_fail_io(&run->job, &error);
    close_results(&r);
    return code;
}
