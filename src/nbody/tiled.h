/* Inside the GPU forms of the forces: how they run, for those who want it otherwise than create chooses. */
#ifndef PENTA_NBODY_TILED_H
#define PENTA_NBODY_TILED_H

#include "nbody/nbody.h"

/* 0 or NULL: as it suits device, kernel and n. */
typedef struct nbody_tiled_form {
    size_t group;  /* work-items of a group, a multiple of 32 */
    size_t bodies; /* targets of a work-item */
    size_t slices; /* of the sources, at most: for work-groups of their own */
    int pairs;     /* best only: 1: each pair once, for both its bodies (tiled_pairs.c), without slices; -1: not */
    size_t runs;   /* pairs: blocks of sources that a work-group takes */
    size_t memory; /* pairs: bytes of partial sums, about; less than one run needs is raised to that */
    const char *defines; /* more of them, for the compiler of the kernels */
} nbody_tiled_form;

/* As nbody_tiled.create; form may be NULL. */
penta_status nbody_tiled_create(penta_context *ctx, const nbody_shape *shape, int kernel, const nbody_tiled_form *form,
                                void **state);

/* ---- each pair once (tiled_pairs.c) ---- */

typedef struct nbody_pairs {
    penta_context *ctx;
    nbody_shape shape;
    size_t group, blocks, side; /* blocks of `side` bodies */
    size_t run, pass;           /* offsets between blocks: of a work-group, and that are met before sums are added */
    penta_pace pace;
    penta_kernel sum, add;
    penta_buffer targets, sources; /* what the bodies of a block receive as targets, and as sources */
} nbody_pairs;

/* Whether the form asks for it, or leaves it open and it is faster on this device. */
bool nbody_pairs_suit(penta_context *ctx, size_t n, const nbody_tiled_form *form);
/* What the form leaves open of how bodies are grouped. */
void nbody_pairs_choose(penta_context *ctx, size_t n, const nbody_tiled_form *form, size_t *group, size_t *bodies);
/* Blocks of group * bodies bodies; defines: those of the kernels, all of them. What it makes belongs to the owner. */
penta_status nbody_pairs_create(penta_resources *owner, const nbody_shape *shape, const nbody_tiled_form *form,
                                size_t group, size_t bodies, const char *defines, nbody_pairs *out);
/* records: the packed bodies, blocks * side of them. */
penta_status nbody_pairs_accelerate(nbody_pairs *p, penta_buffer *records, penta_buffer *acceleration);

#endif
