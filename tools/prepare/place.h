/* Where results go, and the check that none of them replaces an input or another result. */
#pragma once

#include "prepare/preparation.h"

/* ".png", ".tif", ".npy", ".fits" */
const char *prepare_suffix(int format);

/* Before anything is written: CLI_OK; or CLI_USAGE after a line where an output would take the place of an input
 * (frames of the list, dark and flat frame, recipe) or of another output (the mask of a frame and a frame a.mask.png).
 */
int prepare_check_place(const preparation *p);

/* DIR/report/NAME, the folder being made; to be freed. NULL: err says why. */
char *prepare_report_path(const preparation *p, const char *name, penta_io_error *err);
