/* Where results go. */
#ifndef PENTA_TOOLS_NBODY_PLACE_H
#define PENTA_TOOLS_NBODY_PLACE_H

#include "nbody/run.h"

/* Before anything is written: CLI_OK; or CLI_USAGE after a line where an output would take the place of the bodies or
 * points that are read. The checkpoint of --restart is none of these: it is replaced by a later one. */
int nbody_check_place(const nbody_run *run);

#endif
