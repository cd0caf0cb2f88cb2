/* What members of a group tell one another. A message is a status, then numbers, or after an error its text. */
#include "nbody/share.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/group.h"
#include "math/sizes.h"

enum { HEAD = NBODY_SHARE_HEAD, NUMBER = 8, TEXT = NBODY_SHARE_TEXT }; /* bytes */

void nbody_share_release(nbody_share *share)
{
    free(share->room);
    share->room = NULL;
    share->room_bytes = 0;
}

/* ---- parts ---- */

nbody_part nbody_share_part_of(const nbody_share *share, size_t rank, size_t count, size_t unit)
{
    size_t first, length, end;

    penta_group_slice(share->group, rank, penta_divide_up(count, unit), &first, &length);
    end = penta_smaller((first + length) * unit, count);
    first = penta_smaller(first * unit, count);
    return (nbody_part){first, end - first};
}

nbody_part nbody_share_part(const nbody_share *share, size_t count, size_t unit)
{
    return share ? nbody_share_part_of(share, share->rank, count, unit) : (nbody_part){0, count};
}

penta_grid nbody_share_grid(const nbody_share *share, size_t count, size_t unit, size_t each, penta_grid grid)
{
    nbody_part part = nbody_share_part(share, count, unit);
    size_t local = grid.local[0] ? grid.local[0] : 1;

    if (!share)
        return grid;
    grid.offset = part.first / each;
    grid.global[0] = penta_divide_up(penta_divide_up(part.count, each), local) * local;
    return grid;
}

/* ---- messages ---- */

penta_status nbody_share_room(nbody_share *share, size_t bytes, char **out)
{
    char *room = share->room;

    if (bytes > share->room_bytes) {
        free(share->room);
        share->room_bytes = 0;
        room = share->room = malloc(bytes);
        if (!room)
            return penta_fail(share->ctx, PENTA_MEMORY, "out of memory for %zu bytes", bytes);
        share->room_bytes = bytes;
    }
    *out = room;
    return PENTA_OK;
}

void nbody_share_put_status(char *message, penta_status status)
{
    int64_t head = status;

    memcpy(message, &head, sizeof head);
}

static penta_status status_of(const char *message)
{
    int64_t head;

    memcpy(&head, message, sizeof head);
    return (penta_status)head;
}

size_t nbody_share_put_error(const nbody_share *share, penta_status status, char *message)
{
    const char *text = penta_last_error(share->ctx);
    size_t length = strcspn(text, "\n");

    length = penta_smaller(length, TEXT - HEAD);
    nbody_share_put_status(message, status);
    memcpy(message + HEAD, text, length);
    return HEAD + length;
}

/* What all return: an error rather than a wish to stop, and that of the lowest rank. */
typedef struct {
    penta_status status;
    size_t rank;
    const char *message;
    size_t bytes;
} verdict;

/* In the order of ranks. */
static void judge(verdict *v, size_t rank, const char *message, size_t bytes)
{
    penta_status status = status_of(message);

    if (status == PENTA_OK || (v->status != PENTA_OK && (v->status != PENTA_CANCELLED || status == PENTA_CANCELLED)))
        return;
    *v = (verdict){status, rank, message, bytes};
}

static penta_status pass(const nbody_share *share, const verdict *v)
{
    if (v->status == PENTA_OK || v->rank == share->rank)
        return v->status;
    if (v->status == PENTA_INVALID || v->status == PENTA_CANCELLED) /* of all, whoever has seen it first */
        return penta_fail(share->ctx, v->status, "%.*s", (int)(v->bytes - HEAD), v->message + HEAD);
    return penta_fail(share->ctx, v->status, "member %zu of the group: %.*s", v->rank, (int)(v->bytes - HEAD),
                      v->message + HEAD);
}

penta_status nbody_share_exchange(nbody_share *share, char *const *messages, const size_t *bytes, char **arrived,
                                  size_t *arrived_bytes)
{
    penta_status status = PENTA_OK;
    verdict v = {.status = PENTA_OK};

    TRY(penta_explain(share->ctx, penta_group_exchange(share->group, (const void *const *)messages, bytes,
                                                       (void **)arrived, arrived_bytes)));
    for (size_t i = 0; i < share->size; i++)
        if (arrived_bytes[i] > 0)
            judge(&v, i, arrived[i], arrived_bytes[i]);
    TRY(pass(share, &v));
cleanup:
    return status;
}

penta_status nbody_share_agree(nbody_share *share, penta_status given)
{
    return share ? penta_group_agree(share->group, share->ctx, given) : given;
}

penta_status nbody_share_compare(nbody_share *share, const void *data, size_t bytes, const char *what)
{
    penta_status status = PENTA_OK;
    char *all = NULL;
    size_t *sizes = NULL, at;

    TRY(penta_calloc(share->ctx, share->size, sizeof *sizes, &sizes));
    TRY(penta_explain(share->ctx, penta_group_gather(share->group, data, bytes, (void **)&all, sizes)));
    at = sizes[0];
    for (size_t i = 1; status == PENTA_OK && i < share->size; at += sizes[i++])
        if (sizes[i] != sizes[0] || memcmp(all + at, all, sizes[0]) != 0)
            status =
                penta_fail(share->ctx, PENTA_INVALID, "members 0 and %zu of the group have not the same %s", i, what);
cleanup:
    free(all);
    free(sizes);
    return status;
}

/* ---- vectors of which each member has a part ---- */

/* Writes the parts that have come, and this member's. */
static penta_status write_parts(const nbody_share *share, char **arrived, char *own, penta_buffer *buffer,
                                size_t vectors, size_t stride, size_t count, size_t unit)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < share->size; i++) {
        nbody_part p = nbody_share_part_of(share, i, count, unit);
        const char *from = (i == share->rank ? own : arrived[i]) + HEAD;

        for (size_t v = 0; v < vectors && p.count > 0; v++)
            TRY(penta_buffer_write(buffer, (v * stride + p.first) * NUMBER, from + v * p.count * NUMBER,
                                   p.count * NUMBER));
    }
cleanup:
    return status;
}

/* The message to all others, an error to itself, too; arrived: theirs, to be freed. */
static penta_status tell_others(nbody_share *share, bool failed, char *message, size_t bytes, char **arrived)
{
    penta_status status = PENTA_OK;
    char **messages = NULL;
    size_t *sizes = NULL;

    TRY(penta_calloc(share->ctx, share->size, sizeof *messages, &messages));
    TRY(penta_calloc(share->ctx, 2 * share->size, sizeof *sizes, &sizes));
    for (size_t i = 0; i < share->size; i++) {
        messages[i] = message;
        sizes[i] = i == share->rank && !failed ? 0 : bytes;
    }
    TRY(nbody_share_exchange(share, messages, sizes, arrived, sizes + share->size));
cleanup:
    free(messages);
    free(sizes);
    return status;
}

penta_status nbody_share_spread(nbody_share *share, penta_status given, char *own, nbody_part part,
                                penta_buffer *buffer, size_t vectors, size_t stride, size_t count, size_t unit)
{
    penta_status status = PENTA_OK;
    size_t bytes = HEAD + vectors * part.count * NUMBER;
    char **arrived = NULL, text[TEXT];

    TRY(penta_calloc(share->ctx, share->size, sizeof *arrived, &arrived));
    if (given == PENTA_OK)
        nbody_share_put_status(own, given);
    else
        bytes = nbody_share_put_error(share, given, text);
    TRY(tell_others(share, given != PENTA_OK, given == PENTA_OK ? own : text, bytes, arrived));
    TRY(write_parts(share, arrived, own, buffer, vectors, stride, count, unit));
    share->done += (double)part.count;
    share->all += (double)count;
cleanup:
    for (size_t i = 0; arrived && i < share->size; i++)
        free(arrived[i]);
    free(arrived);
    return status;
}

static penta_status read_part(nbody_share *share, penta_buffer *buffer, size_t vectors, size_t stride, nbody_part part,
                              char **own)
{
    penta_status status = PENTA_OK;
    size_t bytes = part.count * NUMBER;

    TRY(nbody_share_room(share, HEAD + vectors * bytes, own));
    for (size_t v = 0; v < vectors && bytes > 0; v++)
        TRY(penta_buffer_read(buffer, (v * stride + part.first) * NUMBER, *own + HEAD + v * bytes, bytes));
cleanup:
    return status;
}

penta_status nbody_share_vectors(nbody_share *share, penta_status status, penta_buffer *buffer, size_t vectors,
                                 size_t stride, size_t count, size_t unit)
{
    nbody_part part = nbody_share_part(share, count, unit);
    char *own = NULL;

    if (!share)
        return status;
    if (status == PENTA_OK)
        status = read_part(share, buffer, vectors, stride, part, &own);
    return nbody_share_spread(share, status, own, part, buffer, vectors, stride, count, unit);
}
