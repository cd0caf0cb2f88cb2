#include "optmap/mask.h"

#include <stdlib.h>

#include "io/image.h"

static bool read_page(const char *path, io_image *out, io_error *err)
{
    io_reader *reader;
    bool ok;

    if (!io_reader_open(path, &reader, err))
        return false;
    ok = io_reader_pages(reader) == 1 ||
         io_fail(err, "%s: has %zu pages, where a mask has one", path, io_reader_pages(reader));
    ok = ok && io_reader_read(reader, 0, out, err);
    io_reader_close(reader);
    return ok;
}

bool optmap_read_mask(const char *path, size_t height, size_t width, const char *movie, uint8_t **out, io_error *err)
{
    io_image image = {0};
    bool ok = read_page(path, &image, err);

    *out = NULL;
    if (ok && (image.height != height || image.width != width))
        ok = io_fail(err, "%s: is a mask of %zu x %zu pixels; frames of %s have %zu x %zu", path, image.width,
                     image.height, movie, width, height);
    if (ok) {
        *out = malloc(height * width);
        ok = *out || io_fail(err, "%s: out of memory for the mask", path);
    }
    for (size_t i = 0; ok && i < height * width; i++) {
        double value = io_image_value(&image, i);

        (*out)[i] = value < 0 || value > 0;
    }
    io_image_free(&image);
    return ok;
}
