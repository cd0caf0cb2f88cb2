/* Bodies of the models one at a time: place x, y, z and velocity in six doubles, G = 1. */
#ifndef PENTA_NBODY_INITIAL_H
#define PENTA_NBODY_INITIAL_H

#include "core/core.h"
#include "math/rng.h"

/* A vector of this length in any direction. */
void nbody_isotropic(penta_rng *rng, double length, double out[3]);

/* ---- Hernquist's sphere (initial_hernquist.c), scale length 1, cut at NBODY_HERNQUIST_CUT ---- */

#define NBODY_HERNQUIST_CUT 100.0
/* Of the whole model where the bodies, all inside the cut, have mass 1. */
#define NBODY_HERNQUIST_MASS ((1 + 1 / NBODY_HERNQUIST_CUT) * (1 + 1 / NBODY_HERNQUIST_CUT))

double nbody_hernquist_radius(penta_rng *rng);
void nbody_hernquist_body(penta_rng *rng, double body[6]);

/* ---- a disc in a halo (initial_disc.c) ---- */

typedef struct nbody_disc nbody_disc; /* its tables */

penta_status nbody_disc_create(nbody_disc **out);
void nbody_disc_destroy(nbody_disc *disc); /* NULL is fine */
/* Body i: of the disc when i is a multiple of 3, else of the halo. */
void nbody_disc_body(const nbody_disc *disc, penta_rng *rng, size_t i, double body[6]);
/* The mass of body i of n. */
double nbody_disc_mass(size_t n, size_t i);

#endif
