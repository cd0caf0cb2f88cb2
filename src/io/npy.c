/* Reads and writes NumPy .npy arrays as images and stacks. */
#include "io/npy_format.h"
#include "io/format.h"
#include <pentacl/io/output.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUPPORTED "u1 b1 i1 u2 i2 u4 i4 f2 f4 f8"

typedef struct {
    io_npy_header header;
    uint64_t pages, rows, columns, channels; /* the shape as images */
    char kind; /* of numbers that become wider ones, the type of the header: i, u or f; else 0 */
    unsigned bits;
    size_t size; /* bytes of an element in the file */
} npy_array;

/* The meaning of the axes: as stated by the caller, otherwise by the length of the last. */
static enum penta_io_axes settle_axes(penta_io_reader *reader, const io_npy_header *h)
{
    const uint64_t *n = h->shape;
    bool colour = h->dimensions == 3 && (n[2] == 3 || n[2] == 4);

    if (reader->axes != PENTA_IO_AXES_AUTO || h->dimensions != 3)
        return reader->axes != PENTA_IO_AXES_AUTO ? reader->axes
               : h->dimensions == 3               ? PENTA_IO_AXES_NYX
                                                  : PENTA_IO_AXES_YX;
    if (colour && (n[0] <= 4 || n[1] <= 4))
        io_reader_doubt(reader,
                        "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " is read as one picture of %" PRIu64
                        " channels; `axes` nyx reads %" PRIu64 " grey pages",
                        n[0], n[1], n[2], n[2], n[0]);
    else if (!colour && (n[0] == 3 || n[0] == 4))
        io_reader_doubt(reader,
                        "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " is read as %" PRIu64
                        " grey pages; if these are the channels of one picture, save numpy.moveaxis(a, 0, -1); `axes` "
                        "nyx says that they are pages",
                        n[0], n[1], n[2], n[0]);
    return colour ? PENTA_IO_AXES_YXC : PENTA_IO_AXES_NYX;
}

/* Assigns the axes of the array. */
static bool name_axes(penta_io_reader *reader, npy_array *a, penta_io_error *err)
{
    static const char *const names[] = {"auto", "yx", "nyx", "yxc"};
    const io_npy_header *h = &a->header;
    enum penta_io_axes axes = settle_axes(reader, h);
    size_t wanted = axes == PENTA_IO_AXES_YX ? 2 : 3;

    if (h->dimensions != wanted)
        return penta_io_fail(err, "%s: the array has %zu dimension%s, but `axes` %s is of %zu", reader->input.path,
                             h->dimensions, h->dimensions == 1 ? "" : "s", names[axes], wanted);
    a->pages = axes == PENTA_IO_AXES_NYX ? h->shape[0] : 1;
    a->rows = h->shape[axes == PENTA_IO_AXES_NYX];
    a->columns = h->shape[1 + (axes == PENTA_IO_AXES_NYX)];
    a->channels = axes == PENTA_IO_AXES_YXC ? h->shape[2] : 1;
    if (a->channels != 1 && a->channels != 3 && a->channels != 4)
        return penta_io_fail(err,
                             "%s: `axes` yxc with %" PRIu64 " channels; a picture has 1 (grey), 3 or 4 (with alpha)",
                             reader->input.path, a->channels);
    return true;
}

/* Divides the array into images; the file must hold exactly that many. */
static bool check_shape(penta_io_reader *reader, npy_array *a, penta_io_error *err)
{
    const char *path = reader->input.path;
    const io_npy_header *h = &a->header;
    uint64_t bytes;
    uint64_t there = reader->input.bytes - h->data_at;

    if (h->dimensions != 2 && h->dimensions != 3)
        return penta_io_fail(
            err,
            "%s: the array has %zu dimension%s; an image has 2 (height, width), a stack 3 (pages, height, width), and "
            "so has a picture in colour (height, width, 3 or 4): reshape it",
            path, h->dimensions, h->dimensions == 1 ? "" : "s");
    if (h->fortran && h->dimensions == 3)
        return penta_io_fail(err, "%s: a stack in Fortran order is not supported; save numpy.ascontiguousarray(a)",
                             path);
    if (!name_axes(reader, a, err))
        return false;
    if (a->pages == 0 || a->rows == 0 || a->columns == 0)
        return penta_io_fail(err,
                             "%s: the array is empty (%" PRIu64 " pages of %" PRIu64 " x %" PRIu64 "); save it again",
                             path, a->pages, a->rows, a->columns);
    bytes = io_product(io_product(a->rows, a->columns), io_product(a->pages, a->channels * a->size));
    if (bytes == UINT64_MAX || bytes > there)
        return penta_io_fail(err,
                             "%s: its header asks for %" PRIu64 " page(s) of %" PRIu64 " rows x %" PRIu64
                             " columns of %s, but only %" PRIu64
                             " bytes follow it; the file is truncated or damaged: copy or save it again",
                             path, a->pages, a->rows, a->columns, a->kind ? h->descr : penta_type_name(h->type), there);
    if (bytes < there)
        return penta_io_fail(
            err, "%s: %" PRIu64 " bytes follow the array that its header describes; save one array per file", path,
            there - bytes);
    return true;
}

/* Settles what the elements become. */
static bool take_type(npy_array *a)
{
    io_npy_header *h = &a->header;
    char order = h->descr[0];

    a->size = penta_type_size(h->type);
    if (h->known && (h->type == PENTA_U8 || h->type == PENTA_U16 || h->type == PENTA_F32 || h->type == PENTA_F64))
        return true;
    a->size = strlen(h->descr) == 3 ? (size_t)(h->descr[2] - '0') : 0;
    a->kind = h->descr[1];
    a->bits = (unsigned)(8 * a->size);
    h->truth = false;
    h->swapped = a->size > 1 && (order == '<') != io_host_is_little();
    return a->size > 0 && (order == '<' || order == '>' || (order == '|' && a->size == 1)) &&
           io_wider_type(a->kind, a->bits, &h->type);
}

static bool npy_open(penta_io_reader *reader, penta_io_error *err)
{
    npy_array *a = reader->state = calloc(1, sizeof *a);
    const char *path = reader->input.path;

    if (!a)
        return penta_io_fail(err, "%s: out of memory", path);
    if (!io_npy_read_header(&reader->input, &a->header, err))
        return false;
    if (!take_type(a))
        return penta_io_fail(err,
                             "%s: elements of type '%s' are not supported (" SUPPORTED " are); save a.astype('<f8')",
                             path, a->header.descr);
    if (!check_shape(reader, a, err))
        return false;
    reader->pages = (size_t)a->pages;
    return true;
}

/* Reads a Fortran-order array, which is stored column by column. */
static bool read_columns(const penta_io_reader *reader, const npy_array *a, const penta_io_image *out,
                         unsigned char *pixels)
{
    size_t size = a->size;
    size_t column_bytes = out->height * size;
    unsigned char *column = malloc(column_bytes);
    bool ok = column != NULL;

    for (size_t x = 0; ok && x < out->width; x++) {
        ok = io_input_read(&reader->input, a->header.data_at + x * column_bytes, column, column_bytes);
        for (size_t y = 0; ok && y < out->height; y++)
            memcpy(pixels + (y * out->width + x) * size, column + y * size, size);
    }
    free(column);
    return ok;
}

/* Converts a colour to grey. A grey colour keeps its exact value; integers are rounded to nearest. */
static void grey_of(penta_type type, const unsigned char *rgb, unsigned char *out)
{
    float f[3];
    double d[3];
    uint16_t u[3];

    switch (type) {
    case PENTA_U8:
        *out = (unsigned char)io_luminance(rgb[0], rgb[1], rgb[2]);
        return;
    case PENTA_U16:
        memcpy(u, rgb, sizeof u);
        u[0] = (uint16_t)io_luminance(u[0], u[1], u[2]);
        memcpy(out, u, sizeof *u);
        return;
    case PENTA_F32:
        memcpy(f, rgb, sizeof f);
        for (int k = 0; k < 3; k++)
            d[k] = (double)f[k];
        break;
    default:
        memcpy(d, rgb, sizeof d);
    }
    d[0] = d[0] == d[1] && d[1] == d[2] ? d[0] : (299 * d[0] + 587 * d[1] + 114 * d[2]) / 1000;
    f[0] = (float)d[0];
    memcpy(out, type == PENTA_F32 ? (void *)f : (void *)d, penta_type_size(type));
}

/* Converts pixels of 3 or 4 numbers to 3, or to grey; alpha is dropped. */
static void take_channels(const npy_array *a, const unsigned char *from, penta_io_image *out)
{
    size_t size = penta_type_size(out->type), step = (size_t)a->channels * size, count = out->width * out->height;
    unsigned char *to = out->data;

    for (size_t i = 0; i < count; i++)
        if (out->channels == 3)
            memcpy(to + 3 * i * size, from + i * step, 3 * size);
        else
            grey_of(out->type, from + i * step, to + i * size);
}

/* The elements of a page as they are in the file, in this machine's byte order. */
static bool read_raw(const penta_io_reader *reader, const npy_array *a, size_t page, const penta_io_image *out,
                     unsigned char *raw, size_t count)
{
    bool ok = a->header.fortran ? read_columns(reader, a, out, raw)
                                : io_input_read(&reader->input, a->header.data_at + (uint64_t)page * count * a->size,
                                                raw, count * a->size);

    if (ok && a->header.swapped)
        io_swap_elements(raw, count, a->size);
    for (size_t i = 0; ok && a->header.truth && i < count; i++)
        raw[i] = raw[i] != 0;
    return ok;
}

static bool npy_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    const npy_array *a = reader->state;
    size_t count, channels = a->channels >= 3 && reader->colour ? 3 : 1;
    unsigned char *elements, *raw;
    bool ok;

    if (!io_page_alloc_channels(reader, page, a->columns, a->rows, channels, a->header.type, out, err))
        return false;
    count = out->width * out->height * (size_t)a->channels;
    elements = a->channels == channels ? out->data : malloc(count * penta_type_size(out->type));
    raw = a->kind ? malloc(count * a->size) : elements;
    ok = elements && raw && read_raw(reader, a, page, out, raw, count);
    if (ok && a->kind)
        io_widen(a->kind, a->bits, raw, count, elements);
    if (ok && elements != out->data)
        take_channels(a, elements, out);
    if (raw != elements)
        free(raw);
    if (elements != out->data)
        free(elements);
    return ok || io_page_fail(reader, page, err, "cannot be read; the file shrank, or the disk or memory fails");
}

static void npy_close(penta_io_reader *reader)
{
    free(reader->state);
}

/* ---- writing ---- */

/* Writes elements, through a buffer if bytes must be swapped. The commit of the output reports errors. */
static void write_elements(FILE *stream, const void *data, size_t count, size_t size)
{
    const unsigned char *from = data;
    unsigned char block[4096];

    if (size == 1 || io_host_is_little()) {
        if (count > 0)
            fwrite(data, size, count, stream);
        return;
    }
    for (size_t left = count * size; left > 0;) {
        size_t n = left < sizeof block ? left : sizeof block;

        memcpy(block, from, n);
        io_swap_elements(block, n / size, size);
        fwrite(block, 1, n, stream);
        from += n;
        left -= n;
    }
}

bool penta_io_npy_write(const char *path, penta_type type, size_t ndim, const size_t *shape, const void *data,
                        penta_io_error *err)
{
    unsigned char header[IO_NPY_HEADER_BYTES];
    size_t size = penta_type_size(type);
    uint64_t count = 1;
    penta_io_output *output = NULL;

    if (size == 0 || ndim > IO_NPY_DIMENSIONS)
        return penta_io_fail(err, "%s: an NPY file cannot be made of %zu dimensions of type %s", path, ndim,
                             penta_type_name(type));
    for (size_t i = 0; i < ndim; i++)
        count = io_product(count, shape[i]);
    if (io_product(count, size) > SIZE_MAX / 2)
        return penta_io_fail(err, "%s: the array is too large to be written", path);
    if (!penta_io_output_open(path, &output, err))
        return false;
    fwrite(header, 1, io_npy_make_header(type, ndim, shape, header), penta_io_output_stream(output));
    write_elements(penta_io_output_stream(output), data, (size_t)count, size);
    return penta_io_output_commit(output, err);
}

static bool npy_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err)
{
    (void)meta;
    return penta_io_npy_write(path, image->type, 2, (const size_t[]){image->height, image->width}, image->data, err);
}

static const char *const ends[] = {"npy", NULL};

const io_image_format io_npy_format = {.ends = ends,
                                       .matches = io_npy_matches,
                                       .open = npy_open,
                                       .read = npy_read,
                                       .close = npy_close,
                                       .types = IO_ALL_TYPES,
                                       .write = npy_write};
