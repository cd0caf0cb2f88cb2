/* The end of a track. */
#pragma once

#include "stars/records.h"

/* Files that were written appear. code: of the drawing; returns it, or an error of its own, also where frames are
 * missing. */
int stars_sequence_commit(stars_run *run, const stars_sequence *s, int code);
