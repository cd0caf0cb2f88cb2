/* What is behind a penta_group: messages between members, by one of several back ends. */
#ifndef PENTA_CORE_GROUP_H
#define PENTA_CORE_GROUP_H

#include <pentacl/group.h>

#include "core/core.h"

enum { PENTA_GROUP_ANY = -1 };

/* Messages of different channels do not wait for one another. Those of a channel from one member to another arrive in
 * order; one thread at a time sends on a channel, and one receives. */
enum penta_group_channel { PENTA_CHANNEL_EXCHANGE, PENTA_CHANNEL_DOWN, PENTA_CHANNEL_UP, PENTA_CHANNELS };

typedef struct penta_message {
    void *data; /* from malloc; NULL where there are no bytes */
    size_t bytes, from;
} penta_message;

/* A back end. The functions fail with a text at penta_fail(NULL, ...). */
typedef struct penta_group_backend {
    const char *name;
    const char *(*name_of)(const void *self); /* where it is one of several; or NULL */
    /* Returns when the data may be changed again. A member may send to itself. */
    penta_status (*send)(void *self, size_t to, int channel, const void *data, size_t bytes);
    /* The next message from a member, or from any (PENTA_GROUP_ANY). wait false: *found tells whether there is one. */
    penta_status (*receive)(void *self, int from, int channel, bool wait, penta_message *out, bool *found);
    void (*close)(void *self);
} penta_group_backend;

struct penta_group {
    const penta_group_backend *backend;
    void *self;
    size_t rank, size;
    bool borrowed;      /* self is another group's */
    uint64_t hand_outs; /* that were begun: messages of an earlier one, which failed, are passed over */
};

penta_status penta_group_make(const penta_group_backend *backend, void *self, size_t rank, size_t size,
                              penta_group **out);

penta_status penta_group_send(penta_group *group, size_t to, int channel, const void *data, size_t bytes);
/* The next message, after a wait. */
penta_status penta_group_receive(penta_group *group, int from, int channel, penta_message *out);
/* The next message, if there is one. */
penta_status penta_group_try(penta_group *group, int from, int channel, penta_message *out, bool *found);

/* Every member: whether all go on. PENTA_OK, or the failure of the first one by rank that has failed by itself, with
 * its text at ctx. own: this member's status, whose text is there. */
penta_status penta_group_agree(penta_group *group, penta_context *ctx, penta_status own);

#endif
