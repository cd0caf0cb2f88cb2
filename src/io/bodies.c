/* Bodies: finds the format of a file, and checks what every format must hold. */
#include "io/bodies_format.h"
#include <pentacl/io/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/formats.h"
#include "io/text.h"

#define IO_BODIES_FORMAT(id) extern const io_bodies_format io_bodies_##id;
#include "io/bodies_formats.def"

#define IO_BODIES_FORMAT(id) &io_bodies_##id,
static const io_bodies_format *const formats[] = {
#include "io/bodies_formats.def"
};

enum { FORMATS = sizeof formats / sizeof *formats };

bool io_bodies_at(size_t i, penta_io_format *out)
{
    static const char *const none[] = {NULL};
    const io_bodies_format *f = i < FORMATS ? formats[i] : NULL;

    if (!f)
        return false;
    *out = (penta_io_format){.name = f->name, .ends = f->ends ? f->ends : none, .library = f->library};
    out->package = f->missing;
    out->read = !f->missing;
    out->write = f->write != NULL;
    return true;
}

bool io_bodies_check_rows(const char *path, size_t n, size_t first, size_t count, const double *rows,
                          penta_io_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const double *row = rows + i * IO_BODY_COLUMNS;

        for (size_t k = 0; k < IO_BODY_COLUMNS; k++)
            if (!isfinite(row[k]))
                return penta_io_fail(
                    err, "%s: body %zu of %zu: %s is %g, not a finite number; correct or leave out the body", path,
                    first + i + 1, n, io_body_columns[k], row[k]);
        if (row[0] < 0)
            return penta_io_fail(err, "%s: body %zu of %zu: its mass is negative (%g); correct or leave out the body",
                                 path, first + i + 1, n, row[0]);
    }
    return true;
}

bool io_bodies_check_about(const char *path, const penta_io_bodies *b, penta_io_error *err)
{
    if (!isfinite(b->time))
        return penta_io_fail(err, "%s: its time is %g, not a finite number; correct it", path, b->time);
    for (size_t i = 0; i < b->n; i++) {
        if (b->family && b->family[i] >= PENTA_IO_FAMILIES)
            return penta_io_fail(err, "%s: body %zu of %zu: its family is %d; families are 0 to %d", path, i + 1, b->n,
                                 b->family[i], PENTA_IO_FAMILIES - 1);
        if (b->softening && !(b->softening[i] >= 0 && isfinite(b->softening[i])))
            return penta_io_fail(err, "%s: body %zu of %zu: its softening is %g; correct it", path, i + 1, b->n,
                                 b->softening[i]);
    }
    return true;
}

/* Checks bodies that were read or are to be written. */
static bool check_numbers(const char *path, const penta_io_bodies *b, penta_io_error *err)
{
    return io_bodies_check_rows(path, b->n, 0, b->n, b->rows, err) && io_bodies_check_about(path, b, err);
}

/* ---- reading ---- */

static bool unknown_format(const char *path, const unsigned char *head, size_t size, penta_io_error *err)
{
    char bytes[3 * 8 + 1] = "", known[256] = "";

    for (size_t i = 0; i < size && i < 8; i++)
        snprintf(bytes + 3 * i, 4, " %02x", head[i]);
    if (size >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0))
        return penta_io_fail(err, "%s: is UTF-16 text; save it as UTF-8", path);
    io_format_names(io_bodies_at, known, sizeof known);
    return penta_io_fail(err, "%s: unknown format (its first bytes are%s), or damaged; %s can be read", path, bytes,
                         known);
}

/* Finds the format of a file, NULL if none. A format that is certain precedes one that is possible. */
static const io_bodies_format *find_format(const io_input *in)
{
    for (int sure = 1; sure >= 0; sure--)
        for (size_t i = 0; i < FORMATS; i++)
            if (formats[i]->matches && formats[i]->matches(in, sure))
                return formats[i];
    return NULL;
}

static bool read_by_content(const io_input *in, penta_io_bodies *out, penta_io_error *err)
{
    unsigned char head[8];
    size_t size = in->bytes < sizeof head ? (size_t)in->bytes : sizeof head;
    const io_bodies_format *format;

    if (!io_input_read(in, 0, head, size))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", in->path);
    format = find_format(in);
    if (!format)
        return unknown_format(in->path, head, size, err);
    if (format->missing)
        return penta_io_fail(err, "%s: is %s, which this build cannot read: install %s and rebuild", in->path,
                             format->name, format->missing);
    return format->read(in, out, err);
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

static bool has_end(const io_bodies_format *f, const char *path)
{
    char end[16];

    for (size_t i = 0; f->ends && f->ends[i]; i++) {
        snprintf(end, sizeof end, ".%s", f->ends[i]);
        if (io_has_suffix(path, end))
            return true;
    }
    return false;
}

static const io_bodies_format *format_of_name(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (has_end(formats[i], path))
            return formats[i];
    return NULL;
}

/* ".npy, .csv, .tab or .txt (NBabel)" */
static void list_ends(char *text, size_t size)
{
    *text = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        const io_bodies_format *f = formats[i];

        for (size_t k = 0; f->ends && f->ends[k]; k++)
            io_append(text, size, "%s.%s", !*text ? "" : k == 0 ? ", " : " or ", f->ends[k]);
        if (f->ends && f->ends[1])
            io_append(text, size, " (%s)", f->name);
    }
}

bool penta_io_bodies_can_write(const char *path, penta_io_error *err)
{
    const io_bodies_format *format = format_of_name(path);
    char ends[256];

    list_ends(ends, sizeof ends);
    if (!format)
        return penta_io_fail(err, "%s: the name does not say in which format to write the bodies; end it in %s", path,
                             ends);
    if (format->missing)
        return penta_io_fail(err, "%s: this build cannot write %s: install %s and rebuild, or write .npy", path,
                             format->name, format->missing);
    return true;
}

const char *penta_io_bodies_loss(const char *path)
{
    const io_bodies_format *format = format_of_name(path);

    return format ? format->loss : NULL;
}

/* Which attributes of these bodies (IO_KEEPS_...) a file of this format cannot hold. */
static unsigned io_bodies_left_over(const io_bodies_format *format, const penta_io_bodies *in)
{
    unsigned left = io_bodies_attributes(in) & ~format->keeps;

    for (size_t i = 0; format->families && in->family && i < in->n; i++)
        if (!(format->families >> in->family[i] & 1))
            return left | IO_KEEPS_FAMILY;
    return left;
}

bool io_bodies_side_put(const char *path, const io_bodies_format *format, const penta_io_bodies *in,
                        penta_io_error *err)
{
    unsigned left = io_bodies_left_over(format, in);

    if (left > 0)
        return io_bodies_side_write(path, in, left, err);
    io_bodies_side_remove(path);
    return true;
}

/* Without an open run an old attributes file goes first, so that it never lies beside bodies of another file. */
static bool write_both(const char *path, const io_bodies_format *format, const penta_io_bodies *in, penta_io_error *err)
{
    if (!penta_io_run_covers(path))
        io_bodies_side_remove(path);
    return format->write(path, in, err) && io_bodies_side_put(path, format, in, err);
}

bool penta_io_bodies_write(const char *path, const penta_io_bodies *in, penta_io_error *err)
{
    const io_bodies_format *format = format_of_name(path);
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
