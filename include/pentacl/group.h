/*
 * Several members that do one job together, each with a context of its own: threads of one process, or processes with
 * MPI (pentacl/mpi.h). What is computed does not depend on how many there are: a slice's result is the same whoever
 * takes it, and partial sums that were gathered are added in a fixed order.
 *
 * Every member has a rank, 0 <= rank < size, and its own penta_group, which one thread at a time uses. Calls that say
 * "every member" must be made by all of them, in the same order. Failures are described at penta_last_error(NULL).
 */
#ifndef PENTACL_GROUP_H
#define PENTACL_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/context.h>
#include <pentacl/status.h>

PENTA_BEGIN_DECLS

typedef struct penta_group penta_group;

/* ---- making one ---- */

/** A group of one member, which ends with penta_group_leave. Errors: PENTA_MEMORY. */
PENTA_API penta_status penta_group_alone(penta_group **out);

/**
 * Runs body(member, data) for each of `size` members, rank 0 on the caller's thread, the others on threads of their
 * own, and waits for all. If one fails, calls of the others that wait for a message fail with PENTA_CANCELLED. Returns
 * the status of the first member, by rank, that failed otherwise. Errors: PENTA_INVALID (size 0), PENTA_MEMORY.
 */
PENTA_API penta_status penta_group_threads(size_t size, penta_status (*body)(penta_group *group, void *data),
                                           void *data);

/**
 * The first `count` members of a group as a group of their own, by the same messages: until they have left it, it alone
 * is used by them. The other members do not call this. Errors: PENTA_INVALID (no member, more than there are, or this
 * one is not among them), PENTA_MEMORY.
 */
PENTA_API penta_status penta_group_first(penta_group *group, size_t count, penta_group **out);

PENTA_API void penta_group_leave(penta_group *group); /* NULL is fine */

/* ---- about it ---- */

PENTA_API size_t penta_group_rank(const penta_group *group);
PENTA_API size_t penta_group_size(const penta_group *group);
/** "alone", "threads", "mpi", or what a program's own transport is called (pentacl/group_transport.h). */
PENTA_API const char *penta_group_kind(const penta_group *group);

/** Of `count` items the contiguous slice of a rank: sizes differ by one at most, and slices follow one another. */
PENTA_API void penta_group_slice(const penta_group *group, size_t rank, size_t count, size_t *first, size_t *length);

/* ---- exchange: every member ---- */

/**
 * The bytes of rank 0 at every member; data and bytes count on rank 0 alone. *out is freed with free (NULL where there
 * are no bytes). Errors: PENTA_MEMORY, PENTA_CANCELLED.
 */
PENTA_API penta_status penta_group_broadcast(penta_group *group, const void *data, size_t bytes, void **out,
                                             size_t *out_bytes);

/**
 * The bytes of all members at every member, one after another by rank. sizes: one a member, or NULL. *out is freed with
 * free. Errors as penta_group_broadcast.
 */
PENTA_API penta_status penta_group_gather(penta_group *group, const void *data, size_t bytes, void **out,
                                          size_t *sizes);

/**
 * To each member bytes of its own: bytes[r] at data[r] go to rank r; out[r] and out_bytes[r] become those that rank r
 * sent here, freed with free (NULL where there are none). All arrays have one entry a member. Errors as
 * penta_group_broadcast.
 */
PENTA_API penta_status penta_group_exchange(penta_group *group, const void *const *data, const size_t *bytes,
                                            void **out, size_t *out_bytes);

/* ---- shared work ---- */

/**
 * The next of `slices` slices of a list, 0 .. slices - 1, which no member has taken yet; *slice == slices: none is
 * left. Slices are given in order, so all below one that is given have been given. Every member asks until none is
 * left, with the same number; all have been told so before a list that follows, as after a penta_group_gather. One
 * thread of a member asks, while others may exchange. Errors: PENTA_MEMORY, PENTA_CANCELLED.
 */
PENTA_API penta_status penta_group_next(penta_group *group, size_t slices, size_t *slice);

/** Ends the list: no member is given another slice. Any member; errors as penta_group_next. */
PENTA_API penta_status penta_group_stop(penta_group *group);

/** Bytes to another member, which hears them in the order in which they were told. One thread of a member tells at a
 * time, and one hears; neither waits for exchanges. */
PENTA_API penta_status penta_group_tell(penta_group *group, size_t to, const void *data, size_t bytes);

/** What has been told to this member, if anything has (*found): *data is freed with free (NULL where there are no
 * bytes). Does not wait. */
PENTA_API penta_status penta_group_hear(penta_group *group, void **data, size_t *bytes, size_t *from, bool *found);

PENTA_END_DECLS
#endif
