/* Sums over all bodies on the host (meter.c for devices without double precision). */
#pragma once

#include "nbody/nbody.h"

enum { NBODY_SUMS = 12 }; /* as in cl/nbody/meter.cl */

/* numbers: mass, x, y, z, vx, vy, vz, `pitch` each. */
typedef struct nbody_host_bodies {
    size_t n, pitch;
    double *numbers;
} nbody_host_bodies;

/* Quantities: m, m x (3), m v (3), m x cross v (3), m v^2, m phi. */
void nbody_host_sums(const nbody_host_bodies *bodies, const double *potential, double sums[NBODY_SUMS]);
/* radii[k]: the smallest about the centre that holds a mass of enough[k], which ascend. Errors: PENTA_MEMORY. */
penta_status nbody_host_radii(penta_context *ctx, const nbody_host_bodies *bodies, const double center[3],
                              const double enough[PENTA_NBODY_RADII], double radii[PENTA_NBODY_RADII]);
