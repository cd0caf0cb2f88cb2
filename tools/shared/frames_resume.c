/*
 * --resume of a series. While frames run, what tables and pictures need of each is kept, and where its files wait or
 * were committed. The record of that (shared/resume.h) is written every minute and where a run ends early. A run that
 * goes on takes over the frames of the record, from the first on, as if they came from another rank, and begins behind
 * them. docs/reliability.md.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shared/frames_record.h"
#include "shared/ranks.h"

static int out_of_memory(const frames_work *w)
{
    return cli_fail(w->job->command, CLI_ERROR, "out of memory for the record of the run");
}

/* ---- what the record says ---- */

/* All of a frame but its result. */
typedef struct {
    frame_head head;
    char *error;
    void *files, *result;
    size_t files_size, result_size;
} told_frame;

static bool get_told(const frame_entry *e, told_frame *t)
{
    parcel_reader p = parcel_read(e->bytes, e->size);

    *t = (told_frame){0};
    parcel_get(&p, &t->head, sizeof t->head);
    t->error = parcel_get_text(&p);
    t->files = parcel_get_block(&p, &t->files_size);
    t->result = parcel_get_block(&p, &t->result_size);
    return p.ok && t->error;
}

static void free_told(told_frame *t)
{
    free(t->error);
    free(t->files);
    free(t->result);
}

/* Takes the entries of the record before. */
static int get_entries(frames_work *w)
{
    struct frames_record *r = w->record;
    parcel_reader p = parcel_read(r->resume.own, r->resume.own_size);
    record_head h;

    parcel_get(&p, &h, sizeof h);
    r->plan = parcel_get_block(&p, &r->plan_size);
    r->plan_at = (size_t)h.plan_at;
    r->covered = (size_t)h.frames;
    if (h.frames > w->list->count)
        p.ok = false;
    for (size_t i = 0; p.ok && i < h.frames; i++) {
        size_t size;
        void *bytes = parcel_get_block(&p, &size);

        if (p.ok)
            r->entries[i] = frames_record_entry_of(bytes, size);
        p.ok = p.ok && r->entries[i];
    }
    return p.ok ? CLI_OK
                : cli_fail(w->job->command, CLI_ERROR, "--resume: the record in %s is of another build of penta",
                           w->job->common.output);
}

static bool is_changed(const resume *r, const char *path)
{
    for (size_t i = 0; path && i < r->count; i++)
        if (r->changed[i] && strcmp(r->operands[i], path) == 0)
            return true;
    return false;
}

static bool any_changed(const resume *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->changed[i])
            return true;
    return false;
}

/* Whether frame i can be taken over; *code is an error where an input of one that was done has changed. */
static bool can_take(frames_work *w, size_t i, bool changes, int *code)
{
    const frame_source *s = &w->list->sources[i];
    bool changed = changes && (is_changed(&w->record->resume, s->path) || is_changed(&w->record->resume, s->mask));
    told_frame t;
    bool ok = get_told(w->record->entries[i], &t), done = ok && t.files_size > 0;

    if (changed && done)
        *code = resume_refuse_changed(&w->record->resume);
    ok = ok && !changed;
    if (ok && done && !penta_io_run_adopt(w->job->run, t.files, t.files_size)) {
        job_note(w->job,
                 "--resume: files of %s are missing, or not what the run wrote; it is done again, and what follows",
                 s->name);
        ok = false;
    }
    free_told(&t);
    return ok;
}

/* How many frames from the first on are taken over. */
static int count_taken(frames_work *w)
{
    struct frames_record *r = w->record;
    bool changes = any_changed(&r->resume);
    size_t n = 0;
    int code = CLI_OK;

    if (changes && w->looks) {
        job_note(w->job, "--resume: inputs have changed, on all of which the options make every frame depend; all are "
                         "done again");
        return CLI_OK;
    }
    while (code == CLI_OK && n < r->covered && can_take(w, n, changes, &code))
        n++;
    if (n < r->plan_at)
        n = 0; /* the series is known behind that frame alone */
    r->start = n;
    r->covered = n;
    return code;
}

static void forget_rest(struct frames_record *r, size_t from)
{
    for (size_t i = from; i < r->count; i++) {
        frames_record_drop(r->entries[i]);
        r->entries[i] = NULL;
    }
    if (from > 0)
        return;
    free(r->plan);
    r->plan = NULL;
    r->plan_size = r->plan_at = r->covered = 0;
}

static void tell_start(const frames_work *w)
{
    const struct frames_record *r = w->record;

    if (r->start > 0)
        job_note(w->job, "--resume: %zu of %zu frames are done; goes on behind them", r->start, w->list->count);
    else if (!r->resume.found)
        resume_note_nothing(&r->resume);
    else if (!r->resume.complete)
        job_note(w->job, "--resume: no frame of the run in %s can be taken over; begins with the first",
                 w->job->common.output);
}

/* On rank 0. */
static int take_over(frames_work *w)
{
    struct frames_record *r = w->record;
    int code = resume_read(&r->resume);

    if (code == CLI_OK && r->resume.found && r->resume.complete) {
        code = resume_refuse_changed(&r->resume);
        r->is_done = code == CLI_OK && resume_has_all(&r->resume);
    }
    if (code == CLI_OK && r->is_done)
        penta_io_run_sweep(w->job->run);
    if (code != CLI_OK || r->is_done)
        return code;
    if (r->resume.found && !r->resume.complete)
        code = get_entries(w);
    if (code == CLI_OK)
        code = count_taken(w);
    if (code != CLI_OK)
        return code;
    forget_rest(r, r->start);
    free(r->resume.own);
    r->resume.own = NULL;
    penta_io_run_sweep(w->job->run);
    tell_start(w);
    return CLI_OK;
}

/* Whether rank 0 has nothing left to do. */
static int tell_done(frames_work *w, int code)
{
    const uint8_t mine = w->record && w->record->is_done;
    uint8_t *all = NULL;

    code = ranks_exchange(code, &mine, sizeof mine, (void **)&all, NULL);
    if (code == CLI_OK && ranks_rank() > 0)
        w->nothing_left = all[0];
    free(all);
    return code;
}

int frames_resume_begin(frames_work *w)
{
    int code = CLI_OK;

    if (ranks_rank() == 0) {
        w->record = frames_record_open(w->list->count);
        code = w->record ? resume_begin(&w->record->resume, w->job, NULL, w->others) : out_of_memory(w);
        if (code == CLI_OK && w->job->again)
            code = take_over(w);
        if (code == CLI_OK)
            w->nothing_left = w->record->is_done;
    }
    return w->job->again ? tell_done(w, code) : code;
}

bool frames_resume_is_done(const frames_work *w)
{
    return w->nothing_left;
}

int frames_resume_tell_done(const frames_work *w)
{
    if (w->job->common.json)
        answer_add(w->task->details(w->run)); /* of frames that are not run again */
    return resume_note_all(&w->record->resume);
}

size_t frames_resume_start(const frames_work *w)
{
    return w->record ? w->record->start : 0;
}

int frames_resume_plan(frames_work *w)
{
    struct frames_record *r = w->record;
    int code = CLI_OK;

    if (r && r->start > 0 && !r->planned) {
        code = r->plan ? w->task->unpack_plan(w->run, r->plan, r->plan_size) : out_of_memory(w);
        r->planned = true;
    }
    return code;
}

/* ---- accepting ---- */

static int accept_told(frames_work *w, size_t i, const told_frame *t)
{
    frame f = {.source = &w->list->sources[i],
               .index = i,
               .nan_pixels = (size_t)t->head.nan_pixels,
               .places = (size_t)t->head.places};
    penta_io_error error = {""};
    int code;

    snprintf(f.error.text, sizeof f.error.text, "%s", t->error);
    if (t->result_size > 0 && !w->task->unpack(w->run, &f, t->result, t->result_size))
        return out_of_memory(w);
    code = w->task->accept(w->run, &f);
    w->accepted += code == CLI_OK;
    if (code == CLI_OK && f.user && w->task->keep && !w->task->keep(w->run, &f, &error))
        code = job_fail_io(w->job, &error);
    if (f.user)
        frames_work_drop(w, &f);
    return code;
}

int frames_resume_accept(frames_work *w)
{
    size_t start = frames_resume_start(w);
    int code = frames_resume_plan(w);

    for (size_t i = 0; code == CLI_OK && i < start; i++) {
        told_frame t;

        code = get_told(w->record->entries[i], &t) ? accept_told(w, i, &t) : out_of_memory(w);
        free_told(&t);
    }
    return code;
}

void frames_resume_end(frames_work *w)
{
    struct frames_record *r = w->record;

    w->record = NULL;
    if (!r)
        return;
    forget_rest(r, 0);
    resume_end(&r->resume);
    pthread_cond_destroy(&r->filled);
    free(r->entries);
    free(r);
}
