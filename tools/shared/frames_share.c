/*
 * Members of a job, ranks or threads, run the frames of a list. Each writes the files of its frames into the directory,
 * where they wait under temporary names; rank 0 is told where, and what it needs for tables and pictures, accepts the
 * frames in order, and commits all files together.
 */
#include "shared/frames_work.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shared/parcel.h"
#include "shared/ranks.h"
#include "shared/rows.h"

enum { SLICES_EACH = 8 }; /* slices a member, at least, so that none waits long for the last */

typedef struct {
    frames_work *w;
    int code;
} shared_run;

/* ---- the row of a frame ---- */

typedef struct {
    uint64_t nan_pixels, places;
    uint8_t has_result;
} row_head;

typedef struct {
    row_head head;
    char *unfit, *error; /* why it could not run; of writing its files */
    void *files, *result;
    size_t files_size, result_size;
} frame_row;

static frame_row get_row(parcel_reader *p)
{
    frame_row row = {.files = NULL};

    parcel_get(p, &row.head, sizeof row.head);
    row.unfit = parcel_get_text(p);
    row.error = parcel_get_text(p);
    row.files = parcel_get_block(p, &row.files_size);
    row.result = parcel_get_block(p, &row.result_size);
    return row;
}

static void free_row(frame_row *row)
{
    free(row->unfit);
    free(row->error);
    free(row->files);
    free(row->result);
}

static bool pack_result(const frames_work *w, const frame *f, void **bytes, size_t *size)
{
    parcel p;
    bool ok;

    parcel_begin(&p);
    ok = p.out && w->task->pack(w->run, f, p.out);
    return parcel_end(&p, bytes, size) && ok;
}

static void *make_row(const frames_work *w, const frame *f, const char *error, const void *files, size_t files_size,
                      size_t *size)
{
    const row_head h = {f->nan_pixels, f->places, f->user != NULL};
    void *result = NULL, *bytes = NULL;
    size_t result_size = 0;
    parcel p;
    bool ok = !f->user || *error || pack_result(w, f, &result, &result_size);

    parcel_begin(&p);
    if (p.out) {
        parcel_put(p.out, &h, sizeof h);
        parcel_put_text(p.out, f->error.text);
        parcel_put_text(p.out, error);
        parcel_put_block(p.out, files, files_size);
        parcel_put_block(p.out, result, result_size);
    }
    ok = parcel_end(&p, &bytes, size) && ok;
    free(result);
    if (ok)
        return bytes;
    free(bytes);
    return NULL;
}

/* On a worker thread. */
static void finish_frame(const frames_member *m, frame *f)
{
    frames_work *w = m->work;
    uint64_t mark = (uint64_t)f->index + 1;
    penta_io_error error = {""};
    void *files = NULL, *row;
    size_t files_size = 0, size = 0;

    if (!f->user && !f->error.text[0]) /* it has not run, or another one before it has failed */
        return;
    penta_io_run_mark(mark);
    if (f->user)
        (void)(w->task->write(w->run, f, &error) && penta_io_run_take(w->job->run, mark, &files, &files_size, &error));
    penta_io_run_mark(0);
    row = make_row(w, f, error.text, files, files_size, &size);
    if (!row)
        penta_io_run_discard(files, files_size);
    rows_put(m->rows, f->index, row, size);
    free(files);
    if (f->user)
        frames_work_drop(w, f);
}

/* ---- at a member ---- */

static void promise_frames(void *user, size_t member, size_t first, size_t n)
{
    const shared_run *r = user;

    frame_stream_assign(r->w->members[member].stream, first, n);
}

/* Of frames that were computed the first that did not run. */
static size_t find_failed(const frames_work *w, size_t n, frame **frames)
{
    size_t i = 0;

    while (i + 1 < n && (frames[i]->user || frames[i]->error.text[0]))
        i++;
    if (frames[i]->user)
        frames_work_drop(w, frames[i]);
    return frames[i]->index;
}

/* Runs what is decoded; files are written while more is. */
static int run_some(const frames_work *w, size_t member, size_t most, frame **frames, size_t *got, size_t *failed)
{
    frame_stream *stream = w->members[member].stream;
    int code;

    *got = frame_stream_next(stream, most, frames);
    if (*got == 0)
        return cli_fail(w->job->command, CLI_ERROR, "frames were not decoded");
    code = w->task->compute(w->run, member, *got, frames);
    if (code != CLI_OK)
        *failed = find_failed(w, *got, frames);
    for (size_t i = 0; i < *got; i++)
        frame_stream_finish(stream, frames[i]);
    return code;
}

static int run_frames(void *user, rows *of, size_t first, size_t n, size_t *failed)
{
    frames_work *w = ((shared_run *)user)->w;
    size_t member = rows_member(of), got;
    frame **frames = calloc(n, sizeof *frames);
    int code = frames ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory");

    pthread_mutex_lock(&w->lock);
    if (w->members[member].rows != of) { /* frames of earlier slices may be finishing, which read it */
        w->members[member].rows = of;
        w->members[member].finish = finish_frame;
    }
    pthread_mutex_unlock(&w->lock);
    for (size_t done = 0; code == CLI_OK && done < n; done += got) {
        *failed = first + done;
        code = run_some(w, member, n - done, frames, &got, failed);
    }
    free(frames);
    return code;
}

static void finish_frames(void *user, size_t member)
{
    frames_member *m = &((shared_run *)user)->w->members[member];

    frame_stream_close(m->stream);
    m->stream = NULL;
}

/* Rank 0 has the names of its files. Before, they are this member's, and are removed when it ends. */
static void let_go(void *user, size_t item, size_t taken)
{
    (void)taken;
    penta_io_run_let_go(((shared_run *)user)->w->job->run, (uint64_t)item + 1);
}

/* ---- at rank 0 ---- */

/* Of a frame that was accepted: its files are those of the run. */
static bool keep_frame(frames_work *w, frame *f, frame_row *row, penta_io_error *err)
{
    if (w->record)
        frames_record_put(w, f->index, frames_record_entry(w, f, row->files, row->files_size));
    return (!w->task->keep || w->task->keep(w->run, f, err)) &&
           penta_io_run_give(w->job->run, row->files, row->files_size, err);
}

/* An exit code; *kept: the files are those of the run. */
static int accept_row(frames_work *w, size_t index, frame_row *row, bool *kept)
{
    frame f = {.source = &w->list->sources[index],
               .index = index,
               .nan_pixels = (size_t)row->head.nan_pixels,
               .places = (size_t)row->head.places};
    frame *one = &f;
    penta_io_error error = {""};
    int code;

    snprintf(f.error.text, sizeof f.error.text, "%s", row->unfit);
    if (row->head.has_result && !w->task->unpack(w->run, &f, row->result, row->result_size))
        return cli_fail(w->job->command, CLI_ERROR, "out of memory");
    code = frames_work_accept(w, 1, &one, CLI_OK);
    if (!f.user)
        return code;
    *kept = keep_frame(w, &f, row, &error);
    if (!*kept)
        w->finish_error = error;
    frames_work_drop(w, &f);
    return code;
}

static bool take_frame(void *user, size_t index, size_t rank, parcel_reader *p)
{
    shared_run *r = user;
    frames_work *w = r->w;
    frame_row row = get_row(p);
    bool kept = false;

    if (!p->ok)
        r->code = cli_fail(w->job->command, CLI_ERROR, "out of memory");
    else if (*row.error)
        snprintf(w->finish_error.text, sizeof w->finish_error.text, "%s", row.error);
    else
        r->code = accept_row(w, index, &row, &kept);
    if (!kept)
        penta_io_run_discard(row.files, row.files_size);
    free_row(&row);
    w->done++;
    w->job->shares[rank]++;
    if (r->code == CLI_OK && !frames_work_failed(w))
        frames_record_shared(w, 1);
    progress_update(&w->bar, (double)w->done, (double)w->list->count);
    if (r->code == CLI_OK && !frames_work_failed(w) && cli_interrupted() && w->done < w->list->count)
        r->code = frames_work_interrupted(w);
    return r->code == CLI_OK && !frames_work_failed(w);
}

static void drop_frame(void *user, size_t index, parcel_reader *p)
{
    frame_row row = get_row(p);

    (void)user, (void)index;
    penta_io_run_discard(row.files, row.files_size);
    free_row(&row);
}

static void note_lost(void *user, size_t item)
{
    shared_run *r = user;

    (void)item;
    r->code = frames_work_interrupted(r->w);
}

/* ---- what rank 0 tells the others before ---- */

/* The plan follows. */
typedef struct {
    uint64_t done, slots, batch;
} share_head;

static bool put_share(frames_work *w, void **bytes, size_t *size)
{
    const share_head h = {w->done, w->slots, w->batch};
    parcel p;
    bool ok = true;

    parcel_begin(&p);
    parcel_put(p.out, &h, sizeof h);
    if (p.out && w->done < w->list->count)
        ok = w->task->pack_plan(w->run, p.out);
    return parcel_end(&p, bytes, size) && ok;
}

/* At the other ranks. */
static int get_share(frames_work *w, const void *bytes, size_t size)
{
    share_head h;

    memcpy(&h, bytes, sizeof h);
    w->done = (size_t)h.done;
    w->slots = (size_t)h.slots;
    w->batch = (size_t)h.batch;
    if (w->done == w->list->count)
        return CLI_OK;
    if (frames_work_open_streams(w) != CLI_OK)
        return CLI_ERROR;
    return w->task->unpack_plan(w->run, (const char *)bytes + sizeof h, size - sizeof h);
}

/* An exit code, the same on all. */
static int tell_plan(frames_work *w)
{
    bool first = ranks_rank() == 0, ok;
    void *mine = NULL, *all = NULL;
    size_t size = 0, *sizes = calloc(ranks_size(), sizeof *sizes);
    int code;

    ok = sizes && (!first || put_share(w, &mine, &size));
    code = ranks_exchange(ok ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory"), mine, size, &all, sizes);
    if (code == CLI_OK && !first)
        code = get_share(w, all, sizes[0]);
    free(all);
    free(sizes);
    free(mine);
    return ranks_agree(code);
}

/* ---- all of them ---- */

static size_t slice_size(const frames_work *w)
{
    size_t slices = SLICES_EACH * w->job->workers, size = (w->list->count - w->done + slices - 1) / slices;
    size_t most = w->slots / 3 < w->batch ? w->slots / 3 : w->batch;

    size = size < most ? size : most;
    return size > 0 ? size : 1;
}

static int share_rest(frames_work *w)
{
    shared_run r = {.w = w};
    int code = ranks_size() > 1 ? tell_plan(w) : CLI_OK;
    rows_task task = {.command = w->job->command,
                      .begin = w->done,
                      .end = w->list->count,
                      .user = &r,
                      .promise = promise_frames,
                      .work = run_frames,
                      .finish = finish_frames,
                      .received = let_go,
                      .take = take_frame,
                      .drop = drop_frame,
                      .lost = note_lost};

    if (code != CLI_OK || w->done == w->list->count)
        return code;
    task.slice = slice_size(w);
    pthread_mutex_lock(&w->lock);
    w->shared_from = w->done;
    pthread_mutex_unlock(&w->lock);
    code = rows_run_job(w->job->members, &task);
    return r.code != CLI_OK ? r.code : code;
}

/* A signal may mean that a rank is gone, and of frames in order none has anything to bring. */
static int agree(const frames_work *w, int code)
{
    if (w->in_order && code != CLI_OK && cli_interrupted())
        ranks_give_up();
    return ranks_agree(code);
}

int frames_work_share(frames_work *w, int code)
{
    bool failed = code == CLI_OK && frames_work_failed(w);

    code = agree(w, failed ? CLI_ERROR : code);
    if (code != CLI_OK)
        return failed ? CLI_OK : code; /* of rank 0, which says it last */
    if (!w->in_order)
        code = share_rest(w);
    return ranks_size() > 1 ? ranks_exchange_seconds(code, penta_profile_seconds(w->job->ctx, true, false)) : code;
}
