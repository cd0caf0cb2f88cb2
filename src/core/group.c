/* Members of a group: who they are, and their messages. */
#include "core/group.h"

#include <stdlib.h>

penta_status penta_group_make(const penta_group_backend *backend, void *self, size_t rank, size_t size,
                              penta_group **out)
{
    penta_status status = PENTA_OK;

    *out = NULL;
    TRY(penta_calloc(NULL, 1, sizeof **out, out));
    **out = (penta_group){.backend = backend, .self = self, .rank = rank, .size = size};
cleanup:
    return status;
}

void penta_group_leave(penta_group *group)
{
    if (!group)
        return;
    if (!group->borrowed)
        group->backend->close(group->self);
    free(group);
}

penta_status penta_group_first(penta_group *group, size_t count, penta_group **out)
{
    penta_status status = PENTA_OK;

    *out = NULL;
    if (count == 0 || count > group->size || group->rank >= count)
        return penta_fail(NULL, PENTA_INVALID, "the first %zu of %zu members, called by member %zu", count, group->size,
                          group->rank);
    TRY(penta_group_make(group->backend, group->self, group->rank, count, out));
    (*out)->borrowed = true;
    (*out)->hand_outs = (group->hand_outs + 1) << 32 | (uint64_t)count << 16; /* apart from those of group */
cleanup:
    return status;
}

size_t penta_group_rank(const penta_group *group)
{
    return group->rank;
}

size_t penta_group_size(const penta_group *group)
{
    return group->size;
}

const char *penta_group_kind(const penta_group *group)
{
    return group->backend->name_of ? group->backend->name_of(group->self) : group->backend->name;
}

void penta_group_slice(const penta_group *group, size_t rank, size_t count, size_t *first, size_t *length)
{
    size_t each = count / group->size, more = count % group->size;

    *first = rank * each + (rank < more ? rank : more);
    *length = each + (rank < more);
}

penta_status penta_group_send(penta_group *group, size_t to, int channel, const void *data, size_t bytes)
{
    return group->backend->send(group->self, to, channel, data, bytes);
}

penta_status penta_group_receive(penta_group *group, int from, int channel, penta_message *out)
{
    bool found;

    return group->backend->receive(group->self, from, channel, true, out, &found);
}

penta_status penta_group_try(penta_group *group, int from, int channel, penta_message *out, bool *found)
{
    return group->backend->receive(group->self, from, channel, false, out, found);
}
