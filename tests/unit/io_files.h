/* Files for the tests of src/io: a directory of their own, small files of every format, and what reading them gave.
 */
#pragma once

#include "support/test.h"

#include <fcntl.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef PENTA_HAVE_TIFF
#include <tiffio.h>
#endif

#include <pentacl/io/image.h>
#include "support/files.h"

static char test_directory[256];

static inline int make_test_directory(void **state)
{
    (void)state;
    return make_scratch_directory("io", test_directory, sizeof test_directory) ? 0 : -1;
}

static inline int remove_test_directory(void **state)
{
    (void)state;
    return remove_tree(test_directory);
}

#define IN_DIRECTORY RUN(EVERYWHERE, NULL, make_test_directory, remove_test_directory)

/* Full name of a file in the test's directory; the last eight stay valid. */
static inline const char *in_directory(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof *paths, "%s/%s", test_directory, name);
    return path;
}

static inline const char *write_file(const char *name, const void *data, size_t size)
{
    const char *path = in_directory(name);
    FILE *f;

    unlink(path); /* some file systems wait for the disk when a file is cut and written again */
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* Makes a file longer without writing to the disk. */
static inline void stretch_file(const char *path, long long size)
{
    assert_int_equal(truncate(path, size), 0);
}

/* The whole file, which there must be, and a NUL; to be freed. */
static inline unsigned char *read_file(const char *path, size_t *size)
{
    char *data = file_contents(path, size);

    assert_non_null(data);
    return (unsigned char *)data;
}

/* ---- reading ---- */

static inline bool read_page(const char *path, size_t page, penta_io_image *out, penta_io_error *err)
{
    penta_io_reader *reader = NULL;
    bool ok;

    *out = (penta_io_image){0};
    err->text[0] = 0;
    if (!penta_io_reader_open(path, &reader, err)) {
        assert_null(reader);
        return false;
    }
    ok = penta_io_reader_read(reader, page, out, err);
    if (!ok)
        assert_null(out->data);
    penta_io_reader_close(reader);
    return ok;
}

/* Page 0, which must be readable and of this shape. To be freed. */
static inline penta_io_image expect_image(const char *path, size_t width, size_t height, penta_type type)
{
    penta_io_image image;
    penta_io_error err = {""};

    if (!read_page(path, 0, &image, &err))
        fail_msg("cannot be read: %s", err.text);
    assert_string_equal(err.text, "");
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.type, type);
    return image;
}

static inline void expect_pixels(const char *path, size_t width, size_t height, penta_type type, const void *expected)
{
    penta_io_image image = expect_image(path, width, height, type);

    assert_memory_equal(image.data, expected, width * height * penta_type_size(type));
    penta_io_image_free(&image);
    assert_null(image.data);
}

/* One line that names the file and contains `what`. */
static inline void expect_line(const penta_io_error *err, const char *path, const char *what)
{
    if (strncmp(err->text, path, strlen(path)) != 0 || !strstr(err->text, what) || strchr(err->text, '\n'))
        fail_msg("the error '%s' should name the file and say '%s'", err->text, what);
}

/* Opening or reading page 0 must fail with one line that names the file and contains `what`. */
static inline void expect_error(const char *path, const char *what)
{
    penta_io_image image;
    penta_io_error err = {""};

    if (read_page(path, 0, &image, &err)) {
        penta_io_image_free(&image);
        fail_msg("%s can be read, but should fail with '%s'", path, what);
    }
    expect_line(&err, path, what);
}

/* ---- PNG ---- */

typedef struct {
    int color, depth;
    bool interlaced;
    const png_color *palette;
    int colors;
    bool transparency; /* adds a tRNS chunk */
    double gamma;      /* adds a gAMA chunk unless 0 */
} png_spec;

/* rows: packed rows as PNG has them, 16-bit samples big-endian. */
static inline const char *write_png(const char *name, uint32_t width, uint32_t height, const png_spec *spec,
                                    const unsigned char *rows)
{
    const char *path = in_directory(name);
    FILE *f = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    size_t row_bytes;
    int passes;

    assert_non_null(f);
    png_init_io(png, f);
    png_set_check_for_invalid_index(png, 0);
    png_set_IHDR(png, info, width, height, spec->depth, spec->color, spec->interlaced, 0, 0);
    if (spec->palette)
        png_set_PLTE(png, info, spec->palette, spec->colors);
    if (spec->transparency) {
        const unsigned char alpha[2] = {0, 128};
        png_color_16 key = {.index = 0, .red = 1, .green = 2, .blue = 3, .gray = 1};

        png_set_tRNS(png, info, alpha, spec->palette ? 2 : 0, &key);
    }
    if (spec->gamma > 0)
        png_set_gAMA(png, info, spec->gamma);
    png_write_info(png, info);
    row_bytes = png_get_rowbytes(png, info);
    passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < height; y++)
            png_write_row(png, rows + y * row_bytes);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* ---- TIFF ---- */

#ifdef PENTA_HAVE_TIFF

/* Zero means the usual: 1 sample, unsigned, min-is-black, contiguous, uncompressed, one strip. */
typedef struct {
    uint32_t width, height;
    uint16_t bits, samples, format, photometric, planar, compression, orientation;
    uint32_t rows_per_strip, tile; /* tile: side in pixels */
    const uint16_t *palette;       /* red, green, blue, 2^bits entries each */
    const char *description;
    uint16_t fill_order;
    uint32_t kind; /* NewSubfileType */
} tiff_spec;

static inline void set_tiff_tags(TIFF *tif, const tiff_spec *s)
{
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, s->width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, s->height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, s->bits);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, s->samples ? s->samples : 1);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, s->compression ? s->compression : COMPRESSION_NONE);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, s->photometric ? s->photometric - 1 : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG, s->planar ? s->planar : PLANARCONFIG_CONTIG);
    if (s->format)
        TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, s->format);
    if (s->orientation)
        TIFFSetField(tif, TIFFTAG_ORIENTATION, s->orientation);
    if (s->palette)
        TIFFSetField(tif, TIFFTAG_COLORMAP, s->palette, s->palette + (1 << s->bits), s->palette + (2 << s->bits));
    if (s->description)
        TIFFSetField(tif, TIFFTAG_IMAGEDESCRIPTION, s->description);
    if (s->fill_order)
        TIFFSetField(tif, TIFFTAG_FILLORDER, s->fill_order);
    if (s->kind)
        TIFFSetField(tif, TIFFTAG_SUBFILETYPE, s->kind);
    if (s->tile) {
        TIFFSetField(tif, TIFFTAG_TILEWIDTH, s->tile);
        TIFFSetField(tif, TIFFTAG_TILELENGTH, s->tile);
    } else {
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, s->rows_per_strip ? s->rows_per_strip : s->height);
    }
}

/* Tiles cut from the plane and padded with zeros. Pixels of less than a byte must lie in a single column of tiles. */
static inline void write_tiles(TIFF *tif, const tiff_spec *s, uint16_t plane, const unsigned char *data)
{
    size_t row_bytes = (size_t)TIFFScanlineSize(tif);
    size_t tile_row_bytes = (size_t)TIFFTileRowSize(tif);
    unsigned char *tile = malloc((size_t)TIFFTileSize(tif));

    assert_non_null(tile);
    assert_true(s->bits % 8 == 0 || s->width <= s->tile);
    for (uint32_t y0 = 0; y0 < s->height; y0 += s->tile)
        for (uint32_t x0 = 0; x0 < s->width; x0 += s->tile) {
            size_t from = x0 / s->tile * tile_row_bytes;
            size_t n = tile_row_bytes < row_bytes - from ? tile_row_bytes : row_bytes - from;

            memset(tile, 0, (size_t)TIFFTileSize(tif));
            for (uint32_t y = y0; y < s->height && y < y0 + s->tile; y++)
                memcpy(tile + (y - y0) * tile_row_bytes, data + y * row_bytes + from, n);
            assert_true(TIFFWriteTile(tif, tile, x0, y0, 0, plane) > 0);
        }
    free(tile);
}

/* data: packed rows in this machine's byte order, plane after plane when they are separate. */
static inline void add_tiff_page(TIFF *tif, const tiff_spec *s, const void *data)
{
    unsigned char *at = malloc(65536); /* libtiff turns bytes round in place */
    uint16_t planes = s->planar == PLANARCONFIG_SEPARATE ? s->samples : 1;
    size_t row_bytes;
    size_t bytes;

    set_tiff_tags(tif, s);
    row_bytes = (size_t)TIFFScanlineSize(tif);
    bytes = row_bytes * s->height * planes;
    assert_non_null(at);
    assert_true(bytes <= 65536);
    memcpy(at, data, bytes);
    for (uint16_t plane = 0; plane < planes; plane++) {
        unsigned char *from = at + plane * row_bytes * s->height;

        if (s->tile)
            write_tiles(tif, s, plane, from);
        else
            for (uint32_t y = 0; y < s->height; y++)
                assert_int_equal(TIFFWriteScanline(tif, from + y * row_bytes, y, plane), 1);
    }
    assert_int_equal(TIFFWriteDirectory(tif), 1);
    free(at);
}

/* mode: as TIFFOpen has it; "w", and after it l or b for the byte order and 8 for BigTIFF. */
static inline const char *write_tiff(const char *name, const char *mode, const tiff_spec *s, const void *data)
{
    const char *path = in_directory(name);
    TIFF *tif = TIFFOpen(path, mode);

    assert_non_null(tif);
    add_tiff_page(tif, s, data);
    TIFFClose(tif);
    return path;
}

#endif
