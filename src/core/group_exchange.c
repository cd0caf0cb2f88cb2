/*
 * Broadcast and gather along a tree: a rank above 0 has that without its lowest bit as its parent, so that it and
 * those below it, its branch, follow one another. No rank sends more than log2 of the size messages.
 */
#include <stdlib.h>
#include <string.h>

#include "core/group.h"

static penta_status copy_of(const void *data, size_t bytes, void **out)
{
    penta_status status = PENTA_OK;

    *out = NULL;
    if (bytes == 0)
        return PENTA_OK;
    TRY(penta_calloc(NULL, bytes, 1, out));
    memcpy(*out, data, bytes);
cleanup:
    return status;
}

static size_t parent_of(size_t rank)
{
    return rank & (rank - 1);
}

/* How many ranks are in the branch of this one. */
static size_t branch_of(const penta_group *group, size_t rank)
{
    size_t low = rank ^ parent_of(rank), left = group->size - rank;

    return rank == 0 || low > left ? left : low;
}

penta_status penta_group_broadcast(penta_group *group, const void *data, size_t bytes, void **out, size_t *out_bytes)
{
    penta_status status = PENTA_OK;
    penta_message message = {NULL, bytes, 0};
    size_t branch = branch_of(group, group->rank), step = 1;

    *out = NULL;
    *out_bytes = 0;
    if (group->rank > 0)
        TRY(penta_group_receive(group, (int)parent_of(group->rank), PENTA_CHANNEL_EXCHANGE, &message));
    else
        TRY(copy_of(data, bytes, &message.data));
    while (step < branch)
        step *= 2;
    while ((step /= 2) > 0) /* the largest branch first */
        TRY(penta_group_send(group, group->rank + step, PENTA_CHANNEL_EXCHANGE, message.data, message.bytes));
    *out = message.data;
    *out_bytes = message.bytes;
    message.data = NULL;
cleanup:
    free(message.data);
    return status;
}

/* ---- gather: of a branch the sizes of its parts, then these, one after another ---- */

enum { MOST_BRANCHES = 64 }; /* below a rank */

static size_t bytes_of_parts(const penta_message *m, size_t members)
{
    return m->bytes - members * sizeof(size_t);
}

/* The message of this rank's branch, from its own part and the messages of the branches below. */
static penta_status join_branch(const penta_group *group, const void *data, size_t bytes, const penta_message *below,
                                size_t count, penta_message *out)
{
    penta_status status = PENTA_OK;
    size_t total = bytes, *sizes;
    char *parts;

    for (size_t i = 0; i < count; i++)
        total += bytes_of_parts(&below[i], branch_of(group, group->rank + ((size_t)1 << i)));
    out->bytes = branch_of(group, group->rank) * sizeof *sizes + total;
    TRY(penta_calloc(NULL, out->bytes, 1, &out->data));
    sizes = out->data;
    parts = (char *)(sizes + branch_of(group, group->rank));
    *sizes++ = bytes;
    if (bytes > 0)
        memcpy(parts, data, bytes);
    parts += bytes;
    for (size_t i = 0; i < count; i++) {
        size_t members = branch_of(group, group->rank + ((size_t)1 << i)), more = bytes_of_parts(&below[i], members);

        memcpy(sizes, below[i].data, members * sizeof *sizes);
        memcpy(parts, (const size_t *)below[i].data + members, more);
        sizes += members;
        parts += more;
    }
cleanup:
    return status;
}

/* At rank 0 the message of all, in the end. */
static penta_status collect(penta_group *group, const void *data, size_t bytes, penta_message *out)
{
    penta_status status = PENTA_OK;
    penta_message below[MOST_BRANCHES] = {{NULL, 0, 0}};
    size_t branch = branch_of(group, group->rank), count = 0;

    for (size_t step = 1; step < branch; step *= 2, count++)
        TRY(penta_group_receive(group, (int)(group->rank + step), PENTA_CHANNEL_EXCHANGE, &below[count]));
    TRY(join_branch(group, data, bytes, below, count, out));
    if (group->rank > 0)
        TRY(penta_group_send(group, parent_of(group->rank), PENTA_CHANNEL_EXCHANGE, out->data, out->bytes));
cleanup:
    for (size_t i = 0; i < MOST_BRANCHES; i++)
        free(below[i].data);
    return status;
}

penta_status penta_group_gather(penta_group *group, const void *data, size_t bytes, void **out, size_t *sizes)
{
    penta_status status = PENTA_OK;
    penta_message whole = {NULL, 0, 0};
    void *got = NULL;
    size_t got_bytes, head = group->size * sizeof *sizes;

    *out = NULL;
    TRY(collect(group, data, bytes, &whole));
    TRY(penta_group_broadcast(group, whole.data, whole.bytes, &got, &got_bytes));
    if (sizes)
        memcpy(sizes, got, head);
    if (got_bytes > head) {
        memmove(got, (char *)got + head, got_bytes - head);
        *out = got;
        got = NULL;
    }
cleanup:
    free(whole.data);
    free(got);
    return status;
}
