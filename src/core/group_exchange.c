/* Broadcast, gather and sum, by messages to and from rank 0. */
#include <stdint.h>
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

penta_status penta_group_broadcast(penta_group *group, const void *data, size_t bytes, void **out, size_t *out_bytes)
{
    penta_status status = PENTA_OK;
    penta_message message;

    *out = NULL;
    *out_bytes = 0;
    if (group->rank > 0) {
        TRY(penta_group_receive(group, 0, PENTA_CHANNEL_EXCHANGE, &message));
        *out = message.data;
        *out_bytes = message.bytes;
        return PENTA_OK;
    }
    for (size_t i = 1; i < group->size; i++)
        TRY(penta_group_send(group, i, PENTA_CHANNEL_EXCHANGE, data, bytes));
    TRY(copy_of(data, bytes, out));
    *out_bytes = bytes;
cleanup:
    return status;
}

/* ---- gather ---- */

/* On rank 0: the parts of all, joined. */
static penta_status join_parts(const penta_message *parts, size_t count, void **out, size_t *bytes)
{
    penta_status status = PENTA_OK;
    size_t at = 0;

    *bytes = 0;
    for (size_t i = 0; i < count; i++)
        *bytes += parts[i].bytes;
    TRY(penta_calloc(NULL, *bytes ? *bytes : 1, 1, out));
    for (size_t i = 0; i < count; i++) {
        if (parts[i].bytes > 0)
            memcpy((char *)*out + at, parts[i].data, parts[i].bytes);
        at += parts[i].bytes;
    }
cleanup:
    return status;
}

static penta_status collect_parts(penta_group *group, const void *data, size_t bytes, penta_message *parts)
{
    penta_status status = PENTA_OK;

    parts[0].bytes = bytes;
    TRY(copy_of(data, bytes, &parts[0].data));
    for (size_t i = 1; i < group->size; i++)
        TRY(penta_group_receive(group, (int)i, PENTA_CHANNEL_EXCHANGE, &parts[i]));
cleanup:
    return status;
}

/* The sizes, then all parts: at rank 0 to begin with, then at every member. */
static penta_status spread(penta_group *group, void *joined, size_t bytes, size_t *lengths, void **out)
{
    penta_status status = PENTA_OK;
    void *sizes = NULL;
    size_t got;

    TRY(penta_group_broadcast(group, lengths, group->size * sizeof *lengths, &sizes, &got));
    memcpy(lengths, sizes, group->size * sizeof *lengths);
    TRY(penta_group_broadcast(group, joined, bytes, out, &got));
cleanup:
    free(sizes);
    return status;
}

penta_status penta_group_gather(penta_group *group, const void *data, size_t bytes, void **out, size_t *sizes)
{
    penta_status status = PENTA_OK;
    penta_message *parts = NULL;
    size_t *lengths = NULL, total = 0;
    void *joined = NULL;

    *out = NULL;
    TRY(penta_calloc(NULL, group->size, sizeof *parts, &parts));
    TRY(penta_calloc(NULL, group->size, sizeof *lengths, &lengths));
    if (group->rank == 0) {
        TRY(collect_parts(group, data, bytes, parts));
        TRY(join_parts(parts, group->size, &joined, &total));
        for (size_t i = 0; i < group->size; i++)
            lengths[i] = parts[i].bytes;
    } else {
        TRY(penta_group_send(group, 0, PENTA_CHANNEL_EXCHANGE, data, bytes));
    }
    TRY(spread(group, joined, total, lengths, out));
    for (size_t i = 0; sizes && i < group->size; i++)
        sizes[i] = lengths[i];
cleanup:
    for (size_t i = 0; parts && i < group->size; i++)
        free(parts[i].data);
    free(parts);
    free(lengths);
    free(joined);
    return status;
}

/* ---- sum ---- */

/* Which blocks a member holds, before their numbers. */
typedef struct {
    uint64_t first, count;
} held_blocks;

/* Notes where each block begins in the gathered bytes. */
static penta_status find_blocks(const char *all, const size_t *sizes, size_t members, size_t n, size_t blocks,
                                const double **found)
{
    for (size_t i = 0; i < members; i++) {
        held_blocks held;

        memcpy(&held, all, sizeof held);
        for (size_t b = 0; b < held.count; b++) {
            if (held.first + b >= blocks || found[held.first + b])
                return penta_fail(NULL, PENTA_INVALID, "block %zu of a sum of %zu is held twice, or is none of it",
                                  (size_t)held.first + b, blocks);
            found[held.first + b] = (const double *)(const void *)(all + sizeof held + b * n * sizeof(double));
        }
        all += sizes[i];
    }
    for (size_t b = 0; b < blocks; b++)
        if (!found[b])
            return penta_fail(NULL, PENTA_INVALID, "nobody holds block %zu of a sum of %zu", b, blocks);
    return PENTA_OK;
}

penta_status penta_group_sum(penta_group *group, size_t n, size_t blocks, size_t first, size_t count,
                             const double *held, double *total)
{
    penta_status status = PENTA_OK;
    const held_blocks mine = {first, count};
    size_t bytes, *sizes = NULL;
    const double **found = NULL;
    char *part = NULL;
    void *all = NULL;

    TRY(penta_size(NULL, count, n, sizeof *held, &bytes));
    TRY(penta_calloc(NULL, sizeof mine + bytes, 1, &part));
    TRY(penta_calloc(NULL, group->size, sizeof *sizes, &sizes));
    TRY(penta_calloc(NULL, blocks, sizeof *found, &found));
    memcpy(part, &mine, sizeof mine);
    if (bytes > 0)
        memcpy(part + sizeof mine, held, bytes);
    TRY(penta_group_gather(group, part, sizeof mine + bytes, &all, sizes));
    TRY(find_blocks(all, sizes, group->size, n, blocks, found));
    for (size_t k = 0; k < n; k++)
        total[k] = 0;
    for (size_t b = 0; b < blocks; b++)
        for (size_t k = 0; k < n; k++)
            total[k] += found[b][k];
cleanup:
    free(part);
    free(sizes);
    free(found);
    free(all);
    return status;
}
