/* The two bodies that are closest relative to their coordinates; on the host, O(n log n). */
#pragma once

#include "core/core.h"

typedef struct nbody_closest {
    bool found;
    size_t first, second; /* the pair with the smallest distance / size */
    double distance;      /* between them */
    double size;          /* largest absolute coordinate of the first */
    double least;         /* the smallest distance of all pairs looked at */
} nbody_closest;

/*
 * bodies: n x 7. Looks at pairs at different places, with a mass in at least one of them, that are at most
 * max(share * size, least) apart. Errors: PENTA_MEMORY.
 */
penta_status nbody_closest_find(penta_context *ctx, size_t n, const double *bodies, double share, double least,
                                nbody_closest *out);
