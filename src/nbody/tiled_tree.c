/*
 * Forces of which each pair is computed once, shared by a group. Each member adds what bodies receive from its parts of
 * the blocks, as branches of a tree over all parts; of some bodies it gets the branches of all others, adds them up by
 * the tree, and sends the sum to all. Of two members each does so for all bodies, which takes one exchange instead of
 * two. So sums do not depend on who has which parts. Within one machine branches are not copied: a message tells where
 * in the owner's memory (core/window.h) they are. That has two halves, for every other step: who has sent the message
 * of the next step has read those of this one, so its copies need not have ended when all go on.
 */
#include <stdlib.h>
#include <string.h>

#include "core/group.h"
#include "nbody/tiled.h"

enum { HEAD = NBODY_SHARE_HEAD };

/* ---- the tree ---- */

nbody_part nbody_pairs_parts(const nbody_pairs *p, const nbody_share *share, size_t rank)
{
    return share ? nbody_share_part_of(share, rank, p->parts, 1) : (nbody_part){0, p->parts};
}

size_t nbody_branch_size(size_t begin, size_t end, size_t most)
{
    size_t size = most;

    while (begin % size != 0 || begin + size > end)
        size /= 2;
    return size;
}

penta_status nbody_branches_add(nbody_branches *b, size_t begin, size_t size,
                                penta_status (*merge)(void *data, size_t first, size_t second), void *data)
{
    penta_status status = PENTA_OK;
    size_t last = b->count++;

    b->of[last].begin = begin;
    b->of[last].size = size;
    for (; last > 0 && b->of[last - 1].size == b->of[last].size && b->of[last - 1].begin % (2 * b->of[last].size) == 0;
         last--) {
        if (merge)
            TRY(merge(data, last - 1, last));
        b->of[last - 1].size *= 2;
        b->count--;
    }
cleanup:
    return status;
}

/* Those that a member has in the end. */
static nbody_branches branches_of(const nbody_pairs *p, size_t rank)
{
    nbody_part parts = nbody_pairs_parts(p, p->shape.share, rank);
    nbody_branches b = {.count = 0};

    for (size_t size, at = parts.first; at < parts.first + parts.count; at += size) {
        size = nbody_branch_size(at, parts.first + parts.count, p->parts);
        nbody_branches_add(&b, at, size, NULL, NULL);
    }
    return b;
}

/* ---- what a group takes ---- */

/* Whether every member adds up all bodies. */
static bool adds_all(const nbody_pairs *p)
{
    return p->shape.share->size <= 2;
}

/* Of the numbers of a root those that a member adds up: whole blocks. */
static nbody_part numbers_of(const nbody_pairs *p, size_t rank)
{
    if (adds_all(p))
        return (nbody_part){0, nbody_pairs_length(p)};
    return nbody_share_part_of(p->shape.share, rank, nbody_pairs_length(p), 3 * p->side);
}

/* The table of nbody_pairs_combine: three numbers a branch. */
static penta_status make_table(penta_resources *owner, nbody_pairs *p, size_t *others)
{
    penta_status status = PENTA_OK;
    const nbody_share *share = p->shape.share;
    int32_t *table = NULL, *row;

    *others = 0;
    TRY(penta_calloc(p->ctx, 3 * p->parts, sizeof *table, &table));
    row = table;
    for (size_t rank = 0; rank < share->size; rank++) {
        nbody_branches b = branches_of(p, rank);

        for (size_t k = 0; k < b.count; k++, row += 3) {
            row[0] = (int32_t)b.of[k].begin;
            row[1] = (int32_t)b.of[k].size;
            row[2] = rank == share->rank ? (int32_t)k : -1 - (int32_t)(*others)++;
        }
    }
    p->branches = (size_t)(row - table) / 3;
    TRY(penta_buffer_upload(owner, table, 3 * p->parts * sizeof *table, &p->table));
cleanup:
    free(table);
    return status;
}

static void close_window(nbody_pairs *p)
{
    penta_window_close(&p->window);
}

penta_status nbody_pairs_join(penta_resources *owner, nbody_pairs *p)
{
    penta_status status = PENTA_OK;
    const nbody_share *share = p->shape.share;
    size_t length = nbody_pairs_length(p), others, bytes;

    TRY(make_table(owner, p, &others));
    TRY(penta_size(p->ctx, others, numbers_of(p, share->rank).count, sizeof(double), &bytes));
    TRY(penta_buffer_create(owner, bytes, &p->others));
    penta_buffer_put_in_line(&p->others);
    TRY(penta_own_struct(owner, p, close_window));
    if (adds_all(p))
        return PENTA_OK;
    TRY(penta_size(p->ctx, 1, length, sizeof(double), &bytes));
    TRY(penta_buffer_create(owner, bytes, &p->result));
    penta_buffer_put_in_line(&p->result);
    TRY(penta_resources_pinned(owner, HEAD + bytes, &p->sums));
cleanup:
    return status;
}

/* Every member. */
static penta_status open_window(nbody_pairs *p)
{
    penta_status status = PENTA_OK;
    const nbody_share *share = p->shape.share;
    size_t roots, heads = NBODY_SHARE_TEXT + share->size * 2 * HEAD;

    TRY(penta_size(p->ctx, branches_of(p, share->rank).count, nbody_pairs_length(p), sizeof(double), &roots));
    p->half = heads + roots;
    TRY(penta_window_open(p->ctx, share->group, 2 * p->half, &p->window));
cleanup:
    return status;
}

/* ---- messages: a status, then roots, or to those who see this member's memory where they begin there ---- */

/* Reads this member's roots of the bodies that another adds up to `to`. */
static penta_status read_roots(nbody_pairs *p, nbody_part part, size_t branches, char *to)
{
    penta_status status = PENTA_OK;
    size_t each = part.count * sizeof(double), length = nbody_pairs_length(p);

    for (size_t k = 0; k < branches && each > 0; k++)
        TRY(penta_buffer_read(&p->roots, (k * length + part.first) * sizeof(double), to + k * each, each));
cleanup:
    return status;
}

/* Messages to all others, in the window; given: what this member did. To each two heads, then its roots: before these
 * either the status, or the status and their place. */
static void write_messages(nbody_pairs *p, penta_status given, char **messages, size_t *bytes)
{
    const nbody_share *share = p->shape.share;
    size_t branches = branches_of(p, share->rank).count, place = p->turn * p->half + NBODY_SHARE_TEXT;

    p->turn = 1 - p->turn;
    for (size_t rank = 0; rank < share->size && given == PENTA_OK; rank++) {
        nbody_part part = numbers_of(p, rank);
        size_t all = branches * part.count * sizeof(double);
        bool shown = p->window.shown[rank];

        if (rank == share->rank)
            continue;
        messages[rank] = p->window.own + place + (shown ? 0 : HEAD);
        bytes[rank] = HEAD + (shown ? sizeof place : all);
        place += 2 * HEAD;
        nbody_share_put_status(messages[rank], PENTA_OK);
        if (shown)
            memcpy(messages[rank] + HEAD, &place, sizeof place);
        given = read_roots(p, part, branches, p->window.own + place);
        place += all;
    }
    for (size_t rank = 0; rank < share->size && given != PENTA_OK; rank++) {
        messages[rank] = p->window.own; /* the same to all, and to itself */
        bytes[rank] = nbody_share_put_error(share, given, p->window.own);
    }
}

static penta_status write_roots(nbody_pairs *p, size_t at, size_t rank, const char *message, size_t bytes)
{
    const char *seen = p->window.seen[rank];
    size_t place;

    if (!seen)
        return penta_buffer_write(&p->others, at, message + HEAD, bytes);
    memcpy(&place, message + HEAD, sizeof place);
    return penta_buffer_write_async(&p->others, at, seen + place, bytes);
}

/* The roots that have come, in the order of ranks. */
static penta_status write_others(nbody_pairs *p, char **arrived)
{
    penta_status status = PENTA_OK;
    const nbody_share *share = p->shape.share;
    size_t each = numbers_of(p, share->rank).count * sizeof(double), at = 0;

    for (size_t rank = 0; rank < share->size && each > 0; rank++) {
        size_t bytes = rank == share->rank ? 0 : branches_of(p, rank).count * each;

        if (bytes > 0)
            TRY(write_roots(p, at, rank, arrived[rank], bytes));
        at += bytes;
    }
cleanup:
    return status;
}

/* *given becomes an error of this member alone, which the others have yet to learn. */
static penta_status exchange_roots(nbody_pairs *p, penta_status *given)
{
    penta_status status = PENTA_OK;
    nbody_share *share = p->shape.share;
    char **messages = NULL, **arrived;
    size_t *bytes = NULL, *arrived_bytes;

    TRY(penta_calloc(p->ctx, 2 * share->size, sizeof *messages, &messages));
    TRY(penta_calloc(p->ctx, 2 * share->size, sizeof *bytes, &bytes));
    arrived = messages + share->size;
    arrived_bytes = bytes + share->size;
    write_messages(p, *given, messages, bytes);
    TRY(nbody_share_exchange(share, messages, bytes, arrived, arrived_bytes));
    *given = write_others(p, arrived);
cleanup:
    for (size_t rank = 0; messages && rank < share->size; rank++)
        free(messages[share->size + rank]);
    free(messages);
    free(bytes);
    return status;
}

/* pitch: as the kernel's. */
static penta_status combine(nbody_pairs *p, nbody_part part, size_t pitch, penta_buffer *to)
{
    if (part.count == 0)
        return PENTA_OK;
    return penta_launch(&p->combine, penta_grid_rows(penta_grid_1d(part.count)),
                        ARGS(&p->roots, &p->others, &p->table, (int)p->branches, (long)nbody_pairs_length(p),
                             (long)part.first, (long)part.count, (long)pitch, to));
}

static penta_status unpack(nbody_pairs *p, penta_buffer *acceleration)
{
    return penta_launch(&p->unpack, penta_grid_rows(penta_grid_2d(p->shape.pitch, 3)),
                        ARGS(&p->result, (int)p->shape.pitch, (long)p->shape.pitch, acceleration));
}

/* The sums of all bodies, of which this member has added up its part. */
static penta_status spread(nbody_pairs *p, penta_status given, nbody_part part)
{
    size_t length = nbody_pairs_length(p);

    if (given == PENTA_OK)
        given = penta_buffer_read(&p->result, part.first * sizeof(double), p->sums + HEAD, part.count * sizeof(double));
    return nbody_share_spread(p->shape.share, given, p->sums, part, &p->result, 1, length, length, 3 * p->side);
}

/* All have added up everything; they meet while kernels run, and then have what they were sent. */
static penta_status meet_again(nbody_pairs *p, penta_status given)
{
    penta_status status = PENTA_OK;
    nbody_share *share = p->shape.share;

    TRY(nbody_share_agree(share, given));
    share->done += (double)nbody_pairs_parts(p, share, share->rank).count;
    share->all += (double)p->parts;
cleanup:
    return status;
}

penta_status nbody_pairs_meet(nbody_pairs *p, penta_status given, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    nbody_part part = numbers_of(p, p->shape.share->rank);

    if (!p->window.own)
        TRY(open_window(p));
    TRY(exchange_roots(p, &given));
    if (adds_all(p)) {
        if (given == PENTA_OK)
            given = combine(p, part, p->shape.pitch, acceleration);
        return meet_again(p, given);
    }
    if (given == PENTA_OK)
        given = combine(p, part, 0, &p->result);
    TRY(spread(p, given, part));
    status = unpack(p, acceleration);
cleanup:
    return status;
}
