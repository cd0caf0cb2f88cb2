/* What is written about a watched series as a whole; all of it follows from the state and the frames' files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot_growth.h"
#include <pentacl/io/image.h>
#include <pentacl/io/output.h>
#include <pentacl/io/run.h>
#include "shared/json.h"
#include "shared/prepare_plan.h"
#include "shared/series.h"
#include "shared/stages.h"
#include "prepare/place.h"
#include "prepare/watch.h"

/* ---- R_max ---- */

static bool read_output(const watching *w, const penta_io_archive_frame *f, const char *suffix, penta_io_image *out,
                        penta_io_error *err)
{
    char *path = penta_io_join_path(w->p->job.common.output, f->stem, suffix);
    char *where = path ? penta_io_run_where(path) : NULL;
    bool ok = where || penta_io_fail(err, "out of memory for a file name");

    ok = ok && penta_io_image_read(where, out, err);
    free(path);
    free(where);
    return ok;
}

static bool read_outputs(const watching *w, const penta_io_archive_frame *f, penta_io_image *image, uint8_t **mask,
                         penta_io_error *err)
{
    penta_io_image levels = {0};
    bool ok = read_output(w, f, prepare_suffix(w->p->recipe.files.format), image, err) &&
              read_output(w, f, ".mask.png", &levels, err);

    *mask = NULL;
    if (ok && (levels.width != image->width || levels.height != image->height))
        ok = penta_io_fail(err, "%s: the frame and its mask differ in size", f->stem);
    if (ok) {
        *mask = penta_io_mask_bytes(&levels);
        ok = *mask || penta_io_fail(err, "out of memory for the mask of %s", f->stem);
    }
    penta_io_image_free(&levels);
    if (!ok)
        penta_io_image_free(image);
    return ok;
}

static int open_correlator(watching *w, const penta_io_image *image)
{
    penta_autocorr_options o;

    if (w->correlator)
        return CLI_OK;
    penta_autocorr_options_init(&o);
    o.estimator = PENTA_AUTOCORR_UNBIASED;
    o.demean = PENTA_AUTOCORR_DEMEAN_MEAN;
    if (penta_autocorr_create(w->p->job.ctx, image->width, image->height, image->type, &o, &w->correlator) != PENTA_OK)
        return job_fail_library(&w->p->job);
    return CLI_OK;
}

/* What cannot be correlated, as nothing that counts, has no peak. */
static int correlate(watching *w, const penta_io_image *image, const uint8_t *mask, penta_io_archive_frame *f)
{
    penta_autocorr_frame input = {.image = image->data, .mask = mask};
    penta_autocorr_result result = {0};
    int code = open_correlator(w, image);
    penta_status status = code == CLI_OK ? penta_autocorr_run(w->correlator, 1, &input, &result) : PENTA_OK;

    if (code == CLI_OK && status == PENTA_OK)
        f->peak = result.peak;
    else if (code == CLI_OK && status != PENTA_INVALID)
        code = job_fail_library(&w->p->job);
    return code;
}

int watch_measure(watching *w)
{
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < w->state.count; i++) {
        penta_io_archive_frame *f = &w->state.files[i];
        penta_io_image image = {0};
        uint8_t *mask = NULL;
        penta_io_error error = {""};

        if (!f->fresh)
            continue;
        f->peak = (penta_peak){PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN};
        if (!f->row.done)
            continue;
        code =
            read_outputs(w, f, &image, &mask, &error) ? correlate(w, &image, mask, f) : job_fail_io(&w->p->job, &error);
        penta_io_image_free(&image);
        free(mask);
    }
    return code;
}

/* ---- the series as the writers of series want it; nothing in it is owned but its arrays ---- */

typedef struct view {
    frame_list list;
    penta_io_drift_row *rows;
    series series;
} view;

static void close_view(view *v)
{
    series_close(&v->series);
    free(v->rows);
    free(v->list.sources);
}

static bool open_view(const watching *w, view *v, penta_io_error *err)
{
    const penta_io_archive *s = &w->state;
    bool ok;

    *v = (view){.list = {.count = s->count}};
    v->list.sources = calloc(s->count + 1, sizeof *v->list.sources);
    v->rows = calloc(s->count + 1, sizeof *v->rows);
    ok = (v->list.sources && v->rows) || penta_io_fail(err, "out of memory for a series of %zu frames", s->count);
    ok = ok && series_open(&v->series, &v->list, NULL, w->p->flags.interval, err);
    for (size_t i = 0; ok && i < s->count; i++) {
        const penta_io_archive_frame *f = &s->files[i];

        v->list.sources[i].name = f->row.file;
        v->rows[i] = f->row;
        v->series.rows[i].state = f->row.done ? SERIES_DONE : SERIES_FAILED;
        v->series.rows[i].peak = f->peak;
        if (w->p->flags.interval <= 0)
            v->series.rows[i].time = f->time - s->files[0].time;
    }
    v->series.seconds = true;
    ok = ok && (series_done(&v->series) < 3 || series_fit(&v->series, err));
    if (!ok)
        close_view(v);
    return ok;
}

static bool write_tables(const watching *w, const view *v, penta_io_error *err)
{
    const char *output = w->p->job.common.output;
    char *drift = penta_io_join_path(output, "drift", ".csv"), *rows = prepare_report_path(w->p, "series.csv", err);
    bool ok = drift && rows && penta_io_drift_write(drift, v->list.count, v->rows, err) &&
              series_write_csv(&v->series, rows, err) && penta_io_archive_write(output, &w->state, err);

    free(drift);
    free(rows);
    return ok;
}

int watch_write_tables(watching *w)
{
    stage before = stages_enter(STAGE_WRITE);
    penta_io_error error = {""};
    view v;
    bool ok = open_view(w, &v, &error);

    if (ok) {
        ok = write_tables(w, &v, &error);
        close_view(&v);
    }
    (void)stages_enter(before);
    return ok ? job_commit(&w->p->job) : job_fail_io(&w->p->job, &error);
}

/* ---- pictures ---- */

static bool plot_series(const series *s, const char *base, penta_io_error *err)
{
    series_points p;
    bool ok;

    if (!series_points_make(s, &p))
        return penta_io_fail(err, "out of memory for the growth plot");
    ok = plot_growth(
        base, NULL,
        &(plot_growth_points){
            .n = p.n, .t = p.t, .r = p.r, .r_se = p.r_se, .outlier = p.outlier, .seconds = s->seconds, .weak = p.weak},
        s->fits, err);
    series_points_free(&p);
    return ok;
}

static int draw_growth(watching *w, const series *s)
{
    penta_io_error error = {""};
    char *base = prepare_report_path(w->p, "growth", &error);
    bool ok = base && plot_series(s, base, &error);

    free(base);
    return ok ? CLI_OK : job_fail_io(&w->p->job, &error);
}

/* A frame as it came and as it was written. One whose files have been taken away is left out. */
static bool keep_frame(const watching *w, sheet *s, size_t number, const penta_io_archive_frame *f, penta_io_error *err)
{
    char *path = penta_io_join_path(w->p->flags.watch, f->file, "");
    penta_io_choice choice = prepare_choice(&w->p->flags);
    penta_io_image before = {0}, after = {0};
    penta_io_error none = {""};
    uint8_t *mask = NULL;
    bool ok = path || penta_io_fail(err, "out of memory for a file name");

    if (ok && prepare_read_colour(path, &choice, f->page, &before, &none) && read_outputs(w, f, &after, &mask, &none))
        ok = sheet_keep(s, number, f->row.file, &before, &after, mask) ||
             penta_io_fail(err, "out of memory for the contact sheet");
    penta_io_image_free(&before);
    penta_io_image_free(&after);
    free(mask);
    free(path);
    return ok;
}

static size_t frames_done(const watching *w)
{
    size_t done = 0;

    for (size_t i = 0; i < w->state.count; i++)
        done += w->state.files[i].row.done;
    return done;
}

static bool write_sheet(const watching *w, penta_io_error *err)
{
    char *path = prepare_report_path(w->p, "sheet.png", err);
    size_t number = 0;
    bool ok = path != NULL;
    sheet s;

    sheet_open(&s, frames_done(w));
    for (size_t i = 0; ok && i < w->state.count; i++)
        if (w->state.files[i].row.done) {
            ok = !sheet_wants(&s, number) || keep_frame(w, &s, number, &w->state.files[i], err);
            number++;
        }
    ok = ok && sheet_write(&s, path, err);
    sheet_close(&s);
    free(path);
    return ok;
}

static int write_pictures(watching *w)
{
    penta_io_error error = {""};
    view v;
    int code = CLI_OK;

    if (!figures_ready(&error)) {
        if (!w->told_plots)
            job_note(&w->p->job, "%s", error.text);
        w->told_plots = true;
        return job_commit(&w->p->job);
    }
    if (!open_view(w, &v, &error))
        return job_fail_io(&w->p->job, &error);
    if (v.series.fitted)
        code = draw_growth(w, &v.series);
    close_view(&v);
    if (code == CLI_OK && w->sheet && !write_sheet(w, &error))
        code = job_fail_io(&w->p->job, &error);
    return code != CLI_OK ? code : job_commit(&w->p->job);
}

int watch_write_pictures(watching *w)
{
    stage before = stages_enter(STAGE_PICTURES);
    int code = w->state.count > 0 ? write_pictures(w) : CLI_OK;

    (void)stages_enter(before);
    return code;
}

void watch_note_narrow(const watching *w)
{
    prepare_narrow narrow = {0};
    size_t width = 0, height = 0;

    if (w->p->plan)
        penta_prepare_size(w->p->plan, &width, &height);
    for (size_t i = 0; width > 0 && i < w->state.count; i++)
        if (w->state.files[i].row.done)
            prepare_narrow_add(&narrow, &w->p->recipe.options, width, height, &w->state.files[i].peak,
                               w->state.files[i].row.file);
    prepare_narrow_warn(&narrow, &w->p->job, w->state.count);
}

/* ---- the answer ---- */

/* The rows of the state as those of the preparation, which owns them. */
static bool take_rows(watching *w)
{
    preparation *p = w->p;

    p->list.sources = calloc(w->state.count + 1, sizeof *p->list.sources);
    p->rows = calloc(w->state.count + 1, sizeof *p->rows);
    if (!p->list.sources || !p->rows)
        return false;
    for (size_t i = 0; i < w->state.count; i++, p->list.count++) {
        p->rows[i] = w->state.files[i].row;
        p->rows[i].file = strdup(w->state.files[i].row.file);
        p->list.sources[i].path = penta_io_join_path(p->flags.watch, w->state.files[i].file, "");
        if (p->rows[i].skipped)
            frame_list_fail(&p->list, i, "left out; the frame's status says why");
        if (!p->rows[i].file || !p->list.sources[i].path)
            return false;
    }
    return true;
}

json_t *watch_details(watching *w)
{
    json_t *details = take_rows(w) ? prepare_details(w->p) : NULL;
    json_t *frames = json_object_get(details, "frames");
    penta_io_error error = {""};
    view v;

    if (!frames || !open_view(w, &v, &error)) {
        json_decref(details);
        return NULL;
    }
    for (size_t i = 0; i < w->state.count; i++)
        json_object_set_new(json_array_get(frames, i), "r_max", json_number(w->state.files[i].peak.r_max));
    json_object_set_new(details, "growth", series_growth_json(&v.series));
    close_view(&v);
    return details;
}
