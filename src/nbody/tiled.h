/* Inside the GPU forms of the forces: how they run, for tests that override the choice of create. */
#ifndef PENTA_NBODY_TILED_H
#define PENTA_NBODY_TILED_H

#include "nbody/nbody.h"

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

/* ---- each pair once (tiled_pairs.c) ---- */

typedef struct nbody_pairs {
    penta_context *ctx;
    nbody_shape shape;
    size_t group, blocks, side; /* blocks of `side` bodies */
    size_t run, pass;           /* offsets between blocks: per work-group, and per addition of the sums */
    penta_pace pace;
    penta_kernel sum, add;
    penta_buffer targets, sources; /* what the bodies of a block receive as targets, and as sources */
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

#endif
