/* Points of --points: m x 3 coordinates from CSV (columns x, y and z, or three columns without a header) or NPY. */
#ifndef PENTA_TOOLS_NBODY_POINTS_H
#define PENTA_TOOLS_NBODY_POINTS_H

#include <stddef.h>

#include <pentacl/io/error.h>

/* *out: malloc'ed. On failure it is NULL. */
bool gravity_points_read(const char *path, double **out, size_t *count, penta_io_error *err);

#endif
