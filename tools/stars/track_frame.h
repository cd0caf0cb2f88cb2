/* A frame of --track. */
#pragma once

#include "stars/shot.h"

/* As stars_shot_take. */
int stars_frame_draw(stars_run *run, size_t number, stars_shot *shot);

/* Writes DIR/frame-0000.SUFFIX and TRUTH/frame-0000.truth.csv. Any thread. */
bool stars_frame_write(const stars_run *run, const stars_shot *shot, penta_io_error *err);

/* DIR/frame-0000.SUFFIX, to be freed; NULL when out of memory. */
char *stars_frame_name(const char *directory, size_t number, const char *suffix);
