/*
 * GADGET-2 binary snapshots (V. Springel, users' guide, section 6): Fortran records, each between two int32 marks of
 * its length. SnapFormat 1: header (256 bytes), positions, velocities, ids, then the masses of the types whose mass in
 * the header is 0. SnapFormat 2: the same with a record of 8 bytes (a label, the distance to the next label) before
 * each. Numbers are float32 or float64, depending on the length of the record.
 */
#include "io/gadget_format.h"
#include <pentacl/io/output.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { HEADER_BYTES = 256, MARK_BYTES = 4, LABEL_BYTES = 16, BINARY_TYPES = 6 };
enum { HEAD, POS, VEL, ID, MASS, RECORDS };

static const char *const labels[RECORDS] = {"HEAD", "POS ", "VEL ", "ID  ", "MASS"};

typedef struct {
    uint64_t at; /* offset of the data; 0: the file has no such record */
    uint64_t bytes;
} gadget_record;

typedef struct {
    const io_input *in;
    penta_io_error *err;
    bool big, labelled;
    bool damaged; /* damaged after mass, position and velocity */
    gadget_record records[RECORDS];
    io_gadget_header header;
    uint64_t n;
} gadget_file;

/* ---- records ---- */

/* Detects byte order and format from the file's first bytes. */
static bool recognise(const io_input *in, bool *big, bool *labelled)
{
    unsigned char raw[8];

    if (!io_input_read(in, 0, raw, sizeof raw))
        return false;
    for (int order = 0; order < 2; order++) {
        uint32_t first = io_get_u32(raw, order == 1);

        *big = order == 1;
        *labelled = first == 8;
        if (first == HEADER_BYTES || (first == 8 && memcmp(raw + 4, labels[HEAD], 4) == 0))
            return true;
    }
    return false;
}

static bool gadget_matches(const io_input *in, bool sure)
{
    bool big;
    bool labelled;

    (void)sure;
    return recognise(in, &big, &labelled);
}

static bool cut_short(const gadget_file *g, const char *where, size_t number)
{
    return penta_io_fail(g->err,
                         "%s: is a GADGET-2 snapshot that ends inside %s %zu (it has %" PRIu64
                         " bytes); it is truncated: copy it again",
                         g->in->path, where, number, g->in->bytes);
}

/* Reads the record at *at, number `number` (from 1), and moves *at past it. Its label is "" in SnapFormat 1. */
static bool take_record(const gadget_file *g, uint64_t *at, size_t number, char label[5], gadget_record *out)
{
    unsigned char raw[LABEL_BYTES];
    uint32_t mark;

    label[0] = 0;
    if (g->labelled) {
        if (!io_input_read(g->in, *at, raw, LABEL_BYTES))
            return cut_short(g, "the label of record", number);
        if (io_get_u32(raw, g->big) != 8 || io_get_u32(raw + 12, g->big) != 8)
            return penta_io_fail(
                g->err,
                "%s: has no label before record %zu, though its first one makes it a GADGET-2 snapshot of "
                "SnapFormat 2; it is damaged: copy or make it again",
                g->in->path, number);
        memcpy(label, raw + 4, 4);
        label[4] = 0;
        *at += LABEL_BYTES;
    }
    if (!io_input_read(g->in, *at, raw, MARK_BYTES))
        return cut_short(g, "record", number);
    mark = io_get_u32(raw, g->big);
    *out = (gadget_record){*at + MARK_BYTES, mark};
    *at += MARK_BYTES + (uint64_t)mark;
    if (!io_input_read(g->in, *at, raw, MARK_BYTES))
        return cut_short(g, "record", number);
    if (io_get_u32(raw, g->big) != mark)
        return penta_io_fail(g->err,
                             "%s: record %zu of its GADGET-2 snapshot has %" PRIu32
                             " bytes by the mark before it and %" PRIu32
                             " by the one after; it is damaged: copy or make it again",
                             g->in->path, number, mark, io_get_u32(raw, g->big));
    *at += MARK_BYTES;
    return true;
}

/* Identifies a record by its label, or without labels by its number (from 1). RECORDS: not needed. */
static size_t name_record(const gadget_file *g, size_t number, const char *label)
{
    size_t which = 0;

    if (!g->labelled)
        return number - 1;
    while (which < RECORDS && strcmp(label, labels[which]) != 0)
        which++;
    return which;
}

static bool find_records(gadget_file *g)
{
    uint64_t at = 0;
    bool incomplete = true; /* ids may be missing, and anything may be in their place */

    for (size_t number = 1; at < g->in->bytes && (g->labelled || number <= RECORDS); number++) {
        gadget_record record;
        char label[5];
        size_t which;

        if (!incomplete && g->records[ID].at > 0)
            return true;
        if (!take_record(g, &at, number, label, &record)) {
            g->damaged = !incomplete;
            if (g->damaged && g->err)
                *g->err = (penta_io_error){""};
            return g->damaged;
        }
        which = name_record(g, number, label);
        if (which < RECORDS && g->records[which].at == 0)
            g->records[which] = record;
        incomplete = g->records[MASS].at == 0 || g->records[VEL].at == 0 || g->records[POS].at == 0;
    }
    return true;
}

/* ---- header ---- */

/* A run at redshift 0, whose time is the scale factor then. */
static bool is_comoving(const io_gadget_header *h)
{
    return h->comoving || h->redshift != 0 || (h->omega > 0 && fabs(h->time - 1) < 1e-6);
}

bool io_gadget_usable(const char *path, const io_gadget_header *h, uint64_t *n, penta_io_error *err)
{
    *n = 0;
    for (size_t k = 0; k < h->types; k++) {
        if (h->counts[k] > UINT64_MAX - *n)
            return penta_io_fail(err, "%s: its counts of particles are absurd; it is damaged: copy or make it again",
                                 path);
        *n += h->counts[k];
    }
    if (h->files > 1)
        return penta_io_fail(err,
                             "%s: is one of %" PRIu64
                             " files of a GADGET snapshot; only a snapshot in one file can be read: "
                             "join them",
                             path, h->files);
    if (*n == 0)
        return penta_io_fail(err, "%s: is a GADGET snapshot that holds no bodies (all its counts are 0)", path);
    if (is_comoving(h))
        return penta_io_fail(err,
                             "%s: is a snapshot of a cosmological (comoving) run, redshift %g, time (scale factor) %g, "
                             "Omega0 %g; convert "
                             "it to physical positions and velocities, with redshift 0 and Omega0 0",
                             path, h->redshift, h->time, h->omega);
    return true;
}

static bool read_header(gadget_file *g)
{
    const gadget_record *record = &g->records[HEAD];
    io_gadget_header *h = &g->header;
    unsigned char raw[HEADER_BYTES];

    if (record->at == 0 || record->bytes != HEADER_BYTES || !io_input_read(g->in, record->at, raw, sizeof raw))
        return penta_io_fail(g->err, "%s: its header has %" PRIu64 " bytes, but GADGET-2's has %d; it is damaged",
                             g->in->path, record->bytes, HEADER_BYTES);
    h->types = BINARY_TYPES;
    for (size_t k = 0; k < BINARY_TYPES; k++) {
        h->counts[k] = io_get_u32(raw + 4 * k, g->big);
        h->masses[k] = io_get_float(raw + 24 + 8 * k, 8, g->big);
    }
    h->time = io_get_float(raw + 72, 8, g->big);
    h->redshift = io_get_float(raw + 80, 8, g->big);
    h->files = io_get_u32(raw + 124, g->big);
    h->omega = io_get_float(raw + 136, 8, g->big);
    return io_gadget_usable(g->in->path, h, &g->n, g->err);
}

/* ---- bodies ---- */

/* Bytes per number of the record; 0, with the error set, if the record is missing or has a wrong length. */
static size_t number_size(const gadget_file *g, size_t which, uint64_t count)
{
    const gadget_record *record = &g->records[which];

    if (record->at == 0)
        penta_io_fail(
            g->err,
            "%s: is a GADGET-2 snapshot without the record %s%s; it is truncated or incomplete: copy or make it "
            "again",
            g->in->path, labels[which], which == MASS ? ", though its header leaves the mass of some type to it" : "");
    else if (record->bytes == 4 * count || record->bytes == 8 * count)
        return (size_t)(record->bytes / count);
    else
        penta_io_fail(g->err,
                      "%s: the record %s of its GADGET-2 snapshot has %" PRIu64 " bytes instead of the %" PRIu64
                      " (or %" PRIu64 ") that its header's counts ask for; it is damaged: copy or make it again",
                      g->in->path, labels[which], record->bytes, 4 * count, 8 * count);
    return 0;
}

/* Reads `width` numbers of `rows` bodies, from `at` in the file into columns of the rows. */
static bool read_numbers(const gadget_file *g, uint64_t at, size_t size, uint64_t rows, size_t width, double *to)
{
    enum { CHUNK = 1024 };
    unsigned char raw[CHUNK * 3 * 8];

    while (rows > 0) {
        size_t n = rows < CHUNK ? (size_t)rows : CHUNK;

        if (!io_input_read(g->in, at, raw, n * width * size))
            return penta_io_fail(g->err, "%s: cannot be read; the file shrank or the disk fails", g->in->path);
        for (size_t i = 0; i < n; i++, to += IO_BODY_COLUMNS)
            for (size_t k = 0; k < width; k++)
                to[k] = io_get_float(raw + (i * width + k) * size, size, g->big);
        at += n * width * size;
        rows -= n;
    }
    return true;
}

/* Takes masses from the header, or from the record for the types that have none in the header. */
static bool read_masses(const gadget_file *g, size_t size, double *rows)
{
    uint64_t at = g->records[MASS].at;

    for (size_t k = 0; k < BINARY_TYPES; k++) {
        uint64_t count = g->header.counts[k];

        if (g->header.masses[k] == 0 && count > 0) {
            if (!read_numbers(g, at, size, count, 1, rows))
                return false;
            at += count * size;
        }
        for (uint64_t i = 0; i < count; i++, rows += IO_BODY_COLUMNS)
            if (g->header.masses[k] != 0)
                rows[0] = g->header.masses[k];
    }
    return true;
}

/* Whether numbers of the record look like masses: ids as floats are almost 0, or far from one another. alike: and the
 * first two are the same, as ids never are. */
static bool holds_masses(const gadget_file *g, const gadget_record *record, size_t size, bool alike)
{
    double first = 0;

    for (uint64_t i = 0; i < record->bytes / size && i < 1024; i++) {
        unsigned char raw[8];
        double mass = io_input_read(g->in, record->at + i * size, raw, size) ? io_get_float(raw, size, g->big) : 0;

        first = i == 0 ? mass : first;
        if (!(mass > 1e-25 && mass < 1e25 && mass > 1e-9 * first && mass < 1e9 * first) ||
            (alike && i == 1 && !(mass >= first && mass <= first)))
            return false;
    }
    return record->bytes >= size;
}

/* Without labels the record after the velocities is the masses where there are no ids. own: masses not in the header.
 */
static void take_missing_ids(gadget_file *g, uint64_t own)
{
    gadget_record *ids = &g->records[ID], *masses = &g->records[MASS];
    const bool fits = own > 0 && (ids->bytes == 4 * own || ids->bytes == 8 * own);
    const bool both = masses->at > 0 && (masses->bytes == 4 * own || masses->bytes == 8 * own);

    if (!g->labelled && ids->at > 0 && fits &&
        holds_masses(g, ids, (size_t)(ids->bytes / own), both && ids->bytes >= 4 * g->n)) {
        *masses = *ids;
        *ids = (gadget_record){0};
    }
}

/* Sets families from the types that the header counts, in their order. */
static bool set_families(const gadget_file *g, penta_io_bodies *out)
{
    size_t i = 0;

    if (!io_bodies_want_families(g->in->path, out, g->err))
        return false;
    for (size_t k = 0; k < BINARY_TYPES; k++)
        for (uint64_t left = g->header.counts[k]; left > 0; left--)
            out->family[i++] = (uint8_t)k;
    return true;
}

/* A record that cannot hold ids is left out with a note. */
static bool read_ids(const gadget_file *g, penta_io_bodies *out)
{
    enum { CHUNK = 1024 };
    const gadget_record *record = &g->records[ID];
    size_t size = record->bytes == 8 * g->n ? 8 : 4;
    unsigned char raw[CHUNK * 8];

    if (g->damaged)
        io_bodies_note(out, "it is damaged or cut short behind its masses; it may have had ids");
    if (record->at == 0)
        return true;
    if (record->bytes != size * g->n) {
        io_bodies_note(out,
                       "its record of ids has %" PRIu64 " bytes instead of 4 or 8 for each of %" PRIu64
                       " bodies; they are left out",
                       record->bytes, g->n);
        return true;
    }
    if (!io_bodies_want_ids(g->in->path, out, g->err))
        return false;
    for (size_t i = 0; i < out->n; i++) {
        if (i % CHUNK == 0 &&
            !io_input_read(g->in, record->at + i * size, raw, size * (out->n - i < CHUNK ? out->n - i : CHUNK)))
            return penta_io_fail(g->err, "%s: cannot be read; the file shrank or the disk fails", g->in->path);
        out->id[i] = size == 8 ? io_get_u64(raw + i % CHUNK * 8, g->big) : io_get_u32(raw + i % CHUNK * 4, g->big);
    }
    return true;
}

static bool gadget_read(const io_input *in, penta_io_bodies *out, penta_io_error *err)
{
    gadget_file g = {.in = in, .err = err};
    uint64_t own_masses = 0;
    size_t pos_size;
    size_t vel_size;
    size_t mass_size = 4;

    recognise(in, &g.big, &g.labelled);
    if (!find_records(&g) || !read_header(&g))
        return false;
    for (size_t k = 0; k < BINARY_TYPES; k++)
        own_masses += g.header.masses[k] == 0 ? g.header.counts[k] : 0;
    take_missing_ids(&g, own_masses);
    pos_size = number_size(&g, POS, 3 * g.n);
    vel_size = pos_size ? number_size(&g, VEL, 3 * g.n) : 0;
    if (vel_size && own_masses > 0)
        mass_size = number_size(&g, MASS, own_masses);
    if (!vel_size || !mass_size || !io_bodies_alloc(in->path, g.n, out, err))
        return false;
    out->time = g.header.time;
    out->has_time = true;
    return set_families(&g, out) && read_ids(&g, out) &&
           read_numbers(&g, g.records[POS].at, pos_size, g.n, 3, out->rows + IO_BODY_X) &&
           read_numbers(&g, g.records[VEL].at, vel_size, g.n, 3, out->rows + IO_BODY_VX) &&
           read_masses(&g, mass_size, out->rows);
}

/* ---- writing ---- */

static void write_u32(FILE *f, uint64_t value)
{
    unsigned char raw[4];

    io_put_u32(raw, (uint32_t)value, false);
    fwrite(raw, 1, sizeof raw, f);
}

/* One type per family. */
const uint8_t io_gadget_ranks[PENTA_IO_FAMILIES] = {0, 1, 2, 3, 4, 5, 6, 7};

static void write_header(FILE *f, const penta_io_bodies *in, const size_t *counts)
{
    unsigned char raw[HEADER_BYTES] = {0};

    for (size_t k = 0; k < BINARY_TYPES; k++) {
        io_put_u32(raw + 4 * k, (uint32_t)counts[k], false);
        io_put_u32(raw + 96 + 4 * k, (uint32_t)counts[k], false); /* number in all files */
    }
    io_put_double(raw + 72, in->time, false);
    io_put_u32(raw + 124, 1, false);    /* number of files */
    io_put_double(raw + 152, 1, false); /* Hubble's constant in 100 km/s/Mpc */
    write_u32(f, HEADER_BYTES);
    fwrite(raw, 1, HEADER_BYTES, f);
    write_u32(f, HEADER_BYTES);
}

/* Writes `width` columns of all bodies, from `first` on. */
static void write_columns(FILE *f, const penta_io_bodies *in, size_t first, size_t width)
{
    unsigned char raw[4 * 3];

    write_u32(f, 4 * width * in->n);
    for (size_t i = 0; i < in->n && !ferror(f); i++) {
        for (size_t k = 0; k < width; k++)
            io_put_float(raw + 4 * k, in->rows[i * IO_BODY_COLUMNS + first + k], false);
        fwrite(raw, 4, width, f);
    }
    write_u32(f, 4 * width * in->n);
}

/* Writes ids of 4 bytes each, or 8 if any id needs them. */
static void write_ids(FILE *f, const penta_io_bodies *in)
{
    unsigned char raw[8];
    size_t size = 4;

    for (size_t i = 0; in->id && i < in->n; i++)
        size = in->id[i] > UINT32_MAX ? 8 : size;
    write_u32(f, size * in->n);
    for (size_t i = 0; i < in->n && !ferror(f); i++) {
        io_put_u64(raw, in->id ? in->id[i] : (uint64_t)i + 1, false); /* little-endian: the low half is first */
        fwrite(raw, 1, size, f);
    }
    write_u32(f, size * in->n);
}

static bool gadget_write(const char *path, const penta_io_bodies *in, penta_io_error *err)
{
    size_t counts[PENTA_IO_FAMILIES];
    penta_io_output *output;
    FILE *f;

    io_bodies_count(in, io_gadget_ranks, counts);
    for (size_t k = BINARY_TYPES; k < PENTA_IO_FAMILIES; k++)
        if (counts[k] > 0)
            return penta_io_fail(err, "%s: %zu bodies are of family %zu, and GADGET-2 has types 0 to %d; write .hdf5",
                                 path, counts[k], k, BINARY_TYPES - 1);
    if (in->n > INT32_MAX / 12) /* GADGET's marks are signed */
        return penta_io_fail(
            err, "%s: a record of a GADGET-2 snapshot holds at most %d bodies, not %zu; write .hdf5 or .npy", path,
            INT32_MAX / 12, in->n);
    if (!io_bodies_fit_float(path, in, "GADGET-2", err) || !penta_io_output_open(path, &output, err))
        return false;
    f = penta_io_output_stream(output);
    write_header(f, in, counts);
    write_columns(f, in, IO_BODY_X, 3);
    write_columns(f, in, IO_BODY_VX, 3);
    write_ids(f, in);
    write_columns(f, in, 0, 1);
    return penta_io_output_commit(output, err);
}

static const char *const ends[] = {"gadget", "g2", NULL};

const io_bodies_format io_bodies_gadget = {.name = "GADGET-2",
                                           .ends = ends,
                                           .matches = gadget_matches,
                                           .read = gadget_read,
                                           .write = gadget_write,
                                           .keeps = IO_KEEPS_ID | IO_KEEPS_FAMILY | IO_KEEPS_TIME,
                                           .ranks = io_gadget_ranks,
                                           .loss = IO_LOSES_FLOAT};
