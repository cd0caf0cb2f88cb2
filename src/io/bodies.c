/* Bodies: which format a file has, and what every format must give. */
#include <pentacl/io/bodies.h>
#include "io/bodies_format.h"
#include <pentacl/io/image.h>
#include "io/npy_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define READABLE "tipsy, GADGET-2, GADGET's HDF5, NPY, CSV, NBabel, .mpv and NEMO's atos can be read"
#define KNOWN                                                                                                          \
    "end it in .npy, .csv, .tab or .txt (NBabel), .mpv, .tipsy or .bin, .gadget or .g2, .hdf5 or .h5 (GADGET's)"

/* What holds of all bodies, read or to be written. */
static bool check_numbers(const char *path, const penta_io_bodies *b, penta_io_error *err)
{
    if (!isfinite(b->time))
        return penta_io_fail(err, "%s: its time is %g, not a finite number; correct it", path, b->time);
    for (size_t i = 0; i < b->n; i++) {
        const double *row = b->rows + i * IO_BODY_COLUMNS;

        for (size_t k = 0; k < IO_BODY_COLUMNS; k++)
            if (!isfinite(row[k]))
                return penta_io_fail(
                    err, "%s: body %zu of %zu: %s is %g, not a finite number; correct or leave out the body", path,
                    i + 1, b->n, io_body_columns[k], row[k]);
        if (row[0] < 0)
            return penta_io_fail(err, "%s: body %zu of %zu: its mass is negative (%g); correct or leave out the body",
                                 path, i + 1, b->n, row[0]);
        if (b->family && b->family[i] >= PENTA_IO_FAMILIES)
            return penta_io_fail(err, "%s: body %zu of %zu: its family is %d; families are 0 to %d", path, i + 1, b->n,
                                 b->family[i], PENTA_IO_FAMILIES - 1);
        if (b->softening && !(b->softening[i] >= 0 && isfinite(b->softening[i])))
            return penta_io_fail(err, "%s: body %zu of %zu: its softening is %g; correct it", path, i + 1, b->n,
                                 b->softening[i]);
    }
    return true;
}

/* ---- NPY ---- */

/* The rows of an n x 7 image. */
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

static bool npy_read(const char *path, penta_io_bodies *out, penta_io_error *err)
{
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

/* ---- reading ---- */

static bool npy_matches(const io_input *in)
{
    char magic[6];

    return io_input_read(in, 0, magic, sizeof magic) && memcmp(magic, "\x93NUMPY", sizeof magic) == 0;
}

/* Whether the file begins as text does: no control characters but those between words. */
static bool text_matches(const unsigned char *head, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (head[i] == 127 || (head[i] < ' ' && !strchr("\t\n\v\f\r", head[i])) || head[i] == 0)
            return false;
    return true;
}

static bool unknown_format(const char *path, const unsigned char *head, size_t size, penta_io_error *err)
{
    char bytes[3 * 8 + 1] = "";

    for (size_t i = 0; i < size && i < 8; i++)
        snprintf(bytes + 3 * i, 4, " %02x", head[i]);
    if (size >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0))
        return penta_io_fail(err, "%s: is UTF-16 text; save it as UTF-8", path);
    return penta_io_fail(err, "%s: unknown format (its first bytes are%s), or damaged; " READABLE, path, bytes);
}

static bool read_by_content(const io_input *in, penta_io_bodies *out, penta_io_error *err)
{
    unsigned char head[512];
    size_t size = in->bytes < sizeof head ? (size_t)in->bytes : sizeof head;

    if (!io_input_read(in, 0, head, size))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", in->path);
    if (npy_matches(in))
        return npy_read(in->path, out, err);
    if (io_gadget_hdf5_matches(in))
        return io_gadget_hdf5_read(in, out, err);
    if (io_tipsy_matches(in, true))
        return io_tipsy_read(in, out, err);
    if (io_gadget_matches(in))
        return io_gadget_read(in, out, err);
    if (io_tipsy_matches(in, false))
        return io_tipsy_read(in, out, err);
    if (text_matches(head, size))
        return io_bodies_text_read(in, out, err);
    return unknown_format(in->path, head, size, err);
}

bool penta_io_bodies_read(const char *path, penta_io_bodies *out, penta_io_error *err)
{
    io_input in = {0};
    bool ok;

    *out = (penta_io_bodies){0};
    if (!io_input_open(path, &in, err))
        return false;
    ok = read_by_content(&in, out, err) && io_bodies_side_read(path, out, err);
    if (ok)
        io_bodies_settle(out);
    ok = ok && check_numbers(path, out, err);
    if (!ok)
        penta_io_bodies_free(out);
    io_input_close(&in);
    return ok;
}

/* ---- writing ---- */

static bool npy_write(const char *path, const penta_io_bodies *in, penta_io_error *err)
{
    return penta_io_npy_write(path, PENTA_F64, 2, (const size_t[]){in->n, IO_BODY_COLUMNS}, in->rows, err);
}

#ifdef PENTA_HAVE_HDF5
#define NO_HDF5 NULL
#else
#define NO_HDF5 "HDF5: install libhdf5-dev and rebuild, or write .npy"
#endif

#define NO_TIME  "a time that no file gave"
#define NO_FLOAT "all but 24 bits of each number (float32); .npy, .csv, .tab and .hdf5 keep them all"

enum { KEEPS_ALL = IO_KEEPS_ID | IO_KEEPS_FAMILY | IO_KEEPS_SOFTENING | IO_KEEPS_TIME | IO_KEEPS_UNITS };

typedef struct {
    const char *suffix;
    bool (*write)(const char *path, const penta_io_bodies *in, penta_io_error *err);
    unsigned keeps;       /* IO_KEEPS_...: what need not go to the file beside it */
    const uint8_t *ranks; /* of the families, by which the format groups bodies; NULL: it does not */
    const char *loss;     /* what is not kept even so; NULL: nothing */
    const char *missing;  /* what this build lacks; NULL: nothing */
} body_format;

static const body_format formats[] = {
    {".npy", npy_write, 0, NULL, NO_TIME, NULL},
    {".csv", io_bodies_text_write, KEEPS_ALL, NULL, NULL, NULL},
    {".tab", io_bodies_text_write, IO_KEEPS_ID, NULL, NO_TIME, NULL},
    {".txt", io_bodies_text_write, IO_KEEPS_ID, NULL, NO_TIME, NULL},
    {".mpv", io_bodies_text_write, IO_KEEPS_TIME, NULL, NULL, NULL},
    {".tipsy", io_tipsy_write, IO_KEEPS_FAMILY | IO_KEEPS_SOFTENING | IO_KEEPS_TIME, io_tipsy_ranks, NO_FLOAT, NULL},
    {".bin", io_tipsy_write, IO_KEEPS_FAMILY | IO_KEEPS_SOFTENING | IO_KEEPS_TIME, io_tipsy_ranks, NO_FLOAT, NULL},
    {".gadget", io_gadget_write, IO_KEEPS_ID | IO_KEEPS_FAMILY | IO_KEEPS_TIME, io_gadget_ranks, NO_FLOAT, NULL},
    {".g2", io_gadget_write, IO_KEEPS_ID | IO_KEEPS_FAMILY | IO_KEEPS_TIME, io_gadget_ranks, NO_FLOAT, NULL},
    {".hdf5", io_gadget_hdf5_write, KEEPS_ALL, io_gadget_ranks, NULL, NO_HDF5},
    {".h5", io_gadget_hdf5_write, KEEPS_ALL, io_gadget_ranks, NULL, NO_HDF5},
};

static const body_format *find_format(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (io_has_suffix(path, formats[i].suffix))
            return &formats[i];
    return NULL;
}

bool penta_io_bodies_can_write(const char *path, penta_io_error *err)
{
    const body_format *format = find_format(path);

    if (!format)
        return penta_io_fail(err, "%s: the name does not say in which format to write the bodies; " KNOWN, path);
    if (format->missing)
        return penta_io_fail(err, "%s: this build cannot write %s", path, format->missing);
    return true;
}

const char *penta_io_bodies_loss(const char *path)
{
    const body_format *format = find_format(path);

    return format ? format->loss : NULL;
}

/* Attributes of these bodies that the file itself cannot hold. */
static unsigned left_over(const body_format *format, const penta_io_bodies *in)
{
    unsigned left = io_bodies_attributes(in) & ~format->keeps;

    for (size_t i = 0; format->ranks == io_tipsy_ranks && in->family && i < in->n; i++)
        if (in->family[i] != PENTA_IO_GAS && in->family[i] != PENTA_IO_HALO && in->family[i] != PENTA_IO_STARS)
            return left | IO_KEEPS_FAMILY;
    return left;
}

/* An old file of attributes goes first: at no time is it beside bodies that are not its own. */
static bool write_both(const char *path, const body_format *format, const penta_io_bodies *in, penta_io_error *err)
{
    unsigned left = left_over(format, in);

    io_bodies_side_remove(path);
    return format->write(path, in, err) && (left == 0 || io_bodies_side_write(path, in, left, err));
}

bool penta_io_bodies_write(const char *path, const penta_io_bodies *in, penta_io_error *err)
{
    const body_format *format = find_format(path);
    penta_io_bodies sorted = *in;
    bool ok;

    if (!penta_io_bodies_can_write(path, err))
        return false;
    if (in->n == 0 || !in->rows)
        return penta_io_fail(err, "%s: there are no bodies to write", path);
    if (!check_numbers(path, in, err) || (format->ranks && !io_bodies_sort(path, in, format->ranks, &sorted, err)))
        return false;
    ok = write_both(path, format, &sorted, err);
    if (sorted.rows != in->rows)
        penta_io_bodies_free(&sorted);
    return ok;
}
