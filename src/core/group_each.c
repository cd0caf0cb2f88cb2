/* To each member bytes of its own, in rounds: in round k the members whose ranks add up to k, modulo their number, are
 * partners. Of two partners the one of lower rank sends first, so that nobody waits in a circle, whatever a back end
 * lets a sender wait for. */
#include <stdlib.h>
#include <string.h>

#include "core/group.h"

static penta_status send_to(penta_group *group, size_t partner, const void *const *data, const size_t *bytes)
{
    return penta_group_send(group, partner, PENTA_CHANNEL_EXCHANGE, data[partner], bytes[partner]);
}

static penta_status receive_from(penta_group *group, size_t partner, void **out, size_t *out_bytes)
{
    penta_status status = PENTA_OK;
    penta_message message;

    TRY(penta_group_receive(group, (int)partner, PENTA_CHANNEL_EXCHANGE, &message));
    out[partner] = message.data;
    out_bytes[partner] = message.bytes;
cleanup:
    return status;
}

static penta_status keep_own(size_t rank, const void *const *data, const size_t *bytes, void **out, size_t *out_bytes)
{
    penta_status status = PENTA_OK;

    if (bytes[rank] == 0)
        return PENTA_OK;
    TRY(penta_calloc(NULL, bytes[rank], 1, &out[rank]));
    memcpy(out[rank], data[rank], bytes[rank]);
    out_bytes[rank] = bytes[rank];
cleanup:
    return status;
}

penta_status penta_group_exchange(penta_group *group, const void *const *data, const size_t *bytes, void **out,
                                  size_t *out_bytes)
{
    penta_status status = PENTA_OK;
    size_t rank = group->rank, size = group->size;

    for (size_t i = 0; i < size; i++) {
        out[i] = NULL;
        out_bytes[i] = 0;
    }
    TRY(keep_own(rank, data, bytes, out, out_bytes));
    for (size_t round = 0; round < size; round++) {
        size_t partner = (round + size - rank) % size;

        if (partner == rank)
            continue;
        if (rank < partner)
            TRY(send_to(group, partner, data, bytes));
        TRY(receive_from(group, partner, out, out_bytes));
        if (rank > partner)
            TRY(send_to(group, partner, data, bytes));
    }
cleanup:
    for (size_t i = 0; status != PENTA_OK && i < size; i++) {
        free(out[i]);
        out[i] = NULL;
    }
    return status;
}
