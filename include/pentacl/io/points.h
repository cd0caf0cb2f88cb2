/* Points in space: m x 3 coordinates, for penta_nbody_field. */
#ifndef PENTACL_IO_POINTS_H
#define PENTACL_IO_POINTS_H

#include <stddef.h>

#include <pentacl/context.h>
#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

/**
 * Reads CSV (columns x, y and z, or three columns without a header) or NPY (m x 3, float32 or float64), told by the
 * content. *out: count x 3 coordinates, malloc'ed. On failure it is NULL: numbers that are not finite, no points,
 * another shape.
 */
PENTA_API bool penta_io_points_read(const char *path, double **out, size_t *count, penta_io_error *err);

PENTA_END_DECLS
#endif
