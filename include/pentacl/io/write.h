/* Images to files, in the format that the name asks for. */
#ifndef PENTACL_IO_WRITE_H
#define PENTACL_IO_WRITE_H

#include <stdint.h>

#include <pentacl/io/fits.h>
#include <pentacl/io/image.h>

enum penta_io_card_kind { PENTA_IO_CARD_TEXT = 0, PENTA_IO_CARD_REAL, PENTA_IO_CARD_INTEGER, PENTA_IO_CARD_TRUTH };

/* One more line of a FITS header. */
typedef struct {
    const char *key; /* up to 8 of A-Z 0-9 - _; the last of a name wins, but COMMENT and HISTORY (texts) add up */
    enum penta_io_card_kind kind; /* which of the next three counts */
    const char *text;             /* printable ASCII, up to 68 characters, quotes counted twice */
    double real;                  /* finite; written with the digits that give it back */
    int64_t integer;              /* of a truth: 0 is false */
    const char *comment;          /* printable ASCII, cut where the line ends; NULL: none */
} penta_io_card;

/* What FITS files say about an image; the other formats leave it out. Zero or NULL: not stated. */
typedef struct {
    const penta_io_fits_wcs_cards *wcs;
    double exposure;      /* EXPTIME, s */
    const char *unit;     /* BUNIT, such as "adu" or "electron" */
    const char *date_obs; /* DATE-OBS, UTC: YYYY-MM-DD or YYYY-MM-DDThh:mm:ss[.sss] */
    const penta_io_card *cards;
    size_t card_count;
} penta_io_metadata;

/*
 * Whether this build can write images of this type under this name, told by its end, in upper or lower case: .png (u8
 * and u16), .fits .fit .fts .tif .tiff .npy (u8, u16, f32, f64). Looks at the name only.
 */
bool penta_io_can_write(const char *path, penta_type type, penta_io_error *err);

/*
 * Writes the image in the format that penta_io_can_write tells, whole or not at all; every pixel can be read back bit
 * for bit. FITS: row 0 of the image is the first row of the file, which viewers draw at the bottom. meta may be NULL.
 */
bool penta_io_write_image(const char *path, const penta_io_image *image, const penta_io_metadata *meta,
                          penta_io_error *err);

#endif
