/* Where results go. */
#ifndef PENTA_TOOLS_STARS_PLACE_H
#define PENTA_TOOLS_STARS_PLACE_H

#include "stars/run.h"

/* Before anything is written: CLI_OK; or CLI_USAGE after a line where an image or a truth would take the place of a
 * file that is read, or of the other. The track is known. */
int stars_check_place(const stars_run *run);

#endif
