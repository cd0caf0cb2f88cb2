/* NumPy .npy arrays. pentacl/io/image.h, cube.h and movie.h read them. */
#ifndef PENTACL_IO_ARRAY_H
#define PENTACL_IO_ARRAY_H

#include <pentacl/array.h>
#include <stddef.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

/** Writes a C-order array of ndim <= 8 dimensions, little-endian, format 1.0, whole or not at all. */
PENTA_API bool penta_io_npy_write(const char *path, penta_type type, size_t ndim, const size_t *shape, const void *data,
                                  penta_io_error *err);

PENTA_END_DECLS
#endif
