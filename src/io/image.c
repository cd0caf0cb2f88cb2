/* Images: finds the format of a file by its first bytes, and of a new file by the suffix of its name. */
#include "io/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/formats.h"
#include "io/text.h"

#define HEAD_BYTES 16

#define PENTA_IO_IMAGE_FORMAT(id, name) extern const io_image_format io_##id##_format;
#include <pentacl/io/image_formats.def>

typedef struct {
    const char *name;
    const io_image_format *f;
} row;

#define PENTA_IO_IMAGE_FORMAT(id, name) {name, &io_##id##_format},
static const row formats[] = {
#include <pentacl/io/image_formats.def>
};

enum { FORMATS = sizeof formats / sizeof *formats };

/* Unsupported formats that people try, so that the error can name them. */
static const struct {
    const char *magic;
    size_t size;
    const char *name;
} unsupported_formats[] = {
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

/* The separator before item i of n: ", ", or `last` before the last one. */
static const char *separator(size_t i, size_t n, const char *last)
{
    return i == 0 ? "" : i + 1 < n ? ", " : last;
}

bool io_image_at(size_t i, penta_io_format *out)
{
    const io_image_format *f = i < FORMATS ? formats[i].f : NULL;

    if (!f)
        return false;
    *out = (penta_io_format){.name = formats[i].name, .ends = f->ends, .library = f->library, .package = f->missing};
    out->read = !f->missing;
    out->write = !f->missing && f->types != IO_NO_TYPES;
    return true;
}

void penta_io_image_formats(char *text, size_t size)
{
    io_format_names(io_image_at, text, size);
}

/* ---- suffixes ---- */

/* The suffix: what follows the last dot; NULL: none. A name such as ".png" has no suffix. */
static const char *end_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot && dot != name ? dot + 1 : NULL;
}

/* Whether the name has a suffix of the format, and something before it. */
static bool has_end(const io_image_format *f, const char *path, bool writing)
{
    size_t length = strlen(path);

    for (size_t i = 0; f->ends[i] && !(writing && f->written_ends > 0 && i >= f->written_ends); i++) {
        size_t size = strlen(f->ends[i]);

        if (length > size + 1 && path[length - size - 1] == '.' && path[length - size - 2] != '/' &&
            strcasecmp(path + length - size, f->ends[i]) == 0)
            return true;
    }
    return false;
}

bool penta_io_image_has_name(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (has_end(formats[i].f, path, false))
            return true;
    return false;
}

/* ---- reading ---- */

static bool unknown_format(const char *path, const unsigned char *head, size_t size, penta_io_error *err)
{
    char bytes[3 * 4 + 1] = "", known[256];

    penta_io_image_formats(known, sizeof known);
    for (size_t i = 0; i < sizeof unsupported_formats / sizeof *unsupported_formats; i++)
        if (size >= unsupported_formats[i].size &&
            memcmp(head, unsupported_formats[i].magic, unsupported_formats[i].size) == 0)
            return penta_io_fail(err, "%s: is %s, which is not supported; convert it: %s can be read", path,
                                 unsupported_formats[i].name, known);
    for (size_t i = 0; i < size && i < 4; i++)
        snprintf(bytes + 3 * i, 4, " %02x", head[i]);
    return penta_io_fail(err, "%s: unknown format (its first bytes are%s); %s can be read", path, bytes, known);
}

/* Finds the format, NULL if none. Formats that need more than the first bytes are asked first. */
static const row *find_format(const char *path, const unsigned char *head, size_t size)
{
    const char *end = end_of(path);

    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].f->also && (formats[i].f->matches(head, size) || formats[i].f->also(end, head, size)))
            return &formats[i];
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].f->matches(head, size))
            return &formats[i];
    return NULL;
}

static bool choose_format(penta_io_reader *reader, penta_io_error *err)
{
    unsigned char head[HEAD_BYTES];
    const char *path = reader->input.path;
    size_t size = reader->input.bytes < sizeof head ? (size_t)reader->input.bytes : sizeof head;
    const row *format;

    if (!io_input_read(&reader->input, 0, head, size))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", path);
    format = find_format(path, head, size);
    if (!format && io_input_is_gzip(&reader->input)) {
        unsigned char inside[HEAD_BYTES];

        format = find_format("", inside, io_input_peek(&reader->input, inside, sizeof inside));
        if (format && !format->f->gzipped)
            return penta_io_fail(err, "%s: is a %s file compressed by gzip; unpack it: gunzip", path, format->name);
        if (format && !format->f->missing && !io_input_inflate(&reader->input, IO_MAX_PAGE_BYTES, err))
            return false;
    }
    if (!format)
        return unknown_format(path, head, size, err);
    if (format->f->missing)
        return penta_io_fail(err, "%s: is a %s file; this build has no %s support: install %s and rebuild", path,
                             format->name, format->name, format->f->missing);
    reader->format = format->f;
    return true;
}

bool penta_io_reader_open_chosen(const char *path, const penta_io_choice *choice, penta_io_reader **out,
                                 penta_io_error *err)
{
    static const penta_io_choice all = {0};
    penta_io_reader *reader = NULL;
    bool ok = false;

    *out = NULL;
    choice = choice ? choice : &all;
    if (!penta_io_choice_check(choice, err))
        return false;
    reader = calloc(1, sizeof *reader);
    if (!reader)
        return penta_io_fail(err, "%s: out of memory", path);
    reader->axes = choice->axes;
    reader->hdu = choice->hdu;
    ok = io_input_open(path, &reader->input, err) && choose_format(reader, err);
    if (ok && choice->hdu && !reader->format->has_hdus)
        ok = penta_io_fail(err, "%s: is no FITS file, so it has no HDU; leave `hdu` out", path);
    ok = ok && reader->format->open(reader, err) && io_choose_pages(reader, choice, err);
    reader->hdu = NULL;
    if (ok)
        *out = reader;
    else
        penta_io_reader_close(reader);
    return ok;
}

bool penta_io_reader_open_axes(const char *path, enum penta_io_axes axes, penta_io_reader **out, penta_io_error *err)
{
    return penta_io_reader_open_chosen(path, &(penta_io_choice){.axes = axes}, out, err);
}

bool penta_io_reader_open(const char *path, penta_io_reader **out, penta_io_error *err)
{
    return penta_io_reader_open_chosen(path, NULL, out, err);
}

const char *penta_io_reader_doubt(const penta_io_reader *reader)
{
    return *reader->doubt ? reader->doubt : NULL;
}

static bool kind_of(const unsigned char *head, size_t size, char *kind, size_t room)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (!formats[i].f->also && formats[i].f->matches(head, size)) {
            snprintf(kind, room, "a %s file", formats[i].name);
            return true;
        }
    for (size_t i = 0; i < sizeof unsupported_formats / sizeof *unsupported_formats; i++)
        if (unsupported_formats[i].size > 2 && /* a text may also begin with these two letters */
            size >= unsupported_formats[i].size &&
            memcmp(head, unsupported_formats[i].magic, unsupported_formats[i].size) == 0) {
            snprintf(kind, room, "%s", unsupported_formats[i].name);
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
    return reader->chosen ? reader->chosen_count : reader->pages;
}

size_t penta_io_reader_place(const penta_io_reader *reader, size_t page, size_t *all)
{
    *all = reader->pages;
    return reader->chosen && page < reader->chosen_count ? reader->chosen[page] : page;
}

void penta_io_reader_keep_colour(penta_io_reader *reader)
{
    reader->colour = true;
}

bool penta_io_reader_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    size_t pages = penta_io_reader_pages(reader), all;

    *out = (penta_io_image){0};
    if (page >= pages)
        return penta_io_fail(err, "%s: has %zu page%s, but page %zu was asked for (counted from 1)", reader->input.path,
                             pages, pages == 1 ? "" : "s", page + 1);
    if (reader->format->read(reader, penta_io_reader_place(reader, page, &all), out, err))
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
    free(reader->chosen);
    free(reader);
}

bool penta_io_image_read(const char *path, penta_io_image *out, penta_io_error *err)
{
    penta_io_reader *reader = NULL;
    bool ok = penta_io_reader_open(path, &reader, err) && penta_io_reader_read(reader, 0, out, err);

    penta_io_reader_close(reader);
    return ok;
}

/* ---- writing ---- */

static size_t ends_to_write(const io_image_format *f)
{
    size_t n = 0;

    while (f->types && f->ends[n] && (f->written_ends == 0 || n < f->written_ends))
        n++;
    return n;
}

/* ".png (u8, u16), .fits, .fit or .npy" */
static void list_ends(char *text, size_t size)
{
    size_t count = 0, n = 0;

    for (size_t i = 0; i < FORMATS; i++)
        count += ends_to_write(formats[i].f);
    *text = 0;
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t k = 0; k < ends_to_write(formats[i].f); k++)
            io_append(text, size, "%s.%s%s", separator(n++, count, " or "), formats[i].f->ends[k],
                      formats[i].f->types == IO_INTEGERS ? " (u8, u16)"
                      : formats[i].f->types == IO_BYTES  ? " (u8)"
                                                         : "");
}

/* NULL, with err set, if the suffix is unknown. */
static const row *format_of_name(const char *path, penta_io_error *err)
{
    char known[256];

    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].f->types && has_end(formats[i].f, path, true))
            return &formats[i];
    list_ends(known, sizeof known);
    penta_io_fail(err, "%s: the name does not say in which format to write the image; end it in %s", path, known);
    return NULL;
}

bool penta_io_image_can_write(const char *path, penta_type type, penta_io_error *err)
{
    const row *format = format_of_name(path, err);

    if (!format)
        return false;
    if (format->f->missing)
        return penta_io_fail(err, "%s: this build cannot write %s: install %s and rebuild, or write .npy", path,
                             format->name, format->f->missing);
    if (type != PENTA_U8 && type != PENTA_U16 && type != PENTA_F32 && type != PENTA_F64)
        return penta_io_fail(err, "%s: an image of %s cannot be written; convert it to u8, u16, f32 or f64", path,
                             penta_type_name(type));
    if (type != PENTA_U8 && format->f->types < (type == PENTA_U16 ? IO_INTEGERS : IO_ALL_TYPES))
        return penta_io_fail(err, "%s: a %s holds %s, not %s; scale the image or write .fits, .tif or .npy", path,
                             format->name, format->f->types == IO_BYTES ? "u8" : "u8 or u16", penta_type_name(type));
    return true;
}

bool penta_io_image_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta,
                          penta_io_error *err)
{
    if (!penta_io_image_can_write(path, image->type, err))
        return false;
    if (image->width == 0 || image->height == 0 || !image->data)
        return penta_io_fail(err, "%s: an empty image (%zu x %zu pixels) cannot be written", path, image->width,
                             image->height);
    return format_of_name(path, err)->f->write(path, image, meta, err);
}
