/* --mask: which pixels count. */
#ifndef PENTA_TOOLS_PCA_MASK_H
#define PENTA_TOOLS_PCA_MASK_H

#include <stdint.h>

#include <pentacl/io/error.h>
#include "pca/flags.h"

/*
 * The window of a mask of rows x cols, whatever penta_io_image_read reads: 1 where it is neither 0 nor NaN. width x
 * height bytes in *out, to be freed. Another size than the cube's is refused.
 */
bool pca_mask_read(const char *path, size_t rows, size_t cols, const pca_window *window, uint8_t **out,
                   penta_io_error *err);

#endif
