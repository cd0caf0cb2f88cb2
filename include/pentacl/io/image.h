/* Images and image stacks from files. Files are untrusted: sizes are checked against the file before any allocation. */
#ifndef PENTACL_IO_IMAGE_H
#define PENTACL_IO_IMAGE_H

#include <pentacl/array.h>
#include <pentacl/sky.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

/* One page: height x width elements, row-major, top row first, no padding between rows. */
typedef struct {
    size_t width, height;
    penta_type type; /* PENTA_U8, PENTA_U16, PENTA_F32 or PENTA_F64 */
    void *data;      /* malloc'ed; penta_io_image_free */
    size_t channels; /* 3: red, green and blue of each pixel one after another (penta_io_reader_keep_colour); else 0 or
                        1 */
} penta_io_image;

typedef struct penta_io_reader penta_io_reader;

/* What the axes of an array without names for them (NPY) are. */
enum penta_io_axes {
    PENTA_IO_AXES_AUTO = 0, /* 2: yx; 3: yxc where the last is 3 or 4 long, else nyx */
    PENTA_IO_AXES_YX,       /* height x width */
    PENTA_IO_AXES_NYX,      /* pages x height x width */
    PENTA_IO_AXES_YXC       /* height x width x 1 (grey), 3 (red, green, blue) or 4 (alpha too) */
};

/* Which pages of a file are read. A list is numbers and ranges: 3, or 2,5-9, or 4- (to the end), or 1-:10 (every tenth
 * from the first); pages come in the order of the file. NULL: not chosen. */
typedef struct {
    enum penta_io_axes axes; /* of arrays; formats that know their axes ignore it */
    const char *page;        /* counted from 1; where `channel` is chosen too, among its pages */
    const char *channel;     /* counted from 1: pages of these channels */
    const char *hdu;         /* FITS: as astropy and DS9 count, 0 is the primary one */
} penta_io_choice;

/** Whether its lists can be understood; else err has a line. */
PENTA_API bool penta_io_choice_check(const penta_io_choice *choice, penta_io_error *err);

/**
 * Opens an image file; the format is told by its first bytes, not by its name (but for camera raw that looks like TIFF:
 * .nef .dng .arw .pef .srw): PNG; camera raw as LibRaw reads it (u16, linear, 65535 where the sensor saturates); TIFF
 * (classic and Big, both byte orders, multi-page; integers of 8, 16 and 32 bits, unsigned ones of 1, 2, 4 and 9 to 15
 * bits too, float16, float32, float64; the first channel, by OME-XML, ImageJ's description and tifffile's, and its
 * first slice where there are times too; pages of reduced resolution are left out); FITS (the first HDU with pixels,
 * tile-compressed (.fz) or not; files compressed by gzip (.fits.gz) are inflated in memory; a third axis counts pages);
 * PGM/PPM (P2, P3, P5, P6; raw images that follow one another in a file are its pages); JPEG (u8, baseline or
 * progressive, grey or colour; the rotation that EXIF data ask for is not applied); NPY (height x width in C or Fortran
 * order, pages x height x width, or, where the last axis is 3 or 4 long, height x width x colour: enum penta_io_axes);
 * GIF (the images of an animation are its pages). Colour becomes luminance by ITU-R BT.601: (299 R
 * + 587 G + 114 B) / 1000, rounded to nearest for integers; so R = G = B gives exactly that grey. Alpha is ignored, and
 * so is gamma. A palette is looked up first. Grey of 1, 2 or 4 bits is scaled to 0..255; 9 to 16 bits
 * become u16 with the values that they have. Signed integers of 8 and 16 bits and float16 become f32, 32-bit integers
 * f64, which hold each of them exactly. PGM/PPM
 * values are kept as they are: u8 up to a maxval of 255, else u16. TIFF integers where 0 is white are inverted; a TIFF
 * stored from another corner (orientations 2 to 4) is turned. NPY booleans become 0 and 1. NaN and infinity pass
 * through. The first row of a FITS image is row 0, though viewers draw it at the bottom; FITS numbers that are not
 * plain u8, u16 (BZERO 32768), f32 or f64 become f64, BLANK being NaN. On failure *out is NULL and err holds one line:
 * file, what, where, what to do. Pages and rows in it count from 1.
 */
PENTA_API bool penta_io_reader_open(const char *path, penta_io_reader **out, penta_io_error *err);
/** The same for these pages; choice NULL: as penta_io_reader_open. Pages that the file does not have are an error. */
PENTA_API bool penta_io_reader_open_chosen(const char *path, const penta_io_choice *choice, penta_io_reader **out,
                                           penta_io_error *err);
/** The same for arrays with these axes; formats that know their axes ignore it. */
PENTA_API bool penta_io_reader_open_axes(const char *path, enum penta_io_axes axes, penta_io_reader **out,
                                         penta_io_error *err);

/** One line about what reading may get wrong: an array might have other axes, which penta_io_reader_open_axes can say;
 * JPEG is lossy; channels, HDUs or pages of reduced resolution are left out. Else NULL. Valid as long as the reader. */
PENTA_API const char *penta_io_reader_doubt(const penta_io_reader *reader);

/** The formats that this build reads, "PNG, FITS and NPY", as much as there is room for. */
PENTA_API void penta_io_image_formats(char *text, size_t size);

/** Whether the name ends as those of images do (.png, .tif, .nef ...), in upper or lower case, even of formats that
 * this build cannot read. Does not look at the disk. */
PENTA_API bool penta_io_image_has_name(const char *path);

/** Whether a file begins as a picture does, or as an array or container of pictures; kind gets its name: "a PNG file".
 */
PENTA_API bool penta_io_looks_like_image(const char *path, char *kind, size_t size);

/** Number of pages that are read, at least 1. */
PENTA_API size_t penta_io_reader_pages(const penta_io_reader *reader);

/** Where page `page` of these stands among all pages of the file, from 0, and in *all how many those are. */
PENTA_API size_t penta_io_reader_place(const penta_io_reader *reader, size_t page, size_t *all);

/** Keeps colour from now on: pages in colour, and those with palettes, have 3 channels. */
PENTA_API void penta_io_reader_keep_colour(penta_io_reader *reader);

/** Decodes page `page` (from 0) into *out. Readers of different files may be used from different threads at once. */
PENTA_API bool penta_io_reader_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err);

PENTA_API void penta_io_reader_close(penta_io_reader *reader); /* NULL is fine */
/** Reads the first page of a file. */
PENTA_API bool penta_io_image_read(const char *path, penta_io_image *out, penta_io_error *err);
PENTA_API double penta_io_image_value(const penta_io_image *image,
                                      size_t i);           /* element i, row by row; colour has three a pixel */
PENTA_API void penta_io_image_free(penta_io_image *image); /* sets data to NULL; an empty image is fine */

/* ---- masks ---- */

/** height x width bytes, to be freed: 1 where the image is neither 0 nor NaN; NULL: out of memory. */
PENTA_API uint8_t *penta_io_mask_bytes(const penta_io_image *image);

/** The same from a file of one page, which must have this size. of: what the mask is for, in errors. */
PENTA_API bool penta_io_mask_read(const char *path, size_t width, size_t height, const char *of, uint8_t **out,
                                  penta_io_error *err);

/* ---- FITS coordinates ---- */

/* The coordinates of a frame as a FITS header has them. */
typedef struct {
    penta_wcs wcs;        /* TAN, or TAN-SIP where a_order or b_order is not 0; its lonpole is 180 */
    size_t width, height; /* IMAGEW and IMAGEH, else NAXIS1 and NAXIS2; 0: unknown. Not written. */
    bool fk5;             /* the frame is FK5 J2000; else ICRS */
} penta_io_fits_wcs_cards;

/**
 * Reads the coordinates of the first image (or header without pixels) in the file that has CTYPE1. They must be TAN or
 * TAN-SIP, right ascension first, in degrees, ICRS or FK5 J2000 (FK5 when the header has only EQUINOX = 2000; ICRS when
 * it says nothing). The matrix is CD, PC times CDELT, or CDELT with CROTA2. A LONPOLE of 0 is taken into the matrix,
 * others than 0 and 180 are refused; LATPOLE has no effect on this projection. Distortions other than SIP are refused.
 * On failure err holds one line.
 */
PENTA_API bool penta_io_fits_wcs(const char *path, penta_io_fits_wcs_cards *out, penta_io_error *err);

/* ---- writing ---- */

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

/* What a FITS file says about an image; other formats do not keep it. Zero or NULL: not stated. */
typedef struct {
    const penta_io_fits_wcs_cards *wcs;
    double exposure;      /* EXPTIME, s */
    const char *unit;     /* BUNIT, such as "adu" or "electron" */
    const char *date_obs; /* DATE-OBS, UTC: YYYY-MM-DD or YYYY-MM-DDThh:mm:ss[.sss] */
    const penta_io_card *cards;
    size_t card_count;
} penta_io_metadata;

/**
 * Whether this build can write images of this type under this name, told by its end, in upper or lower case: .png (u8
 * and u16), .jpg .jpeg (u8), .fits .fit .fts .tif .tiff .npy (u8, u16, f32, f64). Does not look at the disk.
 */
PENTA_API bool penta_io_image_can_write(const char *path, penta_type type, penta_io_error *err);

/**
 * Writes the image in the format that penta_io_image_can_write tells, whole or not at all; every pixel can be read back
 * bit for bit, but for JPEG, which is lossy (quality 95, colour where channels is 3). FITS: row 0 of the image is the
 * first row of the file, which viewers draw at the bottom. meta may be NULL.
 */
PENTA_API bool penta_io_image_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta,
                                    penta_io_error *err);

/** Writes a grey PNG (PENTA_U8 or PENTA_U16 images), whole or not at all. */
PENTA_API bool penta_io_png_write(const char *path, const penta_io_image *image, penta_io_error *err);

/** The same in colour: height x width x 3 bytes, red, green, blue. */
PENTA_API bool penta_io_png_write_rgb(const char *path, size_t width, size_t height, uint8_t *rgb, penta_io_error *err);

PENTA_END_DECLS
#endif
