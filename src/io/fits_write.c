/* Writes FITS images: a header from fits_header.c, then the pixels, big-endian, in whole blocks. A name that ends in
 * .gz makes a compressed file. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */
#include "io/fits_hdu.h"
#include "io/format.h"
#include <pentacl/io/output.h>

#ifdef PENTA_HAVE_FITS

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/deflate.h"

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

typedef struct {
    FILE *stream;
    io_deflate *packed; /* NULL: bytes go to the stream as they are */
} sink;

static void put(const sink *s, const void *bytes, size_t size)
{
    if (s->packed)
        io_deflate_put(s->packed, bytes, size);
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
        s.packed = io_deflate_open(s.stream);
        ok = s.packed || penta_io_fail(err, "%s: out of memory", path);
    }
    if (ok) {
        put(&s, header, bytes);
        write_pixels(&s, image);
    }
    io_deflate_close(s.packed, ok);
    if (ok)
        ok = penta_io_output_commit(output, err);
    else
        penta_io_output_abort(output);
    free(header);
    return ok;
}

#endif
