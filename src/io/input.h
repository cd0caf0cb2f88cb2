/* Files read at given offsets: regular files only, so that the size is known before the contents are interpreted. */
#ifndef PENTA_IO_INPUT_H
#define PENTA_IO_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/error.h>

typedef struct {
    char *path; /* NULL: not open */
    int fd;
    uint64_t bytes; /* size when opened, at least 1 */
} io_input;

/* Directories, pipes, devices, empty files and unreadable files are errors. */
bool io_input_open(const char *path, io_input *in, penta_io_error *err);

/* Reads exactly `size` bytes from `offset`; false when they lie beyond the end or the read fails. */
bool io_input_read(const io_input *in, uint64_t offset, void *to, size_t size);

void io_input_close(io_input *in); /* a zeroed one is fine */

#endif
