/* Members of a group: who they are, and their messages. */
#include "core/group.h"

#include <stdlib.h>

penta_status penta_group_make(const penta_group_transport *transport, void *self, size_t rank, size_t size,
                              penta_counter *counter, penta_group **out)
{
    penta_status status = PENTA_OK;
    penta_group *group;

    *out = NULL;
    TRY(penta_calloc(NULL, 1, sizeof *group, &group));
    group->transport = transport;
    group->self = self;
    group->rank = rank;
    group->size = size;
    group->counter = counter || rank > 0 ? counter : &group->own;
    *out = group;
cleanup:
    return status;
}

penta_status penta_group_with(const penta_group_transport *transport, void *self, size_t rank, size_t size,
                              penta_group **out)
{
    penta_status status = PENTA_OK;

    *out = NULL;
    status = rank < size ? penta_group_make(transport, self, rank, size, NULL, out)
                         : penta_fail(NULL, PENTA_INVALID, "rank %zu of a group of %zu", rank, size);
    if (status != PENTA_OK)
        transport->close(self);
    return status;
}

penta_status penta_group_fail(penta_status status, const char *line)
{
    return penta_fail(NULL, status, "%s", line);
}

void penta_group_leave(penta_group *group)
{
    if (!group)
        return;
    if (group->end_thread)
        group->end_thread(group);
    if (!group->borrowed)
        group->transport->close(group->self);
    free(group);
}

penta_status penta_group_first(penta_group *group, size_t count, penta_group **out)
{
    penta_status status = PENTA_OK;
    penta_counter *shared = group->counter == &group->own ? NULL : group->counter;

    *out = NULL;
    if (count == 0 || count > group->size || group->rank >= count)
        return penta_fail(NULL, PENTA_INVALID, "the first %zu of %zu members, called by member %zu", count, group->size,
                          group->rank);
    TRY(penta_group_make(group->transport, group->self, group->rank, count, shared, out));
    (*out)->borrowed = true;
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
    return group->transport->name;
}

void penta_group_slice(const penta_group *group, size_t rank, size_t count, size_t *first, size_t *length)
{
    size_t each = count / group->size, more = count % group->size;

    *first = rank * each + (rank < more ? rank : more);
    *length = each + (rank < more);
}

/* ---- messages ---- */

penta_status penta_group_send(penta_group *group, size_t to, int channel, const void *data, size_t bytes)
{
    return group->transport->send(group->self, to, channel, data, bytes);
}

static penta_status receive(penta_group *group, int from, int channel, bool wait, penta_message *out, bool *found)
{
    *out = (penta_message){NULL, 0, 0};
    *found = false;
    return group->transport->receive(group->self, from, channel, wait, &out->data, &out->bytes, &out->from, found);
}

penta_status penta_group_receive(penta_group *group, int from, int channel, penta_message *out)
{
    bool found;

    return receive(group, from, channel, true, out, &found);
}

penta_status penta_group_try(penta_group *group, int channel, penta_message *out, bool *found)
{
    return receive(group, PENTA_TRANSPORT_ANY, channel, false, out, found);
}

penta_status penta_group_tell(penta_group *group, size_t to, const void *data, size_t bytes)
{
    return penta_group_send(group, to, PENTA_CHANNEL_TELL, data, bytes);
}

penta_status penta_group_hear(penta_group *group, void **data, size_t *bytes, size_t *from, bool *found)
{
    penta_message message;
    penta_status status = penta_group_try(group, PENTA_CHANNEL_TELL, &message, found);

    *data = message.data;
    *bytes = message.bytes;
    *from = message.from;
    return status;
}
