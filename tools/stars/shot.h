/* Draws one frame and writes its files. */
#pragma once

#include "stars/run.h"

enum { STARS_INTERRUPTED = -1 }; /* instead of an exit code, without a line on stderr */

/*
 * Draws a frame; path NULL for stars by pixel. number: of the frame, which its noise depends on. An exit code, after a
 * line on stderr, or STARS_INTERRUPTED; then *out is empty.
 */
int stars_shot_take(stars_run *run, size_t number, const penta_attitude_path *path, stars_shot *out);

/* Writes it as path, in the format of the name's end, and its truth (NULL: not wanted). Any thread. */
bool stars_shot_write(const stars_run *run, const stars_shot *shot, const char *path, const char *truth,
                      penta_io_error *err);

void stars_shot_free(stars_shot *shot); /* a zeroed one is fine */
