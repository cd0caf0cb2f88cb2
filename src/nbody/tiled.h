/* Inside the GPU forms of the forces: how they run, for those who want it otherwise than create chooses. */
#ifndef PENTA_NBODY_TILED_H
#define PENTA_NBODY_TILED_H

#include "nbody/nbody.h"

/* 0 or NULL: as it suits device, kernel and n. */
typedef struct nbody_tiled_form {
    size_t group;        /* work-items of a group, a multiple of 32 */
    size_t bodies;       /* targets of a work-item */
    size_t slices;       /* of the sources, at most: for work-groups of their own */
    bool pairs;          /* best only: each pair once, for both its bodies (tiled_pairs.c); then without slices */
    size_t runs;         /* pairs: blocks of sources that a work-group takes */
    size_t memory;       /* pairs: bytes of partial sums, about; less than one run needs is raised to that */
    const char *defines; /* more of them, for the compiler of the kernels */
} nbody_tiled_form;

/* As nbody_tiled.create; form may be NULL. */
penta_status nbody_tiled_create(penta_context *ctx, const nbody_shape *shape, int kernel, const nbody_tiled_form *form,
                                void **state);

#endif
