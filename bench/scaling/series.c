#include "series.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES_EACH = 8 }; /* as frames_pieces.c of the commands has it */

typedef struct {
    scaling_member *m;
    scaling_series *s;
} worker;

void scaling_series_begin(const scaling_member *m, size_t items, size_t most, scaling_series *s)
{
    size_t piece = (items + PIECES_EACH * m->members - 1) / (PIECES_EACH * m->members);

    s->items = items;
    s->piece = piece < most ? piece : most;
}

static size_t length_of(const scaling_series *s, size_t piece)
{
    size_t left = s->items - piece * s->piece;

    return left < s->piece ? left : s->piece;
}

static penta_status work(void *member, size_t piece, void **out)
{
    worker *w = member;
    size_t count = length_of(w->s, piece);
    penta_status status;

    *out = malloc(count * w->s->item_bytes);
    if (!*out)
        return scaling_fault(w->m, PENTA_MEMORY, "out of memory");
    status = w->s->work(w->m, piece * w->s->piece, count, *out);
    if (status == PENTA_OK)
        return status;
    free(*out);
    *out = NULL; /* its text is the member's fault */
    if (!*w->m->fault)
        scaling_fault(w->m, status, "%s", penta_last_error(w->m->ctx));
    return status;
}

static penta_status take(void *user, size_t piece, size_t rank, void *result)
{
    const worker *w = user;

    (void)rank;
    memcpy(w->s->results + piece * w->s->piece * w->s->item_bytes, result, length_of(w->s, piece) * w->s->item_bytes);
    free(result);
    return PENTA_OK;
}

static void drop(void *user, void *result)
{
    (void)user;
    free(result);
}

/* A result is its bytes already. */
static penta_status pack(void *member, size_t piece, void *result, void **bytes, size_t *size)
{
    const worker *w = member;

    *bytes = result;
    *size = length_of(w->s, piece) * w->s->item_bytes;
    return PENTA_OK;
}

static penta_status unpack(void *user, size_t piece, const void *bytes, size_t size, void **result)
{
    (void)user, (void)piece;
    *result = malloc(size);
    if (!*result)
        return PENTA_MEMORY;
    memcpy(*result, bytes, size);
    return PENTA_OK;
}

penta_status scaling_series_run(scaling_member *m, scaling_series *s)
{
    worker w = {m, s};
    penta_hand_out h;

    if (m->rank == 0 && !s->results)
        s->results = scaling_alloc(m, s->items, s->item_bytes);
    if (m->rank == 0 && !s->results)
        return PENTA_MEMORY;
    penta_hand_out_init(&h);
    h.count = (s->items + s->piece - 1) / s->piece;
    h.member = &w;
    h.user = &w;
    h.work = work;
    h.take = take;
    h.drop = drop;
    if (strcmp(penta_group_kind(m->group), "mpi") == 0) {
        h.pack = pack;
        h.unpack = unpack;
    }
    return penta_group_hand_out(m->group, &h);
}
