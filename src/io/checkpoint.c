/*
 * checkpoint.bin, little-endian:
 *      0  8 bytes  magic
 *      8  u32      version
 *     12  u32      bytes of this header
 *     16  u64      bodies
 *     24  u64      doubles of the state
 *     32  4 x u32  kernel, precision, integrator, step mode (values of their enumerations)
 *     48  3 x f64  eps, dt, eta
 *     72  u64      steps between rows of diagnostics.csv
 *     80  2 x f64  energy at step 0, half the side of the pictures
 *     96  f64      time at step 0
 *    104  3 x f64  units: cm, g, cm/s; 0: unknown
 *    128  u32      what follows the state (1 ids, 2 families, 4 softening); 8: the time is from a file; 16: the energy
 *                  is about the centre of mass
 *    132  4 bytes zero
 *    136  f64      potential energy at step 0
 *    144  40 bytes zero
 *    184  u64      CRC-64/XZ of the 184 bytes before and everything after
 *    192  f64 ...  the state, as penta_nbody_save gives it
 *         u64 ...  ids of the bodies
 *         u8 ...   their families, then zeros to a multiple of 8
 *         f64 ...  their softening
 */
#include <pentacl/io/checkpoint.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"
#include "io/input.h"
#include "io/parts.h"
#include "io/shared_file.h"

enum { VERSION = 2, HEADER_BYTES = 192, SUM_AT = 184, CHUNK = 4096 /* words of 8 bytes */ };

enum { HAS_ID = 1, HAS_FAMILY = 2, HAS_SOFTENING = 4, HAS_TIME = 8, HAS_ENERGY = 16 };

static const unsigned char magic[8] = {0x89, 'p', 'e', 'n', 't', 'a', 'N', 'B'};

/* ---- bytes ---- */

static void put(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    for (int i = bytes; i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

static void put_double(unsigned char *at, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put(at, bits, 8);
}

static double get_double(const unsigned char *at)
{
    uint64_t bits = get(at, 8);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- the header ---- */

static unsigned flags_of(const penta_io_bodies *b)
{
    return (b->id ? HAS_ID : 0u) | (b->family ? HAS_FAMILY : 0u) | (b->softening ? HAS_SOFTENING : 0u) |
           (b->has_time ? HAS_TIME : 0u);
}

/* Words after the header. */
static size_t words_of(size_t count, size_t n, unsigned flags)
{
    return count + (flags & HAS_ID ? n : 0) + (flags & HAS_FAMILY ? n / 8 + (n % 8 > 0) : 0) +
           (flags & HAS_SOFTENING ? n : 0);
}

static void make_header(const penta_io_checkpoint *c, unsigned char *h)
{
    const penta_nbody_options *o = &c->options;

    memset(h, 0, HEADER_BYTES);
    memcpy(h, magic, sizeof magic);
    put(h + 8, VERSION, 4);
    put(h + 12, HEADER_BYTES, 4);
    put(h + 16, c->n, 8);
    put(h + 24, c->count, 8);
    put(h + 32, (uint64_t)o->kernel, 4);
    put(h + 36, (uint64_t)o->precision, 4);
    put(h + 40, (uint64_t)o->integrator, 4);
    put(h + 44, (uint64_t)o->step_mode, 4);
    put_double(h + 48, o->eps);
    put_double(h + 56, o->dt);
    put_double(h + 64, o->eta);
    put(h + 72, c->diagnose_every, 8);
    put_double(h + 80, c->first_energy);
    put_double(h + 88, c->extent);
    put_double(h + 96, c->about.time);
    put_double(h + 104, c->about.units.length);
    put_double(h + 112, c->about.units.mass);
    put_double(h + 120, c->about.units.velocity);
    put(h + 128, flags_of(&c->about) | HAS_ENERGY, 4);
    put_double(h + 136, c->first_potential);
}

static void take_header(const unsigned char *h, penta_io_checkpoint *c)
{
    penta_nbody_options_init(&c->options);
    c->n = (size_t)get(h + 16, 8);
    c->count = (size_t)get(h + 24, 8);
    c->options.kernel = (int)get(h + 32, 4);
    c->options.precision = (int)get(h + 36, 4);
    c->options.integrator = (int)get(h + 40, 4);
    c->options.step_mode = (int)get(h + 44, 4);
    c->options.eps = get_double(h + 48);
    c->options.dt = get_double(h + 56);
    c->options.eta = get_double(h + 64);
    c->diagnose_every = get(h + 72, 8) > 0 ? get(h + 72, 8) : 1;
    c->first_energy = get(h + 128, 4) & HAS_ENERGY ? get_double(h + 80) : NAN;
    c->first_potential = get_double(h + 136);
    c->extent = get_double(h + 88);
    c->about = (penta_io_bodies){.n = c->n, .time = get_double(h + 96)};
    c->about.units = (penta_io_units){get_double(h + 104), get_double(h + 112), get_double(h + 120)};
    c->about.has_time = get(h + 128, 4) & HAS_TIME;
}

/* ---- sections after the header ---- */

typedef enum { STATE, IDS, FAMILIES, SOFTENING } section;

/* The section that holds word *i; *i becomes its index in it. */
static section section_of(const penta_io_checkpoint *c, unsigned flags, size_t *i)
{
    const size_t sizes[] = {c->count, words_of(0, c->n, flags & HAS_ID), words_of(0, c->n, flags & HAS_FAMILY)};
    size_t k = 0;

    while (k < sizeof sizes / sizeof *sizes && *i >= sizes[k])
        *i -= sizes[k++];
    return (section)k;
}

static void take_word(penta_io_checkpoint *c, size_t i, const unsigned char *at)
{
    const section which = section_of(c, flags_of(&c->about), &i);

    switch (which) {
    case STATE:
        c->state[i] = get_double(at);
        break;
    case IDS:
        c->about.id[i] = get(at, 8);
        break;
    case FAMILIES:
        for (size_t k = 0; k < 8 && 8 * i + k < c->n; k++)
            c->about.family[8 * i + k] = at[k];
        break;
    default:
        c->about.softening[i] = get_double(at);
    }
}

/* ---- writing ---- */

bool penta_io_checkpoint_begin(const char *path, const penta_io_checkpoint *c, penta_io_shared_file **out,
                               penta_io_error *err)
{
    uint64_t words = words_of(c->count, c->n, flags_of(&c->about));

    return io_shared_file_begin(path, HEADER_BYTES + 8 * words, HEADER_BYTES, out, err);
}

bool penta_io_checkpoint_put(penta_io_shared_file *file, size_t first, size_t count, const double *state,
                             penta_io_part *part, penta_io_error *err)
{
    return io_shared_file_put(file, HEADER_BYTES + 8 * (uint64_t)first, state, count, sizeof *state, part, err);
}

/* What follows the state. */
static bool put_attributes(penta_io_shared_file *file, const penta_io_checkpoint *c, penta_io_part *part,
                           penta_io_error *err)
{
    const penta_io_bodies *b = &c->about;
    const unsigned char zeros[8] = {0};
    uint64_t at = HEADER_BYTES + 8 * (uint64_t)c->count;
    bool ok = !b->id || io_shared_file_put(file, at, b->id, c->n, sizeof *b->id, part, err);

    at += b->id ? 8 * (uint64_t)c->n : 0;
    ok = ok && (!b->family || (io_shared_file_put(file, at, b->family, c->n, 1, part, err) &&
                               io_shared_file_put(file, at + c->n, zeros, (8 - c->n % 8) % 8, 1, part, err)));
    at += b->family ? 8 * (uint64_t)words_of(0, c->n, HAS_FAMILY) : 0;
    return ok && (!b->softening || io_shared_file_put(file, at, b->softening, c->n, sizeof *b->softening, part, err));
}

/* The header, with the checksum of all that was written behind it. */
static bool put_header(penta_io_shared_file *file, const penta_io_checkpoint *c, const penta_io_part *rest,
                       penta_io_part *head, penta_io_error *err)
{
    unsigned char header[HEADER_BYTES];
    io_checksum sum;

    make_header(c, header);
    io_checksum_begin(&sum);
    io_checksum_add(&sum, header, SUM_AT);
    put(header + SUM_AT, io_checksum_join(io_checksum_end(&sum), rest->sum, rest->bytes), 8);
    return io_shared_file_put(file, 0, header, sizeof header, 1, head, err);
}

/* Header and rest; the parts are of the state, with room for one more. */
static bool put_others(penta_io_shared_file *file, const penta_io_checkpoint *c, penta_io_part *parts, size_t count,
                       penta_io_part whole[2], penta_io_error *err)
{
    if (!put_attributes(file, c, parts + count, err))
        return false;
    if (!io_parts_join(parts, count + 1, HEADER_BYTES, io_shared_file_bytes(file), &whole[1]))
        return penta_io_fail(err, "%s: parts of it were not written", io_shared_file_path(file));
    return put_header(file, c, &whole[1], &whole[0], err);
}

bool penta_io_checkpoint_finish(penta_io_shared_file *file, const penta_io_checkpoint *c, const penta_io_part *parts,
                                size_t count, penta_io_error *err)
{
    penta_io_part *all = calloc(count + 1, sizeof *all), whole[2] = {{0}};
    bool ok = all || penta_io_fail(err, "%s: out of memory", io_shared_file_path(file));

    if (ok && count > 0)
        memcpy(all, parts, count * sizeof *all);
    ok = ok && put_others(file, c, all, count, whole, err);
    free(all);
    if (ok)
        return io_shared_file_finish(file, whole, 2, err);
    penta_io_shared_file_abandon(file);
    return false;
}

bool penta_io_checkpoint_write(const char *path, const penta_io_checkpoint *c, penta_io_error *err)
{
    penta_io_shared_file *file;
    penta_io_part part = {0};

    if (!penta_io_checkpoint_begin(path, c, &file, err))
        return false;
    if (penta_io_checkpoint_put(file, 0, c->count, c->state, &part, err))
        return penta_io_checkpoint_finish(file, c, &part, 1, err);
    penta_io_shared_file_abandon(file);
    return false;
}

/* ---- reading ---- */

static bool check_version(const io_input *in, const unsigned char *h, penta_io_error *err)
{
    if (memcmp(h, magic, sizeof magic) != 0)
        return penta_io_fail(err, "%s: is no checkpoint of penta nbody; give the checkpoint.bin of a run", in->path);
    if (in->bytes >= 16 && get(h + 8, 4) != VERSION)
        return penta_io_fail(err, "%s: is a checkpoint of version %" PRIu64 ", of which this program reads only %d",
                             in->path, get(h + 8, 4), VERSION);
    if (in->bytes < HEADER_BYTES)
        return penta_io_fail(err,
                             "%s: is cut short: %" PRIu64 " bytes are less than its header; take an older checkpoint",
                             in->path, in->bytes);
    return get(h + 12, 4) == HEADER_BYTES ||
           penta_io_fail(err, "%s: is damaged: its header has the wrong length; take an older checkpoint", in->path);
}

static bool check_header(const io_input *in, const unsigned char *h, penta_io_error *err)
{
    uint64_t n = get(h + 16, 8), count = get(h + 24, 8), most = SIZE_MAX / 64;
    unsigned flags = (unsigned)get(h + 128, 4);
    uint64_t room;

    if (!check_version(in, h, err))
        return false;
    room = (in->bytes - HEADER_BYTES) / 8;
    if (n == 0 || n > most || n > count)
        return penta_io_fail(err, "%s: is damaged: it announces %" PRIu64 " bodies; take an older checkpoint", in->path,
                             n);
    if (count > most || in->bytes != HEADER_BYTES + 8 * (uint64_t)words_of(count, n, flags))
        return penta_io_fail(err,
                             "%s: is cut short or damaged: %" PRIu64
                             " numbers are announced, and there is room for %" PRIu64 "; take an older checkpoint",
                             in->path, count, room);
    return true;
}

static bool make_room(const io_input *in, unsigned flags, penta_io_checkpoint *c, penta_io_error *err)
{
    c->state = malloc(8 * c->count + 8);
    c->about.id = flags & HAS_ID ? calloc(c->n + 1, sizeof *c->about.id) : NULL;
    c->about.family = flags & HAS_FAMILY ? calloc(c->n + 1, sizeof *c->about.family) : NULL;
    c->about.softening = flags & HAS_SOFTENING ? calloc(c->n + 1, sizeof *c->about.softening) : NULL;
    return (c->state && !(flags & ~flags_of(&c->about) & (HAS_ID | HAS_FAMILY | HAS_SOFTENING))) ||
           penta_io_fail(err, "%s: out of memory for %zu bodies", in->path, c->n);
}

/* Reads the words after the header; returns whether the checksum is right. */
static bool read_words(const io_input *in, const unsigned char *header, penta_io_checkpoint *c, penta_io_error *err)
{
    const size_t words = words_of(c->count, c->n, flags_of(&c->about));
    unsigned char *bytes = malloc(8 * CHUNK);
    io_checksum sum;
    bool ok = true;

    if (!bytes)
        return penta_io_fail(err, "%s: out of memory", in->path);
    io_checksum_begin(&sum);
    io_checksum_add(&sum, header, SUM_AT);
    for (size_t i = 0; ok && i < words; i += CHUNK) {
        size_t count = words - i < CHUNK ? words - i : CHUNK;

        ok = io_input_read(in, HEADER_BYTES + 8 * (uint64_t)i, bytes, 8 * count);
        io_checksum_add(&sum, bytes, ok ? 8 * count : 0);
        for (size_t k = 0; ok && k < count; k++)
            take_word(c, i + k, bytes + 8 * k);
    }
    free(bytes);
    if (!ok)
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", in->path);
    return io_checksum_end(&sum) == get(header + SUM_AT, 8) ||
           penta_io_fail(err, "%s: is damaged: its checksum is wrong; take an older checkpoint", in->path);
}

/* Checks attributes even if the checksum is right, because they index tables and are written to other files. */
static bool check_attributes(const char *path, const penta_io_checkpoint *c, penta_io_error *err)
{
    const penta_io_bodies *b = &c->about;
    const penta_io_units *u = &b->units;
    bool ok = isfinite(b->time) && isfinite(c->extent) && isfinite(u->length) && isfinite(u->mass) &&
              isfinite(u->velocity) && u->length >= 0 && u->mass >= 0 && u->velocity >= 0;

    for (size_t i = 0; ok && b->family && i < c->n; i++)
        ok = b->family[i] < PENTA_IO_FAMILIES;
    for (size_t i = 0; ok && b->softening && i < c->n; i++)
        ok = isfinite(b->softening[i]) && b->softening[i] >= 0;
    return ok ||
           penta_io_fail(err, "%s: is damaged: what it says of its bodies cannot be; take an older checkpoint", path);
}

bool penta_io_checkpoint_read(const char *path, penta_io_checkpoint *out, penta_io_error *err)
{
    unsigned char header[HEADER_BYTES] = {0};
    io_input in = {0};
    bool ok;

    *out = (penta_io_checkpoint){0};
    if (!io_input_open(path, &in, err))
        return false;
    ok = io_input_read(&in, 0, header, in.bytes < HEADER_BYTES ? (size_t)in.bytes : HEADER_BYTES) ||
         penta_io_fail(err, "%s: cannot be read; check the disk or the network", path);
    ok = ok && check_header(&in, header, err);
    if (ok)
        take_header(header, out);
    ok = ok && make_room(&in, (unsigned)get(header + 128, 4), out, err) && read_words(&in, header, out, err) &&
         check_attributes(path, out, err);
    io_input_close(&in);
    if (!ok)
        penta_io_checkpoint_free(out);
    return ok;
}

void penta_io_checkpoint_free(penta_io_checkpoint *c)
{
    free(c->state);
    penta_io_bodies_free(&c->about);
    *c = (penta_io_checkpoint){0};
}
