#include "series.h"

#include <stdlib.h>
#include <string.h>

#include "shared/rows.h"

enum { PIECES_EACH = 8 }; /* as frames_share.c of the commands has it */

typedef struct {
    scaling_member *m;
    scaling_series *s;
    penta_status status, taken; /* of the work; of rank 0, where that of another member has failed */
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

/* The row of a piece is its results; of one that failed, whose text is the member's fault, it is shorter. */
static int work(void *user, rows *of, size_t piece, size_t n, size_t *failed)
{
    worker *w = user;
    size_t count = length_of(w->s, piece), size = count * w->s->item_bytes;
    char *out = malloc(size);
    penta_status status =
        out ? w->s->work(w->m, piece * w->s->piece, count, out) : scaling_fault(w->m, PENTA_MEMORY, "out of memory");

    (void)n, (void)failed;
    if (status != PENTA_OK && !*w->m->fault)
        scaling_fault(w->m, status, "%s", penta_last_error(w->m->ctx));
    if (status != PENTA_OK)
        w->status = status;
    rows_put(of, piece, out, status == PENTA_OK ? size : 0);
    return CLI_OK;
}

static bool take(void *user, size_t piece, size_t rank, parcel_reader *row)
{
    worker *w = user;
    size_t size = length_of(w->s, piece) * w->s->item_bytes;

    (void)rank;
    if (row->left == size)
        memcpy(w->s->results + piece * w->s->piece * w->s->item_bytes, row->at, size);
    else
        w->taken = PENTA_CANCELLED;
    return row->left == size;
}

penta_status scaling_series_run(scaling_member *m, scaling_series *s)
{
    worker w = {m, s, PENTA_OK, PENTA_OK};
    const rows_task task = {.command = "bench",
                            .end = (s->items + s->piece - 1) / s->piece,
                            .slice = 1,
                            .user = &w,
                            .work = work,
                            .take = take};

    if (m->rank == 0 && !s->results)
        s->results = scaling_alloc(m, s->items, s->item_bytes);
    if (m->rank == 0 && !s->results)
        return PENTA_MEMORY;
    if (rows_run(m->group, &task) != CLI_OK)
        return PENTA_MEMORY;
    return w.status != PENTA_OK ? w.status : w.taken;
}
