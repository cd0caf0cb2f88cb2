/* Groups by a transport from outside the library, as MPI. */
#include <pentacl/group_transport.h>

#include <stdlib.h>

#include "core/group.h"

_Static_assert((int)PENTA_CHANNELS <= (int)PENTA_TRANSPORT_CHANNELS, "a transport has the channels of a group");

typedef struct {
    const penta_group_transport *transport;
    void *self;
} carrier;

static penta_status carry(void *self, size_t to, int channel, const void *data, size_t bytes)
{
    const carrier *c = self;

    return c->transport->send(c->self, to, channel, data, bytes);
}

static penta_status fetch(void *self, int from, int channel, bool wait, penta_message *out, bool *found)
{
    const carrier *c = self;

    *out = (penta_message){NULL, 0, 0};
    *found = false;
    return c->transport->receive(c->self, from == PENTA_GROUP_ANY ? PENTA_TRANSPORT_ANY : from, channel, wait,
                                 &out->data, &out->bytes, &out->from, found);
}

static void close_carrier(void *self)
{
    carrier *c = self;

    c->transport->close(c->self);
    free(c);
}

static const char *name_carrier(const void *self)
{
    return ((const carrier *)self)->transport->name;
}

static const penta_group_backend backend = {
    .name_of = name_carrier, .send = carry, .receive = fetch, .close = close_carrier};

penta_status penta_group_with(const penta_group_transport *transport, void *self, size_t rank, size_t size,
                              penta_group **out)
{
    penta_status status = PENTA_OK;
    carrier *c = NULL;

    *out = NULL;
    if (rank >= size) {
        status = penta_fail(NULL, PENTA_INVALID, "rank %zu of a group of %zu", rank, size);
        goto cleanup;
    }
    TRY(penta_calloc(NULL, 1, sizeof *c, &c));
    *c = (carrier){transport, self};
    TRY(penta_group_make(&backend, c, rank, size, out));
    c = NULL;
cleanup:
    free(c);
    if (status != PENTA_OK)
        transport->close(self);
    return status;
}

penta_status penta_group_fail(penta_status status, const char *line)
{
    return penta_fail(NULL, status, "%s", line);
}
