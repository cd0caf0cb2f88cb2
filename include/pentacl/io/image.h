/* Images and image stacks from files. Files are untrusted: sizes are checked against the file before any allocation. */
#ifndef PENTACL_IO_IMAGE_H
#define PENTACL_IO_IMAGE_H

#include <pentacl/array.h>
#include <stdbool.h>

#include <pentacl/io/error.h>

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

/*
 * Opens an image file; the format is told by its first bytes, not by its name (but for camera raw that looks like TIFF:
 * .nef .dng .arw .pef .srw): PNG; camera raw as LibRaw reads it (u16, linear, 65535 where the sensor saturates); TIFF
 * (classic and Big, both byte orders, multi-page; unsigned integers of up to 16 bits, float32, float64); FITS (the
 * first HDU with pixels; a third axis counts pages); PGM/PPM (P2, P3, P5, P6; raw images that follow one another in a
 * file are its pages); NPY (height x width in C or Fortran order, pages x height x width, or, where the last axis is 3
 * or 4 long, height x width x colour: enum penta_io_axes); GIF (the images of an animation are its pages). Colour
 * becomes luminance by ITU-R BT.601: (299 R + 587 G + 114 B) / 1000, rounded to nearest for integers; so R = G = B
 * gives exactly that grey. Alpha is ignored, and so is gamma. A palette is looked up first. Grey of 1, 2 or 4 bits is
 * scaled to 0..255; 16 bits stay 16. PGM/PPM values are kept as they are: u8 up to a maxval of 255, else u16. TIFF
 * integers where 0 is white are inverted; a TIFF stored from another corner (orientations 2 to 4) is turned. NPY
 * booleans become 0 and 1. NaN and infinity pass through. The first row of a FITS image is row 0, though viewers draw
 * it at the bottom; FITS numbers that are not plain u8, u16 (BZERO 32768), f32 or f64 become f64, BLANK being NaN. On
 * failure *out is NULL and err holds one line: file, what, where, what to do. Pages and rows in it count from 1.
 */
bool penta_io_reader_open(const char *path, penta_io_reader **out, penta_io_error *err);
/* The same with the axes of arrays said; files of formats that know their axes are read as ever. */
bool penta_io_reader_open_axes(const char *path, enum penta_io_axes axes, penta_io_reader **out, penta_io_error *err);

/* One line where the axes could as well be others, which `--axes` can say; else NULL. Lives as long as the reader. */
const char *penta_io_reader_doubt(const penta_io_reader *reader);

/* Whether a file begins as a picture does, or as an array or container of pictures; kind gets its name: "a PNG file".
 */
bool penta_io_looks_like_image(const char *path, char *kind, size_t size);

/* Number of pages, at least 1. */
size_t penta_io_reader_pages(const penta_io_reader *reader);

/* From now on colour is not made luminance: pages of it, and of palettes, have 3 channels. */
void penta_io_reader_keep_colour(penta_io_reader *reader);

/* Decodes page `page` (from 0) into *out. Readers of different files may be used from different threads at once. */
bool penta_io_reader_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err);

void penta_io_reader_close(penta_io_reader *reader); /* NULL is fine */
/* The first page of a file. */
bool penta_io_image_read(const char *path, penta_io_image *out, penta_io_error *err);
double penta_io_image_value(const penta_io_image *image,
                            size_t i);           /* number i: of pixel i row by row; of colour there are three */
void penta_io_image_free(penta_io_image *image); /* sets data to NULL; an empty image is fine */

/* Writes a grey PNG (PENTA_U8 or PENTA_U16 images), through a temporary name, then renames. */
bool penta_io_png_write(const char *path, const penta_io_image *image, penta_io_error *err);

/* The same in colour: height x width x 3 bytes, red, green, blue. */
bool penta_io_png_write_rgb(const char *path, size_t width, size_t height, uint8_t *rgb, penta_io_error *err);

#endif
