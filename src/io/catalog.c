/* Chooses the reader of a catalogue. */
#include "io/catalog_format.h"
#include "io/formats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Other file types in which catalogues are distributed, with advice for each. */
static const struct {
    const char *magic;
    size_t bytes;
    const char *advice;
} others[] = {
    {"\x1f\x8b", 2, "is compressed by gzip; unpack it with gunzip"},
    {"BZh", 3, "is compressed by bzip2; unpack it with bunzip2"},
    {"\xfd"
     "7zXZ",
     5, "is compressed by xz; unpack it with unxz"},
    {"PK\x03\x04", 4, "is a ZIP archive or a spreadsheet; save the table in it as CSV"},
    {"SIMPLE  =", 9, "is a FITS file; save its table as CSV"},
    {"<?xml", 5, "is XML, perhaps a VOTable; save its table as CSV"},
};

bool io_catalog_at(size_t i, penta_io_format *out)
{
    static const char *const csv[] = {"csv", "tsv", "txt", NULL}, *const none[] = {NULL};
    static const penta_io_format all[] = {{.name = "CSV", .ends = csv, .read = true},
                                          {.name = "BSC5", .ends = none, .read = true}};

    if (i >= sizeof all / sizeof *all)
        return false;
    *out = all[i];
    return true;
}

static bool is_utf16(const unsigned char *head, size_t size)
{
    return size >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0);
}

static bool read_file(const char *path, const penta_io_catalog_options *options, penta_io_catalog *out,
                      penta_io_error *err)
{
    unsigned char head[BSC5_HEADER_BYTES];
    io_input in = {0};
    size_t size = 0;
    bool ok = false;

    if (!io_input_open(path, &in, err))
        return false;
    size = in.bytes < sizeof head ? (size_t)in.bytes : sizeof head;
    if (!io_input_read(&in, 0, head, size)) {
        penta_io_fail(err, "%s: cannot be read; the file shrank or the disk fails", path);
        goto cleanup;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (size >= others[i].bytes && memcmp(head, others[i].magic, others[i].bytes) == 0) {
            penta_io_fail(err, "%s: %s", path, others[i].advice);
            goto cleanup;
        }
    if (io_bsc5_matches(head, size))
        ok = (options->ra_unit == PENTA_IO_RA_AUTO ||
              penta_io_fail(err, "%s: is a binary catalogue, whose unit is known; leave out `ra_unit`", path)) &&
             io_bsc5_read(&in, options->mag_limit, out, err);
    else if (!memchr(head, 0, size) || is_utf16(head, size))
        ok = io_catalog_csv_read(path, options, out, err);
    else if (size < BSC5_HEADER_BYTES)
        penta_io_fail(err, "%s: has %" PRIu64 " bytes, less than the header of a binary catalogue (28); copy it again",
                      path, in.bytes);
    else
        penta_io_fail(err,
                      "%s: is neither a CSV table nor a binary catalogue like BSC5, whose header ends with 1, 1, 1, 32",
                      path);
cleanup:
    io_input_close(&in);
    return ok;
}

bool penta_io_catalog_read(const char *path, const penta_io_catalog_options *options, penta_io_catalog *out,
                           penta_io_error *err)
{
    static const penta_io_catalog_options all = {.mag_limit = INFINITY};

    options = options ? options : &all;
    *out = (penta_io_catalog){0};
    if (path ? read_file(path, options, out, err) : io_bsc5_read_builtin(options->mag_limit, out, err)) {
        io_catalog_trim(out);
        return true;
    }
    penta_io_catalog_free(out);
    return false;
}
