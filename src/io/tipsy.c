/*
 * Tipsy: a header (time as float64; int32 bodies, dimensions, gas, dark matter, stars; 4 bytes of padding, which may
 * hold anything), then records of float32 that begin with mass, position, velocity. Standard files are big-endian.
 */
#include "io/bodies_format.h"
#include <pentacl/io/output.h>

#include <inttypes.h>

enum { HEADER_BYTES = 32, KINDS = 3, DARK = 1 };

static const struct {
    const char *name;
    size_t
        bytes;  /* bytes of a record. After mass, position, velocity: gas has density, temperature, softening, metals,
                   potential; dark matter softening, potential; stars metals, time of formation, softening, potential */
    size_t eps; /* byte offset of the softening */
    uint8_t family;
} kinds[KINDS] = {{"gas", 48, 36, PENTA_IO_GAS}, {"dark", 36, 28, PENTA_IO_HALO}, {"star", 44, 36, PENTA_IO_STARS}};

/* The kind of each family. */
static const uint8_t ranks[PENTA_IO_FAMILIES] = {0, DARK, DARK, DARK, 2, DARK, DARK, DARK};

typedef struct {
    bool big;
    double time;
    uint64_t bodies, dimensions, counts[KINDS];
    uint64_t data_bytes; /* bytes of all records according to the header, of float32 */
    size_t size;         /* bytes of a number: 8 where the file has as many for all records */
} tipsy_header;

/* False if the file is shorter than a header or the number of dimensions is impossible in either byte order. */
static bool read_header(const io_input *in, tipsy_header *h)
{
    unsigned char raw[HEADER_BYTES] = {0};
    size_t size = in->bytes < sizeof raw ? (size_t)in->bytes : sizeof raw;

    *h = (tipsy_header){0};
    if (size < 16 || !io_input_read(in, 0, raw, size))
        return false;
    h->big = io_get_u32(raw + 12, true) <= 3;
    h->time = io_get_float(raw, 8, h->big);
    h->bodies = io_get_u32(raw + 8, h->big);
    h->dimensions = io_get_u32(raw + 12, h->big);
    for (size_t k = 0; k < KINDS; k++) {
        h->counts[k] = io_get_u32(raw + 16 + 4 * k, h->big);
        h->data_bytes += h->counts[k] * kinds[k].bytes;
    }
    h->size = in->bytes == HEADER_BYTES + 2 * h->data_bytes ? 8 : 4;
    return h->dimensions >= 1 && h->dimensions <= 3;
}

static bool adds_up(const tipsy_header *h)
{
    return h->bodies == h->counts[0] + h->counts[1] + h->counts[2];
}

static bool has_size(const io_input *in, const tipsy_header *h)
{
    return in->bytes == HEADER_BYTES + h->data_bytes * (h->size / 4);
}

static bool tipsy_matches(const io_input *in, bool sure)
{
    tipsy_header h;

    if (!read_header(in, &h))
        return false;
    return !sure || (adds_up(&h) && has_size(in, &h) && h.bodies > 0);
}

static bool check_header(const io_input *in, const tipsy_header *h, penta_io_error *err)
{
    const char *order = h->big ? "big-endian" : "little-endian";

    if (in->bytes < HEADER_BYTES)
        return penta_io_fail(
            err, "%s: ends inside its tipsy header (it has %" PRIu64 " bytes); it is truncated: copy it again",
            in->path, in->bytes);
    if (!adds_up(h))
        return penta_io_fail(err,
                             "%s: looks like a tipsy file (%s), but its header has %" PRIu64 " bodies of which %" PRIu64
                             " are gas, %" PRIu64 " dark matter and %" PRIu64
                             " stars; it is damaged: copy or make it again",
                             in->path, order, h->bodies, h->counts[0], h->counts[1], h->counts[2]);
    if (h->bodies == 0)
        return penta_io_fail(err, "%s: is a tipsy file that holds no bodies (its count is 0)", in->path);
    if (h->bodies > 0 && (in->bytes == HEADER_BYTES + h->data_bytes + 12 * h->bodies ||
                          in->bytes == HEADER_BYTES + h->data_bytes + 24 * h->bodies))
        return penta_io_fail(err,
                             "%s: is a tipsy file (%s) with positions, or positions and velocities, in double "
                             "precision among floats; write it in single precision, or all of it in double",
                             in->path, order);
    if (!has_size(in, h))
        return penta_io_fail(err,
                             "%s: is a tipsy file (%s) of %" PRIu64 " gas, %" PRIu64 " dark and %" PRIu64
                             " star records, which take %" PRIu64 " bytes with the header, but it has %" PRIu64
                             "; it is truncated or damaged: copy it again",
                             in->path, order, h->counts[0], h->counts[1], h->counts[2], HEADER_BYTES + h->data_bytes,
                             in->bytes);
    if (h->dimensions != 3)
        return penta_io_fail(err, "%s: is a tipsy file of %" PRIu64 " dimension%s; only 3 are supported", in->path,
                             h->dimensions, h->dimensions == 1 ? "" : "s");
    return true;
}

/* Reads the records of one kind, through a buffer; `first` is the row of the first one. */
static bool read_records(const io_input *in, const tipsy_header *h, size_t kind, uint64_t at, size_t first,
                         penta_io_bodies *out)
{
    enum { CHUNK = 1024 };
    const size_t size = kinds[kind].bytes * (h->size / 4);
    unsigned char raw[CHUNK * 48 * 2];

    for (uint64_t left = h->counts[kind]; left > 0;) {
        size_t n = left < CHUNK ? (size_t)left : CHUNK;

        if (!io_input_read(in, at, raw, n * size))
            return false;
        for (size_t i = 0; i < n; i++, first++) {
            for (size_t k = 0; k < IO_BODY_COLUMNS; k++)
                out->rows[first * IO_BODY_COLUMNS + k] = io_get_float(raw + i * size + h->size * k, h->size, h->big);
            out->softening[first] = io_get_float(raw + i * size + kinds[kind].eps * (h->size / 4), h->size, h->big);
            out->family[first] = kinds[kind].family;
        }
        at += n * size;
        left -= n;
    }
    return true;
}

static bool tipsy_read(const io_input *in, penta_io_bodies *out, penta_io_error *err)
{
    tipsy_header h;
    uint64_t at;
    size_t first = 0;

    read_header(in, &h);
    if (!check_header(in, &h, err) || !io_bodies_alloc(in->path, h.bodies, out, err) ||
        !io_bodies_want_families(in->path, out, err) || !io_bodies_want_softening(in->path, out, err))
        return false;
    out->time = h.time;
    out->has_time = true;
    at = HEADER_BYTES;
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (!read_records(in, &h, kind, at, first, out))
            return penta_io_fail(err, "%s: its %s records cannot be read; the file shrank or the disk fails", in->path,
                                 kinds[kind].name);
        at += h.counts[kind] * kinds[kind].bytes * (h.size / 4);
        first += (size_t)h.counts[kind];
    }
    return true;
}

static void write_header(FILE *f, const penta_io_bodies *in, const size_t *counts)
{
    unsigned char raw[HEADER_BYTES] = {0};

    io_put_double(raw, in->time, true);
    io_put_u32(raw + 8, (uint32_t)in->n, true);
    io_put_u32(raw + 12, 3, true);
    for (size_t kind = 0; kind < KINDS; kind++)
        io_put_u32(raw + 16 + 4 * kind, (uint32_t)counts[kind], true);
    fwrite(raw, 1, sizeof raw, f);
}

static bool tipsy_write(const char *path, const penta_io_bodies *in, penta_io_error *err)
{
    size_t counts[PENTA_IO_FAMILIES];
    penta_io_output *output;
    FILE *f;

    if (in->n > INT32_MAX)
        return penta_io_fail(err, "%s: a tipsy file holds at most %d bodies, not %zu; write .npy", path, INT32_MAX,
                             in->n);
    if (!io_bodies_fit_float(path, in, "tipsy", err) || !penta_io_output_open(path, &output, err))
        return false;
    f = penta_io_output_stream(output);
    io_bodies_count(in, ranks, counts);
    write_header(f, in, counts);
    for (size_t i = 0; i < in->n && !ferror(f); i++) {
        size_t kind = ranks[in->family ? in->family[i] : PENTA_IO_HALO];
        unsigned char raw[48] = {0};

        for (size_t k = 0; k < IO_BODY_COLUMNS; k++)
            io_put_float(raw + 4 * k, in->rows[i * IO_BODY_COLUMNS + k], true);
        io_put_float(raw + kinds[kind].eps, in->softening ? in->softening[i] : 0, true);
        fwrite(raw, 1, kinds[kind].bytes, f);
    }
    return penta_io_output_commit(output, err);
}

static const char *const ends[] = {"tipsy", "bin", NULL};

const io_bodies_format io_bodies_tipsy = {.name = "tipsy",
                                          .ends = ends,
                                          .matches = tipsy_matches,
                                          .read = tipsy_read,
                                          .write = tipsy_write,
                                          .keeps = IO_KEEPS_FAMILY | IO_KEEPS_SOFTENING | IO_KEEPS_TIME,
                                          .ranks = ranks,
                                          .families = 1 << PENTA_IO_GAS | 1 << PENTA_IO_HALO | 1 << PENTA_IO_STARS,
                                          .loss = IO_LOSES_FLOAT};
