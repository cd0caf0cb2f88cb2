/* --times TABLE of a series of frames. */
#pragma once

#include <pentacl/io/error.h>
#include "shared/frames.h"

/*
 * Reads the time of each frame of the list from the columns time (or t) and file of a table; without a column file the
 * rows are those of the frames, in order. A file is found by its name as given, else by its name without folders where
 * that leads to one row and one file.
 */
bool times_read(const char *path, const frame_list *list, double *times, penta_io_error *err);
