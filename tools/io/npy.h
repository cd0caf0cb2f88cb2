/* NumPy .npy arrays on writing; io/image.h reads them. */
#ifndef PENTA_IO_NPY_H
#define PENTA_IO_NPY_H

#include <pentacl/array.h>
#include <stddef.h>

#include "io/error.h"

/* Writes a C-order array of ndim <= 8 dimensions, little-endian, format 1.0, whole or not at all. */
bool io_npy_write(const char *path, penta_type type, size_t ndim, const size_t *shape, const void *data, io_error *err);

#endif
