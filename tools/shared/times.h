/* --times TABLE of a series. */
#ifndef PENTA_TOOLS_SERIES_TIMES_H
#define PENTA_TOOLS_SERIES_TIMES_H

#include "shared/series.h"

/*
 * Reads the time of each row of the series, s, from the columns time (or t) and file of a table; without a column file
 * the rows are those of the frames, in order. A file is found by its name as given, else by its name without folders
 * where that leads to one row and one file.
 */
bool series_read_times(series *s, const char *path, penta_io_error *err);

#endif
