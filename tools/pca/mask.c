#include "pca/mask.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/io/image.h>

bool pca_mask_read(const char *path, size_t rows, size_t cols, const pca_window *window, uint8_t **out,
                   penta_io_error *err)
{
    uint8_t *all = NULL;

    *out = NULL;
    if (!penta_io_mask_read(path, cols, rows, "the cube", &all, err))
        return false;
    *out = malloc(window->width * window->height);
    for (size_t y = 0; *out && y < window->height; y++)
        memcpy(*out + y * window->width, all + (window->y + y) * cols + window->x, window->width);
    free(all);
    return *out || penta_io_fail(err, "%s: out of memory for the mask", path);
}
