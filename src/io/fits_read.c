/*
 * FITS images (FITS standard 4.0, sections 3 and 4): the first HDU with pixels, or those that are chosen. The first row
 * of the file is row 0; the third axis, if there is one, counts pages. cfitsio unpacks tile-compressed images
 * (fits_packed.c). 8 bits become u8, 16 bits with the BZERO of unsigned numbers u16, unscaled floats stay; everything
 * else becomes float64, BZERO + BSCALE
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
#include <stdio.h>
#include <stdlib.h>

#define CHUNK_ELEMENTS 4096u
#define NAME_LETTERS   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+. "

typedef struct {
    int bitpix;
    penta_type type; /* type of the resulting image */
    double zero, scale;
    bool has_blank;
    int64_t blank;
    uint64_t width, height;
    uint64_t data_at;
    uint64_t pages;
    unsigned char *packed; /* tile-compressed images: a FITS file in memory; otherwise NULL */
    size_t packed_bytes;
} fits_pixels;

typedef struct {
    fits_pixels *hdus; /* those that are read, one after another */
    size_t count;
} fits_file;

/* ---- the header ---- */

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
    pixels->pages = hdu->axis[2];
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

/* ---- the HDUs ---- */

static bool has_pixels(const io_fits_hdu *hdu)
{
    return (hdu->image && hdu->axes > 0 && hdu->axis[0] > 0) || hdu->compressed;
}

/* Adds the pages of an HDU. */
static bool take_hdu(penta_io_reader *reader, io_fits_hdu *hdu, penta_io_error *err)
{
    fits_file *file = reader->state;
    fits_pixels *grown = realloc(file->hdus, (file->count + 1) * sizeof *grown), *pixels;

    if (!grown)
        return penta_io_fail(err, "%s: out of memory", reader->input.path);
    file->hdus = grown;
    pixels = &grown[file->count++];
    *pixels = (fits_pixels){0};
    if ((hdu->compressed && !io_fits_describe_packed(hdu, err)) || !describe(hdu, pixels, err))
        return false;
    if (pixels->pages > SIZE_MAX - reader->pages)
        return io_fits_hdu_fail(hdu, err, "has too many pages");
    reader->pages += (size_t)pixels->pages;
    return !hdu->compressed || (io_page_plausible(reader, 0, plane_bytes(pixels), IO_MAX_INFLATION, err) &&
                                io_fits_take_packed(hdu, &pixels->packed, &pixels->packed_bytes, err));
}

/* Adds the name of an image that is not read: " 2 (ERR)". */
static void add_name(const io_fits_hdu *hdu, char *text, size_t size)
{
    char name[FLEN_VALUE] = "";
    penta_io_error ignored;
    size_t used = strlen(text);

    if (!io_fits_text(hdu, "EXTNAME", name, &ignored) || strspn(name, NAME_LETTERS) != strlen(name))
        *name = 0;
    snprintf(text + used, size - used, "%s %zu%s%.20s%s", used ? "," : "", hdu->number - 1, *name ? " (" : "", name,
             *name ? ")" : "");
}

/* Goes through the HDUs. What follows the image that is read matters only for the note on other images. */
static bool read_hdus(penta_io_reader *reader, io_fits_hdu *hdu, char *others, size_t size, penta_io_error *err)
{
    const fits_file *file = reader->state;
    penta_io_error ignored;
    bool end = false, ok = io_fits_first(&reader->input, hdu, err);
    size_t last = 0;

    while (ok && !end) {
        last = hdu->number - 1;
        if (reader->hdu && io_choice_has(reader->hdu, last) && !has_pixels(hdu))
            io_reader_doubt(reader, "HDU %zu is no image and is left out", last);
        else if (reader->hdu ? io_choice_has(reader->hdu, last) : file->count == 0 && has_pixels(hdu))
            ok = take_hdu(reader, hdu, err);
        else if (!reader->hdu && has_pixels(hdu) && (hdu->compressed || hdu->axes > 1))
            add_name(hdu, others, size);
        if (ok && !io_fits_next(hdu, &end, file->count > 0 && !reader->hdu ? &ignored : err))
            return file->count > 0 && !reader->hdu;
    }
    if (ok && reader->hdu && io_choice_most(reader->hdu) > last)
        return penta_io_fail(err, "%s: has HDUs 0 to %zu, but `hdu` asks for %" PRIu64, reader->input.path, last,
                             io_choice_most(reader->hdu));
    return ok &&
           (file->count > 0 || penta_io_fail(err, "%s: is a FITS file without an image%s; name one that has pixels",
                                             reader->input.path, reader->hdu ? " in the HDUs of `hdu`" : ""));
}

static bool fits_open(penta_io_reader *reader, penta_io_error *err)
{
    io_fits_hdu hdu = {0};
    char others[160] = "";
    bool ok;

    reader->state = calloc(1, sizeof(fits_file));
    ok = reader->state || penta_io_fail(err, "%s: out of memory", reader->input.path);
    ok = ok && read_hdus(reader, &hdu, others, sizeof others, err);
    io_fits_close(&hdu);
    if (ok && *others)
        io_reader_doubt(reader, "its first image is read, and not HDU%s (`hdu` chooses)", others);
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
    const fits_pixels *pixels = ((const fits_file *)reader->state)->hdus;
    unsigned char raw[CHUNK_ELEMENTS * 8];
    uint64_t page_at;
    size_t count, size, plane = page;

    for (; plane >= pixels->pages; pixels++)
        plane -= (size_t)pixels->pages;
    size = (size_t)abs(pixels->bitpix) / 8;
    if (!io_page_alloc(reader, page, pixels->width, pixels->height, pixels->type, out, err))
        return false;
    if (pixels->packed)
        return io_fits_unpack(reader->input.path, pixels->packed, pixels->packed_bytes, plane, out, err);
    count = out->width * out->height;
    page_at = pixels->data_at + (uint64_t)plane * count * size;
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
    fits_file *file = reader->state;

    for (size_t i = 0; file && i < file->count; i++)
        free(file->hdus[i].packed);
    if (file)
        free(file->hdus);
    free(file);
}

const io_image_format io_fits_format = {.ends = ends,
                                        .library = "cfitsio",
                                        .matches = fits_matches,
                                        .open = fits_open,
                                        .read = fits_read,
                                        .close = fits_close,
                                        .has_hdus = true,
                                        .written_ends = WRITTEN_ENDS,
                                        .gzipped = true,
                                        .types = IO_ALL_TYPES,
                                        .write = io_fits_write};

#endif
