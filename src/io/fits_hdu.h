/*
 * The headers of FITS files, for the FITS code only. For reading, cfitsio gets only single cards: no name, which it
 * would interpret, and no file, because damaged tables make version 4.2 allocate arbitrary sizes.
 */
#pragma once

#include <pentacl/io/error.h>
#include <pentacl/io/image.h>
#include "io/input.h"

#define IO_FITS_BLOCK 2880u /* files consist of such blocks */
#define IO_FITS_CARD  80u

#ifdef PENTA_HAVE_FITS

#include <fitsio.h>

/* cfitsio's error stack is global to the process: all calls hold this lock. Its holder is in the locale "C". */
void io_fits_lock(void);
void io_fits_unlock(void); /* also empties the stack */

/* One header and where its data are. */
typedef struct {
    const io_input *in;
    size_t number;     /* number of the HDU in the file, from 1 */
    char *cards;       /* 80 characters each, up to END; NULL: not open */
    size_t count;      /* number of cards */
    bool image;        /* an image, perhaps without pixels; otherwise a table or something unknown */
    bool compressed;   /* a table that is a tile-compressed image */
    int bitpix;        /* 8, 16, 32, 64 (integers), -32, -64 */
    size_t axes;       /* NAXIS */
    uint64_t axis[3];  /* NAXIS1 to 3; 1 where there are fewer axes */
    uint64_t beyond;   /* product of the axes after the third */
    uint64_t at;       /* byte offset of the header in the file */
    uint64_t data_at;  /* byte offset in the file */
    uint64_t data_end; /* end of the data and its padding; may be beyond the file's end */
} io_fits_hdu;

/*
 * Open the first header, or the one after `hdu`. *end: there is no further HDU (other data may follow the last HDU). On
 * failure and at the end hdu is closed.
 */
bool io_fits_first(const io_input *in, io_fits_hdu *hdu, penta_io_error *err);
bool io_fits_next(io_fits_hdu *hdu, bool *end, penta_io_error *err);
void io_fits_close(io_fits_hdu *hdu);

/* ---- tile-compressed images: fits_packed.c ---- */

/* Replaces the table in hdu by the compressed image that it holds: bitpix and axes. Checks the tiles against the table.
 */
bool io_fits_describe_packed(io_fits_hdu *hdu, penta_io_error *err);
/* Copies the HDU to a FITS file in memory, as its second HDU; to be freed. */
bool io_fits_take_packed(const io_fits_hdu *hdu, unsigned char **out, size_t *bytes, penta_io_error *err);
/* Reads a plane of that file into the allocated image; NaN where floats have no value. hdu tells the size. */
bool io_fits_unpack(const char *path, unsigned char *file, size_t bytes, size_t page, penta_io_image *out,
                    penta_io_error *err);

/* Opens a file; inflates it if gzip compressed it. */
bool io_fits_open_input(const char *path, io_input *in, penta_io_error *err);

/* Fails with "PATH: HDU 1: text"; messages and --hdu count from 0, as astropy and DS9 do. */
bool io_fits_hdu_fail(const io_fits_hdu *hdu, penta_io_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether there is a card of this name; # stands for one or more digits. The first card of a name counts. */
bool io_fits_has(const io_fits_hdu *hdu, const char *key);

/* A size or count of the HDU's structure, at least `least`; a missing card counts as `absent`. */
bool io_fits_count(const io_fits_hdu *hdu, const char *key, int64_t least, int64_t absent, uint64_t *out,
                   penta_io_error *err);
/* Reads the type and the axes of an image, from cards with the prefix `with`: "" or "Z". */
bool io_fits_shape(io_fits_hdu *hdu, const char *with, penta_io_error *err);

/* Reads a finite number or an integer; false only if the card exists and holds something else. *out is unchanged if
 * there is no card or its value is blank; *there (may be NULL) says whether it was set. */
bool io_fits_number(const io_fits_hdu *hdu, const char *key, double *out, bool *there, penta_io_error *err);
bool io_fits_integer(const io_fits_hdu *hdu, const char *key, int64_t *out, bool *there, penta_io_error *err);

/* Reads a string, without its quotes and trailing blanks; "" if there is no card. */
bool io_fits_text(const io_fits_hdu *hdu, const char *key, char out[FLEN_VALUE], penta_io_error *err);

/* The header of a new file with one image, whole blocks, to be freed with free(). NULL on failure. Takes the lock. */
char *io_fits_header(const char *path, const penta_io_image *image, const penta_io_metadata *meta, size_t *bytes,
                     penta_io_error *err);

#endif
