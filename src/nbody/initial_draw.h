/* Random directions for the models of initial conditions. */
#pragma once

#include "math/rng.h"

/* A vector of this length in a random direction. */
void nbody_isotropic(penta_rng *rng, double length, double out[3]);
