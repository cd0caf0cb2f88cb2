/* The record of a series, as it grows. */
#include "shared/frames_record.h"

#include <stdlib.h>
#include <string.h>

#include "shared/parcel.h"

/* How often the state of a series is taken that frames depend on, so that an error loses no more: s. */
static const double plan_pause = 2;

/* The record is written at most every so many times as long as it takes. */
static const double pause_factor = 20;

struct frames_record *frames_record_open(size_t count)
{
    struct frames_record *r = calloc(1, sizeof *r);

    if (r)
        r->entries = calloc(count + 1, sizeof *r->entries);
    if (!r || !r->entries) {
        free(r);
        return NULL;
    }
    r->count = count;
    r->due = cli_seconds() + resume_interval();
    pthread_cond_init(&r->filled, NULL);
    return r;
}

/* ---- entries ---- */

frame_entry *frames_record_entry_of(void *bytes, size_t size)
{
    frame_entry *e = bytes ? malloc(sizeof *e + size) : NULL;

    if (e) {
        e->size = size;
        memcpy(e->bytes, bytes, size);
    }
    free(bytes);
    return e;
}

static bool put_result(const frames_work *w, const frame *f, FILE *out)
{
    parcel p;
    void *bytes = NULL;
    size_t size = 0;
    bool ok = true;

    parcel_begin(&p);
    if (p.out && f->user)
        ok = w->task->pack(w->run, f, p.out);
    ok = parcel_end(&p, &bytes, &size) && ok;
    parcel_put_block(out, bytes, size);
    free(bytes);
    return ok;
}

frame_entry *frames_record_entry(frames_work *w, const frame *f, const void *files, size_t size)
{
    const frame_head h = {f->nan_pixels, f->places};
    parcel p;
    void *bytes = NULL;
    size_t all;
    bool ok = true;

    if (!w->record)
        return NULL;
    parcel_begin(&p);
    if (p.out) {
        parcel_put(p.out, &h, sizeof h);
        parcel_put_text(p.out, f->error.text);
        parcel_put_block(p.out, files, size);
        ok = put_result(w, f, p.out);
    }
    if (parcel_end(&p, &bytes, &all) && ok)
        return frames_record_entry_of(bytes, all);
    free(bytes);
    return NULL;
}

void frames_record_put(frames_work *w, size_t index, frame_entry *entry)
{
    if (!w->record) {
        free(entry);
        return;
    }
    pthread_mutex_lock(&w->lock);
    free(w->record->entries[index]);
    w->record->entries[index] = entry;
    w->record->given_up = w->record->given_up || !entry;
    pthread_cond_broadcast(&w->record->filled);
    pthread_mutex_unlock(&w->lock);
}

void frames_record_drop(frame_entry *entry)
{
    free(entry);
}

void frames_record_wake(frames_work *w)
{
    if (w->record)
        pthread_cond_broadcast(&w->record->filled);
}

/* ---- the plan ---- */

static void take_plan(frames_work *w)
{
    struct frames_record *r = w->record;
    parcel p;
    void *bytes = NULL;
    size_t size;
    bool ok = true;

    parcel_begin(&p);
    if (p.out)
        ok = w->task->pack_plan(w->run, p.out);
    if (!parcel_end(&p, &bytes, &size) || !ok) {
        free(bytes);
        return;
    }
    free(r->plan);
    r->plan = bytes;
    r->plan_size = size;
    r->plan_at = w->in_order ? w->accepted : 0;
    r->covered = w->accepted;
    r->plan_time = cli_seconds();
}

/* The series as it is after the last accepted frame, while frames run alone. */
static void look_at_plan(frames_work *w)
{
    struct frames_record *r = w->record;

    if (!frames_work_has_plan(w))
        return;
    if (w->in_order ? w->clean : !r->plan)
        take_plan(w);
    if (!w->in_order && r->plan)
        r->covered = w->accepted;
}

/* ---- writing ---- */

/* Frames from the first on that the record can tell of. */
static size_t count_known(const struct frames_record *r)
{
    size_t n = 0;

    while (n < r->covered && r->entries[n])
        n++;
    return n >= r->plan_at ? n : 0;
}

static bool make_bytes(const struct frames_record *r, void **bytes, size_t *size)
{
    record_head h = {.frames = count_known(r), .plan_at = r->plan_at};
    parcel p;

    parcel_begin(&p);
    if (p.out) {
        parcel_put(p.out, &h, sizeof h);
        parcel_put_block(p.out, r->plan, r->plan_size);
        for (size_t i = 0; i < h.frames; i++)
            parcel_put_block(p.out, r->entries[i]->bytes, r->entries[i]->size);
    }
    return parcel_end(&p, bytes, size);
}

static bool write_record(frames_work *w, bool now, penta_io_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    bool ok;

    pthread_mutex_lock(&w->lock);
    ok = make_bytes(w->record, &bytes, &size);
    pthread_mutex_unlock(&w->lock);
    ok = (ok || penta_io_fail(err, "out of memory for the record of the run")) &&
         resume_keep(&w->record->resume, w->job->run, now, false, false, bytes, size, err);
    free(bytes);
    return ok;
}

/* Files of frames that were accepted may still be written. False: one could not be. */
static bool wait_for_entries(frames_work *w)
{
    struct frames_record *r = w->record;
    size_t i = 0;
    bool ok;

    pthread_mutex_lock(&w->lock);
    while (i < w->accepted && !r->given_up && !w->finish_error.text[0])
        if (r->entries[i])
            i++;
        else
            pthread_cond_wait(&r->filled, &w->lock);
    ok = !r->given_up && !w->finish_error.text[0];
    pthread_mutex_unlock(&w->lock);
    return ok;
}

static void write_if_due(frames_work *w)
{
    struct frames_record *r = w->record;
    double start = cli_seconds(), took;
    penta_io_error error = {""};

    if (start < r->due || r->given_up)
        return;
    if (r->alone)
        look_at_plan(w);
    if (!wait_for_entries(w))
        return;
    if (!write_record(w, true, &error)) {
        job_warn(w->job, "%s; a run that is killed cannot be gone on with", error.text);
        r->given_up = true;
    }
    took = resume_interval() > 0 ? pause_factor * (cli_seconds() - start) : 0;
    r->due = cli_seconds() + (took > resume_interval() ? took : resume_interval());
}

void frames_record_alone(frames_work *w)
{
    struct frames_record *r = w->record;

    if (!r || !r->resume.possible)
        return;
    r->alone = true;
    if (cli_seconds() - r->plan_time >= (plan_pause < resume_interval() ? plan_pause : resume_interval()))
        look_at_plan(w);
    write_if_due(w);
}

void frames_record_share(frames_work *w)
{
    if (!w->record || !w->record->resume.possible || w->accepted == w->list->count)
        return;
    w->record->alone = false;
    take_plan(w);
}

void frames_record_shared(frames_work *w, size_t n)
{
    struct frames_record *r = w->record;

    if (!r || !r->resume.possible)
        return;
    if (r->covered + n == w->accepted)
        r->covered = w->accepted;
    write_if_due(w);
}

bool frames_record_finish(frames_work *w, bool complete, penta_io_error *err)
{
    struct frames_record *r = w->record;
    bool some_failed;

    if (!r || !r->resume.possible)
        return true;
    if (complete) {
        some_failed = w->task->count_done(w->run) < w->list->count;
        return resume_keep(&r->resume, w->job->run, false, true, some_failed, NULL, 0, err);
    }
    if (r->alone)
        look_at_plan(w);
    return r->given_up || write_record(w, false, err);
}
