/*
 * Bodies as text. The first record determines the layout: 8 numbers: NBabel; 2 numbers: .mpv; 1 number: NEMO's atos;
 * commas, semicolons or names: a CSV table.
 */
#include "io/bodies_format.h"
#include <pentacl/io/table.h>
#include <pentacl/io/output.h>
#include <pentacl/numbers.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAYOUTS                                                                                                        \
    "NBabel has 8 numbers a line (id mass x y z vx vy vz), .mpv begins with N and the time, NEMO's atos with N "       \
    "alone, "                                                                                                          \
    "CSV with a header (mass,x,y,z,vx,vy,vz)"

enum { SHORTEST_ROW = 2 * IO_BODY_COLUMNS - 1 }; /* bytes: seven digits and their separators */

typedef struct {
    const char *path;
    char *text;      /* the file, then a terminator */
    const char *at;  /* next character to read */
    const char *end; /* end of the text; *end is 0 */
    size_t line;     /* line number of `at`, from 1 */
    penta_io_error *err;
} text_file;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool ends_line(const text_file *t, const char *at)
{
    return at == t->end || *at == '\n' || *at == '\r' || *at == '#';
}

static bool ends_field(const text_file *t, const char *at)
{
    return is_blank(*at) || ends_line(t, at);
}

static void skip_blanks(text_file *t)
{
    while (is_blank(*t->at))
        t->at++;
}

/* Goes from a line's end (or its comment) to the beginning of the next line. */
static void skip_line_end(text_file *t)
{
    while (t->at < t->end && *t->at != '\n' && *t->at != '\r')
        t->at++;
    if (*t->at == '\r')
        t->at++;
    if (*t->at == '\n')
        t->at++;
    t->line++;
}

/* Goes to the next number or word, over empty lines and comments; false at the end of the file. */
static bool find_field(text_file *t)
{
    skip_blanks(t);
    while (t->at < t->end && ends_line(t, t->at)) {
        skip_line_end(t);
        skip_blanks(t);
    }
    return t->at < t->end;
}

/* Counts the fields of the line from `at` on. */
static size_t count_fields(const text_file *t)
{
    size_t count = 0;

    for (const char *at = t->at; !ends_line(t, at); at++)
        count += !is_blank(*at) && ends_field(t, at + 1);
    return count;
}

/* Reads the number at t->at. For messages: what is its name, body its body (from 1; 0: none). */
static bool take_number(text_file *t, const char *what, size_t body, double *out)
{
    const char *start = t->at;
    char of_body[40] = "";
    char *end;

    *out = penta_strtod(start, &end);
    if (end != start && ends_field(t, end) && isfinite(*out)) {
        t->at = end;
        return true;
    }
    while (!ends_field(t, t->at))
        t->at++;
    if (body > 0)
        snprintf(of_body, sizeof of_body, " (body %zu)", body);
    return penta_io_fail(t->err, "%s: line %zu%s: %s is '%.*s', not a finite number; correct it", t->path, t->line,
                         of_body, what, (int)(t->at - start < 60 ? t->at - start : 60), start);
}

/* Reads the id at t->at if it is a whole number that fits in 64 bits; otherwise *whole becomes false. */
static bool take_id(text_file *t, size_t body, uint64_t *id, bool *whole)
{
    const char *start = t->at;
    double value;
    char *end;

    if (!take_number(t, "id", body, &value))
        return false;
    errno = 0;
    *id = strtoull(start, &end, 10);
    *whole = *whole && errno == 0 && end == t->at && value >= -1; /* -1: no id */
    return true;
}

/* Reads the seven columns of a body, after an id unless id is NULL. */
static bool take_row(text_file *t, uint64_t *id, bool *whole, size_t body, double *row)
{
    const size_t skipped = id ? 1 : 0;
    size_t fields = count_fields(t);

    if (fields != skipped + IO_BODY_COLUMNS)
        return penta_io_fail(t->err,
                             "%s: line %zu (body %zu) has %zu field%s instead of %zu (%smass x y z vx vy vz); "
                             "correct it, or copy the file again if it was cut there",
                             t->path, t->line, body, fields, fields == 1 ? "" : "s", skipped + IO_BODY_COLUMNS,
                             skipped ? "id " : "");
    if (id && !take_id(t, body, id, whole))
        return false;
    skip_blanks(t);
    for (size_t k = 0; k < IO_BODY_COLUMNS; k++, skip_blanks(t))
        if (!take_number(t, io_body_columns[k], body, &row[k]))
            return false;
    return true;
}

/* ---- the layouts ---- */

/* Makes room for one more body. */
static bool grow(text_file *t, penta_io_bodies *out, size_t *room)
{
    size_t more = *room ? 2 * *room : 256;
    uint64_t *ids;
    double *rows;

    if (out->n < *room)
        return true;
    rows = realloc(out->rows, more * IO_BODY_COLUMNS * sizeof *rows);
    if (rows)
        out->rows = rows;
    ids = rows ? realloc(out->id, more * sizeof *ids) : NULL;
    if (!ids)
        return penta_io_fail(t->err, "%s: out of memory for over %zu bodies; free memory or take fewer", t->path,
                             out->n);
    out->id = ids;
    *room = more;
    return true;
}

/* NBabel requires an id: files without real ids have -1, or the row number from 0 or from 1. */
static void drop_row_numbers(penta_io_bodies *out)
{
    const uint64_t first = out->id[0];
    bool same = true, counted = first <= 1;

    for (size_t i = 0; i < out->n; i++) {
        same = same && out->id[i] == first;
        counted = counted && out->id[i] == first + i;
    }
    if (!(counted || (same && first == UINT64_MAX)))
        return;
    free(out->id);
    out->id = NULL;
}

static bool read_nbabel(text_file *t, penta_io_bodies *out)
{
    bool whole = true;
    size_t room = 0;

    do {
        if (!grow(t, out, &room) ||
            !take_row(t, out->id + out->n, &whole, out->n + 1, out->rows + out->n * IO_BODY_COLUMNS))
            return false;
        out->n++;
    } while (find_field(t));
    if (whole) {
        drop_row_numbers(out);
        return true;
    }
    io_bodies_note(out, "its ids are not all whole numbers from 0 to 2^64 - 1, and are left out");
    free(out->id);
    out->id = NULL;
    return true;
}

/* Reads the number of bodies at t->at, limited by the rest of the file, and allocates their rows. */
static bool take_count(text_file *t, penta_io_bodies *out)
{
    size_t line = t->line;
    double n;

    if (!take_number(t, "the number of bodies", 0, &n))
        return false;
    if (n < 1 || n != floor(n))
        return penta_io_fail(t->err, "%s: line %zu: the number of bodies is %g, not a whole number from 1 on; " LAYOUTS,
                             t->path, line, n);
    if (n > (double)(t->end - t->at) / (double)SHORTEST_ROW)
        return penta_io_fail(
            t->err,
            "%s: line %zu: announces %.0f bodies, more than the %td bytes after it can hold; it is truncated "
            "or damaged: copy or make it again",
            t->path, line, n, t->end - t->at);
    return io_bodies_alloc(t->path, (uint64_t)n, out, t->err);
}

/* Fails if anything follows. */
static bool finish(text_file *t, const penta_io_bodies *out)
{
    return !find_field(t) ||
           penta_io_fail(t->err,
                         "%s: line %zu: more follows the %zu bod%s that its first line announces; keep one snapshot",
                         t->path, t->line, out->n, out->n == 1 ? "y" : "ies");
}

static bool read_mpv(text_file *t, penta_io_bodies *out)
{
    if (!take_count(t, out))
        return false;
    skip_blanks(t);
    if (!take_number(t, "the time", 0, &out->time))
        return false;
    out->has_time = true;
    for (size_t i = 0; i < out->n; i++) {
        if (!find_field(t))
            return penta_io_fail(
                t->err,
                "%s: ends after %zu of the %zu bodies that its first line announces; it is truncated: copy "
                "or make it again",
                t->path, i, out->n);
        if (!take_row(t, NULL, NULL, i + 1, out->rows + i * IO_BODY_COLUMNS))
            return false;
    }
    return finish(t, out);
}

/* Reads `width` columns of all bodies, from `first` on, ignoring line ends. */
static bool take_columns(text_file *t, penta_io_bodies *out, size_t first, size_t width)
{
    for (size_t i = 0; i < out->n; i++)
        for (size_t k = first; k < first + width; k++) {
            if (!find_field(t))
                return penta_io_fail(t->err,
                                     "%s: ends before %s of body %zu of %zu; it is truncated: copy or make it again",
                                     t->path, io_body_columns[k], i + 1, out->n);
            if (!take_number(t, io_body_columns[k], i + 1, &out->rows[i * IO_BODY_COLUMNS + k]))
                return false;
        }
    return true;
}

static bool read_atos(text_file *t, penta_io_bodies *out)
{
    double dimensions = 0;

    if (!take_count(t, out))
        return false;
    if (!find_field(t) || !take_number(t, "the number of dimensions", 0, &dimensions) || dimensions != 3)
        return penta_io_fail(t->err,
                             "%s: line %zu: after a number of bodies alone on its line NEMO's atos has 3 (dimensions)"
                             "; " LAYOUTS,
                             t->path, t->line);
    if (!find_field(t))
        return penta_io_fail(t->err, "%s: ends before the time; it is truncated: copy or make it again", t->path);
    out->has_time = true;
    return take_number(t, "the time", 0, &out->time) && take_columns(t, out, 0, 1) &&
           take_columns(t, out, IO_BODY_X, 3) && take_columns(t, out, IO_BODY_VX, 3) && finish(t, out);
}

static bool csv_read(const char *path, penta_io_bodies *out, penta_io_error *err);

/* Whether the record at t->at is from a CSV table: separated by commas or semicolons, or beginning with a name. */
static bool is_table(const text_file *t)
{
    char *end;

    for (const char *at = t->at; !ends_line(t, at); at++)
        if (*at == ',' || *at == ';')
            return true;
    (void)penta_strtod(t->at, &end);
    return end == t->at;
}

static bool read_layout(text_file *t, penta_io_bodies *out)
{
    size_t fields;

    if (!find_field(t))
        return penta_io_fail(t->err, "%s: holds no bodies, only empty lines or comments", t->path);
    if (is_table(t))
        return csv_read(t->path, out, t->err);
    fields = count_fields(t);
    switch (fields) {
    case 1:
        return read_atos(t, out);
    case 2:
        return read_mpv(t, out);
    case IO_BODY_COLUMNS + 1:
        return read_nbabel(t, out);
    default:
        return penta_io_fail(t->err, "%s: line %zu has %zu fields, which is no layout of bodies; " LAYOUTS, t->path,
                             t->line, fields);
    }
}

static bool text_read(const io_input *in, penta_io_bodies *out, penta_io_error *err)
{
    text_file t = {.path = in->path, .line = 1, .err = err};
    bool ok;

    t.text = io_bodies_text_load(in, err);
    if (!t.text)
        return false;
    t.at = t.text;
    t.end = t.text + in->bytes;
    if (in->bytes >= 3 && memcmp(t.text, "\xef\xbb\xbf", 3) == 0)
        t.at += 3;
    io_bodies_take_comments(t.at, out);
    ok = read_layout(&t, out);
    free(t.text);
    return ok;
}

/* ---- CSV ---- */

/* Finds the columns of a body; a missing or repeated one is an error. */
static bool find_columns(const penta_io_table *csv, const char *path, size_t columns[IO_BODY_COLUMNS],
                         penta_io_error *err)
{
    for (size_t k = 0; k < IO_BODY_COLUMNS; k++) {
        int column = penta_io_table_column(csv, io_body_columns[k]);
        int other = k == 0 ? penta_io_table_column(csv, "m") : -1;

        if (column >= 0 && other >= 0)
            return penta_io_fail(err, "%s: its header has both a column mass and a column m; remove one", path);
        column = column >= 0 ? column : other;
        if (!penta_io_table_unique(csv, column, err))
            return false;
        if (column < 0)
            return penta_io_fail(
                err,
                "%s: its header has no column %s; it must name mass (or m), x, y, z, vx, vy and vz, in any "
                "order, with commas between",
                path, io_body_columns[k]);
        columns[k] = (size_t)column;
    }
    return true;
}

static bool fill_rows(const penta_io_table *csv, const size_t columns[IO_BODY_COLUMNS], penta_io_bodies *out,
                      penta_io_error *err)
{
    for (size_t i = 0; i < out->n; i++)
        for (size_t k = 0; k < IO_BODY_COLUMNS; k++)
            if (!penta_io_table_number(csv, i, columns[k], &out->rows[i * IO_BODY_COLUMNS + k], err))
                return penta_io_fail(err, "%s (body %zu)", err ? err->text : "", i + 1);
    return true;
}

static bool csv_read(const char *path, penta_io_bodies *out, penta_io_error *err)
{
    penta_io_table *csv = NULL;
    size_t columns[IO_BODY_COLUMNS];
    bool ok = false;

    if (!penta_io_table_open(path, PENTA_IO_TABLE_AUTO, &csv, err))
        return false;
    if (!*penta_io_table_name(csv, 0) && penta_io_table_column(csv, "x") < 0)
        penta_io_fail(err,
                      "%s: its first line does not name the columns; make it mass,x,y,z,vx,vy,vz, in the file's order",
                      path);
    else
        ok = find_columns(csv, path, columns, err) && io_bodies_alloc(path, penta_io_table_rows(csv), out, err) &&
             fill_rows(csv, columns, out, err) && io_bodies_take_columns(csv, path, out, err);
    penta_io_table_close(csv);
    return ok;
}

/* ---- writing ---- */

static bool text_write(const char *path, const penta_io_bodies *in, penta_io_error *err)
{
    const bool csv = io_has_suffix(path, ".csv");
    const bool mpv = io_has_suffix(path, ".mpv");
    const unsigned which = csv ? io_bodies_attributes(in) | (in->time != 0 ? IO_KEEPS_TIME : 0) : 0;
    penta_io_output *output;
    FILE *f;

    if (!penta_io_output_open(path, &output, err))
        return false;
    f = penta_io_output_stream(output);
    if (csv) {
        fputs("mass,x,y,z,vx,vy,vz", f);
        io_bodies_put_names(f, which, true);
        io_bodies_put_comments(f, in, which);
    }
    if (mpv) {
        fprintf(f, "%zu ", in->n);
        penta_io_table_put_number(f, in->time);
        putc('\n', f);
    }
    for (size_t i = 0; i < in->n && !ferror(f); i++) {
        if (!csv && !mpv)
            fprintf(f, "%" PRIu64 " ", in->id ? in->id[i] : (uint64_t)i + 1);
        for (size_t k = 0; k < IO_BODY_COLUMNS; k++) {
            penta_io_table_put_number(f, in->rows[i * IO_BODY_COLUMNS + k]);
            if (k + 1 < IO_BODY_COLUMNS)
                putc(csv ? ',' : ' ', f);
        }
        io_bodies_put_columns(f, in, i, which, true);
    }
    return penta_io_output_commit(output, err);
}

/* ---- formats ---- */

/* Whether the file begins like text: no control characters except white space. */
static bool text_matches(const io_input *in, bool sure)
{
    unsigned char head[512];
    size_t size = in->bytes < sizeof head ? (size_t)in->bytes : sizeof head;

    if (sure || !io_input_read(in, 0, head, size))
        return false;
    for (size_t i = 0; i < size; i++)
        if (head[i] == 127 || (head[i] < ' ' && !strchr("\t\n\v\f\r", head[i])) || head[i] == 0)
            return false;
    return true;
}

static const char *const csv_ends[] = {"csv", NULL}, *const nbabel_ends[] = {"tab", "txt", NULL},
                         *const mpv_ends[] = {"mpv", NULL};

const io_bodies_format io_bodies_csv = {.name = "CSV",
                                        .ends = csv_ends,
                                        .matches = text_matches,
                                        .read = text_read,
                                        .write = text_write,
                                        .keeps = IO_KEEPS_ALL};

/* Only for writing: the CSV reader recognises these three. */
const io_bodies_format io_bodies_nbabel = {
    .name = "NBabel", .ends = nbabel_ends, .write = text_write, .keeps = IO_KEEPS_ID, .loss = IO_LOSES_TIME};
const io_bodies_format io_bodies_mpv = {.name = ".mpv", .ends = mpv_ends, .write = text_write, .keeps = IO_KEEPS_TIME};
const io_bodies_format io_bodies_atos = {.name = "NEMO's atos"};
