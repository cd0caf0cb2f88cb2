/* FITS images: a header from fits_header.c, then the pixels, big-endian, in whole blocks. */
#include "io/fits_hdu.h"
#include "io/format.h"
#include <pentacl/io/output.h>

#ifdef PENTA_HAVE_FITS

#include <stdlib.h>
#include <string.h>

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

/* Errors of the stream are found when the output is committed; after an error the rest is skipped. */
static void write_pixels(FILE *stream, const penta_io_image *image)
{
    const unsigned char *from = image->data;
    unsigned char raw[CHUNK_ELEMENTS * 8] = {0};
    size_t size = penta_type_size(image->type);
    size_t count = image->width * image->height;
    size_t last = count * size % IO_FITS_BLOCK;

    for (size_t first = 0; first < count && !ferror(stream); first += CHUNK_ELEMENTS) {
        size_t n = count - first < CHUNK_ELEMENTS ? count - first : CHUNK_ELEMENTS;

        for (size_t i = 0; i < n; i++, from += size) {
            uint64_t bits = file_bits(from, image->type);

            for (size_t b = 0; b < size; b++)
                raw[i * size + b] = (unsigned char)(bits >> 8 * (size - 1 - b));
        }
        fwrite(raw, size, n, stream);
    }
    memset(raw, 0, sizeof raw);
    if (last > 0)
        fwrite(raw, 1, IO_FITS_BLOCK - last, stream);
}

bool io_fits_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err)
{
    penta_io_output *output = NULL;
    size_t bytes;
    char *header = io_fits_header(path, image, meta, &bytes, err);
    bool ok = false;

    if (!header || !penta_io_output_open(path, &output, err))
        goto cleanup;
    fwrite(header, 1, bytes, penta_io_output_stream(output));
    write_pixels(penta_io_output_stream(output), image);
    ok = penta_io_output_commit(output, err);
cleanup:
    free(header);
    return ok;
}

#endif
