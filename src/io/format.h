/* The interface of one image format, and the checks that all formats share. Internal to src/io. */
#ifndef PENTA_IO_FORMAT_H
#define PENTA_IO_FORMAT_H

#include <stdint.h>

#include <pentacl/io/image.h>
#include "io/input.h"

/*
 * Bounds on the memory allocated because of a header. A packed page (as it is before compression) of an uncompressed
 * file cannot be larger than the file; of a compressed one it cannot be larger than the file times the best ratio of
 * its codec, nor than IO_MAX_PAGE_BYTES. The decoded page has at most 8 times the bytes of the packed one (1-bit grey
 * becomes 8-bit), or 24 times if a palette's colours are kept. So no allocation exceeds these times the ratio times
 * the file's bytes, plus IO_SLACK_BYTES for tables and metadata of the libraries. Not counted: memory that a codec
 * behind libtiff allocates as its stream's header asks, such as up to 128 MiB for the window of Zstandard or the
 * dictionary of LZMA.
 */
#define IO_MAX_PAGE_BYTES     ((uint64_t)1 << 32)
#define IO_PACKBITS_INFLATION 64u
#define IO_DEFLATE_INFLATION  1032u
#define IO_LZW_INFLATION      4096u  /* a code has at least 9 bits and stands for fewer bytes than there are codes */
#define IO_JPEG_INFLATION     4096u  /* 32 x 32 pixels of three colours take 9 blocks, each of at least a bit */
#define IO_MAX_INFLATION      32768u /* Zstandard: 128 KiB out of a block of 4 bytes; others are cut off here */
#define IO_SLACK_BYTES        ((uint64_t)16 << 20)

/* What an image of a format can hold. */
enum io_types {
    IO_NO_TYPES = 0 /* not written */,
    IO_BYTES /* u8 */,
    IO_INTEGERS /* u8 and u16 */,
    IO_ALL_TYPES /* f32, f64 too */
};

typedef struct {
    const char *const *ends; /* suffixes of its files, without the dot, ending with NULL */
    size_t written_ends;     /* how many of them, from the first on, can be written; 0: all */
    bool gzipped;            /* its files may be compressed by gzip */
    const char *library;     /* the library that implements it, "libpng"; NULL: none */
    const char *missing; /* what to install if this build lacks the format; then only ends, matches and types are set */
    bool (*matches)(const unsigned char *head, size_t size); /* size may be as small as 1 */
    /* Whether the file is of this format, by its suffix (NULL: none) and its first bytes, which another format may
     * claim too; formats with `also` are asked first. NULL: `matches` alone decides. */
    bool (*also)(const char *end, const unsigned char *head, size_t size);
    bool (*open)(penta_io_reader *reader,
                 penta_io_error *err); /* sets pages and state; `close` is called even after a failure */
    bool (*read)(penta_io_reader *reader, size_t page, penta_io_image *out,
                 penta_io_error *err);      /* *out is empty, page in range */
    void (*close)(penta_io_reader *reader); /* may be NULL */

    enum io_types types;
    /* Writes a checked image: not empty, and of a type that can be written. NULL: the format is read-only. */
    bool (*write)(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err);
} io_image_format;

struct penta_io_reader {
    const io_image_format *format;
    io_input input;
    size_t pages;
    bool colour;             /* penta_io_reader_keep_colour: `read` returns 3 channels if the file has colour */
    enum penta_io_axes axes; /* set before `open` */
    char doubt[256];         /* penta_io_reader_doubt; "" for none */
    void *state;             /* state of the format */
};

extern const io_image_format io_tiff_format; /* movies are TIFFs, and some camera raw files */

/* Fails with "PATH: text", or "PATH: page 3 of 150: text" (counted from 1) in a file of several pages. */
bool io_page_fail(const penta_io_reader *reader, size_t page, penta_io_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* a * b; UINT64_MAX on overflow, which fails every check below. */
uint64_t io_product(uint64_t a, uint64_t b);

/* Whether this file can hold a page of `bytes` (before compression); inflation 1: uncompressed. */
bool io_page_plausible(const penta_io_reader *reader, size_t page, uint64_t bytes, uint64_t inflation,
                       penta_io_error *err);

/* Allocates the page; zero sizes, overflow and lack of memory are errors. Its data is not cleared. */
bool io_page_alloc(const penta_io_reader *reader, size_t page, uint64_t width, uint64_t height, penta_type type,
                   penta_io_image *out, penta_io_error *err);

/* The same with 1 or 3 channels. */
bool io_page_alloc_channels(const penta_io_reader *reader, size_t page, uint64_t width, uint64_t height,
                            size_t channels, penta_type type, penta_io_image *out, penta_io_error *err);

/* Writers in files of their own. */
bool io_fits_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err);
bool io_tiff_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err);

/* Luminance of integers up to 65535, rounded to nearest. */
static inline uint32_t io_luminance(uint32_t r, uint32_t g, uint32_t b)
{
    return (299 * r + 587 * g + 114 * b + 500) / 1000;
}

#endif
