/* What becomes of a frame that ran: accepted and written, or dropped. */
#include "shared/frames_work.h"

void frames_work_drop(const frames_work *w, frame *f)
{
    w->task->free_result(f->user);
    f->user = NULL;
}

/* Frames that rank 0 has run alone may be finished late. */
static bool is_packed(frames_work *w, const frame *f)
{
    bool packed;

    pthread_mutex_lock(&w->lock);
    packed = w->packed && f->index >= w->packed_from;
    pthread_mutex_unlock(&w->lock);
    return packed;
}

/* On a worker thread. */
void frames_work_finish(frame *f, void *context)
{
    frames_work *w = context;
    penta_io_error error = {""};

    if (is_packed(w, f)) {
        w->finish_here(w, f);
        return;
    }
    if (!f->user)
        return;
    if (!w->task->write(w->run, f, &error) || (w->task->keep && !w->task->keep(w->run, f, &error))) {
        pthread_mutex_lock(&w->lock);
        if (!w->finish_error.text[0])
            w->finish_error = error;
        pthread_mutex_unlock(&w->lock);
    }
    frames_work_drop(w, f);
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

int frames_work_accept(frames_work *w, size_t n, frame **frames, int code)
{
    int refused = CLI_OK;
    size_t i = 0;

    for (; refused == CLI_OK && i < n && (frames[i]->user || frames[i]->error.text[0]); i++)
        refused = w->task->accept(w->run, frames[i]);
    for (; i < n; i++)
        frames_work_drop(w, frames[i]);
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
