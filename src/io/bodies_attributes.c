/* Attributes of bodies besides mass, position and velocity: checks, and their form in text. */
#include "io/bodies_format.h"
#include <pentacl/io/output.h>
#include <pentacl/numbers.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE ".attributes.csv"

/* ---- memory ---- */

static bool want(const char *path, size_t n, size_t size, void **array, penta_io_error *err)
{
    if (!*array)
        *array = calloc(n, size);
    return *array || penta_io_fail(err, "%s: out of memory for %zu bodies; free memory or take fewer", path, n);
}

bool io_bodies_want_ids(const char *path, penta_io_bodies *out, penta_io_error *err)
{
    void *array = out->id;
    bool ok = want(path, out->n, sizeof *out->id, &array, err);

    out->id = array;
    return ok;
}

bool io_bodies_want_families(const char *path, penta_io_bodies *out, penta_io_error *err)
{
    void *array = out->family;
    bool ok = want(path, out->n, sizeof *out->family, &array, err);

    out->family = array;
    return ok;
}

bool io_bodies_want_softening(const char *path, penta_io_bodies *out, penta_io_error *err)
{
    void *array = out->softening;
    bool ok = want(path, out->n, sizeof *out->softening, &array, err);

    out->softening = array;
    return ok;
}

void io_bodies_note(penta_io_bodies *out, const char *format, ...)
{
    size_t used = strlen(out->note);
    va_list args;

    if (used > 0 && used + 3 < sizeof out->note) {
        memcpy(out->note + used, "; ", 3);
        used += 2;
    }
    va_start(args, format);
    penta_vsnprintf(out->note + used, sizeof out->note - used, format, args);
    va_end(args);
    for (char *c = out->note + used; *c; c++) /* text of a file must not control the terminal */
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

unsigned io_bodies_attributes(const penta_io_bodies *in)
{
    return (in->id ? IO_KEEPS_ID : 0u) | (in->family ? IO_KEEPS_FAMILY : 0u) |
           (in->softening ? IO_KEEPS_SOFTENING : 0u) | (in->has_time ? IO_KEEPS_TIME : 0u) |
           (in->units.length > 0 ? IO_KEEPS_UNITS : 0u);
}

/* ---- implausible values ---- */

void io_bodies_set_units(penta_io_bodies *out, double length, double mass, double velocity)
{
    bool known = isfinite(length) && isfinite(mass) && isfinite(velocity) && length > 0 && mass > 0 && velocity > 0;

    if (known)
        out->units = (penta_io_units){length, mass, velocity};
    else if (!(length == 0 && mass == 0 && velocity == 0))
        io_bodies_note(out, "its units (%g cm, %g g, %g cm/s) are not three positive numbers, and are left out", length,
                       mass, velocity);
}

/* Ids that are all the same were never set: they identify no body. */
static void settle_ids(penta_io_bodies *b)
{
    bool differ = b->n == 1 && b->id && b->id[0] != UINT64_MAX && b->id[0] != UINT32_MAX;

    for (size_t i = 1; b->id && i < b->n && !differ; i++)
        differ = b->id[i] != b->id[0];
    if (!b->id || differ)
        return;
    io_bodies_note(b, "its ids are all %" PRIu64 ", and are left out", b->id[0]);
    free(b->id);
    b->id = NULL;
}

static void settle_families(penta_io_bodies *b)
{
    bool differ = false;

    for (size_t i = 0; b->family && i < b->n && !differ; i++)
        differ = b->family[i] != PENTA_IO_HALO;
    if (differ)
        return;
    free(b->family);
    b->family = NULL;
}

/* The largest of the bodies' extents along x, y and z. */
static double extent_of(const penta_io_bodies *b)
{
    double most = 0;

    for (size_t k = IO_BODY_X; k < IO_BODY_VX; k++) {
        double low = b->rows[k], high = low;

        for (size_t i = 1; i < b->n; i++) {
            low = fmin(low, b->rows[i * IO_BODY_COLUMNS + k]);
            high = fmax(high, b->rows[i * IO_BODY_COLUMNS + k]);
        }
        most = fmax(most, high - low);
    }
    return most;
}

/* Softening fields of tipsy files often hold something else, such as integers, which read as floats are almost 0. */
static void settle_softening(penta_io_bodies *b)
{
    const double least = 1e-20, most = 1e3; /* times the extent */
    double extent = b->softening ? extent_of(b) : 0;
    bool some = false;

    if (!b->softening)
        return;
    for (size_t i = 0; i < b->n; i++) {
        double eps = b->softening[i];
        bool absurd = extent > 0 && isfinite(extent) && eps != 0 && (eps < least * extent || eps > most * extent);

        some = some || eps != 0;
        if (!(eps >= 0 && isfinite(eps)) || absurd) {
            io_bodies_note(b, "the softening of body %zu is %g, which cannot be right; all of it is left out", i + 1,
                           eps);
            some = false;
            break;
        }
    }
    if (some)
        return;
    free(b->softening);
    b->softening = NULL;
}

void io_bodies_settle(penta_io_bodies *out)
{
    out->has_time = out->has_time && out->time != 0;
    settle_ids(out);
    settle_families(out);
    settle_softening(out);
}

/* ---- comments ---- */

static const char *const unit_names[] = {"unit_length_cm", "unit_mass_g", "unit_velocity_cm_per_s"};

enum { UNITS = sizeof unit_names / sizeof *unit_names };

/* Parses a comment "# NAME = number"; ignores what follows the number. */
static bool take_comment(const char *at, const char *name, double *out)
{
    char *end;

    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, name, strlen(name)) != 0)
        return false;
    at += strlen(name);
    at += strspn(at, " \t");
    if (*at != '=' || strchr("\r\n", at[1 + strspn(at + 1, " \t")])) /* no number on this line */
        return false;
    *out = penta_strtod(at + 1, &end);
    return end != at + 1 && strchr(" \t\r\n", *end);
}

void io_bodies_take_comments(const char *text, penta_io_bodies *out)
{
    double units[UNITS] = {0}, time = 0;

    for (const char *at = text; at; at = strpbrk(at, "\r\n")) {
        at += strspn(at, " \t\r\n");
        if (*at != '#')
            continue;
        if (take_comment(at, "time", &time)) {
            out->time = time;
            out->has_time = true;
        }
        for (size_t k = 0; k < UNITS; k++)
            take_comment(at, unit_names[k], &units[k]);
    }
    io_bodies_set_units(out, units[0], units[1], units[2]);
}

static void put_comment(FILE *f, const char *name, double value)
{
    fprintf(f, "# %s = ", name);
    penta_io_table_put_number(f, value);
    putc('\n', f);
}

void io_bodies_put_comments(FILE *f, const penta_io_bodies *in, unsigned which)
{
    const double units[UNITS] = {in->units.length, in->units.mass, in->units.velocity};

    if (which & IO_KEEPS_TIME)
        put_comment(f, "time", in->time);
    for (size_t k = 0; which & IO_KEEPS_UNITS && k < UNITS; k++)
        put_comment(f, unit_names[k], units[k]);
}

/* ---- columns ---- */

/* Parses an id: digits only, and it must fit in 64 bits. */
static bool to_id(const char *text, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return *text && text[strspn(text, "0123456789")] == 0 && errno == 0;
}

static bool take_ids(const penta_io_table *csv, const char *path, size_t column, penta_io_bodies *out,
                     penta_io_error *err)
{
    if (!io_bodies_want_ids(path, out, err))
        return false;
    for (size_t i = 0; i < out->n; i++)
        if (!to_id(penta_io_table_text(csv, i, column), &out->id[i])) {
            io_bodies_note(out,
                           "its ids, such as '%.40s', are not all whole numbers from 0 to 2^64 - 1, and are left out",
                           penta_io_table_text(csv, i, column));
            free(out->id);
            out->id = NULL;
            return true;
        }
    return true;
}

static bool take_families(const penta_io_table *csv, const char *path, size_t column, penta_io_bodies *out,
                          penta_io_error *err)
{
    uint64_t family;

    if (!io_bodies_want_families(path, out, err))
        return false;
    for (size_t i = 0; i < out->n; i++) {
        if (!to_id(penta_io_table_text(csv, i, column), &family) || family >= PENTA_IO_FAMILIES) {
            io_bodies_note(out, "its families, such as '%.40s', are not all numbers from 0 to %d, and are left out",
                           penta_io_table_text(csv, i, column), PENTA_IO_FAMILIES - 1);
            free(out->family);
            out->family = NULL;
            return true;
        }
        out->family[i] = (uint8_t)family;
    }
    return true;
}

static bool take_softening(const penta_io_table *csv, const char *path, size_t column, penta_io_bodies *out,
                           penta_io_error *err)
{
    if (!io_bodies_want_softening(path, out, err))
        return false;
    for (size_t i = 0; i < out->n; i++)
        if (!penta_io_table_number(csv, i, column, &out->softening[i], NULL))
            out->softening[i] = NAN; /* io_bodies_settle reports it */
    return true;
}

bool io_bodies_take_columns(const penta_io_table *csv, const char *path, penta_io_bodies *out, penta_io_error *err)
{
    const int id = penta_io_table_column(csv, "id"), family = penta_io_table_column(csv, "family");
    int softening = penta_io_table_column(csv, "softening");

    softening = softening >= 0 ? softening : penta_io_table_column(csv, "eps");
    return (id < 0 || take_ids(csv, path, (size_t)id, out, err)) &&
           (family < 0 || take_families(csv, path, (size_t)family, out, err)) &&
           (softening < 0 || take_softening(csv, path, (size_t)softening, out, err));
}

void io_bodies_put_names(FILE *f, unsigned which, bool before)
{
    const char *const names[] = {"id", "family", "softening"};

    for (unsigned k = 0; k < 3; k++)
        if (which & 1u << k) {
            fprintf(f, "%s%s", before ? "," : "", names[k]);
            before = true;
        }
    putc('\n', f);
}

void io_bodies_put_columns(FILE *f, const penta_io_bodies *in, size_t i, unsigned which, bool before)
{
    if (which & IO_KEEPS_ID)
        fprintf(f, "%s%" PRIu64, before ? "," : "", in->id[i]);
    before = before || which & IO_KEEPS_ID;
    if (which & IO_KEEPS_FAMILY)
        fprintf(f, "%s%d", before ? "," : "", in->family[i]);
    before = before || which & IO_KEEPS_FAMILY;
    if (which & IO_KEEPS_SOFTENING) {
        fputs(before ? "," : "", f);
        penta_io_table_put_number(f, in->softening[i]);
    }
    putc('\n', f);
}

/* ---- the attributes file ---- */

static char *side_path(const char *path)
{
    size_t size = strlen(path) + sizeof SIDE;
    char *side = malloc(size);

    if (side)
        snprintf(side, size, "%s" SIDE, path);
    return side;
}

/* Whether the text has a line that is not a comment. */
static bool has_rows(const char *text)
{
    for (const char *at = text; at; at = strpbrk(at, "\r\n")) {
        at += strspn(at, " \t\r\n");
        if (*at && *at != '#')
            return true;
    }
    return false;
}

static bool read_side_rows(const char *side, const char *path, penta_io_bodies *out, penta_io_error *err)
{
    penta_io_table *csv = NULL;
    bool ok;

    if (!penta_io_table_open(side, PENTA_IO_TABLE_HEADER, &csv, err))
        return false;
    ok = penta_io_table_rows(csv) == out->n
             ? io_bodies_take_columns(csv, side, out, err)
             : penta_io_fail(err,
                             "%s: is of other bodies: it has %zu rows, and %s has %zu bodies; remove it, "
                             "or bring back the file that it was written with",
                             side, penta_io_table_rows(csv), path, out->n);
    penta_io_table_close(csv);
    return ok;
}

static bool read_side(const char *side, const char *path, penta_io_bodies *out, penta_io_error *err)
{
    io_input in = {0};
    char *text;
    bool ok;

    if (!io_input_open(side, &in, err))
        return false;
    text = io_bodies_text_load(&in, err);
    io_input_close(&in);
    if (!text)
        return false;
    io_bodies_take_comments(text, out);
    ok = !has_rows(text) || read_side_rows(side, path, out, err);
    free(text);
    return ok;
}

bool io_bodies_side_read(const char *path, penta_io_bodies *out, penta_io_error *err)
{
    char *side = side_path(path);
    bool ok = side || penta_io_fail(err, "%s: out of memory", path);

    if (ok && access(side, F_OK) == 0)
        ok = read_side(side, path, out, err);
    free(side);
    return ok;
}

bool io_bodies_side_write(const char *path, const penta_io_bodies *in, unsigned which, penta_io_error *err)
{
    const unsigned columns = which & (IO_KEEPS_ID | IO_KEEPS_FAMILY | IO_KEEPS_SOFTENING);
    const unsigned comments = which | (in->time != 0 ? IO_KEEPS_TIME : 0u);
    char *side = side_path(path);
    penta_io_output *output = NULL;
    bool ok = side ? penta_io_output_open(side, &output, err) : penta_io_fail(err, "%s: out of memory", path);

    if (ok && columns)
        io_bodies_put_names(penta_io_output_stream(output), columns, false);
    if (ok)
        io_bodies_put_comments(penta_io_output_stream(output), in, comments);
    for (size_t i = 0; ok && columns && i < in->n && !ferror(penta_io_output_stream(output)); i++)
        io_bodies_put_columns(penta_io_output_stream(output), in, i, columns, false);
    ok = ok && penta_io_output_commit(output, err);
    free(side);
    return ok;
}

void io_bodies_side_remove(const char *path)
{
    char *side = side_path(path);

    if (side && access(side, F_OK) == 0)
        penta_io_remove_file(side);
    free(side);
}

/* ---- bodies sorted by family ---- */

static uint8_t rank_of(const penta_io_bodies *in, const uint8_t rank[PENTA_IO_FAMILIES], size_t i)
{
    return rank[in->family ? in->family[i] : PENTA_IO_HALO];
}

void io_bodies_count(const penta_io_bodies *in, const uint8_t rank[PENTA_IO_FAMILIES], size_t counts[PENTA_IO_FAMILIES])
{
    memset(counts, 0, PENTA_IO_FAMILIES * sizeof *counts);
    for (size_t i = 0; i < in->n; i++)
        counts[rank_of(in, rank, i)]++;
}

static void place_body(const penta_io_bodies *in, size_t from, penta_io_bodies *sorted, size_t to)
{
    memcpy(sorted->rows + to * IO_BODY_COLUMNS, in->rows + from * IO_BODY_COLUMNS, IO_BODY_COLUMNS * sizeof *in->rows);
    sorted->id[to] = in->id ? in->id[from] : (uint64_t)from + 1;
    sorted->family[to] = in->family[from];
    if (in->softening)
        sorted->softening[to] = in->softening[from];
}

bool io_bodies_sort(const char *path, const penta_io_bodies *in, const uint8_t rank[PENTA_IO_FAMILIES],
                    penta_io_bodies *sorted, penta_io_error *err)
{
    size_t counts[PENTA_IO_FAMILIES], next[PENTA_IO_FAMILIES] = {0};
    bool in_order = true;

    *sorted = *in;
    for (size_t i = 1; in->family && i < in->n && in_order; i++)
        in_order = rank_of(in, rank, i - 1) <= rank_of(in, rank, i);
    if (in_order)
        return true;
    sorted->rows = NULL;
    sorted->id = NULL;
    sorted->family = NULL;
    sorted->softening = NULL;
    if (!io_bodies_alloc(path, in->n, sorted, err) || !io_bodies_want_ids(path, sorted, err) ||
        !io_bodies_want_families(path, sorted, err) ||
        (in->softening && !io_bodies_want_softening(path, sorted, err))) {
        penta_io_bodies_free(sorted);
        return false;
    }
    io_bodies_count(in, rank, counts);
    for (size_t k = 1; k < PENTA_IO_FAMILIES; k++)
        next[k] = next[k - 1] + counts[k - 1];
    for (size_t i = 0; i < in->n; i++)
        place_body(in, i, sorted, next[rank_of(in, rank, i)]++);
    return true;
}
