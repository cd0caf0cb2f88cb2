#include <pentacl/io/cube.h>
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

/* *pages: of the image; 0: it is none that is read. */
static bool read_page(const char *path, penta_io_image *out, size_t *pages, penta_io_error *err)
{
    penta_io_reader *reader;
    bool ok;

    *pages = 0;
    if (!penta_io_reader_open(path, &reader, err))
        return false;
    *pages = penta_io_reader_pages(reader);
    ok = *pages == 1 || penta_io_fail(err, "%s: has %zu pages, where a mask has one", path, *pages);
    ok = ok && penta_io_reader_read(reader, 0, out, err);
    penta_io_reader_close(reader);
    return ok;
}

/* A cube of one band: integers of any type, ENVI, GeoTIFF. False: it is none; NULL in *out: it is, and err says what is
 * wrong with it. */
static bool read_band(const char *path, size_t *width, size_t *height, uint8_t **out, penta_io_error *err)
{
    const penta_io_cube_hints hints = {.raw_values = true, .mask = true};
    const penta_io_cube_info *a;
    penta_io_cube *cube;
    void *elements = NULL;
    size_t pixels;

    *out = NULL;
    if (!penta_io_cube_open(path, &hints, &cube, NULL))
        return false;
    a = penta_io_cube_about(cube);
    pixels = a->rows * a->cols;
    *width = a->cols;
    *height = a->rows;
    if (a->bands != 1) {
        penta_io_fail(err, "%s: has %zu bands, where a mask has one", path, a->bands);
    } else if (!(elements = malloc(pixels * penta_type_size(a->type))) || !(*out = malloc(pixels))) {
        penta_io_fail(err, "%s: out of memory for the mask", path);
    } else if (!penta_io_cube_read(cube, 0, a->rows, elements, err)) {
        free(*out);
        *out = NULL;
    }
    for (size_t i = 0; *out && i < pixels; i++) {
        double value = penta_io_cube_number(a->type, elements, i);

        (*out)[i] = value > 0 || value < 0;
    }
    free(elements);
    penta_io_cube_close(cube);
    return true;
}

bool penta_io_mask_read(const char *path, size_t width, size_t height, const char *of, uint8_t **out,
                        penta_io_error *err)
{
    penta_io_image image = {0};
    uint8_t *mask = NULL;
    size_t pages;

    *out = NULL;
    if (read_page(path, &image, &pages, err)) {
        mask = penta_io_mask_bytes(&image);
        if (!mask)
            penta_io_fail(err, "%s: out of memory for the mask", path);
    } else if (pages > 1 || !read_band(path, &image.width, &image.height, &mask, err)) {
        return false;
    }
    if (mask && (image.height != height || image.width != width)) {
        penta_io_fail(err, "%s: is a mask of %zu x %zu pixels; %s has %zu x %zu", path, image.width, image.height, of,
                      width, height);
        free(mask);
        mask = NULL;
    }
    *out = mask;
    penta_io_image_free(&image);
    return mask != NULL;
}
