/* Opening by the first bytes, and what the formats share. */
#include "io/format.h"
#include "io/raw.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 16

static const io_format *const formats[] = {&io_png_format, &io_tiff_format, &io_fits_format,
                                           &io_pnm_format, &io_npy_format,  &io_gif_format};

/* Formats that people try, so that the error can call them by name. */
static const struct {
    const char *magic;
    size_t size;
    const char *name;
} strangers[] = {
    {"\xff\xd8\xff", 3, "a JPEG"},
    {"BM", 2, "a BMP"},
    {"P1", 2, "a PBM bitmap"},
    {"P4", 2, "a PBM bitmap"},
    {"P7", 2, "a PAM"},
    {"PF", 2, "a PFM"},
    {"Pf", 2, "a PFM"},
    {"\x89HDF", 4, "an HDF5 file"},
    {"MATLAB 5", 8, "a MATLAB file"},
    {"PK\x03\x04", 4, "a ZIP archive (or NPZ)"},
    {"\x1f\x8b", 2, "a gzip file"},
    {"%PDF", 4, "a PDF"},
};

static bool unknown_format(const char *path, const unsigned char *head, size_t size, penta_io_error *err)
{
    char bytes[3 * 4 + 1] = "";

    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (size >= strangers[i].size && memcmp(head, strangers[i].magic, strangers[i].size) == 0)
            return penta_io_fail(err,
                                 "%s: is %s, which is not supported; convert it to PNG, TIFF, FITS, PGM/PPM or NPY",
                                 path, strangers[i].name);
    for (size_t i = 0; i < size && i < 4; i++)
        snprintf(bytes + 3 * i, 4, " %02x", head[i]);
    return penta_io_fail(
        err,
        "%s: unknown format (its first bytes are%s); PNG, TIFF, FITS, GIF, PGM/PPM (P2, P3, P5, P6), NPY "
        "and camera raw can be read",
        path, bytes);
}

bool penta_io_reader_open(const char *path, penta_io_reader **out, penta_io_error *err)
{
    return penta_io_reader_open_axes(path, PENTA_IO_AXES_AUTO, out, err);
}

const char *penta_io_reader_doubt(const penta_io_reader *reader)
{
    return *reader->doubt ? reader->doubt : NULL;
}

bool penta_io_reader_open_axes(const char *path, enum penta_io_axes axes, penta_io_reader **out, penta_io_error *err)
{
    unsigned char head[HEAD_BYTES];
    penta_io_reader *reader = NULL;
    size_t size;
    bool ok = false;

    *out = NULL;
    reader = calloc(1, sizeof *reader);
    if (!reader)
        return penta_io_fail(err, "%s: out of memory", path);
    reader->axes = axes;
    if (!io_input_open(path, &reader->input, err))
        goto cleanup;
    size = reader->input.bytes < sizeof head ? (size_t)reader->input.bytes : sizeof head;
    if (!io_input_read(&reader->input, 0, head, size)) {
        penta_io_fail(err, "%s: cannot be read; check the disk or the network", path);
        goto cleanup;
    }
    if (io_raw_matches(path, head, size))
        reader->format = &io_raw_format;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !reader->format; i++)
        if (formats[i]->matches(head, size))
            reader->format = formats[i];
    if (!reader->format) {
        unknown_format(path, head, size, err);
        goto cleanup;
    }
    if (!reader->format->open(reader, err))
        goto cleanup;
    *out = reader;
    ok = true;
cleanup:
    if (!ok)
        penta_io_reader_close(reader);
    return ok;
}

static bool kind_of(const unsigned char *head, size_t size, char *kind, size_t room)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->matches(head, size)) {
            snprintf(kind, room, "a %s file", formats[i]->name);
            return true;
        }
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) /* two letters may begin a text as well */
        if (strangers[i].size > 2 && size >= strangers[i].size &&
            memcmp(head, strangers[i].magic, strangers[i].size) == 0) {
            snprintf(kind, room, "%s", strangers[i].name);
            return true;
        }
    return false;
}

bool penta_io_looks_like_image(const char *path, char *kind, size_t size)
{
    unsigned char head[HEAD_BYTES];
    io_input input = {0};
    penta_io_error err;
    size_t bytes;
    bool found;

    if (!io_input_open(path, &input, &err))
        return false;
    bytes = input.bytes < sizeof head ? (size_t)input.bytes : sizeof head;
    found = io_input_read(&input, 0, head, bytes) && kind_of(head, bytes, kind, size);
    io_input_close(&input);
    return found;
}

size_t penta_io_reader_pages(const penta_io_reader *reader)
{
    return reader->pages;
}

void penta_io_reader_keep_colour(penta_io_reader *reader)
{
    reader->colour = true;
}

bool penta_io_reader_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    *out = (penta_io_image){0};
    if (page >= reader->pages)
        return penta_io_fail(err, "%s: has %zu page%s, but page %zu was asked for (counted from 1)", reader->input.path,
                             reader->pages, reader->pages == 1 ? "" : "s", page + 1);
    if (reader->format->read(reader, page, out, err))
        return true;
    penta_io_image_free(out);
    return false;
}

void penta_io_reader_close(penta_io_reader *reader)
{
    if (!reader)
        return;
    if (reader->format && reader->format->close)
        reader->format->close(reader);
    io_input_close(&reader->input);
    free(reader);
}

double penta_io_image_value(const penta_io_image *image, size_t i)
{
    switch (image->type) {
    case PENTA_U8:
        return ((const uint8_t *)image->data)[i];
    case PENTA_U16:
        return ((const uint16_t *)image->data)[i];
    case PENTA_F32:
        return (double)((const float *)image->data)[i];
    default:
        return ((const double *)image->data)[i];
    }
}

void penta_io_image_free(penta_io_image *image)
{
    free(image->data);
    *image = (penta_io_image){0};
}

bool io_page_fail(const penta_io_reader *reader, size_t page, penta_io_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    if (vsnprintf(text, sizeof text, format, args) < 0)
        *text = 0;
    va_end(args);
    if (reader->pages > 1)
        return penta_io_fail(err, "%s: page %zu of %zu: %s", reader->input.path, page + 1, reader->pages, text);
    return penta_io_fail(err, "%s: %s", reader->input.path, text);
}

uint64_t io_product(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

bool io_page_plausible(const penta_io_reader *reader, size_t page, uint64_t bytes, uint64_t inflation,
                       penta_io_error *err)
{
    if (bytes > io_product(reader->input.bytes, inflation))
        return io_page_fail(reader, page, err,
                            "its header claims an image of %s%" PRIu64 " bytes, more than a file of %" PRIu64
                            " bytes can hold; the file is truncated or damaged: copy or export it again",
                            bytes == UINT64_MAX ? "over " : "", bytes, reader->input.bytes);
    if (inflation > 1 && bytes > IO_MAX_PAGE_BYTES)
        return io_page_fail(reader, page, err,
                            "the image would take %" PRIu64 " bytes, over the limit of %" PRIu64
                            " for compressed files; crop it or save it uncompressed",
                            bytes, IO_MAX_PAGE_BYTES);
    return true;
}

bool io_page_alloc_channels(const penta_io_reader *reader, size_t page, uint64_t width, uint64_t height,
                            size_t channels, penta_type type, penta_io_image *out, penta_io_error *err)
{
    uint64_t bytes = io_product(io_product(width, height), channels * penta_type_size(type));

    if (width == 0 || height == 0)
        return io_page_fail(reader, page, err,
                            "the image is empty (%" PRIu64 " x %" PRIu64 " pixels); copy or export it again", width,
                            height);
    out->data = bytes <= SIZE_MAX / 2 ? malloc((size_t)bytes) : NULL;
    if (!out->data)
        return io_page_fail(reader, page, err,
                            "out of memory for %" PRIu64 " x %" PRIu64 " pixels of %s; crop the image or free memory",
                            width, height, penta_type_name(type));
    out->width = (size_t)width;
    out->height = (size_t)height;
    out->type = type;
    out->channels = channels;
    return true;
}

bool io_page_alloc(const penta_io_reader *reader, size_t page, uint64_t width, uint64_t height, penta_type type,
                   penta_io_image *out, penta_io_error *err)
{
    return io_page_alloc_channels(reader, page, width, height, 1, type, out, err);
}

bool penta_io_image_read(const char *path, penta_io_image *out, penta_io_error *err)
{
    penta_io_reader *reader = NULL;
    bool ok = penta_io_reader_open(path, &reader, err) && penta_io_reader_read(reader, 0, out, err);

    penta_io_reader_close(reader);
    return ok;
}
