/*
 * Tile-compressed images (FITS standard 4.0, section 10): a table whose rows are the compressed tiles. cfitsio unpacks
 * them, from a file in memory that holds only this HDU. Before that, the sizes in the header and in the table's
 * descriptors are checked, because cfitsio allocates them. Also files that gzip compressed as a whole.
 */
#ifdef PENTA_HAVE_FITS

#include "io/fits_hdu.h"
#include "io/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 6, DESCRIPTOR_BYTES = 8 };

bool io_fits_open_input(const char *path, io_input *in, penta_io_error *err)
{
    if (!io_input_open(path, in, err))
        return false;
    if (!io_input_is_gzip(in) || io_input_inflate(in, IO_MAX_PAGE_BYTES, err))
        return true;
    io_input_close(in);
    return false;
}

/* ---- the header ---- */

bool io_fits_describe_packed(io_fits_hdu *hdu, penta_io_error *err)
{
    uint64_t row = hdu->axis[0], rows = hdu->axis[1], tile = 1, tiles = 1, pixels;

    if (!io_fits_shape(hdu, "Z", err))
        return false;
    pixels = io_product(io_product(hdu->axis[0], hdu->axis[1]), io_product(hdu->axis[2], hdu->beyond));
    for (size_t i = 0; i < hdu->axes && i < MOST_AXES; i++) {
        uint64_t axis = i < 3 ? hdu->axis[i] : 1, side = 0;
        char key[16];

        snprintf(key, sizeof key, "ZTILE%zu", i + 1);
        if (!io_fits_count(hdu, key, 1, i == 0 && axis > 0 ? (int64_t)axis : 1, &side, err))
            return false;
        tile = io_product(tile, side);
        tiles = io_product(tiles, axis / side + (axis % side != 0));
    }
    if (hdu->axes == 0 || hdu->axes > MOST_AXES || hdu->beyond != 1 || tile > pixels || tiles != rows ||
        row < DESCRIPTOR_BYTES)
        return io_fits_hdu_fail(hdu, err,
                                "is a tile-compressed image whose %" PRIu64 " tiles do not make its %" PRIu64
                                " x %" PRIu64 " x %" PRIu64 " pixels; it is damaged: copy it again",
                                rows, hdu->axis[0], hdu->axis[1], hdu->axis[2]);
    return true;
}

bool io_fits_take_packed(const io_fits_hdu *hdu, unsigned char **out, size_t *bytes, penta_io_error *err)
{
    static const char *const cards[] = {"SIMPLE  =                    T", "BITPIX  =                    8",
                                        "NAXIS   =                    0", "EXTEND  =                    T", "END"};
    uint64_t size = hdu->data_end - hdu->at;

    *out = NULL;
    if (hdu->data_end > hdu->in->bytes)
        return io_fits_hdu_fail(hdu, err,
                                "its compressed image ends at byte %" PRIu64 ", but the file has %" PRIu64
                                "; it is truncated or damaged: copy it again",
                                hdu->data_end, hdu->in->bytes);
    *bytes = IO_FITS_BLOCK + (size_t)size;
    *out = malloc(*bytes);
    if (!*out)
        return io_fits_hdu_fail(hdu, err, "out of memory for its compressed image; unpack it: funpack");
    memset(*out, ' ', IO_FITS_BLOCK);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        memcpy(*out + i * IO_FITS_CARD, cards[i], strlen(cards[i]));
    return io_input_read(hdu->in, hdu->at, *out + IO_FITS_BLOCK, (size_t)size) ||
           io_fits_hdu_fail(hdu, err, "cannot be read; the file shrank, or the disk fails");
}

/* ---- the tiles ---- */

/* Whether no tile of the column claims more bytes than the file has. */
static bool fits_in(fitsfile *file, const char *column, LONGLONG rows, size_t bytes)
{
    LONGLONG *lengths, *offsets;
    int number = 0, status = 0;
    bool ok = true;

    if (fits_get_colnum(file, CASEINSEN, (char *)column, &number, &status) != 0)
        return true; /* there is no such column */
    lengths = calloc((size_t)rows, sizeof *lengths);
    offsets = calloc((size_t)rows, sizeof *offsets);
    ok = lengths && offsets && fits_read_descriptsll(file, number, 1, rows, lengths, offsets, &status) == 0;
    for (LONGLONG i = 0; ok && i < rows; i++)
        ok = lengths[i] >= 0 && (uint64_t)lengths[i] <= bytes && offsets[i] >= 0 && (uint64_t)offsets[i] <= bytes;
    free(lengths);
    free(offsets);
    return ok;
}

static bool check_tiles(fitsfile *file, size_t bytes)
{
    static const char *const columns[] = {"COMPRESSED_DATA", "GZIP_COMPRESSED_DATA", "UNCOMPRESSED_DATA"};
    LONGLONG rows = 0;
    int status = 0;
    bool ok = fits_get_num_rowsll(file, &rows, &status) == 0 && rows > 0;

    for (size_t i = 0; ok && i < sizeof columns / sizeof *columns; i++)
        ok = fits_in(file, columns[i], rows, bytes);
    return ok;
}

static void read_plane(fitsfile *file, size_t page, penta_io_image *out, int *status)
{
    static const int types[] = {[PENTA_U8] = TBYTE, [PENTA_U16] = TUSHORT, [PENTA_F32] = TFLOAT, [PENTA_F64] = TDOUBLE};
    LONGLONG first[MOST_AXES] = {1, 1, (LONGLONG)page + 1, 1, 1, 1};
    float no_float = NAN;
    double no_double = NAN;
    void *none = out->type == PENTA_F32 ? (void *)&no_float : out->type == PENTA_F64 ? (void *)&no_double : NULL;
    int any;

    fits_read_pixll(file, types[out->type], first, (LONGLONG)(out->width * out->height), none, out->data, &any, status);
}

bool io_fits_unpack(const char *path, unsigned char *file, size_t bytes, size_t page, penta_io_image *out,
                    penta_io_error *err)
{
    fitsfile *fits = NULL;
    void *memory = file;
    size_t size = bytes;
    LONGLONG sides[MOST_AXES] = {0};
    char reason[FLEN_STATUS] = "contradictory sizes";
    int status = 0, ignored = 0, kind = 0;
    bool ok = false;

    io_fits_lock(); /* cfitsio unpacks one image at a time */
    fits_open_memfile(&fits, "packed.fits", READONLY, &memory, &size, 0, NULL, &status);
    if (status == 0)
        fits_movabs_hdu(fits, 2, &kind, &status);
    if (status == 0 && fits_is_compressed_image(fits, &status) &&
        fits_get_img_sizell(fits, MOST_AXES, sides, &status) == 0 && sides[0] == (LONGLONG)out->width &&
        sides[1] == (LONGLONG)out->height && check_tiles(fits, bytes)) {
        read_plane(fits, page, out, &status);
        ok = status == 0;
    }
    if (status != 0)
        fits_get_errstatus(status, reason);
    if (fits)
        fits_close_file(fits, &ignored);
    io_fits_unlock();
    return ok ||
           penta_io_fail(err, "%s: its compressed image cannot be unpacked (cfitsio: %s); it is damaged: copy it again",
                         path, reason);
}

#else
typedef int io_fits_packed_is_empty;
#endif
