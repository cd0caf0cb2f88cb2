/* One-line error text of the file code. */
#ifndef PENTACL_IO_ERROR_H
#define PENTACL_IO_ERROR_H

#include <stdbool.h>

#include <pentacl/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* One line without a newline; empty when nothing failed. Options are in backquotes by the names of their fields. */
    char text[1024];
} penta_io_error;

/** Formats the text (truncating with "..." if it must) and returns false, so that callers can `return
 * penta_io_fail(...)`. */
PENTA_API bool penta_io_fail(penta_io_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
