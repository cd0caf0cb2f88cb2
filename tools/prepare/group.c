/* Decodes, runs, writes and records the frames that have arrived, in groups. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prepare/place.h"
#include "prepare/watch.h"

static int fail(const watching *w, const char *text)
{
    return cli_fail(w->p->job.command, CLI_ERROR, "%s", text);
}

/* ---- the frames of a group ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_taken(const watching *w, const frame_list *list, const char *stem)
{
    for (size_t i = 0; i < w->state.count; i++)
        if (strcmp(w->state.files[i].stem, stem) == 0)
            return true;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->sources[i].stem, stem) == 0)
            return true;
    return false;
}

/* Frames of the same stem become STEM-2, STEM-3, ... in the order in which they come, however they are grouped. */
static bool make_unique(const watching *w, const frame_list *list, frame_source *source)
{
    size_t size = strlen(source->stem) + 32;
    char *stem = malloc(size);

    if (stem)
        snprintf(stem, size, "%s", source->stem);
    for (size_t n = 2; stem && is_taken(w, list, stem); n++)
        snprintf(stem, size, "%s-%zu", source->stem, n);
    if (stem) {
        free(source->stem);
        source->stem = stem;
    }
    return stem != NULL;
}

/* The pages of one file behind those of the list. */
static bool add_file(watching *w, frame_list *list, char *path)
{
    frame_list pages = {0};
    frame_source *grown = NULL;
    penta_io_choice choice = prepare_choice(&w->p->flags);
    bool ok = frame_list_make_chosen(&path, 1, &choice, &pages);

    if (ok)
        grown = realloc(list->sources, (list->count + pages.count) * sizeof *grown);
    if (!grown) {
        frame_list_free(&pages);
        return false;
    }
    list->sources = grown;
    if (pages.sources->doubt && !w->told_doubt)
        job_note(&w->p->job, "%s", pages.sources->doubt);
    w->told_doubt = w->told_doubt || pages.sources->doubt;
    for (size_t i = 0; i < pages.count; i++) {
        ok = make_unique(w, list, &pages.sources[i]) && ok;
        list->sources[list->count++] = pages.sources[i];
    }
    free(pages.sources);
    return ok;
}

/* ---- the plan ---- */

/* Frames that have arrived and cannot begin the series yet: it waits for one that can be read. */
static int wait_for_more(watching *w, const arrival *list, size_t count, const penta_io_error *error)
{
    cli_fail(w->p->job.command, CLI_ERROR, "none of %zu file%s can be read yet; the first: %s", count,
             count == 1 ? "" : "s", error->text);
    for (size_t i = 0; i < count; i++)
        if (!arrivals_failed(w->arrivals, base_of(list[i].path), list[i].time, list[i].bytes))
            return fail(w, "out of memory for the list of frames");
    return CLI_OK;
}

static int list_files(watching *w, const arrival *list, size_t count)
{
    frame_list *files = &w->p->list;
    bool ok = true;

    for (size_t i = 0; ok && i < count; i++)
        ok = add_file(w, files, list[i].path);
    files->colour = true;
    files->choice = prepare_choice(&w->p->flags);
    return ok ? CLI_OK : fail(w, "out of memory for the list of frames");
}

int watch_begin(watching *w, const arrival *list, size_t count)
{
    preparation *p = w->p;
    penta_io_error error = {""};
    int code = list_files(w, list, count);

    if (code == CLI_OK)
        code = prepare_any_readable(p, &error) ? prepare_open_plan(p) : wait_for_more(w, list, count, &error);
    frame_list_free(&p->list);
    w->state.like = p->first;
    return code;
}

static int save_series(const watching *w, penta_prepare_state *out)
{
    penta_prepare_state series;

    if (penta_prepare_save(w->p->plan, &series) != PENTA_OK)
        return job_fail_library(&w->p->job);
    penta_prepare_state_free(out);
    *out = series;
    return CLI_OK;
}

/* The series as it was before frames that were run out of their order, which count, but with which none that comes
 * later is compared. */
static int set_back(const watching *w, penta_prepare_state *before, size_t done)
{
    before->frames += done;
    return penta_prepare_load(w->p->plan, before) == PENTA_OK ? CLI_OK : job_fail_library(&w->p->job);
}

/* ---- a group: decoded, run, written, recorded ---- */

static int run_stream(preparation *p)
{
    int code = prepare_check_place(p);

    code = code != CLI_OK ? code : prepare_open_stream(p);
    code = code != CLI_OK ? code : frames_work_loop(&p->work, true);
    code = frames_work_close(&p->work, code);
    sheet_close(&p->sheet);
    return code;
}

static bool record_frame(watching *w, const frame_source *source, const penta_io_drift_row *row, const arrival *from)
{
    const char *file = base_of(source->path);
    penta_io_archive_frame *f = watch_state_insert(&w->state, file, source->page);

    if (!f)
        return false;
    f->file = strdup(file);
    f->stem = strdup(source->stem);
    f->page = source->page;
    f->paged = strcmp(source->name, source->path) != 0;
    f->time = from->time;
    f->bytes = from->bytes;
    f->row = *row;
    f->row.file = strdup(source->name);
    f->fresh = true;
    f->here = row->skipped;
    return f->file && f->stem && f->row.file &&
           (!row->skipped || arrivals_failed(w->arrivals, file, from->time, from->bytes));
}

/* The one of the list; it is there. */
static const arrival *arrival_of(const char *path, const arrival *list, size_t count)
{
    size_t i = 0;

    while (i + 1 < count && strcmp(list[i].path, path) != 0)
        i++;
    return &list[i];
}

static void print_frame(const penta_io_archive_frame *f)
{
    if (!f->fresh || !f->row.done)
        return;
    printf("%s  dx = %.2f  dy = %.2f px", cli_shown(f->row.file), f->row.drift.dx, f->row.drift.dy);
    if (isfinite(f->row.drift.score))
        printf("  (score %.3f)", f->row.drift.score);
    if (f->row.drift.others > 0)
        printf("  ambiguous: %zu places", 1 + f->row.drift.others);
    if (isfinite(f->peak.r_max))
        printf("  R_max = %.2f px%s\n", f->peak.r_max, f->peak.status == PENTA_PEAK_WEAK ? " (weak)" : "");
    else
        printf("  no peak (%s)\n", penta_peak_status_name(f->peak.status));
}

static int record_group(watching *w, const arrival *list, size_t count)
{
    preparation *p = w->p;
    bool ok = true;
    int code;

    for (size_t i = 0; ok && i < p->list.count; i++)
        ok = record_frame(w, &p->list.sources[i], &p->rows[i], arrival_of(p->list.sources[i].path, list, count));
    code = ok ? save_series(w, &w->state.series) : fail(w, "out of memory for the series");
    code = code != CLI_OK ? code : watch_measure(w);
    code = code != CLI_OK ? code : watch_write_tables(w);
    for (size_t i = 0; code == CLI_OK && i < w->state.count; i++) {
        if (job_prints(&p->job))
            print_frame(&w->state.files[i]);
        w->state.files[i].fresh = false;
    }
    (void)fflush(stdout);
    return code;
}

static void forget_group(preparation *p)
{
    penta_io_drift_free(p->rows, p->rows ? p->list.count : 0);
    p->rows = NULL;
    free(p->white);
    p->white = NULL;
    frame_list_free(&p->list);
}

static int run_group(watching *w, const arrival *list, size_t count)
{
    preparation *p = w->p;
    int code = list_files(w, list, count);

    code = code != CLI_OK ? code : run_stream(p);
    code = code != CLI_OK ? code : record_group(w, list, count);
    forget_group(p);
    return code;
}

static bool is_known(const watching *w, const frame_source *source)
{
    for (size_t i = 0; i < w->state.count; i++)
        if (w->state.files[i].page == source->page && strcmp(w->state.files[i].file, base_of(source->path)) == 0)
            return true;
    return false;
}

/* Pages that the series has already are not run again. */
static void leave_out_known(const watching *w, frame_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        frame_source *source = &list->sources[i];

        if (!is_known(w, source)) {
            list->sources[kept++] = *source;
            continue;
        }
        frame_source_free(source);
    }
    list->count = kept;
}

/* A file that has changed since frames of it were left out. */
static int run_again(watching *w, const arrival *from)
{
    preparation *p = w->p;
    penta_prepare_state before = {0};
    size_t done = 0;
    int code = save_series(w, &before);

    watch_state_drop(&w->state, base_of(from->path));
    if (code == CLI_OK && !add_file(w, &p->list, from->path))
        code = fail(w, "out of memory for the list of frames");
    leave_out_known(w, &p->list);
    p->list.colour = true;
    p->list.choice = prepare_choice(&p->flags);
    if (code == CLI_OK && p->list.count > 0)
        code = run_stream(p);
    for (size_t i = 0; code == CLI_OK && i < p->list.count; i++)
        done += p->rows[i].done;
    if (code == CLI_OK && before.frames > 0)
        code = set_back(w, &before, done);
    code = code != CLI_OK ? code : record_group(w, from, 1);
    penta_prepare_state_free(&before);
    forget_group(p);
    return code;
}

int watch_run(watching *w, const arrival *list, size_t count)
{
    size_t batch = penta_prepare_batch(w->p->plan), n;
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < count && !cli_interrupted(); i += n) {
        for (n = 0; n < batch && i + n < count && !list[i + n].again; n++)
            ;
        code = n > 0 ? run_group(w, list + i, n) : run_again(w, &list[i]);
        n = n > 0 ? n : 1;
    }
    return code != CLI_OK ? code : watch_write_pictures(w);
}
