/*
 * Frames are handed out as members become free, devices or ranks. A member writes the files of its frames, on threads,
 * while it draws the next ones; they wait under temporary names until rank 0, which is told where, lets all appear
 * together.
 */
#include "stars/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "shared/parcel.h"
#include "shared/progress.h"
#include "shared/ranks.h"
#include "shared/rows.h"
#include "stars/commit.h"
#include "stars/resume.h"
#include "stars/track_frame.h"
#include "stars/writers.h"

enum { FRAMES_EACH = 64 }; /* frames a member ahead: more than its writers hold, on whose cores they depend */

/* A member of this process, which draws. */
typedef struct {
    struct drawing *all;
    stars_run *run;
    stars_writers *writers;
    rows *rows;
} drawer;

typedef struct drawing {
    stars_run *run;
    stars_sequence *out;
    drawer *members;
    penta_io_error error; /* of the first frame that could not be written; at rank 0 */
    progress bar;
} drawing;

/* ---- at the member that draws a frame ---- */

/* What is told of a frame; its files, and an error of writing them, follow. */
typedef struct {
    stars_record record;
    char engine[32];
    bool interrupted; /* it is not drawn */
} frame_head;

static void put_row(rows *of, size_t item, const frame_head *head, const char *error, const stars_files *files)
{
    void *bytes = NULL;
    size_t size = 0;
    parcel p;

    parcel_begin(&p);
    if (p.out) {
        parcel_put(p.out, head, sizeof *head);
        parcel_put_text(p.out, error);
        for (int i = 0; i < 2; i++)
            parcel_put_block(p.out, files->bytes[i], files->sizes[i]);
    }
    (void)parcel_end(&p, &bytes, &size);
    rows_put(of, item, bytes, size);
}

/* The place of a frame among those that are left. */
static size_t place_of(const stars_sequence *s, size_t number)
{
    size_t low = 0, high = s->left;

    while (low + 1 < high) {
        size_t middle = (low + high) / 2;

        *(s->todo[middle] <= number ? &low : &high) = middle;
    }
    return low;
}

/* On a thread of the writers, which go on after an error: it is told with its frame. */
static bool write_shot(void *context, const stars_shot *shot, penta_io_error *ignored)
{
    const drawer *d = context;
    frame_head head = {.record = stars_record_of(shot)};
    penta_io_error error = {""};
    stars_files files;
    bool ok = stars_files_write(d->run, shot, &files, &error);

    (void)ignored;
    snprintf(head.engine, sizeof head.engine, "%s", shot->engine);
    if (!ok && !*error.text)
        penta_io_fail(&error, "out of memory for a frame");
    put_row(d->rows, place_of(d->all->out, shot->number), &head, ok ? NULL : error.text, &files);
    stars_files_free(&files, false);
    return true;
}

static int draw_frame(void *user, rows *of, size_t place, size_t n, size_t *failed)
{
    const drawing *all = user;
    drawer *d = &all->members[rows_member(of)];
    const frame_head interrupted = {.interrupted = true};
    const stars_files none = {0};
    stars_shot shot = {0};
    int code = cli_interrupted() ? STARS_INTERRUPTED : stars_frame_draw(d->run, all->out->todo[place], &shot);

    (void)n, (void)failed;
    if (!d->rows)
        d->rows = of;
    if (code == CLI_OK)
        (void)stars_writers_put(d->writers, &shot);
    if (code == STARS_INTERRUPTED)
        put_row(of, place, &interrupted, NULL, &none);
    return code == STARS_INTERRUPTED ? CLI_OK : code;
}

static void finish_frames(void *user, size_t member)
{
    drawer *d = &((drawing *)user)->members[member];
    penta_io_error ignored;

    (void)stars_writers_close(d->writers, &ignored);
    d->writers = NULL;
}

/* Rank 0 has the names of its files. Before, they are this member's, and are removed when it ends. */
static void settle_frame(void *user, size_t place, size_t taken)
{
    const drawing *all = user;

    (void)taken;
    stars_files_settle(all->run, all->out->todo[place]);
}

/* ---- at rank 0 ---- */

/* *head is zeroed and *error NULL where memory runs out. */
static void get_row(parcel_reader *r, frame_head *head, char **error, stars_files *files)
{
    *files = (stars_files){0};
    parcel_get(r, head, sizeof *head);
    *error = parcel_get_text(r);
    for (int i = 0; i < 2; i++)
        files->bytes[i] = parcel_get_block(r, &files->sizes[i]);
}

/* The files are those of the runs of this process. */
static bool keep_frame(drawing *all, size_t frame, const frame_head *head, const char *error, const stars_files *files)
{
    stars_sequence *out = all->out;

    if (error)
        return penta_io_fail(&all->error, "%s", error);
    out->records[frame] = head->record;
    memcpy(out->engine, head->engine, sizeof out->engine);
    return stars_resume_put(all->run, out, frame, files, &all->error);
}

/* A frame that cannot be written ends the run, and one that a signal has kept from being drawn. */
static bool take_frame(void *user, size_t place, size_t rank, parcel_reader *row)
{
    drawing *all = user;
    frame_head head;
    stars_files files;
    char *error;
    bool ok;

    get_row(row, &head, &error, &files);
    if (all->run->job.shares)
        all->run->job.shares[rank]++;
    ok = row->ok || penta_io_fail(&all->error, "out of memory for a frame");
    ok = ok && !head.interrupted && keep_frame(all, all->out->todo[place], &head, error, &files);
    progress_update(&all->bar, (double)(all->out->n - all->out->left + place + 1), (double)all->out->n);
    stars_files_free(&files, !ok);
    free(error);
    if (ok)
        stars_resume_save(all->run, all->out);
    return ok;
}

static void drop_frame(void *user, size_t place, parcel_reader *row)
{
    frame_head head;
    stars_files files;
    char *error;

    (void)user, (void)place;
    get_row(row, &head, &error, &files);
    stars_files_free(&files, true);
    free(error);
}

/* ---- all members ---- */

static int open_members(drawing *all)
{
    const job *j = &all->run->job;
    bool ok;

    all->members = calloc(j->members, sizeof *all->members);
    ok = all->members != NULL;
    for (size_t i = 0; ok && i < j->members; i++) {
        drawer *d = &all->members[i];

        *d = (drawer){.all = all, .run = i == 0 ? all->run : &all->run->others[i - 1]};
        d->writers = stars_writers_open(j->members * ranks_here(), write_shot, d);
        ok = d->writers != NULL;
    }
    return ok ? CLI_OK : cli_fail(j->command, CLI_ERROR, "out of memory or threads for %zu frames", all->out->n);
}

static void close_members(drawing *all)
{
    for (size_t i = 0; all->members && i < all->run->job.members; i++)
        finish_frames(all, i);
    free(all->members);
}

static int draw_all(drawing *all)
{
    const job *j = &all->run->job;
    const rows_task task = {.command = j->command,
                            .end = all->out->left,
                            .slice = 1,
                            .ahead = FRAMES_EACH,
                            .user = all,
                            .work = draw_frame,
                            .finish = finish_frames,
                            .received = settle_frame,
                            .take = take_frame,
                            .drop = drop_frame};
    int code;

    progress_begin(&all->bar, j->command, "frames", j->common.quiet || ranks_rank() > 0);
    code = rows_run_job(j->members, &task);
    progress_end(&all->bar);
    return code;
}

int stars_sequence_run(stars_run *run, stars_sequence *out)
{
    drawing all = {.run = run, .out = out};
    int code = ranks_agree(stars_sequence_open(run, out));
    bool drawn;

    code = code != CLI_OK ? code : stars_resume_begin(run, out);
    if (code == CLI_OK && out->complete)
        return code;
    code = ranks_agree(code != CLI_OK ? code : open_members(&all));
    drawn = code == CLI_OK;
    if (drawn)
        code = draw_all(&all);
    close_members(&all);
    if (all.error.text[0])
        return job_fail_io(&run->job, &all.error);
    return drawn && ranks_rank() == 0 ? stars_sequence_commit(run, out, code) : code;
}
