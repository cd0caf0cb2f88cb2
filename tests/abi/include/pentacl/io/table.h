/* Small CSV tables (RFC 4180 quoting; comma, semicolon or tab; lines that begin with # are comments; CR LF; UTF-8 BOM),
 * read whole, up to 256 MiB. Blanks around a field are dropped unless they are inside its quotes. */
#ifndef PENTACL_IO_TABLE_H
#define PENTACL_IO_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include <pentacl/io/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct penta_io_table penta_io_table;

/* Reads the file. header: whether the first record names the columns; 'auto' (PENTA_IO_TABLE_AUTO) takes it as a header
 * when any of its fields is not a number. Every record must have as many fields as the first; an error names the line.
 * Two columns of the same name, to the letter, are an error too. */
enum { PENTA_IO_TABLE_NO_HEADER = 0, PENTA_IO_TABLE_HEADER = 1, PENTA_IO_TABLE_AUTO = 2 };
PENTA_API bool penta_io_table_open(const char *path, int header, penta_io_table **out, penta_io_error *err);
PENTA_API size_t penta_io_table_rows(const penta_io_table *csv);
PENTA_API size_t penta_io_table_columns(const penta_io_table *csv);
PENTA_API const char *penta_io_table_name(const penta_io_table *csv,
                                          size_t column); /* of the header; "" if there is none */
PENTA_API int penta_io_table_column(const penta_io_table *csv,
                                    const char *name); /* case-insensitive; -1 if there is none or no header */
/** Whether the column is the only one of its name, whatever the case; else an error. -1 is fine. */
PENTA_API bool penta_io_table_unique(const penta_io_table *csv, int column, penta_io_error *err);
/** Without quotes; "" outside the table. Lives as long as the table. */
PENTA_API const char *penta_io_table_text(const penta_io_table *csv, size_t row, size_t column);
/** A finite decimal number (not 0x10, nan or inf), or an error naming file, line and column. */
PENTA_API bool penta_io_table_number(const penta_io_table *csv, size_t row, size_t column, double *out,
                                     penta_io_error *err);
/** Fails with "FILE: line 4, column 2 (dec): TEXT". */
PENTA_API bool penta_io_table_fail(const penta_io_table *csv, size_t row, size_t column, penta_io_error *err,
                                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The names in the header, "ra, dec, mag", in the buffer; cut off with "..." where they are many. */
enum { PENTA_IO_TABLE_NAMES_BYTES = 512 };
PENTA_API const char *penta_io_table_names(const penta_io_table *csv, char buffer[PENTA_IO_TABLE_NAMES_BYTES]);
PENTA_API void penta_io_table_close(penta_io_table *csv); /* NULL is fine */

/** Writes one field, quoted where it must be. */
PENTA_API void penta_io_table_put(FILE *out, const char *field);
/** Writes the shortest decimal that reads back as the same number. */
PENTA_API void penta_io_table_put_number(FILE *out, double value);

/** A whole text file with a 0 behind it, to be freed. */
PENTA_API bool penta_io_text_read(const char *path, char **text, penta_io_error *err);

#ifdef __cplusplus
}
#endif
#endif
