/* The file of --truth: what is true of the stars drawn in a frame. */
#ifndef PENTA_TOOLS_STARS_TRUTH_H
#define PENTA_TOOLS_STARS_TRUTH_H

#include <pentacl/exposure.h>

#include "stars/source.h"

/* A row for each star; docs/man/penta-stars.man has the columns. Empty: what has no meaning for the star or the run. */
bool star_truth_write(const penta_stars_truth *truth, const star_source *source, const char *path, penta_io_error *err);

#endif
