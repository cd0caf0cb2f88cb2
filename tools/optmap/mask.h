/* --mask: which pixels count. */
#ifndef PENTA_TOOLS_OPTMAP_MASK_H
#define PENTA_TOOLS_OPTMAP_MASK_H

#include <stddef.h>
#include <stdint.h>

#include "io/error.h"

/* height x width bytes in *out, to be freed: 1 where the only page of an image or NPY file is neither 0 nor NaN.
 * Another size is refused. movie: what the mask is for, in errors. */
bool optmap_read_mask(const char *path, size_t height, size_t width, const char *movie, uint8_t **out, io_error *err);

#endif
