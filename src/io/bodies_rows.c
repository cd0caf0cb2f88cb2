/* Shared by the formats of bodies: memory for rows, and checks of numbers and names. */
#include "io/bodies_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const io_body_columns[IO_BODY_COLUMNS] = {"mass", "x", "y", "z", "vx", "vy", "vz"};

bool io_bodies_alloc(const char *path, uint64_t n, penta_io_bodies *out, penta_io_error *err)
{
    const size_t row_bytes = IO_BODY_COLUMNS * sizeof *out->rows;

    if (n == 0)
        return penta_io_fail(err, "%s: holds no bodies (its count is 0); give it at least one", path);
    out->rows = n <= SIZE_MAX / 2 / row_bytes ? malloc((size_t)n * row_bytes) : NULL;
    if (!out->rows)
        return penta_io_fail(err, "%s: out of memory for %" PRIu64 " bodies; free memory or take fewer", path, n);
    out->n = (size_t)n;
    return true;
}

void penta_io_bodies_free(penta_io_bodies *bodies)
{
    free(bodies->rows);
    free(bodies->id);
    free(bodies->family);
    free(bodies->softening);
    *bodies = (penta_io_bodies){0};
}

bool io_has_suffix(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot && dot != name && strcasecmp(dot, suffix) == 0;
}

bool io_bodies_fit_float(const char *path, const penta_io_bodies *in, const char *format, penta_io_error *err)
{
    for (size_t i = 0; i < in->n; i++) {
        const double *row = in->rows + i * IO_BODY_COLUMNS;

        for (size_t k = 0; k < IO_BODY_COLUMNS; k++)
            if (isinf((float)row[k]) || (k == 0 && row[0] > 0 && (float)row[0] == 0))
                return penta_io_fail(err,
                                     "%s: body %zu of %zu: %s is %g, beyond the float32 of %s; write .npy or .hdf5",
                                     path, i + 1, in->n, io_body_columns[k], row[k], format);
        if (in->softening && (isinf((float)in->softening[i]) || (in->softening[i] > 0 && (float)in->softening[i] == 0)))
            return penta_io_fail(err,
                                 "%s: body %zu of %zu: softening is %g, beyond the float32 of %s; write .npy or .hdf5",
                                 path, i + 1, in->n, in->softening[i], format);
    }
    return true;
}

char *io_bodies_text_load(const io_input *in, penta_io_error *err)
{
    size_t size = (size_t)in->bytes;
    char *text = in->bytes < SIZE_MAX ? malloc(size + 1) : NULL;
    const char *zero;

    if (!text) {
        penta_io_fail(err, "%s: out of memory for its %" PRIu64 " bytes; free memory or write NPY", in->path,
                      in->bytes);
        return NULL;
    }
    text[size] = 0;
    if (!io_input_read(in, 0, text, size))
        penta_io_fail(err, "%s: cannot be read; the file shrank or the disk fails", in->path);
    else if ((zero = memchr(text, 0, size)))
        penta_io_fail(err, "%s: is not text (byte %td is zero), or damaged; copy or make it again", in->path,
                      zero - text);
    else
        return text;
    free(text);
    return NULL;
}
