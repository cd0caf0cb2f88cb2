/* Writes FITS images: a header from fits_header.c, then the pixels, big-endian, in whole blocks. A name that ends in
 * .gz makes a compressed file. */
#include "io/fits_hdu.h"
#include "io/format.h"
#include <pentacl/io/output.h>

#ifdef PENTA_HAVE_FITS

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#define CHUNK_ELEMENTS 4096u

/* One element as stored in the file. Unsigned 16-bit numbers are stored as signed ones with BZERO = 32768. */
static uint64_t file_bits(const unsigned char *element, penta_type type)
{
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;

    switch (type) {
    case PENTA_U16:
        memcpy(&u16, element, sizeof u16);
        return u16 ^ 0x8000u;
    case PENTA_F32:
        memcpy(&u32, element, sizeof u32);
        return u32;
    case PENTA_F64:
        memcpy(&u64, element, sizeof u64);
        return u64;
    default:
        return *element;
    }
}

/* ---- compression ---- */

enum { PIECE = 1 << 16, WITH_GZIP_HEADER = 31 /* zlib's code for a window of 15 bits and gzip's header */, MEMORY = 8 };

typedef struct {
    FILE *to;
    z_stream z;
    unsigned char packed[PIECE];
} gzip;

/* What is put goes to the stream, without a time or a name, so that the same contents give the same bytes. NULL: out of
 * memory. Errors of the stream stay in it. */
static gzip *gzip_open(FILE *to)
{
    gzip *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->to = to;
    if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WITH_GZIP_HEADER, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
        return g;
    free(g);
    return NULL;
}

/* All that waits; with Z_FINISH the end, too. */
static void flush(gzip *g, int how)
{
    do {
        g->z.next_out = g->packed;
        g->z.avail_out = PIECE;
        (void)deflate(&g->z, how); /* cannot fail with room to write to */
        fwrite(g->packed, 1, PIECE - g->z.avail_out, g->to);
    } while (g->z.avail_out == 0);
}

static void gzip_put(gzip *g, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;

    for (size_t n; size > 0 && !ferror(g->to); size -= n, from += n) {
        n = size < PIECE ? size : PIECE;
        g->z.next_in = (unsigned char *)from;
        g->z.avail_in = (uInt)n;
        flush(g, Z_NO_FLUSH);
    }
}

/* Writes the rest, unless g is to be given up, and frees. NULL is fine. */
static void gzip_close(gzip *g, bool finish)
{
    if (!g)
        return;
    if (finish)
        flush(g, Z_FINISH);
    deflateEnd(&g->z);
    free(g);
}

/* ---- writing ---- */

typedef struct {
    FILE *stream;
    gzip *packed; /* NULL: bytes go to the stream as they are */
} sink;

static void put(const sink *s, const void *bytes, size_t size)
{
    if (s->packed)
        gzip_put(s->packed, bytes, size);
    else
        fwrite(bytes, 1, size, s->stream);
}

/* After an error of the stream the other pixels are skipped; the commit of the output reports it. */
static void write_pixels(const sink *s, const penta_io_image *image)
{
    const unsigned char *from = image->data;
    unsigned char raw[CHUNK_ELEMENTS * 8] = {0};
    size_t size = penta_type_size(image->type);
    size_t count = image->width * image->height;
    size_t last = count * size % IO_FITS_BLOCK;

    for (size_t first = 0; first < count && !ferror(s->stream); first += CHUNK_ELEMENTS) {
        size_t n = count - first < CHUNK_ELEMENTS ? count - first : CHUNK_ELEMENTS;

        for (size_t i = 0; i < n; i++, from += size) {
            uint64_t bits = file_bits(from, image->type);

            for (size_t b = 0; b < size; b++)
                raw[i * size + b] = (unsigned char)(bits >> 8 * (size - 1 - b));
        }
        put(s, raw, size * n);
    }
    memset(raw, 0, sizeof raw);
    if (last > 0)
        put(s, raw, IO_FITS_BLOCK - last);
}

static bool is_packed(const char *path)
{
    size_t length = strlen(path);

    return length > 3 && strcasecmp(path + length - 3, ".gz") == 0;
}

bool io_fits_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err)
{
    penta_io_output *output = NULL;
    size_t bytes;
    char *header = io_fits_header(path, image, meta, &bytes, err);
    bool ok = header && penta_io_output_open(path, &output, err);
    sink s = {.stream = ok ? penta_io_output_stream(output) : NULL};

    if (ok && is_packed(path)) {
        s.packed = gzip_open(s.stream);
        ok = s.packed || penta_io_fail(err, "%s: out of memory", path);
    }
    if (ok) {
        put(&s, header, bytes);
        write_pixels(&s, image);
    }
    gzip_close(s.packed, ok);
    if (ok)
        ok = penta_io_output_commit(output, err);
    else
        penta_io_output_abort(output);
    free(header);
    return ok;
}

#endif
