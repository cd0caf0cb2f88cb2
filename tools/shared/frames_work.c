/* The loop over frames, and the order of what follows it. */
#include "shared/frames_work.h"

#include <stdlib.h>

#include "shared/answer.h"

void frames_work_begin(frames_work *w, const frames_task *task, void *run, const job *j, frame_list *list)
{
    *w = (frames_work){.task = task, .run = run, .job = j, .list = list};
    pthread_mutex_init(&w->lock, NULL);
}

void frames_work_end(frames_work *w)
{
    if (w->task)
        pthread_mutex_destroy(&w->lock);
}

void frames_work_note_doubts(const frames_work *w)
{
    for (size_t i = 0; i < w->list->count; i++)
        if (w->list->sources[i].doubt)
            job_note(w->job, "%s", w->list->sources[i].doubt);
}

/* ---- finishing a frame, on a worker thread ---- */

void frames_work_drop(const frames_work *w, frame *f)
{
    w->task->free_result(f->user);
    f->user = NULL;
}

static void finish_frame(frame *f, void *context)
{
    frames_work *w = context;
    penta_io_error error = {""};

    if (!f->user)
        return;
    if (!w->task->write(w->run, f, &error)) {
        pthread_mutex_lock(&w->lock);
        if (!w->finish_error.text[0])
            w->finish_error = error;
        pthread_mutex_unlock(&w->lock);
    }
    frames_work_drop(w, f);
}

static bool finish_failed(frames_work *w)
{
    bool failed;

    pthread_mutex_lock(&w->lock);
    failed = w->finish_error.text[0] != 0;
    pthread_mutex_unlock(&w->lock);
    return failed;
}

/* ---- running frames ---- */

int frames_work_open(frames_work *w, size_t slots, size_t batch)
{
    w->batch = batch;
    w->stream = frame_stream_open(w->list, 0, slots, finish_frame, w);
    return w->stream ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "cannot start decoding threads");
}

int frames_work_skip(frames_work *w, const frame *f, bool keep_going)
{
    frame_list_fail(w->list, f->index, f->error.text);
    cli_fail(w->job->command, CLI_ERROR, "%s%s", keep_going ? "skipped: " : "", f->error.text);
    return keep_going ? CLI_OK : CLI_ERROR;
}

static size_t take_batch(frames_work *w, frame **frames)
{
    bool planned = !w->task->has_plan || w->task->has_plan(w->run);

    return frame_stream_next(w->stream, planned ? w->batch : 1, frames);
}

int frames_work_loop(frames_work *w, bool to_end)
{
    size_t n, done = 0, count = w->list->count;
    frame **frames = calloc(w->batch, sizeof *frames);
    int code = frames ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory");

    while (code == CLI_OK && (n = take_batch(w, frames)) > 0) {
        code = w->task->run_batch(w->run, n, frames);
        for (size_t i = 0; i < n; i++)
            frame_stream_finish(w->stream, frames[i]);
        done += n;
        progress_update(&w->bar, (double)done, (double)count);
        if (code == CLI_OK && finish_failed(w))
            break;
        if (code == CLI_OK && cli_interrupted() && done < count && !to_end)
            code = cli_fail(w->job->command, CLI_ERROR,
                            "interrupted after %zu of %zu frames; what was finished is kept", done, count);
    }
    free(frames);
    return code;
}

/* ---- after the last frame ---- */

static void close_stream(frames_work *w)
{
    frame_stream_close(w->stream);
    w->stream = NULL;
}

int frames_work_close(frames_work *w, int code)
{
    close_stream(w);
    return w->finish_error.text[0] ? job_fail_io(w->job, &w->finish_error) : code;
}

/* The files about all frames; after an error or Ctrl-C those frames count that were finished. */
static int summarize(const frames_work *w, int code)
{
    int after;

    if (w->task->count_done(w->run) == 0)
        return code != CLI_OK ? code : cli_fail(w->job->command, CLI_ERROR, "no frame could be used");
    after = w->task->write_summary(w->run);
    return code != CLI_OK ? code : after;
}

int frames_work_run(frames_work *w, int code)
{
    const frames_task *task = w->task;
    bool opened = w->stream != NULL;

    if (code == CLI_OK) {
        progress_begin(&w->bar, w->job->command, "frames", w->job->common.quiet);
        code = frames_work_loop(w, false);
        progress_end(&w->bar);
    }
    close_stream(w);
    if (task->note)
        task->note(w->run);
    code = frames_work_close(w, code);
    if (opened && !w->finish_error.text[0])
        code = summarize(w, code);
    if (code == CLI_OK)
        return task->answer(w->run);
    if (w->job->common.json && w->list->count > 0)
        answer_add(task->details(w->run));
    return code;
}
