/* Several members of a job run the frames of a list: pieces of it are handed out, each decoded for the member that has
 * it. */
#include "shared/frames_work.h"

#include <stdlib.h>

#include <pentacl/group.h>

typedef struct {
    frames_work *w;
    frames_pieces pieces;
    int code;
} shared_run;

typedef struct {
    shared_run *run;
    size_t rank;
} worker;

/* Frames of a piece that ran. */
typedef struct {
    size_t rank, count;
    int code;
    frame *frames[];
} ran_piece;

static void promise_piece(void *member, size_t piece)
{
    const worker *m = member;

    frame_stream_assign(m->run->w->streams[m->rank], frames_pieces_first(&m->run->pieces, piece),
                        frames_pieces_length(&m->run->pieces, piece));
}

static penta_status run_piece(void *member, size_t piece, void **result)
{
    const worker *m = member;
    frames_work *w = m->run->w;
    size_t length = frames_pieces_length(&m->run->pieces, piece), got;
    ran_piece *p = calloc(1, sizeof *p + length * sizeof *p->frames);

    if (!p)
        return PENTA_MEMORY;
    p->rank = m->rank;
    while (p->code == CLI_OK && p->count < length) {
        got = frame_stream_next(w->streams[m->rank], length - p->count, p->frames + p->count);
        p->code = w->task->compute(w->run, m->rank, got, p->frames + p->count);
        p->count += got;
    }
    *result = p;
    return PENTA_OK;
}

static void send_to_finish(const frames_work *w, ran_piece *p)
{
    for (size_t i = 0; i < p->count; i++)
        frame_stream_finish(w->streams[p->rank], p->frames[i]);
    free(p);
}

/* Another status than PENTA_OK ends the run; its exit code is in the run. */
static penta_status take_piece(void *user, size_t piece, size_t rank, void *result)
{
    shared_run *r = user;
    frames_work *w = r->w;
    ran_piece *p = result;
    size_t n = p->count;

    (void)piece;
    r->code = frames_work_accept(w, n, p->frames, p->code);
    w->done += n;
    w->job->shares[rank] += n;
    send_to_finish(w, p);
    if (r->code == CLI_OK && !frames_work_failed(w))
        frames_record_shared(w, n);
    progress_update(&w->bar, (double)w->done, (double)w->list->count);
    if (r->code == CLI_OK && !frames_work_failed(w) && cli_interrupted() && w->done < w->list->count)
        r->code = frames_work_interrupted(w);
    return r->code == CLI_OK && !frames_work_failed(w) ? PENTA_OK : PENTA_CANCELLED;
}

/* Frames without results are not written, but their places in the stream are to be emptied. */
static void drop_piece(void *user, void *result)
{
    const shared_run *r = user;
    ran_piece *p = result;

    for (size_t i = 0; i < p->count; i++)
        frames_work_drop(r->w, p->frames[i]);
    send_to_finish(r->w, p);
}

static penta_status run_member(penta_group *group, void *data)
{
    shared_run *r = data;
    worker me = {r, penta_group_rank(group)};
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = r->pieces.count;
    h.member = &me;
    h.user = r;
    h.promise = promise_piece;
    h.work = run_piece;
    h.take = take_piece;
    h.drop = drop_piece;
    return penta_group_hand_out(group, &h);
}

int frames_work_share(frames_work *w)
{
    shared_run r = {.w = w, .pieces = frames_work_pieces(w, w->job->members)};
    penta_status status;

    if (w->done == w->list->count)
        return CLI_OK;
    status = penta_group_threads(w->job->members, run_member, &r);
    if (status != PENTA_OK && status != PENTA_CANCELLED)
        return cli_fail_library(w->job->command, NULL, w->job->common.verbose);
    return r.code;
}
