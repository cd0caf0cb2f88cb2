/* What is behind a penta_group: messages between members, by a transport. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <pentacl/group_transport.h>

#include "core/core.h"

/* Messages of different channels do not wait for one another. Those of a channel from one member to another arrive in
 * order; one thread at a time sends on a channel, and one receives. */
enum penta_group_channel { PENTA_CHANNEL_EXCHANGE, PENTA_CHANNEL_ASK, PENTA_CHANNEL_ANSWER, PENTA_CHANNEL_TELL };

typedef struct penta_message {
    void *data; /* from malloc; NULL where there are no bytes */
    size_t bytes, from;
} penta_message;

/* Slices of a list: the next one, and how many members have been told that none is left, after the last of whom another
 * list begins. All 0 at first. */
typedef struct penta_counter {
    atomic_size_t next, ended;
} penta_counter;

struct penta_group {
    const penta_group_transport *transport;
    void *self;
    size_t rank, size;
    bool borrowed;          /* self is another group's */
    penta_counter *counter; /* of the process; NULL: rank 0 is asked */
    /* of rank 0 where members are processes: the thread that counts for the others */
    penta_counter own;
    pthread_t thread;
    void (*end_thread)(penta_group *group); /* NULL: there is none */
    atomic_bool over;
};

/* counter: that members of the process share; NULL: members are processes. */
penta_status penta_group_make(const penta_group_transport *transport, void *self, size_t rank, size_t size,
                              penta_counter *counter, penta_group **out);
penta_status penta_group_send(penta_group *group, size_t to, int channel, const void *data, size_t bytes);
/* The next message, after a wait. */
penta_status penta_group_receive(penta_group *group, int from, int channel, penta_message *out);
/* The next message of any member, if there is one; else *out is zeroed. */
penta_status penta_group_try(penta_group *group, int channel, penta_message *out, bool *found);

/* Every member: whether all go on. PENTA_OK, or the failure of the first one by rank that has failed by itself, with
 * its text at ctx. own: this member's status, whose text is there. */
penta_status penta_group_agree(penta_group *group, penta_context *ctx, penta_status own);
