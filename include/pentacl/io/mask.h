/* Masks: which pixels count, as bytes from an image or NPY file of one page. */
#ifndef PENTACL_IO_MASK_H
#define PENTACL_IO_MASK_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/image.h>

/* height x width bytes, to be freed: 1 where the image is neither 0 nor NaN; NULL: out of memory. */
uint8_t *penta_io_mask_bytes(const penta_io_image *image);

/* The same of the only page of a file. Another size is refused. of: what the mask is for, in errors. */
bool penta_io_mask_read(const char *path, size_t height, size_t width, const char *of, uint8_t **out,
                        penta_io_error *err);

#endif
