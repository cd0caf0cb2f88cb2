/* Files read at given offsets: only regular files, whose size is known before their contents are interpreted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/error.h>

typedef struct {
    char *path; /* NULL: not open */
    int fd;
    uint64_t bytes;        /* size when opened, at least 1 */
    unsigned char *memory; /* inflated contents (io_input_inflate); NULL: the file itself is read */
} io_input;

/* Directories, pipes, devices, empty files and unreadable files are errors. */
bool io_input_open(const char *path, io_input *in, penta_io_error *err);

/* Reads exactly `size` bytes from `offset`; false when they lie beyond the end or the read fails. */
bool io_input_read(const io_input *in, uint64_t offset, void *to, size_t size);

/* Whether these bytes are known to be zeros that take no room on the disk. */
bool io_input_is_hole(const io_input *in, uint64_t offset, uint64_t size);

/* Whether the file is compressed by gzip. */
bool io_input_is_gzip(const io_input *in);

/* Inflates the first bytes of a file that is compressed by gzip. Returns how many, 0 if it is damaged. */
size_t io_input_peek(const io_input *in, void *to, size_t size);

/*
 * Inflates the file into memory: later reads use these contents, and `bytes` is their size. Memory grows with the
 * contents found, up to `most` bytes.
 */
bool io_input_inflate(io_input *in, uint64_t most, penta_io_error *err);

void io_input_close(io_input *in); /* a zeroed input is fine */
