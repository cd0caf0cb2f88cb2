/* Reads files compressed by gzip. */
#include "io/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

enum { PIECE = 1 << 16, WITH_GZIP_HEADER = 31 /* zlib's code for a window of 15 bits and gzip's header */ };

typedef struct {
    const io_input *in;
    uint64_t at;
    z_stream z;
    bool done;
    unsigned char packed[PIECE];
} walk;

bool io_input_is_gzip(const io_input *in)
{
    unsigned char head[2];

    return io_input_read(in, 0, head, sizeof head) && head[0] == 0x1f && head[1] == 0x8b;
}

/* Inflates up to `size` bytes; fewer only at the end, false if there is none. Handles concatenated gzip files. */
static bool next_bytes(walk *w, unsigned char *to, size_t size, size_t *got)
{
    w->z.next_out = to;
    w->z.avail_out = (uInt)size;
    while (w->z.avail_out > 0 && !w->done) {
        uint64_t left = w->in->bytes - w->at;
        size_t n = left < PIECE ? (size_t)left : PIECE;
        int result;

        if (w->z.avail_in == 0 && n > 0) {
            if (!io_input_read(w->in, w->at, w->packed, n))
                return false;
            w->at += n;
            w->z.next_in = w->packed;
            w->z.avail_in = (uInt)n;
        }
        result = inflate(&w->z, Z_NO_FLUSH);
        if (result == Z_STREAM_END)
            w->done = (w->z.avail_in == 0 && w->at == w->in->bytes) || inflateReset(&w->z) != Z_OK;
        else if (result != Z_OK)
            return false;
    }
    *got = size - w->z.avail_out;
    return true;
}

size_t io_input_peek(const io_input *in, void *to, size_t size)
{
    walk *w = calloc(1, sizeof *w);
    size_t got = 0;

    if (w && inflateInit2(&w->z, WITH_GZIP_HEADER) == Z_OK) {
        w->in = in;
        if (!next_bytes(w, to, size, &got))
            got = size - w->z.avail_out;
        inflateEnd(&w->z);
    }
    free(w);
    return got;
}

static bool take_all(walk *w, uint64_t most, unsigned char **memory, uint64_t *bytes, penta_io_error *err)
{
    size_t room = 0, used = 0, got = 1;

    while (!w->done && got > 0) {
        if (used == room) {
            unsigned char *grown;

            room = room ? 2 * room : (size_t)4 * PIECE;
            grown = realloc(*memory, room);
            if (!grown)
                return penta_io_fail(err, "%s: out of memory for what it holds; unpack it: gunzip", w->in->path);
            *memory = grown;
        }
        got = room - used < PIECE ? room - used : PIECE;
        if (!next_bytes(w, *memory + used, got, &got))
            return penta_io_fail(err,
                                 "%s: its compression is damaged, near byte %" PRIu64 " of %" PRIu64
                                 ", or it is truncated; copy it again",
                                 w->in->path, w->at - w->z.avail_in, w->in->bytes);
        used += got;
        if (used > most)
            return penta_io_fail(err,
                                 "%s: holds over %" PRIu64 " bytes, the limit for compressed files; unpack it: gunzip",
                                 w->in->path, most);
    }
    *bytes = used;
    return used > 0 || penta_io_fail(err, "%s: is compressed and empty; make it again", w->in->path);
}

bool io_input_inflate(io_input *in, uint64_t most, penta_io_error *err)
{
    walk *w = calloc(1, sizeof *w);
    unsigned char *memory = NULL;
    uint64_t bytes = 0;
    bool ok = false;

    if (!w || inflateInit2(&w->z, WITH_GZIP_HEADER) != Z_OK) {
        penta_io_fail(err, "%s: out of memory", in->path);
    } else {
        w->in = in;
        ok = take_all(w, most, &memory, &bytes, err);
        inflateEnd(&w->z);
    }
    free(w);
    if (ok) {
        in->memory = memory;
        in->bytes = bytes;
    } else {
        free(memory);
    }
    return ok;
}
