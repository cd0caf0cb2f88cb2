/*
 * Valid files of every format, cut at every byte and with every byte of their first 200 (and last 200) changed. Each
 * must give an image or an error line; no fault (the sanitizers' business) and no allocation beyond what format.h
 * states: IO_MAX_INFLATION times the file plus IO_SLACK_BYTES. Under AddressSanitizer its hook sees every allocation;
 * in a plain build the address space is limited instead, and then "out of memory" must not be the answer.
 */

#include "support/memory.h"
#include "io_files.h"

#include "io/format.h"

enum { EDGE = 200 };

#define ZSTD_WINDOW_BYTES ((uint64_t)128 << 20)

static int start(void **state)
{
    limit_memory(1);
    return make_test_directory(state);
}

/*
 * Reads every page of a (damaged) file of at most this ratio of compression. Returns whether all of it could be read.
 */
static bool read_all(const char *path, uint64_t file_bytes, uint64_t inflation)
{
    penta_io_reader *reader = NULL;
    uint64_t bound = 8 * inflation * file_bytes + IO_SLACK_BYTES;
    penta_io_error err = {""};
    bool ok;

    if (inflation == IO_MAX_INFLATION)
        bound += ZSTD_WINDOW_BYTES;
    largest_allocation = 0;
    ok = penta_io_reader_open(path, &reader, &err);
    for (size_t page = 0; ok && page < penta_io_reader_pages(reader); page++) {
        HELD_BY(penta_io_image_free) penta_io_image image;

        ok = penta_io_reader_read(reader, page, &image, &err);
        if (ok) {
            const unsigned char *data = image.data;
            size_t bytes = image.width * image.height * penta_type_size(image.type);

            assert_true(bytes > 0);
            assert_true(data[0] + data[bytes - 1] >= 0); /* they are there */
        }
    }
    penta_io_reader_close(reader);
    if (!ok && (strncmp(err.text, path, strlen(path)) != 0 || strlen(err.text) < strlen(path) + 20))
        fail_msg("'%s' is not much of an error", err.text);
    if (strstr(err.text, "out of memory"))
        fail_msg("%s", err.text);
    if (largest_allocation > bound)
        fail_msg("%llu bytes were allocated for a file of %llu", (unsigned long long)largest_allocation,
                 (unsigned long long)file_bytes);
    return ok;
}

/* must_fail_short: whether no part of the file is a file. */
static void torture(const char *path, bool must_fail_short, uint64_t inflation)
{
    static const unsigned char changes[] = {0xff, 0x01, 0x80, 0x20};
    size_t size;
    HELD unsigned char *data = read_file(path, &size);

    assert_true(read_all(path, size, inflation));
    for (size_t n = 0; n < size; n++)
        if (read_all(write_file("cut", data, n), n, inflation) && must_fail_short)
            fail_msg("%s cut to %zu of %zu bytes can still be read", path, n, size);
    for (size_t i = 0; i < size; i = i + 1 == EDGE && size > 2 * EDGE ? size - EDGE : i + 1)
        for (size_t k = 0; k < COUNT(changes); k++) {
            data[i] ^= changes[k];
            read_all(write_file("changed", data, size), size, inflation);
            data[i] ^= changes[k];
        }
}

TEST(png)
{
    static const png_color palette[4] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
    static const png_spec specs[] = {
        {.color = PNG_COLOR_TYPE_GRAY, .depth = 8},
        {.color = PNG_COLOR_TYPE_GRAY, .depth = 1, .interlaced = true},
        {.color = PNG_COLOR_TYPE_RGB_ALPHA, .depth = 16, .interlaced = true},
        {.color = PNG_COLOR_TYPE_PALETTE, .depth = 2, .palette = palette, .colors = 4, .transparency = true},
    };
    unsigned char rows[9 * 11 * 8];

    for (size_t i = 0; i < sizeof rows; i++)
        rows[i] = (unsigned char)(i * 37);
    for (size_t i = 0; i < COUNT(specs); i++)
        torture(write_png("seed", 11, 9, &specs[i], rows), true, IO_DEFLATE_INFLATION);
}

TEST(pnm)
{
    static const char *const files[] = {"P2\n# c\n3 2\n255\n0 1 2\n3 4 100 ", "P3 1 2 999 1 2 3 4 5 678 ",
                                        "P5\n#\n3 2\n255\nabcdef", "P6 2 1 300\n\1\1\1\1\1\1\1\1\1\1\1\1",
                                        "P5 2 1 255\nabP5 1 1 7\n\7"};

    for (size_t i = 0; i < COUNT(files); i++)
        torture(write_file("seed", files[i], strlen(files[i])), false, 1);
}

TEST(npy)
{
    static const char *const headers[] = {
        "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }                            \n",
        "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 1), }                             \n",
        "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2, 3), }                         \n",
    };

    for (size_t i = 0; i < COUNT(headers); i++) {
        unsigned char file[256] = "\x93NUMPY\1";
        size_t length = strlen(headers[i]);

        file[8] = (unsigned char)length;
        memcpy(file + 10, headers[i], length);
        torture(write_file("seed", file, 10 + length + 12), true, 1);
    }
}

#ifdef PENTA_HAVE_FITS

/* One block of header with these cards, one of data. */
static void torture_fits(const char *const cards[], size_t count)
{
    unsigned char file[2 * 2880];

    for (size_t i = 0; i < sizeof file; i++)
        file[i] = (unsigned char)(i < sizeof file / 2 ? ' ' : i * 37);
    for (size_t i = 0; i < count; i++)
        memcpy(file + 80 * i, cards[i], strlen(cards[i]));
    memcpy(file + 80 * count, "END", 3);
    torture(write_file("seed", file, sizeof file), true, 1);
}

TEST(fits)
{
    static const char *const flat[] = {"SIMPLE  =                    T", "BITPIX  =                   16",
                                       "NAXIS   =                    2", "NAXIS1  =                   48",
                                       "NAXIS2  =                   30"};
    static const char *const stack[] = {"SIMPLE  =                    T", "BITPIX  =                  -32",
                                        "NAXIS   =                    3", "NAXIS1  =                    5",
                                        "NAXIS2  =                    7", "NAXIS3  =                    3",
                                        "BSCALE  =                  0.5"};

    torture_fits(flat, COUNT(flat));
    torture_fits(stack, COUNT(stack));
}

#endif

#ifdef PENTA_HAVE_JPEG

IO_TEST(jpeg)
{
    static uint8_t pixels[19 * 13 * 3];
    penta_io_image image = {.width = 19, .height = 13, .type = PENTA_U8, .data = pixels, .channels = 1};

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 37);
    for (; image.channels <= 3; image.channels += 2) {
        assert_true(penta_io_image_write(in_directory("seed.jpg"), &image, NULL, &err));
        torture(in_directory("seed.jpg"), true, IO_JPEG_INFLATION);
    }
}

#endif

#ifdef PENTA_HAVE_TIFF

static void torture_tiff(const char *mode, const tiff_spec *spec, const unsigned char *pixels)
{
    TIFF *tif = TIFFOpen(in_directory("seed"), mode);

    assert_non_null(tif);
    add_tiff_page(tif, spec, pixels);
    add_tiff_page(tif, spec, pixels);
    TIFFClose(tif);
    torture(in_directory("seed"), false, IO_MAX_INFLATION);
}

TEST(tiff)
{
    static const uint16_t palette[12] = {0, 257, 514, 65535, 1, 2, 3, 4, 5, 6, 7, 8};
    static const tiff_spec specs[] = {
        {.width = 9, .height = 7, .bits = 16, .rows_per_strip = 2},
        {.width = 9, .height = 7, .bits = 8, .samples = 3, .photometric = PHOTOMETRIC_RGB + 1, .planar = 2},
        {.width = 17, .height = 7, .bits = 8, .tile = 16, .compression = COMPRESSION_ADOBE_DEFLATE},
        {.width = 9, .height = 7, .bits = 2, .photometric = PHOTOMETRIC_PALETTE + 1, .palette = palette},
        {.width = 9, .height = 7, .bits = 64, .format = SAMPLEFORMAT_IEEEFP, .compression = COMPRESSION_LZW},
        {.width = 9, .height = 7, .bits = 8, .compression = COMPRESSION_PACKBITS},
    };
    unsigned char pixels[9 * 7 * 8];

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 37);
    for (size_t i = 0; i < COUNT(specs); i++) {
        torture_tiff("wl", &specs[i], pixels);
        torture_tiff("wb8", &specs[i], pixels);
    }
}

TEST(tiff_codecs)
{
    static const uint16_t codecs[] = {COMPRESSION_CCITTFAX4, COMPRESSION_ZSTD, COMPRESSION_LZMA, COMPRESSION_JPEG};
    unsigned char pixels[16 * 16];

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 37);
    for (size_t i = 0; i < COUNT(codecs); i++) {
        tiff_spec spec = {.width = 16, .height = 16, .bits = codecs[i] == COMPRESSION_CCITTFAX4 ? 1 : 8};

        spec.compression = codecs[i];
        if (TIFFIsCODECConfigured(spec.compression))
            torture_tiff("w", &spec, pixels);
    }
}

#endif

RUN(EVERYWHERE, NULL, start, remove_test_directory);
