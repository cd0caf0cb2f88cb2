/*
 * Frames are handed out as ranks become free. A rank writes the files of its frames, on threads, while it draws the
 * next ones; they wait under temporary names until rank 0, which is told where, lets all appear together.
 */
#define _POSIX_C_SOURCE 200809L
#include "stars/sequence_ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>
#include "shared/parcel.h"
#include "shared/progress.h"
#include "shared/ranks.h"
#include "stars/commit.h"
#include "stars/resume.h"
#include "stars/track_frame.h"
#include "stars/writers.h"

enum { FRAMES_EACH = 4 }; /* frames a rank that were given out and are not back */

/* A frame that was written here. */
typedef struct {
    bool done;
    stars_files files;
    char *error; /* of writing; NULL: none */
} written_frame;

typedef struct {
    stars_run *run;
    stars_sequence *out; /* of rank 0 */
    stars_writers *writers;
    written_frame *of;
    pthread_mutex_t lock; /* over of */
    pthread_cond_t changed;
    penta_io_error error; /* of rank 0: of the first frame that could not be written */
    double since;         /* for ranks_lose_patience */
    progress bar;
} ranks_run;

/* ---- at the rank that draws a frame ---- */

/* On a thread of the writers, which go on after an error: it is told with its frame. */
static bool write_shot(void *context, const stars_shot *shot, penta_io_error *ignored)
{
    ranks_run *r = context;
    written_frame w = {.done = true};
    penta_io_error error = {""};

    (void)ignored;
    if (!stars_files_write(r->run, shot, &w.files, &error))
        w.error = strdup(*error.text ? error.text : "out of memory for a frame");
    pthread_mutex_lock(&r->lock);
    r->of[shot->number] = w;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return true;
}

static written_frame wait_for(ranks_run *r, size_t frame)
{
    written_frame w;

    pthread_mutex_lock(&r->lock);
    while (!r->of[frame].done)
        pthread_cond_wait(&r->changed, &r->lock);
    w = r->of[frame];
    r->of[frame] = (written_frame){.done = true};
    pthread_mutex_unlock(&r->lock);
    return w;
}

static void free_written(written_frame *w, bool discard)
{
    stars_files_free(&w->files, discard);
    free(w->error);
    *w = (written_frame){0};
}

/* What is told of a frame. */
typedef struct {
    stars_record record;
    char engine[32];
} frame_head;

static penta_status draw_piece(void *member, size_t piece, void **result)
{
    ranks_run *r = member;
    frame_head *head = calloc(1, sizeof *head);
    stars_shot *shot = NULL;
    char *text = NULL;
    penta_status status = head ? stars_frame_draw_apart(r->run, r->out->todo[piece], &shot, &text) : PENTA_MEMORY;

    if (status != PENTA_OK) {
        free(head);
        *result = text ? ranks_own_text(text) : NULL;
        free(text);
        return status;
    }
    head->record = stars_record_of(shot);
    snprintf(head->engine, sizeof head->engine, "%s", shot->engine);
    (void)stars_writers_put(r->writers, shot);
    free(shot);
    *result = head;
    return PENTA_OK;
}

static penta_status pack_piece(void *member, size_t piece, void *result, void **bytes, size_t *size)
{
    ranks_run *r = member;
    written_frame w = wait_for(r, r->out->todo[piece]);
    parcel p;
    bool ok;

    parcel_begin(&p);
    parcel_put(p.out, result, sizeof(frame_head));
    parcel_put_text(p.out, w.error);
    for (int i = 0; i < 2; i++)
        parcel_put_block(p.out, w.files.bytes[i], w.files.sizes[i]);
    ok = parcel_end(&p, bytes, size);
    free_written(&w, !ok);
    free(result);
    return ok ? PENTA_OK : PENTA_MEMORY;
}

/* Rank 0 has the names of its files. Before, they are this rank's, and are removed when it ends. */
static void settle_piece(void *member, size_t piece)
{
    const ranks_run *r = member;

    stars_files_settle(r->run, r->out->todo[piece]);
}

/* ---- at rank 0 ---- */

typedef struct {
    frame_head head;
    written_frame files;
} came_frame;

static void drop_piece(void *user, void *result)
{
    came_frame *f = result;

    (void)user;
    free_written(&f->files, true);
    free(f);
}

static penta_status unpack_piece(void *user, size_t piece, const void *bytes, size_t size, void **result)
{
    parcel_reader r = parcel_read(bytes, size);
    came_frame *f = calloc(1, sizeof *f);

    (void)piece;
    if (!f)
        return PENTA_MEMORY;
    parcel_get(&r, &f->head, sizeof f->head);
    f->files.error = parcel_get_text(&r);
    for (int i = 0; i < 2; i++)
        f->files.files.bytes[i] = parcel_get_block(&r, &f->files.files.sizes[i]);
    *result = f;
    if (!r.ok)
        drop_piece(user, f);
    return r.ok ? PENTA_OK : PENTA_MEMORY;
}

/* The files are those of the runs of this process. */
static bool give_files(ranks_run *r, size_t frame, came_frame *f)
{
    bool ok;

    if (f->files.error)
        return penta_io_fail(&r->error, "%s", f->files.error);
    ok = stars_resume_put(r->run, r->out, frame, &f->files.files, &r->error);
    stars_files_free(&f->files.files, false);
    return ok;
}

/* A frame that cannot be written ends the run, and a signal does. */
static penta_status take_piece(void *user, size_t piece, size_t rank, void *result)
{
    ranks_run *r = user;
    came_frame *f = result;
    size_t frame = r->out->todo[piece];
    bool written;

    r->run->job.shares[rank]++;
    r->out->records[frame] = f->head.record;
    memcpy(r->out->engine, f->head.engine, sizeof r->out->engine);
    written = give_files(r, frame, f);
    progress_update(&r->bar, (double)(r->out->n - r->out->left + piece + 1), (double)r->out->n);
    drop_piece(r, f);
    if (written)
        stars_resume_save(r->run, r->out);
    return written && !cli_interrupted() ? PENTA_OK : PENTA_CANCELLED;
}

static penta_status look_for_signal(void *user)
{
    ranks_run *r = user;

    return ranks_lose_patience(&r->since) ? PENTA_CANCELLED : PENTA_OK;
}

/* ---- all ranks ---- */

static penta_status hand_out(ranks_run *r)
{
    const job *j = &r->run->job;
    penta_status status;
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = r->out->left;
    h.window = FRAMES_EACH * ranks_size();
    h.member = h.user = r;
    h.work = draw_piece;
    h.take = take_piece;
    h.drop = drop_piece;
    h.pack = pack_piece;
    h.unpack = unpack_piece;
    h.poll = look_for_signal;
    h.received = settle_piece;
    progress_begin(&r->bar, j->command, "frames", j->common.quiet || ranks_rank() > 0);
    status = penta_group_hand_out(ranks_group(), &h);
    progress_end(&r->bar);
    return status;
}

static int open_ranks(ranks_run *r)
{
    int code = ranks_agree(stars_sequence_open(r->run, r->out));

    code = code != CLI_OK ? code : stars_resume_begin(r->run, r->out);
    if (code == CLI_OK && !r->out->complete) {
        r->of = calloc(r->out->n + 1, sizeof *r->of);
        r->writers = r->of ? stars_writers_open(write_shot, r) : NULL;
        if (!r->writers)
            code = cli_fail(r->run->job.command, CLI_ERROR, "out of memory or threads for %zu frames", r->out->n);
    }
    return ranks_agree(code);
}

static void close_ranks(ranks_run *r)
{
    penta_io_error ignored;

    (void)stars_writers_close(r->writers, &ignored);
    for (size_t i = 0; r->of && i < r->out->n; i++)
        free_written(&r->of[i], true);
    free(r->of);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
}

/* What has come of it, on rank 0. */
static int conclude(ranks_run *r, penta_status status)
{
    const job *j = &r->run->job;
    bool drawn = status == PENTA_OK || status == PENTA_CANCELLED;
    int code = drawn ? CLI_OK : cli_fail_library(j->command, NULL, j->common.verbose);

    if (r->error.text[0])
        return job_fail_io(j, &r->error);
    return stars_sequence_commit(r->run, r->out, code);
}

int stars_sequence_run_ranks(stars_run *run, stars_sequence *out)
{
    ranks_run r = {.run = run, .out = out};
    penta_status status = PENTA_OK;
    int code;

    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    code = open_ranks(&r);
    if (code == CLI_OK && r.out->left > 0 && !r.out->complete)
        status = hand_out(&r);
    close_ranks(&r);
    return code == CLI_OK && ranks_rank() == 0 && !out->complete ? conclude(&r, status) : code;
}
