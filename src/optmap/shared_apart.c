/*
 * Members of different processes: rank 0 sends each of the others its rows of the movie, and gets rows of results.
 * Messages are of some frames, or rows of shifts, so that beside the movie and the results no more than one is in
 * memory.
 */
#include <stdlib.h>
#include <string.h>

#include "core/group.h"
#include "optmap/shared.h"

static const size_t message_bytes = (size_t)32 << 20; /* about */

/* What another member than rank 0 has of the movie and of the results. */
typedef struct {
    optmap_shared *s;
    optmap_part part;
    penta_movie movie;
    const void **frames; /* of both cameras */
    char *pixels;
    uint8_t *mask;
    penta_optmap_result result;
} own_rows;

static size_t per_message(size_t each, size_t count)
{
    size_t n = each > 0 && each < message_bytes ? message_bytes / each : 1;

    return n < count ? n : count;
}

/* ---- messages ---- */

static penta_status send(const optmap_shared *s, size_t to, const void *data, size_t bytes)
{
    return penta_explain(s->plan->resources.ctx, penta_group_send(s->group, to, PENTA_CHANNEL_EXCHANGE, data, bytes));
}

/* The next message, which is of so many bytes; freed by the caller. */
static penta_status receive(const optmap_shared *s, size_t from, size_t bytes, void **out)
{
    penta_status status = PENTA_OK;
    penta_message m = {0};

    *out = NULL;
    TRY(penta_explain(s->plan->resources.ctx, penta_group_receive(s->group, (int)from, PENTA_CHANNEL_EXCHANGE, &m)));
    if (m.bytes != bytes) {
        free(m.data);
        return penta_fail(s->plan->resources.ctx, PENTA_INVALID, "member %zu sent %zu bytes, not %zu", from, m.bytes,
                          bytes);
    }
    *out = m.data;
cleanup:
    return status;
}

static penta_status receive_into(const optmap_shared *s, size_t from, void *to, size_t bytes)
{
    void *data;
    penta_status status = receive(s, from, bytes, &data);

    if (status == PENTA_OK && bytes > 0)
        memcpy(to, data, bytes);
    free(data);
    return status;
}

/* ---- the movie, from rank 0 ---- */

static size_t row_bytes(const optmap_shared *s)
{
    return s->plan->shape.width * penta_type_size(s->type);
}

/* room: for a message. */
static penta_status send_frames(const optmap_shared *s, size_t to, const void *const *frames, char *room)
{
    penta_status status = PENTA_OK;
    const optmap_part p = optmap_part_of(s, to);
    size_t each = (p.end - p.begin) * row_bytes(s), skip = p.begin * row_bytes(s), all = s->plan->shape.frames, n;

    for (size_t f = 0; f < all; f += n) {
        n = per_message(each, all - f);
        for (size_t k = 0; k < n; k++)
            memcpy(room + k * each, (const char *)frames[f + k] + skip, each);
        TRY(send(s, to, room, n * each));
    }
cleanup:
    return status;
}

static penta_status send_movie(const optmap_shared *s, char *room)
{
    penta_status status = PENTA_OK;
    size_t width = s->plan->shape.width;

    for (size_t m = 1; m < s->members; m++) {
        const optmap_part p = optmap_part_of(s, m);

        if (p.from == p.to)
            continue;
        TRY(send_frames(s, m, s->movie->frames, room));
        if (s->under)
            TRY(send_frames(s, m, s->movie->under, room));
        if (s->mask)
            TRY(send(s, m, s->movie->mask + p.begin * width, (p.end - p.begin) * width));
    }
cleanup:
    return status;
}

static penta_status receive_movie(own_rows *o)
{
    penta_status status = PENTA_OK;
    const optmap_shared *s = o->s;
    size_t rows = o->part.end - o->part.begin, each = rows * row_bytes(s), all = s->plan->shape.frames, n;

    for (size_t camera = 0; camera < 1 + (size_t)s->under; camera++)
        for (size_t f = 0; f < all; f += n) {
            n = per_message(each, all - f);
            TRY(receive_into(s, 0, o->pixels + (camera * all + f) * each, n * each));
        }
    if (s->mask)
        TRY(receive_into(s, 0, o->mask, rows * s->plan->shape.width));
cleanup:
    return status;
}

/* ---- results, to rank 0 ---- */

/* Rows of a member of a movie of results, `frames` frames; at rank 0 they go into `whole`. */
static penta_status send_result(const own_rows *o, const float *rows, size_t frames)
{
    penta_status status = PENTA_OK;
    size_t pixels = (o->part.to - o->part.from) * o->s->plan->shape.width, each = pixels * sizeof *rows, n;

    for (size_t f = 0; f < frames; f += n) {
        n = per_message(each, frames - f);
        TRY(send(o->s, 0, rows + f * pixels, n * each));
    }
cleanup:
    return status;
}

static penta_status receive_result(const optmap_shared *s, size_t from, float *whole, size_t frames)
{
    penta_status status = PENTA_OK;
    const optmap_part p = optmap_part_of(s, from);
    size_t width = s->plan->shape.width, pixels = (p.to - p.from) * width, each = pixels * sizeof *whole, n;
    void *data;

    for (size_t f = 0; f < frames; f += n) {
        n = per_message(each, frames - f);
        TRY(receive(s, from, n * each, &data));
        for (size_t k = 0; k < n; k++)
            memcpy(whole + (f + k) * s->plan->shape.height * width + p.from * width, (float *)data + k * pixels, each);
        free(data);
    }
cleanup:
    return status;
}

static size_t shifts_of_row(const optmap_shared *s)
{
    size_t window = (size_t)s->plan->options.window;

    return s->plan->shape.width * window * window;
}

/* out: also at the member that sends, what it has of the array. */
static penta_status pass_shifts(const optmap_shared *s, size_t member, int32_t *rows)
{
    penta_status status = PENTA_OK;
    const optmap_part p = optmap_part_of(s, member);
    size_t each = shifts_of_row(s) * sizeof *rows, all = p.to - p.from, n;

    for (size_t y = 0; y < all; y += n) {
        int32_t *at = rows + y * shifts_of_row(s);

        n = per_message(each, all - y);
        TRY(s->rank == 0 ? receive_into(s, member, at, n * each) : send(s, 0, at, n * each));
    }
cleanup:
    return status;
}

static penta_status send_results(const own_rows *o)
{
    penta_status status = PENTA_OK;
    optmap_shared *s = o->s;
    const penta_optmap_result *r = &o->result;

    if (s->filtered)
        TRY(send_result(o, r->filtered, optmap_out_frames(&s->plan->shape)));
    if (s->traces)
        TRY(send_result(o, r->traces, s->plan->shape.frames));
    if (s->shifts)
        TRY(pass_shifts(s, s->rank, r->shifts));
    if (s->valid)
        TRY(send(s, 0, r->valid, (o->part.to - o->part.from) * s->plan->shape.width));
cleanup:
    return status;
}

static penta_status receive_results(const optmap_shared *s)
{
    penta_status status = PENTA_OK;
    size_t width = s->plan->shape.width;

    for (size_t m = 1; m < s->members; m++) {
        const optmap_part p = optmap_part_of(s, m);

        if (p.from == p.to)
            continue;
        if (s->filtered)
            TRY(receive_result(s, m, s->result->filtered, optmap_out_frames(&s->plan->shape)));
        if (s->traces)
            TRY(receive_result(s, m, s->result->traces, s->plan->shape.frames));
        if (s->shifts)
            TRY(pass_shifts(s, m, s->result->shifts + p.from * shifts_of_row(s)));
        if (s->valid)
            TRY(receive_into(s, m, s->result->valid + p.from * width, (p.to - p.from) * width));
    }
cleanup:
    return status;
}

/* ---- memory of other members ---- */

static penta_status make_results(own_rows *o)
{
    penta_status status = PENTA_OK;
    const optmap_shared *s = o->s;
    penta_context *ctx = s->plan->resources.ctx;
    size_t pixels = (o->part.to - o->part.from) * s->plan->shape.width;
    penta_optmap_result *r = &o->result;

    if (s->filtered)
        TRY(penta_calloc(ctx, pixels * optmap_out_frames(&s->plan->shape), sizeof *r->filtered, &r->filtered));
    if (s->traces)
        TRY(penta_calloc(ctx, pixels * s->plan->shape.frames, sizeof *r->traces, &r->traces));
    if (s->shifts)
        TRY(penta_calloc(ctx, (o->part.to - o->part.from) * shifts_of_row(s), sizeof *r->shifts, &r->shifts));
    if (s->valid)
        TRY(penta_calloc(ctx, pixels, sizeof *r->valid, &r->valid));
cleanup:
    return status;
}

static penta_status make_own(own_rows *o)
{
    penta_status status = PENTA_OK;
    const optmap_shared *s = o->s;
    penta_context *ctx = s->plan->resources.ctx;
    size_t rows = o->part.end - o->part.begin, all = s->plan->shape.frames * (1 + (size_t)s->under);

    TRY(penta_calloc(ctx, all, rows * row_bytes(s), &o->pixels));
    TRY(penta_calloc(ctx, all, sizeof *o->frames, &o->frames));
    TRY(penta_calloc(ctx, rows, s->plan->shape.width, &o->mask));
    for (size_t f = 0; f < all; f++)
        o->frames[f] = o->pixels + f * rows * row_bytes(s);
    o->movie = (penta_movie){.type = s->type,
                             .frames = o->frames,
                             .under = s->under ? o->frames + s->plan->shape.frames : NULL,
                             .mask = s->mask ? o->mask : NULL};
    TRY(make_results(o));
cleanup:
    return status;
}

static void free_own(own_rows *o)
{
    free(o->pixels);
    free(o->frames);
    free(o->mask);
    free(o->result.filtered);
    free(o->result.traces);
    free(o->result.shifts);
    free(o->result.valid);
}

/* ---- both sides ---- */

static size_t most_room(const optmap_shared *s)
{
    size_t most = message_bytes;

    for (size_t m = 1; m < s->members; m++) {
        const optmap_part p = optmap_part_of(s, m);
        size_t each = (p.end - p.begin) * row_bytes(s);

        most = each > most ? each : most;
    }
    return most;
}

static penta_status lead(optmap_shared *s, optmap_count *count, size_t *batches)
{
    penta_status status = PENTA_OK, own;
    penta_context *ctx = s->plan->resources.ctx;
    char *room = NULL;

    own = penta_calloc(ctx, most_room(s), 1, &room);
    TRY(penta_group_agree(s->group, ctx, own));
    TRY(send_movie(s, room));
    free(room);
    room = NULL;
    TRY(optmap_shared_here(s, count, batches));
    TRY(receive_results(s));
cleanup:
    free(room);
    return status;
}

static penta_status follow(own_rows *o, optmap_count *count, size_t *batches)
{
    penta_status status = PENTA_OK, own = PENTA_OK;
    optmap_shared *s = o->s;
    penta_context *ctx = s->plan->resources.ctx;
    bool any = o->part.from < o->part.to;
    const optmap_rows rows = {.from = o->part.from,
                              .to = o->part.to,
                              .movie_first = o->part.begin,
                              .first = o->part.from,
                              .held = o->part.to - o->part.from};

    TRY(penta_group_agree(s->group, ctx, any ? make_own(o) : PENTA_OK));
    if (any) {
        TRY(receive_movie(o));
        own = optmap_run_rows(s->plan, &o->movie, &rows, &o->result, count);
        *batches = o->result.batches;
    }
    TRY(penta_group_agree(s->group, ctx, own));
    if (any)
        TRY(send_results(o));
cleanup:
    return status;
}

penta_status optmap_shared_apart(optmap_shared *s, optmap_count *count, size_t *batches)
{
    own_rows o = {.s = s, .part = optmap_part_of(s, s->rank)};
    penta_status status = s->rank == 0 ? lead(s, count, batches) : follow(&o, count, batches);

    free_own(&o);
    return status;
}
