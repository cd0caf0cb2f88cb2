/* Files that are compressed by gzip as they are written. */
#ifndef PENTA_IO_DEFLATE_H
#define PENTA_IO_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct io_deflate io_deflate;

/* What is put goes to the stream, without a time or a name, so that the same contents give the same bytes. NULL: out of
 * memory. Errors of the stream stay in it. */
io_deflate *io_deflate_open(FILE *to);
void io_deflate_put(io_deflate *d, const void *bytes, size_t size);
/* Writes the rest, unless d is to be given up, and frees. NULL is fine. */
void io_deflate_close(io_deflate *d, bool finish);

#endif
