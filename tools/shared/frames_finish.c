/* What becomes of a frame that ran: accepted and written, or dropped. */
#include "shared/frames_work.h"

#include <stdlib.h>

void frames_work_drop(const frames_work *w, frame *f)
{
    w->task->free_result(f->user);
    f->user = NULL;
}

/* The files of a frame are those of the run once there is an entry of them in its record. */
static bool write_recorded(frames_work *w, frame *f, penta_io_error *err)
{
    uint64_t mark = w->record ? (uint64_t)f->index + 1 : 0;
    void *files = NULL;
    size_t size = 0;
    bool ok;

    penta_io_run_mark(mark);
    ok = w->task->write(w->run, f, err) && (!mark || penta_io_run_take(w->job->run, mark, &files, &size, err));
    penta_io_run_mark(0);
    if (ok && w->record)
        frames_record_put(w, f->index, frames_record_entry(w, f, files, size));
    ok = ok && (!w->task->keep || w->task->keep(w->run, f, err)) &&
         (!mark || penta_io_run_give(w->job->run, files, size, err));
    if (!ok)
        penta_io_run_discard(files, size);
    if (mark)
        penta_io_run_let_go(w->job->run, mark);
    free(files);
    return ok;
}

/* On a worker thread. */
void frames_work_finish(frame *f, void *context)
{
    frames_work *w = context;
    penta_io_error error = {""};

    if (!f->user)
        return;
    if (!write_recorded(w, f, &error)) {
        pthread_mutex_lock(&w->lock);
        if (!w->finish_error.text[0])
            snprintf(w->finish_error.text, sizeof w->finish_error.text, "%s", error.text);
        frames_record_wake(w);
        pthread_mutex_unlock(&w->lock);
    }
    frames_work_drop(w, f);
}

/* Frames that rank 0 has run alone may be finished late. */
void frames_work_finish_member(frame *f, void *context)
{
    frames_member *m = context;
    void (*finish)(const frames_member *m, frame *f);

    pthread_mutex_lock(&m->work->lock);
    finish = f->index >= m->work->shared_from ? m->finish : NULL;
    pthread_mutex_unlock(&m->work->lock);
    if (finish)
        finish(m, f);
    else
        frames_work_finish(f, m->work);
}

bool frames_work_failed(frames_work *w)
{
    bool failed;

    pthread_mutex_lock(&w->lock);
    failed = w->finish_error.text[0] != 0;
    pthread_mutex_unlock(&w->lock);
    return failed;
}

int frames_work_interrupted(const frames_work *w)
{
    return cli_fail(w->job->command, CLI_ERROR, "interrupted after %zu of %zu frames; what was finished is kept",
                    w->done, w->list->count);
}

/* One that is left out has its entry in the record, too. */
static int accept_one(frames_work *w, frame *f)
{
    frame_entry *entry = frames_record_entry(w, f, NULL, 0);
    bool ran = f->user != NULL;
    int code = w->task->accept(w->run, f);

    w->clean = w->clean && (code == CLI_OK || !ran);
    w->accepted += code == CLI_OK;
    if (code == CLI_OK && !f->user)
        frames_record_put(w, f->index, entry);
    else
        frames_record_drop(entry);
    return code;
}

int frames_work_accept(frames_work *w, size_t n, frame **frames, int code)
{
    int refused = CLI_OK;
    size_t i = 0;

    w->clean = true;
    for (; refused == CLI_OK && i < n && (frames[i]->user || frames[i]->error.text[0]); i++)
        refused = accept_one(w, frames[i]);
    for (; i < n; i++) {
        w->clean = w->clean && !frames[i]->user;
        frames_work_drop(w, frames[i]);
    }
    return refused != CLI_OK ? refused : code;
}

int frames_work_batch(frames_work *w, size_t n, frame **frames)
{
    int code = w->task->compute(w->run, 0, n, frames);

    code = frames_work_accept(w, n, frames, code);
    for (size_t i = 0; i < n; i++)
        frame_stream_finish(w->stream, frames[i]);
    return code;
}
