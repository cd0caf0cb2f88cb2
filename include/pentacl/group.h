/*
 * Several members that do one job together, each with a context of its own: threads of one process, or processes with
 * MPI (pentacl/mpi.h). What is computed does not depend on how many there are: pieces of work are handed out as members
 * become free, but their results are taken in order; sums of blocks are added in the order of the blocks, whoever holds
 * them.
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

/**
 * total[k] = sum over b of block[b][k], 0 <= b < blocks, k < n, added one after another from b = 0: the same bits
 * whoever holds which block. This member holds blocks first .. first + count - 1, count x n numbers at `held`; every
 * block is held by one member. total: n numbers, at every member. Errors: PENTA_INVALID (a block that nobody holds, or
 * two do), and those of penta_group_broadcast.
 */
PENTA_API penta_status penta_group_sum(penta_group *group, size_t n, size_t blocks, size_t first, size_t count,
                                       const double *held, double *total);

/* ---- handing out work: every member ---- */

/**
 * Pieces 0 .. count - 1 of a job, each done by one member. The functions `promise` and `work` run on a thread of the
 * member that the piece was given to (on rank 0 another one than the caller's), the others on the caller's thread of
 * rank 0.
 */
typedef struct penta_hand_out {
    size_t size;   /* of this struct, by penta_hand_out_init */
    size_t count;  /* pieces; of rank 0 */
    size_t window; /* pieces that may have been given out and not yet taken, which bounds memory; 0: 4 a member */
    void *member;  /* this member's, for promise and work */
    void *user;    /* of rank 0, for take and drop */
    /** A piece that the member will be asked for after those before: it may be read ahead. NULL: no need to know. */
    void (*promise)(void *member, size_t piece);
    /** Does a piece. After an error *result may be its text, from malloc; nothing more is handed out then. */
    penta_status (*work)(void *member, size_t piece, void **result);
    /** Takes over the result of a piece, which member `rank` did: pieces come in order, each once. An error ends the
     * hand-out. */
    penta_status (*take)(void *user, size_t piece, size_t rank, void *result);
    /** Frees a result that is not taken, after an error. */
    void (*drop)(void *user, void *result);
    /**
     * Where members are processes a result goes as bytes. pack makes them, from malloc, at the member that has done the
     * piece, and frees the result; it is called after the work on the next piece, so that files may be written
     * meanwhile. unpack makes a result for take and drop from them, at rank 0. Both or none: without them results are
     * pointers, which do between threads. Their errors are those of the piece.
     */
    penta_status (*pack)(void *member, size_t piece, void *result, void **bytes, size_t *size);
    penta_status (*unpack)(void *user, size_t piece, const void *bytes, size_t size, void **result);
    /** Called often by rank 0 while it waits; an error gives up the pieces that are not back yet. May be NULL. */
    penta_status (*poll)(void *user);
    /** Called at a member, in order, for pieces of which rank 0 has the bytes. Others may never come there, after an
     * error: what belongs to them, as files do, is still the member's. May be NULL. */
    void (*received)(void *member, size_t piece);
} penta_hand_out;

/** All zero but the size. */
static inline void penta_hand_out_init(penta_hand_out *h)
{
    const penta_hand_out initial = {sizeof initial, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};

    *h = initial;
}

/**
 * Hands out the pieces as members become free, each member having the next one promised while it works. Returns, at
 * every member, the first error in the order of pieces of work or take; pieces before that one have been taken, others
 * not. Errors besides: PENTA_INVALID (no work or no take, or no pack between processes), PENTA_MEMORY, PENTA_CANCELLED.
 */
PENTA_API penta_status penta_group_hand_out(penta_group *group, const penta_hand_out *h);

PENTA_END_DECLS
#endif
