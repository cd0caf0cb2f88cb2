/*
 * Gather to rank 0, and broadcast along a tree: a rank above 0 has that without its lowest bit as its parent, so that
 * it and those below it, its branch, follow one another. No rank sends more than log2 of the size messages.
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

/* ---- gather: at rank 0 the sizes of all parts, then these, one after another, for all ---- */

static penta_status join_parts(const penta_message *parts, size_t members, penta_message *out)
{
    penta_status status = PENTA_OK;
    size_t *sizes;
    char *at;

    out->bytes = members * sizeof *sizes;
    for (size_t i = 0; i < members; i++)
        out->bytes += parts[i].bytes;
    TRY(penta_calloc(NULL, out->bytes, 1, &out->data));
    sizes = out->data;
    at = (char *)(sizes + members);
    for (size_t i = 0; i < members; at += sizes[i++]) {
        sizes[i] = parts[i].bytes;
        if (sizes[i] > 0)
            memcpy(at, parts[i].data, sizes[i]);
    }
cleanup:
    return status;
}

static penta_status collect(penta_group *group, const void *data, size_t bytes, penta_message *out)
{
    penta_status status = PENTA_OK;
    penta_message *parts = NULL;

    if (group->rank > 0)
        return penta_group_send(group, 0, PENTA_CHANNEL_EXCHANGE, data, bytes);
    TRY(penta_calloc(NULL, group->size, sizeof *parts, &parts));
    parts[0].bytes = bytes;
    TRY(copy_of(data, bytes, &parts[0].data));
    for (size_t i = 1; i < group->size; i++)
        TRY(penta_group_receive(group, (int)i, PENTA_CHANNEL_EXCHANGE, &parts[i]));
    TRY(join_parts(parts, group->size, out));
cleanup:
    for (size_t i = 0; parts && i < group->size; i++)
        free(parts[i].data);
    free(parts);
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
