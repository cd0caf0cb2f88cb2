/* Bodies in NPY: an n x 7 array of mass, x, y, z, vx, vy, vz. */
#include "io/bodies_format.h"

#include <string.h>

#include <pentacl/io/array.h>
#include <pentacl/io/image.h>

static bool npy_matches(const io_input *in, bool sure)
{
    char magic[6];

    (void)sure;
    return io_input_read(in, 0, magic, sizeof magic) && memcmp(magic, "\x93NUMPY", sizeof magic) == 0;
}

/* Takes the rows from an n x 7 image. */
static bool take_image(const char *path, penta_io_image *image, penta_io_bodies *out, penta_io_error *err)
{
    if (image->width != IO_BODY_COLUMNS || (image->type != PENTA_F32 && image->type != PENTA_F64))
        return penta_io_fail(
            err,
            "%s: is an array of %zu x %zu %s; bodies are n x 7 float64 or float32 (mass, x, y, z, vx, vy, "
            "vz): save such an array",
            path, image->height, image->width, penta_type_name(image->type));
    if (image->type == PENTA_F64) {
        out->n = image->height;
        out->rows = image->data;
        image->data = NULL;
        return true;
    }
    if (!io_bodies_alloc(path, image->height, out, err))
        return false;
    for (size_t i = 0; i < out->n * IO_BODY_COLUMNS; i++)
        out->rows[i] = ((const float *)image->data)[i];
    return true;
}

static bool npy_read(const io_input *in, penta_io_bodies *out, penta_io_error *err)
{
    const char *path = in->path;
    penta_io_reader *reader = NULL;
    penta_io_image image = {0};
    bool ok = penta_io_reader_open(path, &reader, err) && penta_io_reader_read(reader, 0, &image, err);

    if (!ok)
        penta_io_fail(err, "%s (bodies are an array of n x 7: mass, x, y, z, vx, vy, vz)", err ? err->text : "");
    else if (penta_io_reader_pages(reader) > 1)
        ok = penta_io_fail(err, "%s: is a stack of %zu arrays; bodies are one of n x 7: save a single snapshot", path,
                           penta_io_reader_pages(reader));
    else
        ok = take_image(path, &image, out, err);
    penta_io_image_free(&image);
    penta_io_reader_close(reader);
    return ok;
}

static bool npy_write(const char *path, const penta_io_bodies *in, penta_io_error *err)
{
    return penta_io_npy_write(path, PENTA_F64, 2, (const size_t[]){in->n, IO_BODY_COLUMNS}, in->rows, err);
}

static const char *const ends[] = {"npy", NULL};

const io_bodies_format io_bodies_npy = {
    .name = "NPY", .ends = ends, .matches = npy_matches, .read = npy_read, .write = npy_write, .loss = IO_LOSES_TIME};
