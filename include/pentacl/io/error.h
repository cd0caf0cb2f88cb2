/* One-line error text of the file code. */
#ifndef PENTA_IO_ERROR_H
#define PENTA_IO_ERROR_H

#include <stdbool.h>

typedef struct {
    char text[1024]; /* one line without a newline; empty when nothing failed */
} io_error;

/* Formats the text (truncating with "..." if it must) and returns false, so that callers can `return io_fail(...)`. */
bool io_fail(io_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
