/* Small CSV tables (RFC 4180 quoting; comma, semicolon or tab; lines that begin with # are comments; CR LF; UTF-8 BOM),
 * read whole, up to 256 MiB. Blanks around a field are dropped unless they are inside its quotes. */
#ifndef PENTACL_IO_TABLE_H
#define PENTACL_IO_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

typedef struct penta_io_table penta_io_table;

/* Whether the first record names the columns; AUTO: it does when any of its fields is not a number. */
enum { PENTA_IO_TABLE_NO_HEADER = 0, PENTA_IO_TABLE_HEADER = 1, PENTA_IO_TABLE_AUTO = 2 };

/** Reads a file. Every record must have as many fields as the first, and no two columns the same name, letter by
 * letter; an error names the line. */
PENTA_API bool penta_io_table_open(const char *path, int header, penta_io_table **out, penta_io_error *err);
PENTA_API size_t penta_io_table_rows(const penta_io_table *table);
PENTA_API size_t penta_io_table_columns(const penta_io_table *table);
PENTA_API const char *penta_io_table_name(const penta_io_table *table,
                                          size_t column); /* of the header; "" if there is none */
PENTA_API int penta_io_table_column(const penta_io_table *table,
                                    const char *name); /* case-insensitive; -1 if there is none or no header */
/** Whether no other column has the same name but for upper and lower case; if one has, an error. -1 is fine. */
PENTA_API bool penta_io_table_unique(const penta_io_table *table, int column, penta_io_error *err);
/** A field without its quotes, "" outside the table; valid as long as the table. */
PENTA_API const char *penta_io_table_text(const penta_io_table *table, size_t row, size_t column);
/** Reads a field as a finite decimal number (not 0x10, nan or inf). An error names file, line and column. */
PENTA_API bool penta_io_table_number(const penta_io_table *table, size_t row, size_t column, double *out,
                                     penta_io_error *err);
/** Fails with "FILE: line 4, column 2 (dec): TEXT". */
PENTA_API bool penta_io_table_fail(const penta_io_table *table, size_t row, size_t column, penta_io_error *err,
                                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Lists the names in the header in the buffer, "ra, dec, mag", cut off with "..." where they do not fit. */
enum { PENTA_IO_TABLE_NAMES_BYTES = 512 };
PENTA_API const char *penta_io_table_names(const penta_io_table *table, char buffer[PENTA_IO_TABLE_NAMES_BYTES]);
PENTA_API void penta_io_table_close(penta_io_table *table); /* NULL is fine */

/**
 * Writes one field, quoted where it must be. A text that begins with = + - @, tab or CR (behind apostrophes, too) and
 * is no number gets an apostrophe in front, so that no spreadsheet takes it for a formula; penta_io_table_open takes it
 * off. Control characters but tab, CR and newline become '?'.
 */
PENTA_API void penta_io_table_put(FILE *out, const char *field);
/** Writes the shortest decimal that reads back as the same number. */
PENTA_API void penta_io_table_put_number(FILE *out, double value);

/** Reads a whole file and puts a 0 behind it; *text is to be freed, NULL on failure. */
PENTA_API bool penta_io_text_read(const char *path, char **text, penta_io_error *err);

PENTA_END_DECLS
#endif
