/* The precision that the forces between given bodies need. */
#pragma once

#include "core/core.h"

typedef struct nbody_need {
    int precision;     /* the coarsest that is enough: PENTA_PRECISION_SINGLE, _DS or _DOUBLE */
    bool out_of_range; /* floats cannot hold the forces, nor can pairs of floats */
    char reason[240];  /* half a sentence, "bodies 3 and 9 are 1e-12 apart ..."; "" with single */
} nbody_need;

/*
 * bodies: n x 7, finite. Coordinates and masses in floats have 24 bits, in pairs 48. Errors: PENTA_MEMORY.
 */
penta_status nbody_need_of(penta_context *ctx, size_t n, const double *bodies, double eps, nbody_need *out);
