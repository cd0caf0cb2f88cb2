/*
 * The ranks of a job run the frames of a list. Each writes the files of its frames into the directory, where they wait
 * under temporary names; rank 0 is told where, and what it needs for tables and pictures, accepts the frames in order,
 * and commits all files together.
 */
#define _POSIX_C_SOURCE 200809L
#include "shared/frames_work.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>

#include "shared/frames_packed.h"
#include "shared/parcel.h"
#include "shared/ranks.h"

enum { TEXT = sizeof((penta_io_error){""}.text) }; /* bytes of an error text */

typedef struct {
    frames_work *w;
    frames_pieces pieces;
    int code;
    double interrupted; /* for ranks_lose_patience */
} ranks_run;

/* ---- pieces: work ---- */

/* What there is of a frame besides its files and its result. */
typedef struct {
    uint64_t nan_pixels, places;
    char unfit[TEXT]; /* why it could not run */
} ran_frame;

/* Frames of a piece that ran. */
typedef struct {
    size_t first, count;
    int code;
    char error[TEXT]; /* said where code is one */
    ran_frame frames[];
} ran_piece;

static void promise_piece(void *member, size_t piece)
{
    const ranks_run *r = member;

    frame_stream_assign(r->w->stream, frames_pieces_first(&r->pieces, piece), frames_pieces_length(&r->pieces, piece));
}

/* Runs what is decoded of a piece; files are written while more is. */
static void run_some(const ranks_run *r, ran_piece *p, size_t length, frame **frames)
{
    frames_work *w = r->w;
    size_t got = frame_stream_next(w->stream, length - p->count, frames);

    p->code = got > 0 ? w->task->compute(w->run, 0, got, frames)
                      : cli_fail(w->job->command, CLI_ERROR, "frames were not decoded");
    for (size_t i = 0; i < got; i++) {
        ran_frame *ran = &p->frames[p->count + i];

        *ran = (ran_frame){.nan_pixels = frames[i]->nan_pixels, .places = frames[i]->places};
        snprintf(ran->unfit, sizeof ran->unfit, "%s", frames[i]->error.text);
        frame_stream_finish(w->stream, frames[i]);
    }
    p->count += got;
}

static penta_status run_piece(void *member, size_t piece, void **result)
{
    const ranks_run *r = member;
    size_t length = frames_pieces_length(&r->pieces, piece);
    frame **frames = calloc(length, sizeof *frames);
    ran_piece *p = calloc(1, sizeof *p + length * sizeof *p->frames);

    if (!frames || !p) {
        free(frames);
        free(p);
        return PENTA_MEMORY;
    }
    p->first = frames_pieces_first(&r->pieces, piece);
    while (p->code == CLI_OK && p->count < length)
        run_some(r, p, length, frames);
    if (p->code != CLI_OK && messages_last(MESSAGE_ERROR))
        snprintf(p->error, sizeof p->error, "%s", messages_last(MESSAGE_ERROR));
    free(frames);
    *result = p;
    return PENTA_OK;
}

/* ---- pieces: bytes ---- */

typedef struct {
    int32_t code;
    char error[TEXT];
    uint64_t count;
} piece_head;

typedef struct {
    ran_frame ran;
    uint64_t files_size, result_size;
    char error[TEXT];
    uint8_t has_result;
} frame_head;

static bool put_frame(FILE *out, const ran_piece *p, size_t i, const packed_frame *of)
{
    frame_head h = {.ran = p->frames[i],
                    .files_size = of->files_size,
                    .result_size = of->result_size,
                    .has_result = of->result != NULL};

    snprintf(h.error, sizeof h.error, "%s", of->error.text);
    parcel_put(out, &h, sizeof h);
    parcel_put(out, of->files, of->files_size);
    parcel_put(out, of->result, of->result_size);
    return !ferror(out);
}

static penta_status pack_piece(void *member, size_t piece, void *result, void **bytes, size_t *size)
{
    const ranks_run *r = member;
    ran_piece *p = result;
    piece_head h = {.code = p->code, .count = p->count};
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    bool ok = out != NULL;

    (void)piece;
    snprintf(h.error, sizeof h.error, "%s", p->error);
    ok = ok && fwrite(&h, sizeof h, 1, out) == 1;
    for (size_t i = 0; i < p->count; i++) {
        packed_frame of = frames_packed_wait(r->w, p->first + i);

        ok = ok && put_frame(out, p, i, &of);
        if (!ok)
            penta_io_run_discard(of.files, of.files_size);
        free(of.files);
        free(of.result);
    }
    ok = out && fclose(out) == 0 && ok;
    free(p);
    *bytes = text;
    return ok ? PENTA_OK : PENTA_MEMORY;
}

/* Rank 0 has the names of its files. Before, they are this rank's, and are removed when it ends. */
static void settle_piece(void *member, size_t piece)
{
    const ranks_run *r = member;
    size_t first = frames_pieces_first(&r->pieces, piece), count = frames_pieces_length(&r->pieces, piece);

    for (size_t i = 0; i < count; i++)
        penta_io_run_let_go(r->w->job->run, (uint64_t)(first + i) + 1);
}

/* ---- pieces at rank 0 ---- */

typedef struct {
    frame frame;
    char error[TEXT]; /* of writing */
    void *files;
    size_t files_size;
} came_frame;

typedef struct {
    int code;
    char error[TEXT];
    size_t count;
    came_frame frames[];
} came_piece;

static void drop_piece(void *user, void *result)
{
    const ranks_run *r = user;
    came_piece *p = result;

    for (size_t i = 0; i < p->count; i++) {
        if (p->frames[i].frame.user)
            frames_work_drop(r->w, &p->frames[i].frame);
        penta_io_run_discard(p->frames[i].files, p->frames[i].files_size);
        free(p->frames[i].files);
    }
    free(p);
}

/* The frame that the bytes begin with; false: out of memory. */
static bool get_frame(const frames_work *w, size_t index, came_frame *f, const char **at)
{
    frame_head h;
    bool ok;

    memcpy(&h, *at, sizeof h);
    *at += sizeof h;
    f->frame = (frame){.source = &w->list->sources[index],
                       .index = index,
                       .nan_pixels = (size_t)h.ran.nan_pixels,
                       .places = (size_t)h.ran.places};
    snprintf(f->frame.error.text, sizeof f->frame.error.text, "%s", h.ran.unfit);
    snprintf(f->error, sizeof f->error, "%s", h.error);
    f->files = malloc((size_t)h.files_size + 1);
    ok = f->files != NULL;
    if (ok)
        memcpy(f->files, *at, (size_t)h.files_size);
    f->files_size = ok ? (size_t)h.files_size : 0;
    *at += h.files_size;
    ok = ok && (!h.has_result || w->task->unpack(w->run, &f->frame, *at, (size_t)h.result_size));
    *at += h.result_size;
    return ok;
}

static penta_status unpack_piece(void *user, size_t piece, const void *bytes, size_t size, void **result)
{
    const ranks_run *r = user;
    const char *at = bytes;
    piece_head h;
    came_piece *p;
    bool ok = true;

    (void)size;
    memcpy(&h, at, sizeof h);
    at += sizeof h;
    p = calloc(1, sizeof *p + (size_t)h.count * sizeof *p->frames);
    if (!p)
        return PENTA_MEMORY;
    p->code = h.code;
    snprintf(p->error, sizeof p->error, "%s", h.error);
    for (; ok && p->count < h.count; p->count++)
        ok = get_frame(r->w, frames_pieces_first(&r->pieces, piece) + p->count, &p->frames[p->count], &at);
    if (!ok) {
        drop_piece(user, p);
        return PENTA_MEMORY;
    }
    *result = p;
    return PENTA_OK;
}

/* Of a frame that was accepted: its files are those of the run. */
static bool keep_frame(frames_work *w, came_frame *f, penta_io_error *err)
{
    bool ok = !f->error[0] || penta_io_fail(err, "%s", f->error);

    if (ok && w->record)
        frames_record_put(w, f->frame.index, frames_record_entry(w, &f->frame, f->files, f->files_size));
    ok = ok && (!w->task->keep || w->task->keep(w->run, &f->frame, err)) &&
         penta_io_run_give(w->job->run, f->files, f->files_size, err);
    if (ok)
        f->files_size = 0;
    frames_work_drop(w, &f->frame);
    return ok;
}

static void keep_frames(frames_work *w, came_piece *p)
{
    for (size_t i = 0; i < p->count; i++) {
        penta_io_error error = {""};

        if (p->frames[i].frame.user && !keep_frame(w, &p->frames[i], &error) && !w->finish_error.text[0])
            w->finish_error = error;
    }
}

static int accept_piece(frames_work *w, size_t rank, came_piece *p, frame **frames)
{
    int accepted;

    for (size_t i = 0; i < p->count; i++)
        if (p->frames[i].error[0] && !frames[i]->user) /* so that it counts as one that ran */
            snprintf(w->finish_error.text, sizeof w->finish_error.text, "%s", p->frames[i].error);
    accepted = frames_work_accept(w, p->count, frames, p->code);
    if (accepted == p->code && p->code != CLI_OK && rank > 0)
        cli_fail(w->job->command, p->code, "rank %zu (%s): %s", rank, ranks_places()[rank].host, p->error);
    return accepted;
}

static int take_frames(ranks_run *r, size_t rank, came_piece *p)
{
    frames_work *w = r->w;
    frame **frames = calloc(p->count + 1, sizeof *frames);

    if (!frames)
        return cli_fail(w->job->command, CLI_ERROR, "out of memory");
    for (size_t i = 0; i < p->count; i++)
        frames[i] = &p->frames[i].frame;
    r->code = accept_piece(w, rank, p, frames);
    keep_frames(w, p);
    w->done += p->count;
    w->job->shares[rank] += p->count;
    if (r->code == CLI_OK && !frames_work_failed(w))
        frames_record_shared(w, p->count);
    free(frames);
    return r->code;
}

/* Another status than PENTA_OK ends the run; its exit code is in the run. */
static penta_status take_piece(void *user, size_t piece, size_t rank, void *result)
{
    ranks_run *r = user;
    frames_work *w = r->w;
    came_piece *p = result;

    (void)piece;
    r->code = take_frames(r, rank, p);
    drop_piece(r, p);
    progress_update(&w->bar, (double)w->done, (double)w->list->count);
    if (r->code == CLI_OK && !frames_work_failed(w) && cli_interrupted() && w->done < w->list->count)
        r->code = frames_work_interrupted(w);
    return r->code == CLI_OK && !frames_work_failed(w) ? PENTA_OK : PENTA_CANCELLED;
}

static penta_status look_for_signal(void *user)
{
    ranks_run *r = user;

    if (!ranks_lose_patience(&r->interrupted))
        return PENTA_OK;
    if (r->code == CLI_OK)
        r->code = frames_work_interrupted(r->w);
    return PENTA_CANCELLED;
}

/* ---- all ranks ---- */

static int hand_out(frames_work *w, ranks_run *r)
{
    penta_hand_out h;
    penta_status status;

    penta_hand_out_init(&h);
    h.count = r->pieces.count;
    h.member = h.user = r;
    h.promise = promise_piece;
    h.work = run_piece;
    h.take = take_piece;
    h.drop = drop_piece;
    h.pack = pack_piece;
    h.unpack = unpack_piece;
    h.poll = look_for_signal;
    h.received = settle_piece;
    status = penta_group_hand_out(ranks_group(), &h);
    if (status == PENTA_OK || status == PENTA_CANCELLED || r->code != CLI_OK)
        return r->code;
    return ranks_rank() == 0 ? cli_fail_library(w->job->command, NULL, w->job->common.verbose) : CLI_OK;
}

static int share_rest(frames_work *w)
{
    ranks_run r = {.w = w};
    int code = frames_work_tell_plan(w);

    if (code != CLI_OK || w->done == w->list->count)
        return code;
    code = frames_packed_begin(w);
    if (code != CLI_OK)
        return code;
    r.pieces = frames_work_pieces(w, ranks_size());
    return hand_out(w, &r);
}

int frames_work_share_ranks(frames_work *w, int code)
{
    int before = code;

    if (w->in_order && code != CLI_OK && cli_interrupted())
        ranks_give_up(); /* a signal may mean that a rank is gone, and none of them has anything to bring */
    code = ranks_agree(code != CLI_OK ? code : frames_work_failed(w) ? CLI_ERROR : CLI_OK);
    if (code != CLI_OK)
        return ranks_rank() == 0 && before == CLI_OK && frames_work_failed(w) ? CLI_OK : code;
    if (!w->in_order)
        code = share_rest(w);
    return ranks_exchange_seconds(code, penta_profile_seconds(w->job->ctx, true, false));
}
