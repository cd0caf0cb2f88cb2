#include <pentacl/io/image.h>

#include <stdlib.h>

uint8_t *penta_io_mask_bytes(const penta_io_image *image)
{
    size_t pixels = image->width * image->height;
    uint8_t *bytes = malloc(pixels);

    for (size_t i = 0; bytes && i < pixels; i++) {
        double value = penta_io_image_value(image, i);

        bytes[i] = value > 0 || value < 0;
    }
    return bytes;
}

static bool read_page(const char *path, penta_io_image *out, penta_io_error *err)
{
    penta_io_reader *reader;
    bool ok;

    if (!penta_io_reader_open(path, &reader, err))
        return false;
    ok = penta_io_reader_pages(reader) == 1 ||
         penta_io_fail(err, "%s: has %zu pages, where a mask has one", path, penta_io_reader_pages(reader));
    ok = ok && penta_io_reader_read(reader, 0, out, err);
    penta_io_reader_close(reader);
    return ok;
}

bool penta_io_mask_read(const char *path, size_t width, size_t height, const char *of, uint8_t **out,
                        penta_io_error *err)
{
    penta_io_image image = {0};
    bool ok = read_page(path, &image, err);

    *out = NULL;
    if (ok && (image.height != height || image.width != width))
        ok = penta_io_fail(err, "%s: is a mask of %zu x %zu pixels; %s has %zu x %zu", path, image.width, image.height,
                           of, width, height);
    if (ok) {
        *out = penta_io_mask_bytes(&image);
        ok = *out || penta_io_fail(err, "%s: out of memory for the mask", path);
    }
    penta_io_image_free(&image);
    return ok;
}
