/* The loop over looks at a directory, and over groups of what has arrived. */
#define _POSIX_C_SOURCE 200809L
#include "prepare/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "prepare/place.h"

enum { LEAST_SURVEY = 3 }; /* frames that --flatten series begins with */

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
static bool add_file(const watching *w, frame_list *list, char *path)
{
    frame_list pages = {0};
    frame_source *grown = NULL;
    bool ok = frame_list_make(&path, 1, &pages);

    if (ok)
        grown = realloc(list->sources, (list->count + pages.count) * sizeof *grown);
    if (!grown) {
        frame_list_free(&pages);
        return false;
    }
    list->sources = grown;
    for (size_t i = 0; i < pages.count; i++) {
        ok = make_unique(w, list, &pages.sources[i]) && ok;
        list->sources[list->count++] = pages.sources[i];
    }
    free(pages.sources);
    return ok;
}

/* ---- the plan ---- */

/* All that arrived counts for what the plan must know beforehand. */
static int begin_series(watching *w, const arrival *list, size_t count)
{
    preparation *p = w->p;
    bool ok = true;
    int code;

    for (size_t i = 0; ok && i < count; i++)
        ok = add_file(w, &p->list, list[i].path);
    p->list.colour = true;
    code = ok ? prepare_open_plan(p) : fail(w, "out of memory for the list of frames");
    frame_list_free(&p->list);
    w->state.like = p->first;
    return code;
}

static int save_series(watching *w)
{
    penta_prepare_state series;

    if (penta_prepare_save(w->p->plan, &series) != PENTA_OK)
        return job_fail_library(&w->p->job);
    penta_prepare_state_free(&w->state.series);
    w->state.series = series;
    return CLI_OK;
}

/* ---- a group: decoded, run, written, recorded ---- */

static int run_stream(preparation *p)
{
    int code = prepare_check_place(p);

    code = code != CLI_OK ? code : prepare_open_stream(p);
    code = code != CLI_OK ? code : prepare_run_frames(p);
    frame_stream_close(p->stream);
    p->stream = NULL;
    sheet_close(&p->sheet);
    return p->finish_error.text[0] ? job_fail_io(&p->job, &p->finish_error) : code;
}

static bool record_frame(watching *w, const frame_source *source, const drift_row *row, double time)
{
    watch_file *f = watch_state_add(&w->state);

    if (!f)
        return false;
    f->file = strdup(base_of(source->path));
    f->stem = strdup(source->stem);
    f->page = source->page;
    f->paged = strcmp(source->name, source->path) != 0;
    f->time = time;
    f->row = *row;
    f->row.file = strdup(source->name);
    w->left_out += row->skipped;
    return f->file && f->stem && f->row.file;
}

static double time_of(const char *path, const arrival *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].path, path) == 0)
            return list[i].time;
    return 0;
}

static void print_frame(const watch_file *f)
{
    if (!f->row.done)
        return;
    printf("%s  dx = %.2f  dy = %.2f px", f->row.file, f->row.drift.dx, f->row.drift.dy);
    if (isfinite(f->row.drift.score))
        printf("  (score %.3f)", f->row.drift.score);
    if (f->peak.status == PENTA_PEAK_OK)
        printf("  R_max = %.2f px\n", f->peak.r_max);
    else
        printf("  no peak (%s)\n", penta_peak_status_name(f->peak.status));
}

static int record_group(watching *w, const arrival *list, size_t count)
{
    preparation *p = w->p;
    size_t from = w->state.count;
    bool ok = true;
    int code;

    for (size_t i = 0; ok && i < p->list.count; i++)
        ok = record_frame(w, &p->list.sources[i], &p->rows[i], time_of(p->list.sources[i].path, list, count));
    code = ok ? save_series(w) : fail(w, "out of memory for the series");
    code = code != CLI_OK ? code : watch_measure(w, from);
    code = code != CLI_OK ? code : watch_write_tables(w);
    for (size_t i = from; code == CLI_OK && job_prints(&p->job) && i < w->state.count; i++)
        print_frame(&w->state.files[i]);
    (void)fflush(stdout);
    return code;
}

static int run_group(watching *w, const arrival *list, size_t count)
{
    preparation *p = w->p;
    bool ok = true;
    int code;

    for (size_t i = 0; ok && i < count; i++)
        ok = add_file(w, &p->list, list[i].path);
    p->list.colour = true;
    code = ok ? run_stream(p) : fail(w, "out of memory for the list of frames");
    code = code != CLI_OK ? code : record_group(w, list, count);
    drift_rows_free(p->rows, p->rows ? p->list.count : 0);
    p->rows = NULL;
    frame_list_free(&p->list);
    return code;
}

/* Everything that has arrived. A group is a batch; Ctrl-C is obeyed after each. */
static int run_arrivals(watching *w, const arrival *list, size_t count)
{
    int code = w->p->plan ? CLI_OK : begin_series(w, list, count);
    size_t batch = code == CLI_OK ? penta_prepare_batch(w->p->plan) : 0;

    for (size_t i = 0; code == CLI_OK && i < count && !cli_interrupted(); i += batch)
        code = run_group(w, list + i, count - i < batch ? count - i : batch);
    return code != CLI_OK ? code : watch_write_pictures(w);
}

/* ---- looking ---- */

/* Frames that wait for others before the series can begin. */
typedef struct waiting {
    arrival *list;
    size_t count;
} waiting;

static bool append(waiting *all, arrival *list, size_t count)
{
    arrival *grown = count > 0 ? realloc(all->list, (all->count + count) * sizeof *grown) : all->list;

    if (count > 0 && !grown)
        return false;
    all->list = grown;
    for (size_t i = 0; i < count; i++)
        all->list[all->count++] = list[i];
    free(list);
    return true;
}

static int look(watching *w, waiting *all, bool *new_frames)
{
    io_error error = {""};
    arrival *list;
    size_t count;
    char *late;

    if (!arrivals_look(w->arrivals, &list, &count, &late, &error))
        return job_fail_io(&w->p->job, &error);
    if (late)
        cli_note(&w->p->job.common, w->p->job.command,
                 "%s/%s is left out: it comes before frames that the series has already", w->p->flags.watch, late);
    free(late);
    *new_frames = count > 0;
    if (append(all, list, count))
        return CLI_OK;
    arrivals_free(list, count);
    return fail(w, "out of memory for the list of frames");
}

static bool can_begin(const watching *w, const waiting *all)
{
    bool survey = w->p->recipe.options.flatten == PENTA_PREPARE_SERIES && !w->p->plan;

    return all->count >= (survey ? LEAST_SURVEY : 1);
}

/* Ctrl-C ends it, within half a second where it comes between looking for it and sleeping. */
static void sleep_for(double seconds)
{
    double end = cli_seconds() + seconds, left;

    while (!cli_interrupted() && (left = end - cli_seconds()) > 0) {
        struct timespec time = {0, (long)(1e9 * fmin(left, 0.5))};

        nanosleep(&time, NULL);
    }
}

static int run_waiting(watching *w, waiting *all)
{
    int code = run_arrivals(w, all->list, all->count);

    arrivals_free(all->list, all->count);
    *all = (waiting){0};
    return code;
}

static int watch(watching *w)
{
    const prepare_flags *flags = &w->p->flags;
    double last = cli_seconds();
    waiting all = {0};
    int code = CLI_OK;
    bool new_frames = false;

    while (code == CLI_OK && !cli_interrupted()) {
        code = look(w, &all, &new_frames);
        if (code == CLI_OK && new_frames && can_begin(w, &all))
            code = run_waiting(w, &all);
        if (new_frames)
            last = cli_seconds();
        if (code != CLI_OK || (flags->watch_idle > 0 && cli_seconds() - last >= flags->watch_idle))
            break;
        sleep_for(flags->watch_every);
    }
    arrivals_free(all.list, all.count);
    if (code == CLI_OK && all.count > 0 && !cli_interrupted())
        code = fail(w, "--flatten series needs at least 3 frames to begin with; take another flattening");
    return code;
}

/* ---- from beginning to end ---- */

/* Pictures of frames that were finished before a run ended are drawn again where they may be missing. */
static int go_on(watching *w)
{
    int code = watch_write_tables(w);

    return code != CLI_OK ? code : watch_write_pictures(w);
}

static int answer(watching *w)
{
    const preparation *p = w->p;
    int code = job_finish(&p->job, p->job.common.json ? watch_details(w) : NULL);

    return code == CLI_OK && w->left_out > 0 && !w->keep_going ? CLI_ERROR : code;
}

static void close_watch(watching *w)
{
    penta_autocorr_destroy(w->correlator);
    arrivals_close(w->arrivals);
    watch_unlock(w);
    watch_state_free(&w->state);
}

int prepare_watch(preparation *p)
{
    watching w = {.p = p, .lock = -1, .sheet = !p->flags.no_sheet, .keep_going = p->flags.keep_going};
    int code = watch_open(&w);

    p->flags.no_sheet = p->flags.keep_going = true; /* here sheets are made of files, and one bad frame is no end */
    if (code == CLI_OK && w.state.count > 0)
        code = go_on(&w);
    code = code != CLI_OK ? code : watch(&w);
    code = code != CLI_OK ? code : answer(&w);
    close_watch(&w);
    return code;
}
