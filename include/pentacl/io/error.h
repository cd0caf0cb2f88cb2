/* One-line error text of the file code. */
#ifndef PENTACL_IO_ERROR_H
#define PENTACL_IO_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/status.h>

PENTA_BEGIN_DECLS

typedef struct {
    /* One line without a newline; empty when nothing failed. Options are in backquotes by the names of their fields. */
    char text[1024];
} penta_io_error;

/** Formats the text (truncating with "..." if it must) and returns false, so that callers can `return
 * penta_io_fail(...)`. */
PENTA_API bool penta_io_fail(penta_io_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** How many bytes at the beginning of a text are a control character, which a terminal may obey (of 0x80 to 0x9f, too,
 * in UTF-8); 0: none. */
PENTA_API size_t penta_io_control(const char *text);

PENTA_END_DECLS
#endif
