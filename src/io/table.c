/* The whole file in one buffer: fields are unquoted and terminated in place, and found through a table of offsets. */
#include "io/text.h"
#include <pentacl/io/table.h>
#include <pentacl/numbers.h>
#include "io/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Offsets and line numbers are 32-bit, which limits the size of a table. */
#define MAX_FILE_BYTES ((uint64_t)256 << 20)

struct penta_io_table {
    char *path;
    char *text;       /* the file, then a terminator */
    uint32_t *fields; /* offsets into text, row by row; the header first when there is one */
    uint32_t *lines;  /* where each record begins, counted from 1 */
    size_t field_count, field_room;
    size_t records, record_room;
    size_t columns;
    size_t header; /* 1: record 0 names the columns */
    char delimiter;
};

typedef struct {
    penta_io_table *csv;
    char *at;
    char *end; /* end of the text; *end is 0 */
    uint32_t line;
    penta_io_error *err;
} csv_parser;

static bool out_of_memory(const char *path, penta_io_error *err)
{
    return penta_io_fail(err, "%s: out of memory for the table; split it", path);
}

/* Makes room for one more element. */
static bool grow(uint32_t **array, size_t count, size_t *room)
{
    size_t more = *room ? 2 * *room : 256;
    uint32_t *grown;

    if (count < *room)
        return true;
    grown = realloc(*array, more * sizeof *grown);
    if (!grown)
        return false;
    *array = grown;
    *room = more;
    return true;
}

static bool is_blank(const csv_parser *p, char c)
{
    return (c == ' ' || c == '\t') && c != p->csv->delimiter;
}

static void skip_blanks(csv_parser *p)
{
    while (is_blank(p, *p->at))
        p->at++;
}

/* Steps over CR, LF or CR LF. */
static void skip_line_end(csv_parser *p)
{
    if (*p->at == '\r')
        p->at++;
    if (*p->at == '\n')
        p->at++;
    p->line++;
}

static bool at_line_end(const csv_parser *p)
{
    return p->at == p->end || *p->at == '\n' || *p->at == '\r';
}

/* Goes to the next record, skipping empty lines and comments; false at the end of the file. */
static bool find_record(csv_parser *p)
{
    while (p->at < p->end) {
        char *start = p->at;

        skip_blanks(p);
        if (*p->at == '#')
            while (!at_line_end(p))
                p->at++;
        if (!at_line_end(p)) {
            p->at = start;
            return true;
        }
        if (p->at < p->end)
            skip_line_end(p);
    }
    return false;
}

/* The most frequent of comma, semicolon and tab outside quotes in the first record; a semicolon wins a tie with commas.
 */
static char guess_delimiter(const csv_parser *p)
{
    size_t commas = 0;
    size_t semicolons = 0;
    size_t tabs = 0;
    bool quoted = false;

    for (const char *at = p->at; at < p->end && (quoted || (*at != '\n' && *at != '\r')); at++) {
        if (*at == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        commas += *at == ',';
        semicolons += *at == ';';
        tabs += *at == '\t';
    }
    if (tabs > commas && tabs > semicolons)
        return '\t';
    return semicolons > 0 && semicolons >= commas ? ';' : ',';
}

/* Reads a quoted field, with the opening quote at p->at: removes the quotes in place and moves p->at past the closing
 * one. */
static bool take_quoted(csv_parser *p, char **end)
{
    uint32_t first_line = p->line;
    char *from = p->at + 1;
    char *to = p->at + 1;

    for (;; from++) {
        if (from == p->end)
            return penta_io_fail(p->err,
                                 "%s: the quote opened on line %" PRIu32 " is never closed; close it or remove it",
                                 p->csv->path, first_line);
        if (*from == '"') {
            if (from[1] != '"')
                break;
            from++;
        }
        if (*from == '\n' || (*from == '\r' && from[1] != '\n'))
            p->line++;
        *to++ = *from;
    }
    p->at = from + 1;
    *end = to;
    return true;
}

/* Whether spreadsheets would take the field for a formula, after any number of apostrophes. end: of the field. */
static bool looks_like_formula(const char *field, const char *end)
{
    while (field < end && *field == '\'')
        field++;
    return field < end && *field && strchr("=+-@\t\r", *field);
}

/* Reads one field and drops the blanks around it, and the apostrophe that penta_io_table_put puts before what looks
 * like a formula. Leaves p->at at the delimiter or the line's end, which must be read before the field's text is
 * terminated at *end. */
static bool take_field(csv_parser *p, char **end)
{
    penta_io_table *csv = p->csv;
    char *start;

    skip_blanks(p);
    start = p->at;
    if (*start == '"') {
        uint32_t line = p->line;

        start++;
        if (!take_quoted(p, end))
            return false;
        skip_blanks(p);
        if (!at_line_end(p) && *p->at != csv->delimiter)
            return penta_io_fail(p->err,
                                 "%s: line %" PRIu32 ": text follows a closing quote; double the quotes inside a field",
                                 csv->path, line);
    } else {
        while (!at_line_end(p) && *p->at != csv->delimiter)
            p->at++;
        *end = p->at;
        while (*end > start && is_blank(p, (*end)[-1]))
            (*end)--;
    }
    if (start < *end && *start == '\'' && looks_like_formula(start, *end))
        start++;
    if (!grow(&csv->fields, csv->field_count, &csv->field_room))
        return out_of_memory(csv->path, p->err);
    csv->fields[csv->field_count++] = (uint32_t)(start - csv->text);
    return true;
}

/* Reads one record, which begins at p->at. */
static bool take_record(csv_parser *p)
{
    penta_io_table *csv = p->csv;
    uint32_t line = p->line;
    size_t before = csv->field_count;
    size_t columns;
    bool more = true;

    if (!grow(&csv->lines, csv->records, &csv->record_room))
        return out_of_memory(csv->path, p->err);
    csv->lines[csv->records++] = line;
    while (more) {
        char *end = p->at;

        if (!take_field(p, &end))
            return false;
        more = p->at < p->end && *p->at == csv->delimiter;
        if (more)
            p->at++;
        else if (p->at < p->end)
            skip_line_end(p);
        *end = 0;
    }
    columns = csv->field_count - before;
    if (csv->records == 1)
        csv->columns = columns;
    else if (columns != csv->columns)
        return penta_io_fail(p->err,
                             "%s: line %" PRIu32 " has %zu field%s, but the first record (line %" PRIu32
                             ") has %zu, separated by '%s'; correct the line",
                             csv->path, line, columns, columns == 1 ? "" : "s", csv->lines[0], csv->columns,
                             csv->delimiter == '\t'  ? "tab"
                             : csv->delimiter == ';' ? ";"
                                                     : ",");
    return true;
}

static bool parse(penta_io_table *csv, size_t bytes, penta_io_error *err)
{
    csv_parser p = {.csv = csv, .at = csv->text, .end = csv->text + bytes, .line = 1, .err = err};
    const char *zero = memchr(csv->text, 0, bytes);

    if (bytes >= 2 && (memcmp(p.at, "\xff\xfe", 2) == 0 || memcmp(p.at, "\xfe\xff", 2) == 0))
        return penta_io_fail(err, "%s: is UTF-16 text; save it as UTF-8", csv->path);
    if (zero)
        return penta_io_fail(err, "%s: is not text (byte %td is zero); name a CSV file", csv->path, zero - csv->text);
    if (bytes >= 3 && memcmp(p.at, "\xef\xbb\xbf", 3) == 0)
        p.at += 3;
    while (find_record(&p)) {
        if (csv->records == 0)
            csv->delimiter = guess_delimiter(&p);
        if (!take_record(&p))
            return false;
    }
    return csv->records > 0 || penta_io_fail(err, "%s: holds no records, only empty lines or comments", csv->path);
}

/* Reads the file into csv->text. */
static bool load(penta_io_table *csv, const char *path, size_t *bytes, penta_io_error *err)
{
    io_input in = {0};
    bool ok = false;

    csv->path = strdup(path);
    if (!csv->path)
        return out_of_memory(path, err);
    if (!io_input_open(path, &in, err))
        return false;
    if (in.bytes > MAX_FILE_BYTES) {
        penta_io_fail(err, "%s: has %" PRIu64 " bytes, over the limit of %" PRIu64 " for tables; split it", path,
                      in.bytes, MAX_FILE_BYTES);
        goto cleanup;
    }
    *bytes = (size_t)in.bytes;
    csv->text = malloc(*bytes + 1);
    if (!csv->text) {
        out_of_memory(path, err);
        goto cleanup;
    }
    if (!io_input_read(&in, 0, csv->text, *bytes)) {
        penta_io_fail(err, "%s: cannot be read; the file shrank or the disk fails", path);
        goto cleanup;
    }
    csv->text[*bytes] = 0;
    ok = true;
cleanup:
    io_input_close(&in);
    return ok;
}

/* Whether strtod accepts the whole text as a number, including nan, inf and 0x10. */
static bool is_number_of_c(const char *text, double *out)
{
    char *end;

    *out = penta_strtod(text, &end);
    while (*end == ' ' || *end == '\t')
        end++;
    return end != text && *end == 0;
}

/* Parses a finite decimal number and nothing else. */
static bool to_number(const char *text, double *out)
{
    return text[strspn(text, "+-.0123456789eE \t")] == 0 && is_number_of_c(text, out) && isfinite(*out);
}

/* Whether a record is a header. Missing values are ignored, so "1,,3" is data; so is "1,nan,3", with a bad value. */
static bool looks_like_header(const penta_io_table *csv)
{
    double ignored;

    for (size_t i = 0; i < csv->columns; i++) {
        const char *text = csv->text + csv->fields[i];

        if (*text && !is_number_of_c(text, &ignored))
            return true;
    }
    return false;
}

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;

        if (x != y)
            return false;
    }
    return *a == *b;
}

static bool named_twice(const penta_io_table *csv, size_t first, size_t second, penta_io_error *err)
{
    return penta_io_fail(err, "%s: line %" PRIu32 ": column %zu (%.60s) has the name of column %zu (%.60s); rename one",
                         csv->path, csv->lines[0], second + 1, csv->text + csv->fields[second], first + 1,
                         csv->text + csv->fields[first]);
}

typedef struct {
    const char *name;
    size_t column;
} named_column;

static int by_name(const void *a, const void *b)
{
    const named_column *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->column > y->column) - (x->column < y->column);
}

/* Compares names exactly: catalogues have columns that differ only in case, such as VizieR's b_Teff and B_Teff. Columns
 * without a name are skipped. */
static bool names_are_unique(const penta_io_table *csv, penta_io_error *err)
{
    named_column *sorted = malloc(csv->columns * sizeof *sorted);
    bool ok = true;

    if (!sorted)
        return out_of_memory(csv->path, err);
    for (size_t i = 0; i < csv->columns; i++)
        sorted[i] = (named_column){csv->text + csv->fields[i], i};
    qsort(sorted, csv->columns, sizeof *sorted, by_name);
    for (size_t i = 1; ok && i < csv->columns; i++)
        if (*sorted[i].name && strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            ok = named_twice(csv, sorted[i - 1].column, sorted[i].column, err);
    free(sorted);
    return ok;
}

bool penta_io_table_open(const char *path, int header, penta_io_table **out, penta_io_error *err)
{
    penta_io_table *csv = calloc(1, sizeof *csv);
    size_t bytes = 0;

    *out = NULL;
    if (!csv)
        return out_of_memory(path, err);
    if (!load(csv, path, &bytes, err) || !parse(csv, bytes, err)) {
        penta_io_table_close(csv);
        return false;
    }
    csv->header = header == PENTA_IO_TABLE_HEADER || (header == PENTA_IO_TABLE_AUTO && looks_like_header(csv));
    if (csv->header && !names_are_unique(csv, err)) {
        penta_io_table_close(csv);
        return false;
    }
    *out = csv;
    return true;
}

size_t penta_io_table_rows(const penta_io_table *csv)
{
    return csv->records - csv->header;
}

size_t penta_io_table_columns(const penta_io_table *csv)
{
    return csv->columns;
}

int penta_io_table_column(const penta_io_table *csv, const char *name)
{
    for (size_t i = 0; csv->header && i < csv->columns; i++)
        if (same_name(csv->text + csv->fields[i], name))
            return (int)i;
    return -1;
}

bool penta_io_table_unique(const penta_io_table *csv, int column, penta_io_error *err)
{
    const char *name = column < 0 ? "" : penta_io_table_name(csv, (size_t)column);

    for (size_t i = 0; *name && i < csv->columns; i++)
        if (i != (size_t)column && same_name(csv->text + csv->fields[i], name))
            return named_twice(csv, (size_t)column, i, err);
    return true;
}

const char *penta_io_table_text(const penta_io_table *csv, size_t row, size_t column)
{
    if (row >= penta_io_table_rows(csv) || column >= csv->columns)
        return "";
    return csv->text + csv->fields[(row + csv->header) * csv->columns + column];
}

const char *penta_io_table_name(const penta_io_table *csv, size_t column)
{
    return csv->header && column < csv->columns ? csv->text + csv->fields[column] : "";
}

bool penta_io_table_fail(const penta_io_table *csv, size_t row, size_t column, penta_io_error *err, const char *format,
                         ...)
{
    const char *name = penta_io_table_name(csv, column);
    char what[512];
    va_list args;

    va_start(args, format);
    penta_vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return penta_io_fail(err, "%s: line %" PRIu32 ", column %zu%s%.60s%s: %s", csv->path, csv->lines[row + csv->header],
                         column + 1, *name ? " (" : "", name, *name ? ")" : "", what);
}

bool penta_io_table_number(const penta_io_table *csv, size_t row, size_t column, double *out, penta_io_error *err)
{
    const char *text = penta_io_table_text(csv, row, column);

    if (row >= penta_io_table_rows(csv) || column >= csv->columns)
        return penta_io_fail(err, "%s: has no row %zu or no column %zu (counted from 1)", csv->path, row + 1,
                             column + 1);
    if (to_number(text, out))
        return true;
    return penta_io_table_fail(csv, row, column, err, "'%.60s' is not a finite number; correct it", text);
}

void io_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    penta_vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

const char *penta_io_table_names(const penta_io_table *csv, char buffer[PENTA_IO_TABLE_NAMES_BYTES])
{
    *buffer = 0;
    for (size_t i = 0; i < penta_io_table_columns(csv); i++)
        io_append(buffer, PENTA_IO_TABLE_NAMES_BYTES, "%s%.40s", i ? ", " : "", penta_io_table_name(csv, i));
    if (strlen(buffer) + 1 == PENTA_IO_TABLE_NAMES_BYTES)
        memcpy(buffer + PENTA_IO_TABLE_NAMES_BYTES - 4, "...", 4);
    return buffer;
}

void penta_io_table_close(penta_io_table *csv)
{
    if (!csv)
        return;
    free(csv->path);
    free(csv->text);
    free(csv->fields);
    free(csv->lines);
    free(csv);
}

/* A control character that could move a terminal's cursor or change its colours becomes '?'. Returns its bytes. */
static size_t put_letter(FILE *out, const char *at)
{
    size_t n = strchr("\t\r\n", *at) ? 0 : penta_io_control(at);

    putc(n > 0 ? '?' : *at, out);
    return n > 0 ? n : 1;
}

/* Quotes a text that would end the field or the record, be taken as a comment, or lose its blanks. What a spreadsheet
 * would run as a formula gets an apostrophe in front, unless it is a number; the reader takes it off. */
void penta_io_table_put(FILE *out, const char *field)
{
    size_t length = strlen(field);
    double number;
    bool formula = looks_like_formula(field, field + length) && !to_number(field, &number);
    bool quote = formula || strpbrk(field, ",;\t\"\r\n") != NULL || *field == '#' || *field == ' ' ||
                 (length > 0 && field[length - 1] == ' ');

    if (!quote) {
        while (*field)
            field += put_letter(out, field);
        return;
    }
    putc('"', out);
    if (formula)
        putc('\'', out);
    while (*field) {
        if (*field == '"')
            putc('"', out);
        field += put_letter(out, field);
    }
    putc('"', out);
}

void penta_io_table_put_number(FILE *out, double value)
{
    char text[40];
    int digits = 15;

    do
        penta_snprintf(text, sizeof text, "%.*g", digits, value);
    while (digits++ < 17 && penta_strtod(text, NULL) != value);
    fputs(text, out);
}
