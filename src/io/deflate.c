#include "io/deflate.h"

#include <stdlib.h>
#include <zlib.h>

enum { PIECE = 1 << 16, WITH_GZIP_HEADER = 31 /* zlib's code for a window of 15 bits and gzip's header */, MEMORY = 8 };

struct io_deflate {
    FILE *to;
    z_stream z;
    unsigned char packed[PIECE];
};

io_deflate *io_deflate_open(FILE *to)
{
    io_deflate *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->to = to;
    if (deflateInit2(&d->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WITH_GZIP_HEADER, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
        return d;
    free(d);
    return NULL;
}

/* All that waits; with Z_FINISH the end, too. */
static void flush(io_deflate *d, int how)
{
    do {
        d->z.next_out = d->packed;
        d->z.avail_out = PIECE;
        (void)deflate(&d->z, how); /* cannot fail with room to write to */
        fwrite(d->packed, 1, PIECE - d->z.avail_out, d->to);
    } while (d->z.avail_out == 0);
}

void io_deflate_put(io_deflate *d, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;

    for (size_t n; size > 0 && !ferror(d->to); size -= n, from += n) {
        n = size < PIECE ? size : PIECE;
        d->z.next_in = (unsigned char *)from;
        d->z.avail_in = (uInt)n;
        flush(d, Z_NO_FLUSH);
    }
}

void io_deflate_close(io_deflate *d, bool finish)
{
    if (!d)
        return;
    if (finish)
        flush(d, Z_FINISH);
    deflateEnd(&d->z);
    free(d);
}
