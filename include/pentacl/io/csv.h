/* Small CSV tables (RFC 4180 quoting; comma, semicolon or tab; lines that begin with # are comments; CR LF; UTF-8 BOM),
 * read whole, up to 256 MiB. Blanks around a field are dropped unless they are inside its quotes. */
#ifndef PENTACL_IO_CSV_H
#define PENTACL_IO_CSV_H

#include <stddef.h>
#include <stdio.h>

#include <pentacl/io/error.h>

typedef struct penta_io_csv penta_io_csv;

/* Reads the file. header: whether the first record names the columns; 'auto' (PENTA_IO_CSV_AUTO) takes it as a header
 * when any of its fields is not a number. Every record must have as many fields as the first; an error names the line.
 * Two columns of the same name, to the letter, are an error too. */
enum { PENTA_IO_CSV_NO_HEADER = 0, PENTA_IO_CSV_HEADER = 1, PENTA_IO_CSV_AUTO = 2 };
bool penta_io_csv_open(const char *path, int header, penta_io_csv **out, penta_io_error *err);
size_t penta_io_csv_rows(const penta_io_csv *csv);
size_t penta_io_csv_columns(const penta_io_csv *csv);
const char *penta_io_csv_name(const penta_io_csv *csv, size_t column); /* of the header; "" if there is none */
int penta_io_csv_column(const penta_io_csv *csv,
                        const char *name); /* case-insensitive; -1 if there is none or no header */
/* Whether the column is the only one of its name, whatever the case; else an error. -1 is fine. */
bool penta_io_csv_unique(const penta_io_csv *csv, int column, penta_io_error *err);
/* Without quotes; "" outside the table. Lives as long as the table. */
const char *penta_io_csv_text(const penta_io_csv *csv, size_t row, size_t column);
/* A finite decimal number (not 0x10, nan or inf), or an error naming file, line and column. */
bool penta_io_csv_number(const penta_io_csv *csv, size_t row, size_t column, double *out, penta_io_error *err);
/* Fails with "FILE: line 4, column 2 (dec): TEXT". */
bool penta_io_csv_fail(const penta_io_csv *csv, size_t row, size_t column, penta_io_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The names in the header, "ra, dec, mag", in the buffer; cut off with "..." where they are many. */
enum { PENTA_IO_CSV_LIST_BYTES = 512 };
const char *penta_io_csv_list(const penta_io_csv *csv, char buffer[PENTA_IO_CSV_LIST_BYTES]);
void penta_io_csv_close(penta_io_csv *csv); /* NULL is fine */

/* Writes one field, quoted where it must be. */
void penta_io_csv_put(FILE *out, const char *field);
/* Writes the shortest decimal that reads back as the same number. */
void penta_io_csv_put_number(FILE *out, double value);

#endif
