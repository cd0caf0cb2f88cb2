/* The loop over frames, and the order of what follows it. */
#include "shared/frames_work.h"

#include <stdlib.h>

#include "shared/answer.h"
#include "shared/ranks.h"
#include "shared/stages.h"

void frames_work_begin(frames_work *w, const frames_task *task, void *run, const job *j, frame_list *list)
{
    *w = (frames_work){.task = task, .run = run, .job = j, .list = list};
    pthread_mutex_init(&w->lock, NULL);
}

void frames_work_end(frames_work *w)
{
    frames_resume_end(w);
    if (w->task)
        pthread_mutex_destroy(&w->lock);
}

void frames_work_note_doubts(const frames_work *w)
{
    if (w->list->out_of_order)
        job_note(w->job,
                 "%s comes after a higher number, as the shell lists names; frames are taken in the order given: give "
                 "them in that of `ls -v`, or with leading zeros",
                 w->list->out_of_order);
    for (size_t i = 0; i < w->list->count; i++)
        if (w->list->sources[i].doubt)
            job_note(w->job, "%s", w->list->sources[i].doubt);
}

/* ---- running frames ---- */

int frames_work_skip(frames_work *w, const frame *f, bool keep_going)
{
    frame_list_fail(w->list, f->index, f->error.text);
    cli_fail(w->job->command, CLI_ERROR, "%s%s", keep_going ? "skipped: " : "", f->error.text);
    return keep_going ? CLI_OK : CLI_ERROR;
}

/* Of several members the first one has frame after frame until there is a plan. */
static size_t take_batch(frames_work *w, frame **frames)
{
    if (w->members && w->done < w->list->count)
        frame_stream_assign(w->stream, w->done, 1);
    return frame_stream_next(w->stream, frames_work_has_plan(w) ? w->batch : 1, frames);
}

static int run_alone(frames_work *w, bool to_end)
{
    size_t n, count = w->list->count;
    frame **frames = calloc(w->batch, sizeof *frames);
    int code = frames ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory");

    while (code == CLI_OK && !(w->members && frames_work_has_plan(w)) && (n = take_batch(w, frames)) > 0) {
        code = frames_work_batch(w, n, frames);
        if (w->job->shares)
            w->job->shares[0] += n;
        w->done += n;
        progress_update(&w->bar, (double)w->done, (double)count);
        if (code == CLI_OK && frames_work_failed(w))
            break;
        if (code == CLI_OK)
            frames_record_alone(w);
        if (code == CLI_OK && cli_interrupted() && w->done < count && !to_end)
            code = frames_work_interrupted(w);
    }
    free(frames);
    return code;
}

int frames_work_loop(frames_work *w, bool to_end)
{
    int code = ranks_rank() == 0 ? run_alone(w, to_end) : CLI_OK;
    bool shares = w->members && code == CLI_OK && !frames_work_failed(w);

    if (shares)
        frames_record_share(w);
    return shares || ranks_size() > 1 ? frames_work_share(w, code) : code;
}

/* ---- after the last frame ---- */

int frames_work_close(frames_work *w, int code)
{
    frames_work_close_stream(w);
    return w->finish_error.text[0] ? job_fail_io(w->job, &w->finish_error) : code;
}

/* The files about all frames; after an error or Ctrl-C those frames count that were finished. */
static int summarize(frames_work *w, int code)
{
    penta_io_error error = {""};
    int after;

    if (w->task->count_done(w->run) == 0)
        return code != CLI_OK ? code : cli_fail(w->job->command, CLI_ERROR, "no frame could be used");
    if (!frames_record_finish(w, code == CLI_OK && w->done == w->list->count, &error))
        return job_fail_io(w->job, &error);
    after = w->task->write_summary(w->run);
    return code != CLI_OK ? code : after;
}

int frames_work_run(frames_work *w, int code)
{
    const frames_task *task = w->task;
    bool opened = w->stream != NULL;

    (void)stages_enter(STAGE_COMPUTE);
    if (code == CLI_OK && frames_resume_is_done(w))
        return ranks_rank() == 0 ? frames_resume_tell_done(w) : CLI_OK;
    if (code == CLI_OK && ranks_rank() == 0)
        code = frames_resume_accept(w);
    if (code == CLI_OK) {
        progress_begin(&w->bar, w->job->command, "frames", w->job->common.quiet || ranks_rank() > 0);
        code = frames_work_loop(w, false);
        progress_end(&w->bar);
    }
    (void)stages_enter(STAGE_WRITE);
    frames_work_close_stream(w);
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
