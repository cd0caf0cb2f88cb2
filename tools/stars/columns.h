/* The columns of a CSV table, for errors that say which there are. */
#ifndef PENTA_TOOLS_STARS_COLUMNS_H
#define PENTA_TOOLS_STARS_COLUMNS_H

#include <pentacl/io/csv.h>

enum { COLUMN_LIST_BYTES = 512 };

/* The names in the header, "ra, dec, mag", in the buffer; cut off with "..." where they are many. */
const char *star_list_columns(const penta_io_csv *csv, char buffer[COLUMN_LIST_BYTES]);

/* Formats behind the text in the buffer of `size` bytes, as much as fits. */
void star_append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
