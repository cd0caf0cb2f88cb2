/* Walks through the headers of a FITS file and checks everything in them. */
#ifdef PENTA_HAVE_FITS

#include "io/fits_hdu.h"
#include "io/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CARDS_A_BLOCK     (IO_FITS_BLOCK / IO_FITS_CARD)
#define MAX_HEADER_BLOCKS 4096u /* 147456 cards; within IO_SLACK_BYTES */
#define MAX_AXES          999   /* limit of the standard */

/* The number of cards before END; the block's number of cards if END is not in it. */
static size_t cards_in(const char block[IO_FITS_BLOCK])
{
    size_t n = 0;

    while (n < CARDS_A_BLOCK && memcmp(block + n * IO_FITS_CARD, "END     ", 8) != 0)
        n++;
    return n;
}

/* Finds END before anything is allocated. */
static bool measure_header(io_fits_hdu *hdu, uint64_t at, penta_io_error *err)
{
    char block[IO_FITS_BLOCK];

    for (size_t n = 0; n < MAX_HEADER_BLOCKS; n++) {
        if (!io_input_read(hdu->in, at + (uint64_t)n * IO_FITS_BLOCK, block, IO_FITS_BLOCK))
            return penta_io_fail(err,
                                 "%s: is a FITS file that ends inside the header of its HDU %zu (it has %" PRIu64
                                 " bytes); it is truncated or damaged: copy or export it again",
                                 hdu->in->path, hdu->number - 1, hdu->in->bytes);
        hdu->count = n * CARDS_A_BLOCK + cards_in(block);
        if (hdu->count < (n + 1) * CARDS_A_BLOCK) {
            hdu->data_at = at + (n + 1) * IO_FITS_BLOCK;
            return true;
        }
    }
    return io_fits_hdu_fail(hdu, err, "its header has no END in %u cards; export the file again",
                            MAX_HEADER_BLOCKS * CARDS_A_BLOCK);
}

static bool load_header(io_fits_hdu *hdu, uint64_t at, penta_io_error *err)
{
    if (!measure_header(hdu, at, err))
        return false;
    hdu->cards = malloc(hdu->count * IO_FITS_CARD + 1);
    if (!hdu->cards)
        return penta_io_fail(err, "%s: out of memory for its header of %zu cards", hdu->in->path, hdu->count);
    if (!io_input_read(hdu->in, at, hdu->cards, hdu->count * IO_FITS_CARD))
        return penta_io_fail(err, "%s: cannot be read; the file shrank or the disk fails", hdu->in->path);
    return true;
}

bool io_fits_count(const io_fits_hdu *hdu, const char *key, int64_t least, int64_t absent, uint64_t *out,
                   penta_io_error *err)
{
    int64_t value = absent;

    if (!io_fits_integer(hdu, key, &value, NULL, err))
        return false;
    if (value < least)
        return io_fits_hdu_fail(hdu, err,
                                "%s is %s in its header; the file is damaged or not FITS: copy or export it again", key,
                                io_fits_has(hdu, key) ? "too small" : "missing");
    *out = (uint64_t)value;
    return true;
}

static bool read_bitpix(io_fits_hdu *hdu, const char *with, penta_io_error *err)
{
    int64_t bits = 0;
    char key[16];

    snprintf(key, sizeof key, "%sBITPIX", with);
    if (!io_fits_integer(hdu, key, &bits, NULL, err))
        return false;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != -32 && bits != -64)
        return io_fits_hdu_fail(hdu, err, "%s is %" PRId64 ", not 8, 16, 32, 64, -32 or -64; export the file again",
                                key, bits);
    hdu->bitpix = (int)bits;
    return true;
}

static bool read_axes(io_fits_hdu *hdu, const char *with, penta_io_error *err)
{
    uint64_t axes = 0;
    char name[16];

    snprintf(name, sizeof name, "%sNAXIS", with);
    if (!io_fits_count(hdu, name, 0, -1, &axes, err))
        return false;
    if (axes > MAX_AXES)
        return io_fits_hdu_fail(hdu, err, "%s is %" PRIu64 ", over %d; the file is damaged: copy it again", name, axes,
                                MAX_AXES);
    hdu->axes = (size_t)axes;
    hdu->axis[0] = hdu->axis[1] = hdu->axis[2] = hdu->beyond = 1;
    for (size_t i = 0; i < hdu->axes; i++) {
        char key[48];
        uint64_t length = 0;

        snprintf(key, sizeof key, "%s%zu", name, i + 1);
        if (!io_fits_count(hdu, key, 0, -1, &length, err))
            return false;
        if (i < 3)
            hdu->axis[i] = length;
        else
            hdu->beyond = io_product(hdu->beyond, length);
    }
    return true;
}

bool io_fits_shape(io_fits_hdu *hdu, const char *with, penta_io_error *err)
{
    return read_bitpix(hdu, with, err) && read_axes(hdu, with, err);
}

/* Finds the end of the data: |BITPIX| / 8 * GCOUNT * (PCOUNT + product of the axes) bytes, in whole blocks. */
static bool read_sizes(io_fits_hdu *hdu, penta_io_error *err)
{
    uint64_t parameters = 0, groups = 0;
    uint64_t elements, bytes;

    if (!io_fits_shape(hdu, "", err) || !io_fits_count(hdu, "PCOUNT", 0, 0, &parameters, err) ||
        !io_fits_count(hdu, "GCOUNT", 1, 1, &groups, err))
        return false;
    elements = hdu->axes == 0 ? 0 : io_product(io_product(hdu->axis[1], hdu->axis[2]), hdu->beyond);
    if (hdu->axis[0] != 0 || !io_fits_has(hdu, "GROUPS")) /* random groups have no first axis */
        elements = io_product(elements, hdu->axis[0]);
    elements = parameters > UINT64_MAX - elements ? UINT64_MAX : elements + parameters;
    bytes = io_product(io_product(elements, groups), (uint64_t)abs(hdu->bitpix) / 8);
    hdu->data_end = bytes > INT64_MAX - hdu->data_at - IO_FITS_BLOCK
                        ? INT64_MAX
                        : hdu->data_at + (bytes + IO_FITS_BLOCK - 1) / IO_FITS_BLOCK * IO_FITS_BLOCK;
    return true;
}

static bool open_at(const io_input *in, size_t number, uint64_t at, io_fits_hdu *hdu, penta_io_error *err)
{
    char kind[FLEN_VALUE];

    *hdu = (io_fits_hdu){.in = in, .number = number, .at = at};
    if (!load_header(hdu, at, err) || !io_fits_text(hdu, "XTENSION", kind, err) || !read_sizes(hdu, err)) {
        io_fits_close(hdu);
        return false;
    }
    hdu->image = number == 1 || strcmp(kind, "IMAGE") == 0;
    hdu->compressed = strcmp(kind, "BINTABLE") == 0 && io_fits_has(hdu, "ZIMAGE");
    return true;
}

bool io_fits_first(const io_input *in, io_fits_hdu *hdu, penta_io_error *err)
{
    return open_at(in, 1, 0, hdu, err);
}

bool io_fits_next(io_fits_hdu *hdu, bool *end, penta_io_error *err)
{
    const io_input *in = hdu->in;
    size_t number = hdu->number + 1;
    uint64_t at = hdu->data_end;
    char word[8];
    bool ok = true;

    *end = false;
    if (at > in->bytes)
        ok = io_fits_hdu_fail(hdu, err,
                              "its data should end at byte %" PRIu64 ", but the file has %" PRIu64
                              "; it is truncated or damaged: copy or export it again",
                              at, in->bytes);
    io_fits_close(hdu);
    if (!ok)
        return false;
    *end = !io_input_read(in, at, word, sizeof word) || memcmp(word, "XTENSION", sizeof word) != 0;
    return *end || open_at(in, number, at, hdu, err);
}

void io_fits_close(io_fits_hdu *hdu)
{
    free(hdu->cards);
    hdu->cards = NULL;
    hdu->count = 0;
}

#endif
