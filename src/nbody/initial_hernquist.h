/* Bodies of Hernquist's sphere, scale length 1, cut at NBODY_HERNQUIST_CUT; G = 1. */
#pragma once

#include "math/rng.h"

#define NBODY_HERNQUIST_CUT 100.0
/* Mass of the whole model if the bodies, all inside the cut, have mass 1. */
#define NBODY_HERNQUIST_MASS ((1 + 1 / NBODY_HERNQUIST_CUT) * (1 + 1 / NBODY_HERNQUIST_CUT))

double nbody_hernquist_radius(penta_rng *rng);
/* Position and velocity of one body. */
void nbody_hernquist_body(penta_rng *rng, double body[6]);
