/* Whether G is 1 in the units of the bodies; where it is not, a warning, and run->other_units. */
#ifndef PENTA_TOOLS_NBODY_UNITS_H
#define PENTA_TOOLS_NBODY_UNITS_H

#include "nbody/run.h"

/* By the units that the file states. */
void nbody_check_stated_units(nbody_run *run);
/* By the kinetic energy about the centre of mass and the potential energy of the bodies to begin with. */
void nbody_check_units(nbody_run *run, double kinetic, double potential);
/* The same by the potential at each body. */
void nbody_check_units_at(nbody_run *run, const double *potential);

#endif
