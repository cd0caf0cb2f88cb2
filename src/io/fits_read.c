/*
 * FITS images (FITS standard 4.0, sections 3 and 4): the first HDU with pixels. The first row of the file is row 0; the
 * third axis, if there is one, counts pages. cfitsio unpacks tile-compressed images (fits_packed.c). 8 bits become u8,
 * 16 bits with the BZERO of unsigned numbers u16, unscaled floats stay; everything else becomes float64, BZERO + BSCALE
 * * number, with NaN for BLANK. A 64-bit integer beyond 2^53 is rounded.
 */
#include "io/fits_hdu.h"
#include "io/format.h"

#include <string.h>

static bool fits_matches(const unsigned char *head, size_t size)
{
    return size >= 9 && memcmp(head, "SIMPLE  =", 9) == 0;
}

static const char *const ends[] = {"fits", "fit", "fts", "fits.gz", "fit.gz", "fts.gz", "fz", NULL};

enum { WRITTEN_ENDS = 6 };

#ifndef PENTA_HAVE_FITS

const io_image_format io_fits_format = {.ends = ends,
                                        .library = "cfitsio",
                                        .written_ends = WRITTEN_ENDS,
                                        .gzipped = true,
                                        .missing = "libcfitsio-dev",
                                        .matches = fits_matches,
                                        .types = IO_ALL_TYPES};

#else

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define CHUNK_ELEMENTS 4096u

typedef struct {
    int bitpix;
    penta_type type; /* type of the resulting image */
    double zero, scale;
    bool has_blank;
    int64_t blank;
    uint64_t width, height;
    uint64_t data_at;
    unsigned char *packed; /* tile-compressed images: a FITS file in memory; otherwise NULL */
    size_t packed_bytes;
} fits_pixels;

/* ---- the header ---- */

/* Leaves the first HDU with pixels open. */
static bool find_image(const penta_io_reader *reader, io_fits_hdu *hdu, penta_io_error *err)
{
    bool end = false;

    if (!io_fits_first(&reader->input, hdu, err))
        return false;
    while (!end) {
        if (hdu->image && hdu->axes > 0 && hdu->axis[0] > 0)
            return true;
        if (hdu->compressed) {
            if (io_fits_describe_packed(hdu, err))
                return true;
            io_fits_close(hdu);
            return false;
        }
        if (!io_fits_next(hdu, &end, err))
            return false;
    }
    return penta_io_fail(err, "%s: is a FITS file without an image; name one that has pixels", reader->input.path);
}

/* Checks that the file holds the whole image, with the padding of its last block, before anything is allocated. */
static bool check_shape(const io_fits_hdu *hdu, penta_io_error *err)
{
    if (hdu->axes < 2 || hdu->beyond != 1)
        return io_fits_hdu_fail(hdu, err,
                                "its image has %zu axes; 2 (width, height) or 3 (and pages) can be read, and more only "
                                "of length 1: cut it",
                                hdu->axes);
    if (hdu->axis[0] == 0 || hdu->axis[1] == 0 || hdu->axis[2] == 0)
        return io_fits_hdu_fail(
            hdu, err, "the image is empty (%" PRIu64 " x %" PRIu64 " pixels, %" PRIu64 " pages); export it again",
            hdu->axis[0], hdu->axis[1], hdu->axis[2]);
    if (hdu->data_end > hdu->in->bytes && !hdu->compressed)
        return io_fits_hdu_fail(hdu, err,
                                "its header asks for %" PRIu64 " page(s) of %" PRIu64 " x %" PRIu64
                                " pixels of %d bits, which end at byte %" PRIu64 ", but the file has %" PRIu64
                                "; it is truncated or damaged: copy or export it again",
                                hdu->axis[2], hdu->axis[0], hdu->axis[1], abs(hdu->bitpix), hdu->data_end,
                                hdu->in->bytes);
    return true;
}

static bool describe(const io_fits_hdu *hdu, fits_pixels *pixels, penta_io_error *err)
{
    bool scaled;

    *pixels = (fits_pixels){.bitpix = hdu->bitpix, .type = PENTA_F64, .scale = 1, .data_at = hdu->data_at};
    if (hdu->compressed && hdu->bitpix > 0)
        pixels->has_blank = io_fits_has(hdu, "ZBLANK");
    pixels->width = hdu->axis[0];
    pixels->height = hdu->axis[1];
    if (!check_shape(hdu, err) || !io_fits_number(hdu, "BZERO", &pixels->zero, NULL, err) ||
        !io_fits_number(hdu, "BSCALE", &pixels->scale, NULL, err) ||
        /* floats use NaN and ignore BLANK */
        (hdu->bitpix > 0 && !io_fits_integer(hdu, "BLANK", &pixels->blank, &pixels->has_blank, err)))
        return false;
    if (pixels->scale == 0)
        return io_fits_hdu_fail(hdu, err, "BSCALE is 0, so that all pixels would be equal; correct that card");
    scaled = pixels->zero != 0 || pixels->scale != 1;
    if (pixels->bitpix == 8 && !scaled && !pixels->has_blank)
        pixels->type = PENTA_U8;
    if (pixels->bitpix == 16 && pixels->zero == 32768 && pixels->scale == 1 && !pixels->has_blank)
        pixels->type = PENTA_U16;
    if (pixels->bitpix == -32 && !scaled)
        pixels->type = PENTA_F32;
    return true;
}

static uint64_t plane_bytes(const fits_pixels *pixels)
{
    return io_product(io_product(pixels->width, pixels->height), (uint64_t)abs(pixels->bitpix) / 8);
}

static bool fits_open(penta_io_reader *reader, penta_io_error *err)
{
    fits_pixels *pixels = reader->state = calloc(1, sizeof *pixels);
    io_fits_hdu hdu = {0};
    bool ok;

    if (!pixels)
        return penta_io_fail(err, "%s: out of memory", reader->input.path);
    ok = find_image(reader, &hdu, err) && describe(&hdu, pixels, err);
    if (ok)
        reader->pages = (size_t)hdu.axis[2];
    if (ok && hdu.compressed)
        ok = io_page_plausible(reader, 0, plane_bytes(pixels), IO_MAX_INFLATION, err) &&
             io_fits_take_packed(&hdu, &pixels->packed, &pixels->packed_bytes, err);
    io_fits_close(&hdu);
    return ok;
}

/* ---- the pixels ---- */

static uint64_t big_endian(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t integer_of(uint64_t bits, int bitpix)
{
    switch (bitpix) {
    case 8:
        return (int64_t)bits;
    case 16:
        return (int16_t)bits;
    case 32:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

static double scaled_value(const fits_pixels *pixels, uint64_t bits)
{
    double value;

    if (pixels->bitpix == -32) {
        value = float_of((uint32_t)bits);
    } else if (pixels->bitpix == -64) {
        value = double_of(bits);
    } else {
        int64_t integer = integer_of(bits, pixels->bitpix);

        if (pixels->has_blank && integer == pixels->blank)
            return NAN;
        value = (double)integer;
    }
    return pixels->zero == 0 && pixels->scale == 1 ? value : pixels->zero + pixels->scale * value;
}

/* Copies `count` elements of the file to the image, from its element `first` on. */
static void convert(const fits_pixels *pixels, const unsigned char *raw, size_t count, penta_io_image *out,
                    size_t first)
{
    size_t size = (size_t)abs(pixels->bitpix) / 8;

    switch (pixels->type) {
    case PENTA_U8:
        memcpy((uint8_t *)out->data + first, raw, count);
        break;
    case PENTA_U16:
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)out->data)[first + i] = (uint16_t)(big_endian(raw + i * size, 2) ^ 0x8000u);
        break;
    case PENTA_F32:
        for (size_t i = 0; i < count; i++)
            ((float *)out->data)[first + i] = float_of((uint32_t)big_endian(raw + i * size, 4));
        break;
    default:
        for (size_t i = 0; i < count; i++)
            ((double *)out->data)[first + i] = scaled_value(pixels, big_endian(raw + i * size, size));
    }
}

static bool fits_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    const fits_pixels *pixels = reader->state;
    unsigned char raw[CHUNK_ELEMENTS * 8];
    size_t size = (size_t)abs(pixels->bitpix) / 8;
    uint64_t page_at;
    size_t count;

    if (!io_page_alloc(reader, page, pixels->width, pixels->height, pixels->type, out, err))
        return false;
    if (pixels->packed)
        return io_fits_unpack(reader->input.path, pixels->packed, pixels->packed_bytes, page, out, err);
    count = out->width * out->height;
    page_at = pixels->data_at + (uint64_t)page * count * size;
    for (size_t first = 0; first < count; first += CHUNK_ELEMENTS) {
        size_t n = count - first < CHUNK_ELEMENTS ? count - first : CHUNK_ELEMENTS;

        if (!io_input_read(&reader->input, page_at + (uint64_t)first * size, raw, n * size))
            return io_page_fail(reader, page, err, "cannot be read; the file shrank, or the disk fails");
        convert(pixels, raw, n, out, first);
    }
    return true;
}

static void fits_close(penta_io_reader *reader)
{
    fits_pixels *pixels = reader->state;

    if (pixels)
        free(pixels->packed);
    free(pixels);
}

const io_image_format io_fits_format = {.ends = ends,
                                        .library = "cfitsio",
                                        .matches = fits_matches,
                                        .open = fits_open,
                                        .read = fits_read,
                                        .close = fits_close,
                                        .written_ends = WRITTEN_ENDS,
                                        .gzipped = true,
                                        .types = IO_ALL_TYPES,
                                        .write = io_fits_write};

#endif
