/* Writing cubes; pieces of rows may come in any order. */
#include <pentacl/io/cube.h>
#include "io/cube_format.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void penta_io_cube_name(int format, const char *stem, char *name, size_t size)
{
    static const char *const suffix[] = {
        [PENTA_IO_CUBE_NPY] = ".npy", [PENTA_IO_CUBE_GTIFF] = ".tif", [PENTA_IO_CUBE_ENVI] = ".img"};

    snprintf(name, size, "%s%s", stem, suffix[format]);
}

bool penta_io_cube_can_write(int format, penta_io_error *err)
{
#ifdef PENTA_HAVE_GDAL
    (void)format;
    (void)err;
    return true;
#else
    return format == PENTA_IO_CUBE_NPY ||
           penta_io_fail(err,
                         "this build cannot write %s: install libgdal-dev and rebuild with "
                         "PENTACL_WITH_GDAL=ON, or write NPY",
                         format == PENTA_IO_CUBE_GTIFF ? "GeoTIFF" : "ENVI");
#endif
}

static bool is_usable(const char *path, const penta_io_cube_info *about, penta_io_error *err)
{
    if (!io_cube_is_type(about->type))
        return penta_io_fail(err, "%s: a cube of %s cannot be written", path, penta_type_name(about->type));
    if (about->bands == 0 || about->rows == 0 || about->cols == 0)
        return penta_io_fail(err, "%s: there is nothing to write (%zu bands of %zu rows x %zu columns)", path,
                             about->bands, about->rows, about->cols);
    if (io_cube_bytes(about) == UINT64_MAX)
        return penta_io_fail(err, "%s: the cube is too large to be written", path);
    return true;
}

bool penta_io_cube_create(const char *path, int format, const penta_io_cube_info *about, const penta_io_cube *like,
                          penta_io_cube_writer **out, penta_io_error *err)
{
    penta_io_cube_writer *writer = NULL;

    *out = NULL;
    if (!penta_io_cube_can_write(format, err) || !is_usable(path, about, err))
        return false;
    writer = calloc(1, sizeof *writer);
    if (writer) {
        io_parts_init(&writer->parts);
        writer->path = strdup(path);
    }
    if (!writer || !writer->path) {
        penta_io_fail(err, "%s: out of memory", path);
        goto cleanup;
    }
    writer->output = format == PENTA_IO_CUBE_NPY ? &io_cube_npy_output : &io_cube_gdal_output;
    writer->format = format;
    writer->about = *about;
    if (writer->output->create(writer, like, err)) {
        writer->about.wavelengths = NULL; /* owned by the caller */
        writer->about.band_name = NULL;
        *out = writer;
        writer = NULL;
    }
cleanup:
    penta_io_cube_abandon(writer);
    return *out != NULL;
}

bool penta_io_cube_write(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                         penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;

    if (first > a->rows || count > a->rows - first)
        return penta_io_fail(err, "%s: %zu rows from %zu on are beyond its %zu", writer->path, count, first, a->rows);
    if (count > 0 && !writer->output->write(writer, first, count, data, stride, err))
        return false;
    atomic_fetch_add(&writer->rows, count);
    return true;
}

void penta_io_cube_count_rows(penta_io_cube_writer *writer, size_t rows)
{
    atomic_fetch_add(&writer->rows, rows);
}

bool penta_io_cube_finish(penta_io_cube_writer *writer, penta_io_error *err)
{
    bool ok = writer->joined || atomic_load(&writer->rows) >= writer->about.rows ||
              penta_io_fail(err, "%s: only %llu of its %zu rows were written", writer->path,
                            (unsigned long long)atomic_load(&writer->rows), writer->about.rows);

    ok = ok && writer->output->finish(writer, err);
    penta_io_cube_abandon(writer);
    return ok;
}

void penta_io_cube_abandon(penta_io_cube_writer *writer)
{
    if (!writer)
        return;
    if (writer->output)
        writer->output->abandon(writer);
    io_parts_free(&writer->parts);
    free(writer->path);
    free(writer);
}
