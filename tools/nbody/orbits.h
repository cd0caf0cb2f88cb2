/* The step that a run should have had. */
#pragma once

#include "nbody/run.h"

enum { NBODY_FEW = 64 }; /* bodies whose pairs are looked at */

/* A step that resolves the pericentre of each body with the one whose tide on it is strongest, where they are bound; 0:
 * none are. */
double nbody_orbit_step(size_t n, const double *bodies, double eps);

/* What to do where steps were too long for some bodies, as the end of a warning; "" where they were not. */
void nbody_advise_step(const nbody_run *run, char *text, size_t size);
