/* Where results go. */
#ifndef PENTA_TOOLS_AUTOCORR_PLACE_H
#define PENTA_TOOLS_AUTOCORR_PLACE_H

#include "autocorr/correlation.h"

/* Before anything is written: CLI_OK; or CLI_USAGE after a line where an output would take the place of an input
 * (frames and their masks, --with, --mask, --times, the recipe with its dark and flat frame). */
int autocorr_check_place(const correlation *c);

#endif
