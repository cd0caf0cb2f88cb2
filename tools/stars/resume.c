/*
 * Frames of a track depend on nothing but their row, so each whose files are there is taken over, whatever became of
 * those before it.
 */
#include "stars/resume.h"

#include <stdlib.h>
#include <string.h>

#include "shared/parcel.h"
#include "shared/ranks.h"

/* The record is written at most every so many times as long as it takes. */
static const double pause_factor = 20;

int stars_resume_look(stars_run *run)
{
    if (run->request.pointing != STARS_POINTS_TRACK || ranks_rank() > 0)
        return CLI_OK;
    return resume_begin(&run->record, &run->job, NULL, NULL);
}

/* ---- the record ---- */

static void put_frame(FILE *out, const stars_record *r, const stars_files *files)
{
    const uint8_t written = r->written;
    const uint64_t drawn = r->drawn;

    parcel_put(out, &written, sizeof written);
    parcel_put(out, &drawn, sizeof drawn);
    parcel_put(out, &r->flux_total, sizeof r->flux_total);
    parcel_put(out, &r->flux_in_frame, sizeof r->flux_in_frame);
    parcel_put(out, &r->variables, sizeof r->variables);
    for (int i = 0; i < 2; i++)
        parcel_put_block(out, files->bytes[i], files->sizes[i]);
}

static void get_frame(parcel_reader *p, stars_record *r, stars_files *files)
{
    uint8_t written;
    uint64_t drawn;

    parcel_get(p, &written, sizeof written);
    parcel_get(p, &drawn, sizeof drawn);
    parcel_get(p, &r->flux_total, sizeof r->flux_total);
    parcel_get(p, &r->flux_in_frame, sizeof r->flux_in_frame);
    parcel_get(p, &r->variables, sizeof r->variables);
    r->written = written;
    r->drawn = (size_t)drawn;
    for (int i = 0; i < 2; i++)
        files->bytes[i] = parcel_get_block(p, &files->sizes[i]);
}

/* complete: where files wait is of no more use. */
static bool make_bytes(const stars_sequence *s, bool complete, void **bytes, size_t *size)
{
    const stars_files none = {0};
    const uint64_t n = s->n;
    parcel p;

    parcel_begin(&p);
    if (p.out) {
        parcel_put(p.out, &n, sizeof n);
        parcel_put_text(p.out, s->engine);
        for (size_t i = 0; i < s->n; i++)
            put_frame(p.out, &s->records[i], complete ? &none : &s->files[i]);
    }
    return parcel_end(&p, bytes, size);
}

static bool keep(const stars_run *run, const stars_sequence *s, bool now, bool complete, penta_io_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    bool ok;

    pthread_mutex_lock(&s->shared->lock);
    ok = make_bytes(s, complete, &bytes, &size);
    pthread_mutex_unlock(&s->shared->lock);
    ok = (ok || penta_io_fail(err, "out of memory for the record of the run")) &&
         resume_keep(&run->record, run->job.run, now, complete, false, bytes, size, err);
    free(bytes);
    return ok;
}

/* ---- the run before ---- */

static int get_record(stars_run *run, stars_sequence *s)
{
    parcel_reader p = parcel_read(run->record.own, run->record.own_size);
    uint64_t n;
    char *engine;

    parcel_get(&p, &n, sizeof n);
    engine = parcel_get_text(&p);
    snprintf(s->engine, sizeof s->engine, "%s", engine ? engine : "");
    free(engine);
    p.ok = p.ok && n == s->n;
    for (size_t i = 0; p.ok && i < s->n; i++)
        get_frame(&p, &s->records[i], &s->files[i]);
    return p.ok ? CLI_OK
                : cli_fail(run->job.command, CLI_ERROR, "--resume: the record in %s is of another build of penta",
                           run->request.output);
}

static bool adopt(const stars_run *run, const stars_files *f)
{
    penta_io_run *const runs[2] = {run->truth, run->job.run};

    if (f->sizes[0] == 0 || (run->truth && f->sizes[1] == 0))
        return false;
    for (int i = 0; i < 2; i++)
        if (runs[i] && !penta_io_run_adopt(runs[i], f->bytes[1 - i], f->sizes[1 - i]))
            return false;
    return true;
}

static void forget(stars_sequence *s, size_t frame)
{
    s->records[frame] = (stars_record){0};
    stars_files_free(&s->files[frame], false);
}

/* Takes over what is there of each frame. */
static void adopt_all(const stars_run *run, stars_sequence *s)
{
    size_t lost = 0, first = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!s->records[i].written || adopt(run, &s->files[i]))
            continue;
        first = lost++ == 0 ? i : first;
        forget(s, i);
    }
    if (lost > 0)
        job_note(&run->job,
                 "--resume: files of %zu frames, the first of them frame %zu, are missing, or not what the run wrote; "
                 "they are drawn again",
                 lost, first);
}

/* The directory of the truth has a manifest of its own. */
static bool has_all(const stars_run *run)
{
    resume elsewhere = run->record;

    elsewhere.directory = run->request.truth;
    return resume_has_all(&run->record) && (!run->truth || resume_has_all(&elsewhere));
}

static void tell_start(const stars_run *run, const stars_sequence *s)
{
    size_t n = stars_sequence_written(s);

    if (!run->record.found)
        resume_note_nothing(&run->record);
    else if (n > 0)
        job_note(&run->job, "--resume: %zu of %zu frames are done; draws the others", n, s->n);
    else if (!run->record.complete)
        job_note(&run->job, "--resume: no frame of the run in %s can be taken over; begins with the first",
                 run->request.output);
}

/* On rank 0. */
static int take_over(stars_run *run, stars_sequence *s)
{
    const resume *r = &run->record;
    int code = resume_read(&run->record);

    if (code == CLI_OK && r->found)
        code = get_record(run, s);
    if (code != CLI_OK)
        return code;
    s->complete = r->found && r->complete && has_all(run);
    if (r->found && !r->complete)
        adopt_all(run, s);
    for (size_t i = 0; r->complete && !s->complete && i < s->n; i++)
        forget(s, i);
    penta_io_run_sweep(run->job.run);
    if (run->truth)
        penta_io_run_sweep(run->truth);
    if (!s->complete)
        tell_start(run, s);
    return CLI_OK;
}

/* What is left goes from rank 0 to all. */
static int tell_left(stars_sequence *s, int code)
{
    uint8_t *mine = calloc(s->n + 1, 1), *all = NULL;

    for (size_t i = 0; mine && i < s->n; i++)
        mine[i] = s->records[i].written;
    if (mine)
        mine[s->n] = s->complete;
    code = ranks_exchange(!mine && code == CLI_OK ? CLI_ERROR : code, mine, ranks_rank() == 0 ? s->n + 1 : 0,
                          (void **)&all, NULL);
    if (code == CLI_OK) {
        s->complete = all[s->n];
        s->left = 0;
        for (size_t i = 0; i < s->n; i++)
            if (!all[i])
                s->todo[s->left++] = i;
    }
    free(all);
    free(mine);
    return code;
}

int stars_resume_begin(stars_run *run, stars_sequence *s)
{
    int code = CLI_OK;

    s->shared->due = cli_seconds() + resume_interval();
    if (!run->job.again)
        return code;
    if (ranks_rank() == 0)
        code = take_over(run, s);
    return tell_left(s, code);
}

/* ---- as frames are written ---- */

bool stars_resume_put(stars_run *run, stars_sequence *s, size_t frame, const stars_files *files, penta_io_error *err)
{
    stars_files copy = *files;
    bool ok = true;

    for (int i = 0; i < 2; i++) {
        copy.bytes[i] = files->sizes[i] > 0 ? malloc(files->sizes[i]) : NULL;
        ok = ok && (copy.bytes[i] || files->sizes[i] == 0);
        if (copy.bytes[i])
            memcpy(copy.bytes[i], files->bytes[i], files->sizes[i]);
    }
    if (!ok) {
        stars_files_free(&copy, true);
        return penta_io_fail(err, "out of memory for the record of the run");
    }
    if (!stars_files_give(run, files, err)) {
        stars_files_free(&copy, false);
        return false;
    }
    pthread_mutex_lock(&s->shared->lock);
    s->files[frame] = copy;
    s->records[frame].written = true;
    s->shared->unsaved = true;
    pthread_mutex_unlock(&s->shared->lock);
    return true;
}

void stars_resume_save(stars_run *run, stars_sequence *s)
{
    stars_sequence_shared *shared = s->shared;
    double start = cli_seconds(), pause = resume_interval(), took;
    penta_io_error error = {""};
    bool news;

    if (start < shared->due || shared->given_up || !run->record.possible)
        return;
    pthread_mutex_lock(&shared->lock);
    news = shared->unsaved;
    shared->unsaved = false;
    pthread_mutex_unlock(&shared->lock);
    if (!news)
        return;
    if (!keep(run, s, true, false, &error)) {
        job_warn(&run->job, "%s; a run that is killed cannot be gone on with", error.text);
        shared->given_up = true;
    }
    took = pause > 0 ? pause_factor * (cli_seconds() - start) : 0;
    shared->due = cli_seconds() + (took > pause ? took : pause);
}

bool stars_resume_finish(const stars_run *run, const stars_sequence *s, penta_io_error *err)
{
    bool complete = stars_sequence_written(s) == s->n;

    return (s->shared->given_up && !complete) || keep(run, s, false, complete, err);
}
