/* The interface of one image format, and the checks that all formats share. Internal to src/io. */
#pragma once

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

    bool has_hdus; /* reader->hdu means something */
    enum io_types types;
    /* Writes a checked image: not empty, and of a type that can be written. NULL: the format is read-only. */
    bool (*write)(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err);
} io_image_format;

/* What a page is of, all from 0. */
typedef struct {
    uint32_t series, channel, slice, time;
} io_page_place;

struct penta_io_reader {
    const io_image_format *format;
    io_input input;
    size_t pages;
    bool colour;             /* penta_io_reader_keep_colour: `read` returns 3 channels if the file has colour */
    enum penta_io_axes axes; /* set before `open` */
    const char *hdu;         /* list of HDUs, for `open` only; NULL: not chosen */
    char doubt[512];         /* penta_io_reader_doubt; "" for none */
    io_page_place *places;   /* of each page, set by `open` and freed by `close`; NULL: every page is a frame */
    bool depth_stated;       /* slices are surely depths: ImageJ calls the frames of any stack slices */
    size_t *chosen;          /* pages of the file that are read; NULL: all */
    size_t chosen_count;
    void *state; /* state of the format */
};

extern const io_image_format io_tiff_format; /* movies are TIFFs, and some camera raw files */

/* Fails with "PATH: text", or "PATH: page 3 of 150: text" (counted from 1) in a file of several pages. */
bool io_page_fail(const penta_io_reader *reader, size_t page, penta_io_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds to the line of penta_io_reader_doubt. */
void io_reader_doubt(penta_io_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of a list that penta_io_choice_check found right: whether the number is in it; its largest number, but for "N-". */
bool io_choice_has(const char *text, uint64_t number);
uint64_t io_choice_most(const char *text);
/* Sets what is read of the pages of an open reader, and says what is not. */
bool io_choose_pages(penta_io_reader *reader, const penta_io_choice *choice, penta_io_error *err);

/* The type of image that holds each number of a type that images do not have: kind i, u or f, of so many bits. */
bool io_wider_type(char kind, unsigned bits, penta_type *out);
/* Widens `count` of them, in this machine's byte order. */
void io_widen(char kind, unsigned bits, const void *from, size_t count, void *to);

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
