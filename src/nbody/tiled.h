/* Inside the GPU forms of the forces: how they run, for tests that override the choice of create. */
#pragma once

#include "core/window.h"
#include "nbody/nbody.h"
#include "nbody/share.h"

/* 0 or NULL: chosen by device, kernel and n. */
typedef struct nbody_tiled_form {
    size_t group;  /* work-items of a group, a multiple of 32 */
    size_t bodies; /* targets of a work-item */
    size_t slices; /* of the sources, at most; each has its own work-groups */
    int pairs;   /* best only: 1: compute each pair once, for both bodies (tiled_pairs.c), without slices; -1: do not */
    size_t runs; /* pairs: blocks of sources that a work-group takes */
    size_t memory;       /* pairs: about how many bytes of partial sums, at least what one run needs */
    const char *defines; /* more defines for the kernels */
} nbody_tiled_form;

/* As nbody_tiled.create; form may be NULL. */
penta_status nbody_tiled_create(penta_context *ctx, const nbody_shape *shape, int kernel, const nbody_tiled_form *form,
                                void **state);

/* ---- each pair once (tiled_pairs.c; what members of a group exchange: tiled_tree.c) ---- */

enum {
    NBODY_PAIRS_PARTS = 1024,
    NBODY_PAIRS_BRANCHES = 24
}; /* at most: parts of the blocks; branches that a member has */

/* Branches of the tree over the parts, in the order of parts: a power of two of parts each, from a multiple of it on.
 */
typedef struct nbody_branches {
    size_t count;
    struct {
        size_t begin, size;
    } of[NBODY_PAIRS_BRANCHES];
} nbody_branches;

typedef struct nbody_pairs {
    penta_context *ctx;
    nbody_shape shape;
    size_t group, blocks, side; /* blocks of `side` bodies */
    size_t parts;               /* of the blocks: those of a part are added by one member */
    size_t run;                 /* offsets between blocks of a work-group */
    size_t chunk, pass;         /* at a time: parts, or offsets of one part */
    penta_pace pace;
    penta_kernel sum, add, merge, combine, unpack;
    penta_buffer targets, sources; /* what the bodies of a block receive as targets, and as sources */
    penta_buffer roots;            /* of this member's branches, [place][block][axis][side] numbers */
    /* of a group: */
    penta_buffer others, table, result; /* roots of the others; nbody_pairs_combine; [block][axis][side] */
    size_t branches;                    /* of all members */
    penta_window window; /* opened by the first forces: roots for the others, of this step and the last */
    size_t half, turn;   /* of the window: its length; which one is next */
    char *sums;          /* pinned: to the others with what was added up */
} nbody_pairs;

/* Whether the form asks for pairs once, or leaves it open and that is faster on this device. */
bool nbody_pairs_suit(penta_context *ctx, size_t n, const nbody_tiled_form *form);
/* Chooses how bodies are grouped, as far as the form leaves it open. */
void nbody_pairs_choose(penta_context *ctx, size_t n, const nbody_tiled_form *form, size_t *group, size_t *bodies);
/* Blocks have group * bodies bodies. defines: all defines of the kernels. The owner gets what is made. */
penta_status nbody_pairs_create(penta_resources *owner, const nbody_shape *shape, const nbody_tiled_form *form,
                                size_t group, size_t bodies, const char *defines, nbody_pairs *out);
/* records: the packed bodies, blocks * side of them. */
penta_status nbody_pairs_accelerate(nbody_pairs *p, penta_buffer *records, penta_buffer *acceleration);

/* The parts of this member; of a rank. */
nbody_part nbody_pairs_parts(const nbody_pairs *p, const nbody_share *share, size_t rank);
/* Adds a branch, which meets those that it is the second half of with; merge, which may be NULL, is told each time. */
penta_status nbody_branches_add(nbody_branches *b, size_t begin, size_t size,
                                penta_status (*merge)(void *data, size_t first, size_t second), void *data);
/* The next branch of parts begin .. end - 1, of at most `most` parts. */
size_t nbody_branch_size(size_t begin, size_t end, size_t most);
/* Numbers of a root. */
static inline size_t nbody_pairs_length(const nbody_pairs *p)
{
    return 3 * p->blocks * p->side;
}
/* What a group takes besides. */
penta_status nbody_pairs_join(penta_resources *owner, nbody_pairs *p);
/* The acceleration from the roots of all members; given: whether this member's are there. */
penta_status nbody_pairs_meet(nbody_pairs *p, penta_status given, penta_buffer *acceleration);
