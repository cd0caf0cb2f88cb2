/* rgb.png: the first three components as red, green and blue; fewer as grey. */
#pragma once

#include <pentacl/array.h>

#include <pentacl/io/error.h>

typedef struct pca_preview pca_preview;

/* A preview of rows x cols pixels, of which every n-th row and column is kept if there are more than 2^24. It has room
 * for the rows first .. first + count - 1 of them. On failure *out is NULL. */
bool pca_preview_open(size_t rows, size_t cols, size_t components, size_t first, size_t count, pca_preview **out,
                      penta_io_error *err);

/* Scores of rows first .. first + count - 1, stride elements from one component to the next; valid: count x cols. */
void pca_preview_add(pca_preview *preview, size_t first, size_t count, penta_type type, const void *scores,
                     size_t stride, const uint8_t *valid);

/* The rows it has room for, as bytes from malloc, and back into a preview of all rows; NULL, false: no memory, or other
 * bytes. */
void *pca_preview_pack(const pca_preview *preview, size_t *size);
bool pca_preview_unpack(pca_preview *preview, const void *bytes, size_t size);

/* Each component from its 2nd to its 98th percentile to 0..255; pixels that are left out are black. */
bool pca_preview_write(const pca_preview *preview, const char *path, penta_io_error *err);
void pca_preview_close(pca_preview *preview); /* NULL is fine */
