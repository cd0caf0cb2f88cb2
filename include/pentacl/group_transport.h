/*
 * A penta_group whose messages go another way than memory of the process: by MPI (pentacl/mpi.h), or by whatever a
 * program has. A transport is four functions.
 */
#ifndef PENTACL_GROUP_TRANSPORT_H
#define PENTACL_GROUP_TRANSPORT_H

#include <pentacl/group.h>

PENTA_BEGIN_DECLS

enum { PENTA_TRANSPORT_ANY = -1, PENTA_TRANSPORT_CHANNELS = 8 };

/**
 * How members exchange messages of any size, also of none. Channels are 0 to PENTA_TRANSPORT_CHANNELS - 1: messages of
 * different ones do not wait for one another, those of one channel from one member to another arrive in order. One
 * thread at a time sends on a channel and one receives, but several channels are used at a time. A function that fails
 * says why with penta_group_fail.
 */
typedef struct penta_group_transport {
    size_t size;      /* of this struct */
    const char *name; /* penta_group_kind */
    /** Returns when the data may be changed again. Never to the member itself. */
    penta_status (*send)(void *self, size_t to, int channel, const void *data, size_t bytes);
    /** The next message of a member, or of any (PENTA_TRANSPORT_ANY): *data from malloc, NULL where there are no bytes.
     * wait false: *found tells whether there is one. */
    penta_status (*receive)(void *self, int from, int channel, bool wait, void **data, size_t *bytes, size_t *sender,
                            bool *found);
    void (*close)(void *self);
} penta_group_transport;

/**
 * A member of a group by this transport, which stays valid as long; penta_group_leave closes self, as does a failure.
 * Errors: PENTA_INVALID (rank not below size), PENTA_MEMORY.
 */
PENTA_API penta_status penta_group_with(const penta_group_transport *transport, void *self, size_t rank, size_t size,
                                        penta_group **out);

/** Sets penta_last_error(NULL) of this thread to a line; returns the status. */
PENTA_API penta_status penta_group_fail(penta_status status, const char *line);

PENTA_END_DECLS
#endif
