/* Writing cubes, row pieces in any order. */
#define _POSIX_C_SOURCE 200809L

#include <pentacl/io/cube.h>
#include "io/cube_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void io_cube_name(int format, const char *stem, char *name, size_t size)
{
    static const char *const suffix[] = {[IO_CUBE_NPY] = ".npy", [IO_CUBE_GTIFF] = ".tif", [IO_CUBE_ENVI] = ".img"};

    snprintf(name, size, "%s%s", stem, suffix[format]);
}

char *io_cube_header_name(const char *data)
{
    const char *slash = strrchr(data, '/');
    const char *dot = strrchr(slash ? slash : data, '.');
    size_t stem = dot ? (size_t)(dot - data) : strlen(data);
    char *name = malloc(stem + sizeof ".hdr");

    if (name)
        snprintf(name, stem + sizeof ".hdr", "%.*s.hdr", (int)stem, data);
    return name;
}

bool io_cube_can_write(int format, io_error *err)
{
#ifdef PENTA_HAVE_GDAL
    (void)format;
    (void)err;
    return true;
#else
    return format == IO_CUBE_NPY || io_fail(err,
                                            "this build cannot write %s: install libgdal-dev and rebuild with "
                                            "PENTACL_WITH_GDAL=ON, or write NPY",
                                            format == IO_CUBE_GTIFF ? "GeoTIFF" : "ENVI");
#endif
}

static bool is_usable(const char *path, const io_cube_info *about, io_error *err)
{
    if (!io_cube_is_type(about->type))
        return io_fail(err, "%s: a cube of %s cannot be written", path, penta_type_name(about->type));
    if (about->bands == 0 || about->rows == 0 || about->cols == 0)
        return io_fail(err, "%s: there is nothing to write (%zu bands of %zu rows x %zu columns)", path, about->bands,
                       about->rows, about->cols);
    if (io_cube_bytes(about) == UINT64_MAX)
        return io_fail(err, "%s: the cube is too large to be written", path);
    return true;
}

bool io_cube_create(const char *path, int format, const io_cube_info *about, const io_cube *like, io_cube_writer **out,
                    io_error *err)
{
    io_cube_writer *writer = NULL;

    *out = NULL;
    if (!io_cube_can_write(format, err) || !is_usable(path, about, err))
        return false;
    writer = calloc(1, sizeof *writer);
    if (writer)
        writer->path = strdup(path);
    if (!writer || !writer->path) {
        io_fail(err, "%s: out of memory", path);
        goto cleanup;
    }
    writer->output = format == IO_CUBE_NPY ? &io_cube_npy_output : &io_cube_gdal_output;
    writer->format = format;
    writer->about = *about;
    if (writer->output->create(writer, like, err)) {
        writer->about.wavelengths = NULL; /* the caller's */
        writer->about.band_name = NULL;
        *out = writer;
        writer = NULL;
    }
cleanup:
    io_cube_abandon(writer);
    return *out != NULL;
}

bool io_cube_write(io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride, io_error *err)
{
    const io_cube_info *a = &writer->about;

    if (first > a->rows || count > a->rows - first)
        return io_fail(err, "%s: %zu rows from %zu on are beyond its %zu", writer->path, count, first, a->rows);
    if (count > 0 && !writer->output->write(writer, first, count, data, stride, err))
        return false;
    writer->rows += count;
    return true;
}

bool io_cube_finish(io_cube_writer *writer, io_error *err)
{
    bool ok =
        writer->rows >= writer->about.rows || io_fail(err, "%s: only %llu of its %zu rows were written", writer->path,
                                                      (unsigned long long)writer->rows, writer->about.rows);

    ok = ok && writer->output->finish(writer, err);
    io_cube_abandon(writer);
    return ok;
}

void io_cube_abandon(io_cube_writer *writer)
{
    if (!writer)
        return;
    if (writer->output)
        writer->output->abandon(writer);
    free(writer->path);
    free(writer);
}
