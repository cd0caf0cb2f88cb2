/* The binary format of the Yale Bright Star Catalogue (data/README.md), little- or big-endian. */
#include "io/catalog_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_BYTES = 32 };

#define MAS_PER_RADIAN (DEGREES_PER_RADIAN * 3600e3)

/* Made by cmake/EmbedFile.cmake from data/bsc5. */
extern const unsigned char io_bsc5[];
extern const size_t io_bsc5_bytes;

typedef struct {
    const char *name; /* for errors */
    bool big_endian;
    bool corrected; /* uses the magnitudes of star_variables.c */
    size_t records;
} bsc5;

/* ---- numbers in the file's byte order ---- */

static uint64_t unsigned_at(const bsc5 *b, const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[b->big_endian ? i : bytes - 1 - i];
    return value;
}

static int64_t signed_at(const bsc5 *b, const unsigned char *at, int bytes)
{
    int64_t value = (int64_t)unsigned_at(b, at, bytes);
    int64_t half = INT64_C(1) << (8 * bytes - 1);

    return value < half ? value : value - 2 * half;
}

static double float_at(const bsc5 *b, const unsigned char *at)
{
    uint32_t bits = (uint32_t)unsigned_at(b, at, 4);
    float value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double double_at(const bsc5 *b, const unsigned char *at)
{
    uint64_t bits = unsigned_at(b, at, 8);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- the header ---- */

/* Whether the header declares star numbers, proper motions and one magnitude in records of 32 bytes. */
static bool is_header(const bsc5 *b, const unsigned char *head)
{
    return signed_at(b, head + 12, 4) == 1 && signed_at(b, head + 16, 4) == 1 && signed_at(b, head + 20, 4) == 1 &&
           signed_at(b, head + 24, 4) == RECORD_BYTES;
}

bool io_bsc5_matches(const unsigned char *head, size_t size)
{
    return size >= BSC5_HEADER_BYTES &&
           (is_header(&(bsc5){.big_endian = false}, head) || is_header(&(bsc5){.big_endian = true}, head));
}

/* size: bytes of the whole file. */
static bool read_header(bsc5 *b, const unsigned char *head, uint64_t size, penta_io_error *err)
{
    uint64_t promised;
    int64_t count;

    b->big_endian = !is_header(b, head);
    count = signed_at(b, head + 8, 4);
    if (count > 0)
        return penta_io_fail(
            err, "%s: holds B1950 positions (its header has a positive count, %" PRId64 "); use the J2000 form",
            b->name, count);
    if (count == 0)
        return penta_io_fail(err, "%s: its header promises no stars; copy it again", b->name);
    promised = BSC5_HEADER_BYTES + (uint64_t)-count * RECORD_BYTES;
    if (size != promised)
        return penta_io_fail(err,
                             "%s: has %" PRIu64 " bytes, but its header promises %" PRId64 " stars in %" PRIu64 "; %s",
                             b->name, size, -count, promised,
                             size < promised ? "it was cut short: copy it again" : "it is too long: copy it again");
    b->records = (size_t)-count;
    return true;
}

/* ---- the records ---- */

static bool is_star(const io_star *star, double number)
{
    return number >= 1 && number <= 0x1p24 && floor(number) == number && fabs(star->ra) <= 360 &&
           fabs(star->dec) <= 90 && isfinite(star->pmra) && isfinite(star->pmdec);
}

static bool read_record(const bsc5 *b, const unsigned char *at, size_t index, double mag_limit, penta_io_catalog *out,
                        penta_io_error *err)
{
    double number = float_at(b, at);
    int known;
    io_star star = {.ra = double_at(b, at + 4) * DEGREES_PER_RADIAN,
                    .dec = double_at(b, at + 12) * DEGREES_PER_RADIAN,
                    .mag = (double)signed_at(b, at + 22, 2) / 100,
                    .pmra = float_at(b, at + 24) * MAS_PER_RADIAN,
                    .pmdec = float_at(b, at + 28) * MAS_PER_RADIAN,
                    .moves = true};

    if (!is_star(&star, number))
        return penta_io_fail(
            err,
            "%s: record %zu (byte %zu) is damaged: star %g at right ascension %g, declination %g deg, moving "
            "%g, %g mas/yr; copy the file again",
            b->name, index + 1, BSC5_HEADER_BYTES + index * RECORD_BYTES, number, star.ra, star.dec, star.pmra,
            star.pmdec);
    if (b->corrected && (known = penta_io_star_variable_find((uint64_t)number)) >= 0 &&
        isfinite(penta_io_star_variables(NULL)[known].mag))
        star.mag = penta_io_star_variables(NULL)[known].mag;
    if (star.ra == 0 && star.dec == 0 && star.mag == 0)
        out->nonstellar++;
    else if (io_catalog_add(out, &star, mag_limit))
        io_star_ids_add(&out->ids, PENTA_IO_STAR_HR, (uint64_t)number);
    return true;
}

static bool read_records(const bsc5 *b, const unsigned char *records, double mag_limit, penta_io_catalog *out,
                         penta_io_error *err)
{
    bool ok = io_catalog_reserve(out, b->records, b->name, err);

    out->origin = (penta_io_catalog_origin){.format = "BSC5", .ra_unit = "rad", .epoch = 2000, .epoch_stated = true};
    for (size_t i = 0; ok && i < b->records; i++)
        ok = read_record(b, records + i * RECORD_BYTES, i, mag_limit, out, err);
    return ok;
}

bool io_bsc5_read_builtin(double mag_limit, penta_io_catalog *out, penta_io_error *err)
{
    bsc5 b = {.name = "the built-in BSC5", .corrected = true};

    return read_header(&b, io_bsc5, io_bsc5_bytes, err) &&
           read_records(&b, io_bsc5 + BSC5_HEADER_BYTES, mag_limit, out, err);
}

bool io_bsc5_read(const io_input *in, double mag_limit, penta_io_catalog *out, penta_io_error *err)
{
    bsc5 b = {.name = in->path};
    unsigned char head[BSC5_HEADER_BYTES];
    unsigned char *records = NULL;
    size_t bytes;
    bool ok = false;

    if (!io_input_read(in, 0, head, sizeof head))
        return penta_io_fail(err, "%s: cannot be read; the file shrank or the disk fails", in->path);
    if (!read_header(&b, head, in->bytes, err))
        return false;
    bytes = b.records * RECORD_BYTES;
    records = malloc(bytes);
    if (!records)
        penta_io_fail(err, "%s: out of memory for %zu bytes", in->path, bytes);
    else if (!io_input_read(in, BSC5_HEADER_BYTES, records, bytes))
        penta_io_fail(err, "%s: cannot be read; the file shrank or the disk fails", in->path);
    else
        ok = read_records(&b, records, mag_limit, out, err);
    free(records);
    return ok;
}
