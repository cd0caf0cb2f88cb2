/* Which two bodies are nearest for the size of their coordinates: host, O(n log n). */
#ifndef PENTA_NBODY_CLOSEST_H
#define PENTA_NBODY_CLOSEST_H

#include "core/core.h"

typedef struct nbody_closest {
    bool found;
    size_t first, second; /* bodies of the pair with the least distance / size */
    double distance;      /* between them */
    double size;          /* largest coordinate of the first, absolute */
    double least;         /* the least distance of all pairs that were looked at */
} nbody_closest;

/*
 * bodies: n x 7. Looks at pairs of which one has a mass, at different places, and no farther apart than
 * max(share * size, least). Errors: PENTA_MEMORY.
 */
penta_status nbody_closest_find(penta_context *ctx, size_t n, const double *bodies, double share, double least,
                                nbody_closest *out);

#endif
