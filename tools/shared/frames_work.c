/* The loop over frames, and the order of what follows it. */
#define _POSIX_C_SOURCE 200809L
#include "shared/frames_work.h"

#include <stdlib.h>
#include <unistd.h>

#include "shared/answer.h"
#include "shared/ranks.h"

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

/* ---- running frames ---- */

static int no_threads(const frames_work *w)
{
    return cli_fail(w->job->command, CLI_ERROR, "cannot start decoding threads");
}

/* A stream for each member, which decodes what the member is given. */
static int open_streams(frames_work *w)
{
    size_t members = w->job->members, sharing = members * ranks_here();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = cores > (long)sharing ? (size_t)cores / sharing : 1;

    w->streams = calloc(members, sizeof *w->streams);
    for (size_t i = 0; w->streams && i < members; i++) {
        w->streams[i] = frame_stream_open_empty(w->list, threads, w->slots, frames_work_finish, w);
        if (!w->streams[i])
            return no_threads(w);
    }
    w->stream = w->streams ? w->streams[0] : NULL;
    return w->streams ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory");
}

int frames_work_open(frames_work *w, size_t slots, size_t batch)
{
    w->batch = batch;
    w->slots = slots < 2 ? 2 : slots;
    w->done = 0;
    if (w->job->members > 1 || ranks_size() > 1)
        return open_streams(w);
    w->stream = frame_stream_open(w->list, 0, w->slots, frames_work_finish, w);
    return w->stream ? CLI_OK : no_threads(w);
}

int frames_work_skip(frames_work *w, const frame *f, bool keep_going)
{
    frame_list_fail(w->list, f->index, f->error.text);
    cli_fail(w->job->command, CLI_ERROR, "%s%s", keep_going ? "skipped: " : "", f->error.text);
    return keep_going ? CLI_OK : CLI_ERROR;
}

static bool has_plan(const frames_work *w)
{
    return !w->task->has_plan || w->task->has_plan(w->run);
}

/* Several members begin once there is a plan: until then the first one has frame after frame. */
static size_t take_batch(frames_work *w, frame **frames)
{
    if (w->streams && w->done < w->list->count)
        frame_stream_assign(w->stream, w->done, 1);
    return frame_stream_next(w->stream, has_plan(w) && !w->streams ? w->batch : 1, frames);
}

static int run_alone(frames_work *w, bool to_end)
{
    size_t n, count = w->list->count;
    frame **frames = calloc(w->batch, sizeof *frames);
    int code = frames ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory");

    while (code == CLI_OK && !(w->streams && has_plan(w)) && (n = take_batch(w, frames)) > 0) {
        code = frames_work_batch(w, n, frames);
        if (w->job->shares)
            w->job->shares[0] += n;
        w->done += n;
        progress_update(&w->bar, (double)w->done, (double)count);
        if (code == CLI_OK && frames_work_failed(w))
            break;
        if (code == CLI_OK && cli_interrupted() && w->done < count && !to_end)
            code = frames_work_interrupted(w);
    }
    free(frames);
    return code;
}

int frames_work_loop(frames_work *w, bool to_end)
{
    int code = ranks_rank() == 0 ? run_alone(w, to_end) : CLI_OK;

    if (ranks_size() > 1)
        return frames_work_share_ranks(w, code);
    if (code != CLI_OK || !w->streams || frames_work_failed(w))
        return code;
    return frames_work_share(w);
}

/* ---- after the last frame ---- */

static void close_stream(frames_work *w)
{
    if (!w->streams)
        frame_stream_close(w->stream);
    for (size_t i = 0; w->streams && i < w->job->members; i++)
        frame_stream_close(w->streams[i]);
    free(w->streams);
    w->streams = NULL;
    w->stream = NULL;
    frames_ranks_close(w);
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
        progress_begin(&w->bar, w->job->command, "frames", w->job->common.quiet || ranks_rank() > 0);
        code = frames_work_loop(w, false);
        progress_end(&w->bar);
    }
    close_stream(w);
    if (ranks_rank() > 0)
        return code;
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
