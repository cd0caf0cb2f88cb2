/*
 * Members of a group that share the forces of a plan. All have all bodies and move them alike; each computes the forces
 * on some of them, or of some pairs, and all get the result. Where a member fails, or is told to stop, the others learn
 * it with the next result: what a member has done until then comes as a status, and all return an error then.
 */
#pragma once

#include <pentacl/group.h>

#include "core/core.h"

/* Bytes of a device: all; of a buffer at most. */
typedef struct nbody_memory {
    uint64_t all, buffer;
} nbody_memory;

typedef struct nbody_share {
    penta_context *ctx;
    penta_group *group;
    size_t rank, size;
    double done, all;    /* forces on bodies that this member has computed; that all have */
    nbody_memory memory; /* of the members that have least */
    char *room;          /* memory of the host, which grows */
    size_t room_bytes;
} nbody_share;

typedef struct nbody_part {
    size_t first, count;
} nbody_part;

/* In all functions share may be NULL: there is one member. */

void nbody_share_release(nbody_share *share);

/* By what forms are chosen, alike at all members: of a group what the member with the least has, so that CPUs of
 * machines with more or less memory can share forces. */
nbody_memory nbody_memory_of(const nbody_share *share, const penta_context *ctx);
/* Every member, before its plan is made: fills share->memory. */
penta_status nbody_share_compare_memory(nbody_share *share);

/* This member's part of `count` items that come in units, the last of which may be cut. */
nbody_part nbody_share_part(const nbody_share *share, size_t count, size_t unit);
/* Of a grid whose first dimension has a work-item for every `each` items, or a part of one. */
penta_grid nbody_share_grid(const nbody_share *share, size_t count, size_t unit, size_t each, penta_grid grid);

/* All members return the same status: the one given, if it is the same at all. */
penta_status nbody_share_agree(nbody_share *share, penta_status status);
/* PENTA_INVALID at all members where the bytes of one differ from the others'; what: of the text. */
penta_status nbody_share_compare(nbody_share *share, const void *data, size_t bytes, const char *what);

/* buffer: vectors x stride numbers of eight bytes. Of `count` of each vector each member has computed its part; all
 * get the others'. */
penta_status nbody_share_vectors(nbody_share *share, penta_status status, penta_buffer *buffer, size_t vectors,
                                 size_t stride, size_t count, size_t unit);

/*
 * Sums of pairs of blocks (simd_pairs.cl, hermite_cpu.cl): partial[layer][vector][length] doubles, layers sets + parts,
 * made by sets x parts work-items, which are split among members. *out, vectors x pitch, becomes the sums over the
 * layers, in their order.
 */
typedef struct nbody_layers {
    penta_buffer *partial;
    size_t sets, parts, vectors, length, pitch, block;
} nbody_layers;

penta_status nbody_share_layers(nbody_share *share, penta_status status, const nbody_layers *layers, penta_buffer *out);

/* ---- messages: a status, then numbers, or after an error its text (for share*.c) ---- */

enum { NBODY_SHARE_HEAD = 8, NBODY_SHARE_TEXT = 512 }; /* bytes: of the status; of a message with an error, at most */

nbody_part nbody_share_part_of(const nbody_share *share, size_t rank, size_t count, size_t unit);

/* Room on the host, whose contents are lost with the next call. */
penta_status nbody_share_room(nbody_share *share, size_t bytes, char **out);

void nbody_share_put_status(char *message, penta_status status);
/* Makes the message of this member's error, and returns its size. */
size_t nbody_share_put_error(const nbody_share *share, penta_status status, char *message);

/* To each member its message, where it has bytes, and what the others have sent here, to be freed. Where one of these
 * is an error all return it: rather than a wish to stop, and that of the lowest rank. A member that has failed sends
 * its error to itself, too. */
penta_status nbody_share_exchange(nbody_share *share, char *const *messages, const size_t *bytes, char **arrived,
                                  size_t *arrived_bytes);

/* As nbody_share_vectors, with this member's part of each vector, one after another, at own + HEAD; `own` may be in the
 * room. */
penta_status nbody_share_spread(nbody_share *share, penta_status given, char *own, nbody_part part,
                                penta_buffer *buffer, size_t vectors, size_t stride, size_t count, size_t unit);
