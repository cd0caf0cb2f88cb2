/* --track: draws a frame for each row, while threads write the frames before it. */
#pragma once

#include "stars/records.h"

/*
 * Draws and writes DIR/frame-0000.SUFFIX and on, and TRUTH/frame-0000.truth.csv where --truth names a directory. An
 * exit code, after a line on stderr; what was written until then is kept.
 */
int stars_sequence_run(stars_run *run, stars_sequence *out);
