/* Random directions for the models of initial conditions. */
#ifndef PENTA_NBODY_INITIAL_DRAW_H
#define PENTA_NBODY_INITIAL_DRAW_H

#include "math/rng.h"

/* A vector of this length in a random direction. */
void nbody_isotropic(penta_rng *rng, double length, double out[3]);

#endif
