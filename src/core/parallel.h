/* Pieces of host work that helper threads do beside the caller. */
#pragma once

#include <fenv.h>
#include <stdatomic.h>

#include <pentacl/parallel.h>

typedef struct penta_pieces {
    size_t count;
    bool (*body)(void *data, size_t i);
    void *data;
    /* The rest is of parallel.c. */
    atomic_size_t next, failed; /* failed: the first piece that failed; count: none */
    fenv_t rounding;            /* of the caller, for the helpers */
    size_t helpers;             /* at work on it */
    struct penta_pieces *behind;
} penta_pieces;

/* Offers the pieces to helpers and returns; up to `wanted` of them are woken. *p stays in place until penta_pieces_end.
 */
void penta_pieces_begin(penta_pieces *p, size_t wanted);
/* Does what no helper has begun, waits for the rest, and returns what penta_parallel_until does. */
size_t penta_pieces_end(penta_pieces *p);
