#include "pca/mask.h"

#include <stdlib.h>

#include "io/image.h"

static void cut(const io_image *image, const cube_window *w, uint8_t *out)
{
    for (size_t y = 0; y < w->height; y++)
        for (size_t x = 0; x < w->width; x++) {
            double value = io_image_value(image, (w->y + y) * image->width + w->x + x);

            out[y * w->width + x] = value < 0 || value > 0;
        }
}

/* The only page of the file. */
static bool read_page(const char *path, io_image *out, io_error *err)
{
    io_reader *reader;
    bool ok;

    if (!io_reader_open(path, &reader, err))
        return false;
    ok = io_reader_pages(reader) == 1 ||
         io_fail(err, "%s: has %zu pages, where a mask has one; save it as rows x cols", path, io_reader_pages(reader));
    ok = ok && io_reader_read(reader, 0, out, err);
    io_reader_close(reader);
    return ok;
}

bool cube_mask_read(const char *path, size_t rows, size_t cols, const cube_window *window, uint8_t **out, io_error *err)
{
    io_image image = {0};
    bool ok = read_page(path, &image, err);

    *out = NULL;
    if (ok && (image.height != rows || image.width != cols))
        ok = io_fail(err, "%s: is a mask of %zu rows x %zu columns; the cube has %zu x %zu", path, image.height,
                     image.width, rows, cols);
    if (ok) {
        *out = malloc(window->width * window->height);
        ok = *out || io_fail(err, "%s: out of memory for the mask", path);
    }
    if (ok)
        cut(&image, window, *out);
    io_image_free(&image);
    return ok;
}
