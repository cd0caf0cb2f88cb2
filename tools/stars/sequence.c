#define _POSIX_C_SOURCE 200809L
#include "stars/sequence.h"

#include <stdlib.h>

#include <pentacl/group.h>
#include "shared/progress.h"
#include "stars/commit.h"
#include "stars/resume.h"
#include "stars/track_frame.h"
#include "stars/writers.h"

enum { FRAMES_EACH = 2 }; /* frames of a member that are drawn or wait for their turn, at most: they may be large */

typedef struct {
    stars_run *run;
    stars_sequence *sequence;
} sink;

/* Frames that are drawn and passed on to the writers. */
typedef struct {
    stars_run *run;
    stars_sequence *out;
    stars_writers *writers;
    progress bar;
} taking;

static bool write_shot(void *context, const stars_shot *shot, penta_io_error *err)
{
    const sink *s = context;
    stars_files files;
    bool ok = stars_files_write(s->run, shot, &files, err);

    ok = ok && stars_resume_put(s->run, s->sequence, shot->number, &files, err);
    stars_files_settle(s->run, shot->number);
    stars_files_free(&files, false);
    return ok;
}

/* Keeps what is told of the i-th frame that was left, and has it written; false where a frame could not be. */
static bool pass_on(taking *t, size_t i, stars_shot *shot)
{
    size_t done = t->out->n - t->out->left + i + 1;

    pthread_mutex_lock(&t->out->shared->lock);
    t->out->records[shot->number] = stars_record_of(shot);
    pthread_mutex_unlock(&t->out->shared->lock);
    snprintf(t->out->engine, sizeof t->out->engine, "%s", shot->engine);
    if (!stars_writers_put(t->writers, shot))
        return false;
    stars_resume_save(t->run, t->out);
    progress_update(&t->bar, (double)done, (double)t->out->n);
    return true;
}

static int take_all(taking *t)
{
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < t->out->left && !cli_interrupted(); i++) {
        stars_shot shot = {0};

        code = stars_frame_draw(t->run, t->out->todo[i], &shot);
        if (code == CLI_OK && !pass_on(t, i, &shot))
            break;
    }
    return code;
}

/* ---- by several members ---- */

/* For a member. */
typedef struct {
    stars_run *run;
    const size_t *todo;
} drawing;

static penta_status draw_piece(void *member, size_t piece, void **result)
{
    const drawing *d = member;
    stars_shot *shot;
    char *text;
    penta_status status = stars_frame_draw_apart(d->run, d->todo[piece], &shot, &text);

    *result = shot ? (void *)shot : text;
    return status;
}

/* A frame that cannot be written ends the run, and Ctrl-C does. */
static penta_status take_piece(void *user, size_t piece, size_t rank, void *result)
{
    taking *t = user;
    stars_shot shot = *(stars_shot *)result;

    free(result);
    t->run->job.shares[rank]++;
    return pass_on(t, piece, &shot) && !cli_interrupted() ? PENTA_OK : PENTA_CANCELLED;
}

static void drop_piece(void *user, void *result)
{
    (void)user;
    stars_shot_free(result);
    free(result);
}

static penta_status run_member(penta_group *group, void *data)
{
    taking *t = data;
    size_t rank = penta_group_rank(group);
    drawing d = {rank == 0 ? t->run : &t->run->others[rank - 1], t->out->todo};
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = t->out->left;
    h.window = FRAMES_EACH * penta_group_size(group);
    h.member = &d;
    h.user = t;
    h.work = draw_piece;
    h.take = take_piece;
    h.drop = drop_piece;
    return penta_group_hand_out(group, &h);
}

/* Frames are handed out as members become free, and written in order. */
static int take_shared(taking *t)
{
    penta_status status = penta_group_threads(t->run->job.members, run_member, t);

    if (status == PENTA_OK || status == PENTA_CANCELLED)
        return CLI_OK;
    return cli_fail_library(t->run->job.command, NULL, t->run->job.common.verbose);
}

int stars_sequence_run(stars_run *run, stars_sequence *out)
{
    sink target = {run, out};
    taking t = {.run = run, .out = out};
    penta_io_error error = {""};
    int code = stars_sequence_open(run, out);

    code = code != CLI_OK ? code : stars_resume_begin(run, out);
    if (code != CLI_OK || out->complete)
        return code;
    t.writers = stars_writers_open(write_shot, &target);
    if (!t.writers)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory or threads for %zu frames", run->track.n);
    progress_begin(&t.bar, run->job.command, "frames", run->job.common.quiet);
    code = run->others ? take_shared(&t) : take_all(&t);
    progress_end(&t.bar);
    if (!stars_writers_close(t.writers, &error))
        return code == CLI_ERROR ? code : job_fail_io(&run->job, &error);
    return stars_sequence_commit(run, out, code);
}
