/* The softening length of the forces. */
#ifndef PENTA_TOOLS_NBODY_SOFTENING_H
#define PENTA_TOOLS_NBODY_SOFTENING_H

#include "nbody/run.h"

/* Of bodies of --input: chooses run->options.eps where --eps is not given. Warns of one that is given and too large. */
int nbody_settle_softening(nbody_run *run, bool given);

#endif
