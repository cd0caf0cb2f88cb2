/* The launches of CPU forms that compute each pair once (cl/nbody/simd_pairs.cl, hermite_cpu.cl). */
#pragma once

#include "core/core.h"

typedef struct nbody_triangle {
    int block, blocks; /* bodies of a block; blocks */
    int sets;          /* of rows: the rows of a turn (cl/nbody/triangle.clh) */
    /* Enqueues the rows of turns first .. last and of them the columns begin .. end - 1. */
    penta_status (*launch)(void *state, int first, int last, int begin, int end);
    void *state;
} nbody_triangle;

/* Launches all of it, in the order that the kernels need. Errors also: PENTA_CANCELLED. */
penta_status nbody_triangle_launch(penta_context *ctx, penta_pace *pace, const nbody_triangle *t);
