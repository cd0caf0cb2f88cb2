/* The streams of a run over frames: one for all, or one a member. */
#include "shared/frames_work.h"

#include <stdlib.h>
#include <unistd.h>

#include "shared/ranks.h"

static int no_threads(const frames_work *w)
{
    return cli_fail(w->job->command, CLI_ERROR, "cannot start decoding threads");
}

/* A stream for each member, which decodes what the member is given. */
int frames_work_open_streams(frames_work *w)
{
    size_t members = w->job->members, sharing = members * ranks_here();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = cores > (long)sharing ? (size_t)cores / sharing : 1;

    w->members = calloc(members, sizeof *w->members);
    for (size_t i = 0; w->members && i < members; i++) {
        frames_member *m = &w->members[i];

        m->work = w;
        m->stream = frame_stream_open_empty(w->list, threads, w->slots, frames_work_finish_member, m);
        if (!m->stream)
            return no_threads(w);
    }
    w->stream = w->members ? w->members[0].stream : NULL;
    return w->members ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory");
}

void frames_work_close_stream(frames_work *w)
{
    if (!w->members)
        frame_stream_close(w->stream);
    for (size_t i = 0; w->members && i < w->job->members; i++)
        frame_stream_close(w->members[i].stream);
    free(w->members);
    w->members = NULL;
    w->stream = NULL;
}

int frames_work_open(frames_work *w, size_t slots, size_t batch)
{
    w->batch = batch;
    w->slots = slots < 2 ? 2 : slots;
    w->done = frames_resume_start(w);
    if (w->job->workers > 1 && w->in_order)
        job_note(w->job, "frames need those before them: of %zu %s the first does them all", w->job->workers,
                 ranks_size() > 1 ? "ranks" : "devices");
    if (ranks_rank() > 0)
        return CLI_OK;
    if (w->job->workers > 1 && !w->in_order)
        return frames_work_open_streams(w);
    w->stream = frame_stream_open_empty(w->list, 0, w->slots, frames_work_finish, w);
    if (!w->stream)
        return no_threads(w);
    frame_stream_assign(w->stream, w->done, w->list->count - w->done);
    return CLI_OK;
}
