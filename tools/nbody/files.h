/* Files of bodies that all members of a run write together; by the first member, of the plan's present time. */
#pragma once

#include "nbody/run.h"

/* An exit code, after a line on stderr. A member that does not see the file leaves its part to the first. */
int nbody_write_bodies(nbody_run *run, const char *path); /* NPY */
int nbody_write_checkpoint(nbody_run *run, const char *path,
                           const penta_io_checkpoint *c); /* the state is the plan's */
