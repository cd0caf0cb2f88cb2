/* Bodies of an exponential disc in a Hernquist halo; G = 1. */
#pragma once

#include "core/core.h"
#include "math/rng.h"

typedef struct nbody_disc nbody_disc; /* its tables */

penta_status nbody_disc_create(nbody_disc **out);
void nbody_disc_destroy(nbody_disc *disc); /* NULL is fine */
/* Body i: of the disc when i is a multiple of 3, else of the halo: position and velocity. */
void nbody_disc_body(const nbody_disc *disc, penta_rng *rng, size_t i, double body[6]);
/* The mass of body i of n. */
double nbody_disc_mass(size_t n, size_t i);
