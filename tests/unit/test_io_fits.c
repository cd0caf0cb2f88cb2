/* FITS images: pixels and scaling, HDUs, names, what is refused, damage. */

#include "fits_files.h"

#include <pentacl/io/image.h>

#ifndef PENTA_HAVE_FITS

TEST(without_cfitsio)
{
    expect_error(write_file("a.fits", "SIMPLE  =                    T", 30),
                 "is a FITS file; this build has no FITS support: install libcfitsio-dev and rebuild");
}

#else

#include <fitsio.h>
#include <zlib.h>

/* Three pixels in a row, with these cards besides. */
static const char *row_of_3(int bitpix, const char *cards, const void *data)
{
    char text[400];

    snprintf(text, sizeof text, PRIMARY "BITPIX  = %d\nNAXIS   = 2\nNAXIS1  = 3\nNAXIS2  = 1\n%s", bitpix, cards);
    return one_hdu("row.fits", text, data, 3 * (size_t)abs(bitpix) / 8);
}

/* ---- pixels ---- */

TEST(plain_types)
{
    expect_pixels(row_of_3(8, "", "\0\177\377"), 3, 1, PENTA_U8, "\0\177\377");
    expect_pixels(row_of_3(8, "BZERO   = 0.0\nBSCALE  = 1.0\n", "abc"), 3, 1, PENTA_U8, "abc");
    expect_pixels(row_of_3(16, "BZERO   = 32768\n", "\x80\0\x7f\xff\0\1"), 3, 1, PENTA_U16,
                  (const uint16_t[]){0, 65535, 32769});
    expect_pixels(row_of_3(-32, "", "\x3f\x80\0\0\xc0\0\0\0\x7f\xc0\0\1"), 3, 1, PENTA_F32,
                  (const uint32_t[]){0x3f800000, 0xc0000000, 0x7fc00001});
    expect_pixels(row_of_3(-64, "", "\x3f\xf0\0\0\0\0\0\0\xbf\xb9\x99\x99\x99\x99\x99\x9a\x7f\xf0\0\0\0\0\0\0"), 3, 1,
                  PENTA_F64, (const double[]){1, -0.1, INFINITY});
}

TEST(other_types_become_double)
{
    expect_pixels(row_of_3(16, "", "\0\1\xff\xff\x80\0"), 3, 1, PENTA_F64, (const double[]){1, -1, -32768});
    expect_pixels(row_of_3(32, "", "\0\0\0\1\x7f\xff\xff\xff\x80\0\0\0"), 3, 1, PENTA_F64,
                  (const double[]){1, 2147483647, -2147483648.0});
    expect_pixels(row_of_3(64, "BZERO   = 9223372036854775808\n",
                           "\0\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff"),
                  3, 1, PENTA_F64, (const double[]){9223372036854775808.0, 0, 18446744073709551616.0});
    expect_pixels(row_of_3(8, "BZERO   = -128\n", "\0\177\377"), 3, 1, PENTA_F64, (const double[]){-128, -1, 127});
    expect_pixels(row_of_3(16, "BSCALE  = 0.5\nBZERO   = 32768\n", "\0\1\xff\xff\x80\0"), 3, 1, PENTA_F64,
                  (const double[]){32768.5, 32767.5, 16384});
    expect_pixels(row_of_3(-32, "BSCALE  = 2.0D0\nBZERO   = 1E1\n", "\x3f\x80\0\0\xc0\0\0\0\0\0\0\0"), 3, 1, PENTA_F64,
                  (const double[]){12, 6, 10});
}

static void expect_blank(const char *path, size_t at, double before, double after)
{
    HELD_BY(penta_io_image_free) penta_io_image image = expect_image(path, 3, 1, PENTA_F64);
    const double *v = image.data;

    for (size_t i = 0; i < 3; i++)
        if (i == at)
            assert_true(isnan(v[i]));
        else
            assert_true(v[i] == (i < at ? before : after));
}

TEST(blank_is_nan)
{
    expect_blank(row_of_3(8, "BLANK   = 255\n", "\1\377\2"), 1, 1, 2);
    expect_blank(row_of_3(16, "BZERO   = 32768\nBLANK   = -32768\n", "\x80\0\0\2\0\2"), 0, 0, 32770);
    expect_blank(row_of_3(16, "BZERO   = 32768\nBLANK   = -5\n", "\0\1\0\1\xff\xfb"), 2, 32769, 0);
    expect_pixels(row_of_3(-32, "BLANK   = 0\n", "\0\0\0\0\0\0\0\0\0\0\0\0"), 3, 1, PENTA_F32,
                  (const float[]){0, 0, 0});
}

IO_TEST(first_row_is_row_0_and_planes_are_pages)
{
    const char *cards = PRIMARY "BITPIX  = 8\nNAXIS   = 3\nNAXIS1  = 3\nNAXIS2  = 2\nNAXIS3  = 2\n";
    const char *path = one_hdu("pages.fits", cards, "abcdefghijkl", 12);
    penta_io_reader *reader = NULL;
    penta_io_image image;

    expect_pixels(path, 3, 2, PENTA_U8, "abcdef");
    assert_true(penta_io_reader_open(path, &reader, &err));
    assert_int_equal(penta_io_reader_pages(reader), 2);
    assert_true(penta_io_reader_read(reader, 1, &image, &err));
    assert_memory_equal(image.data, "ghijkl", 6);
    penta_io_image_free(&image);
    assert_int_equal(truncate(path, 2880 + 9), 0);
    assert_false(penta_io_reader_read(reader, 1, &image, &err));
    assert_non_null(strstr(err.text, "page 2 of 2: cannot be read; the file shrank"));
    penta_io_reader_close(reader);
    cards = PRIMARY "BITPIX  = 8\nNAXIS   = 5\nNAXIS1  = 3\nNAXIS2  = 2\nNAXIS3  = 2\nNAXIS4  = 1\nNAXIS5  = 1\n";
    expect_pixels(one_hdu("pages.fits", cards, "abcdefghijkl", 12), 3, 2, PENTA_U8, "abcdef");
}

/* More elements than are converted at a time. */
TEST(long_rows)
{
    unsigned char raw[2 * 9001];
    uint16_t right[9001];

    for (size_t i = 0; i < 9001; i++) {
        right[i] = (uint16_t)(i * 7919);
        raw[2 * i] = (unsigned char)((right[i] >> 8) ^ 0x80);
        raw[2 * i + 1] = (unsigned char)right[i];
    }
    expect_pixels(one_hdu("long.fits",
                          PRIMARY "BITPIX  = 16\nNAXIS   = 2\nNAXIS1  = 9001\nNAXIS2  = 1\nBZERO   = 32768\n", raw,
                          sizeof raw),
                  9001, 1, PENTA_U16, right);
}

/* ---- HDUs ---- */

static void add_image(hand_made *f)
{
    add_header(f, IMAGE "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 2\nPCOUNT  = 0\nGCOUNT  = 1\n");
    add_data(f, "wxyz", 4);
}

TEST(first_image_extension)
{
    hand_made f = {.size = 0};

    add_header(&f, EMPTY);
    add_table(&f, "");
    add_image(&f);
    add_table(&f, "");
    expect_pixels(save("extensions.fits", &f), 2, 2, PENTA_U8, "wxyz");
    f.size -= 2880; /* what follows the image does not matter */
    expect_pixels(save("extensions.fits", &f), 2, 2, PENTA_U8, "wxyz");
}

TEST(files_without_a_readable_image)
{
    hand_made f = {.size = 0};

    add_header(&f, EMPTY);
    expect_error(save("none.fits", &f), "is a FITS file without an image");
    add_table(&f, "");
    expect_error(save("none.fits", &f), "is a FITS file without an image");
    f.size -= 1;
    expect_error(save("none.fits", &f), "HDU 1: its data should end at byte 8640, but the file has 8639; it is trunc");
    f.size = 2880; /* a table that claims to be an image of as many tiles as it has rows, and no compressed pixels */
    add_table(&f, "ZIMAGE  = T\nZCMPTYPE= 'RICE_1'\nZBITPIX = 16\nZNAXIS  = 2\nZNAXIS1 = 8\nZNAXIS2 = 3\n"
                  "ZTILE1  = 8\nZTILE2  = 1\n");
    add_image(&f);
    expect_error(save("packed.fits", &f), "its compressed image cannot be unpacked (cfitsio: ");
}

/* ---- compressed files ---- */

enum { PW = 37, PH = 23, PAGES = 3, PN = PW * PH };

/* An image of cfitsio's type, tile-compressed in this way (0: not), its numbers counted up. */
static const char *packed_file(const char *name, int kind, int how, int axes, const char *quantize)
{
    static double numbers[PN * PAGES];
    static uint8_t bytes[PN * PAGES];
    static uint16_t shorts[PN * PAGES];
    const LONGLONG count = axes > 2 ? PN * PAGES : PN;
    const char *path = in_directory(name);
    long size[3] = {PW, PH, PAGES};
    fitsfile *fits = NULL;
    char spec[600];
    int status = 0;

    unlink(path);
    snprintf(spec, sizeof spec, "!%s", path);
    for (size_t i = 0; i < PN * PAGES; i++)
        numbers[i] = (double)((i * 7) % 251);
    fits_create_file(&fits, spec, &status);
    if (how)
        fits_set_compression_type(fits, how, &status);
    if (how && quantize)
        fits_set_quantize_level(fits, 0, &status); /* floats without loss */
    fits_create_img(fits, kind, axes, size, &status);
    fits_write_key_str(fits, "CTYPE1", "RA---TAN", NULL, &status);
    fits_write_key_str(fits, "CTYPE2", "DEC--TAN", NULL, &status);
    for (int i = 1; i <= 2; i++) {
        char key[32];

        snprintf(key, sizeof key, "CRVAL%d", i);
        fits_write_key_dbl(fits, key, 10.0 * i, 15, NULL, &status);
        snprintf(key, sizeof key, "CRPIX%d", i);
        fits_write_key_dbl(fits, key, 5, 15, NULL, &status);
        snprintf(key, sizeof key, "CD%d_%d", i, i);
        fits_write_key_dbl(fits, key, 0.01, 15, NULL, &status);
    }
    switch (kind) {
    case BYTE_IMG:
        for (size_t i = 0; i < PN * PAGES; i++)
            bytes[i] = (uint8_t)numbers[i];
        fits_write_img(fits, TBYTE, 1, count, bytes, &status);
        break;
    case SHORT_IMG:
    case USHORT_IMG:
        for (size_t i = 0; i < PN * PAGES; i++)
            shorts[i] = (uint16_t)numbers[i];
        fits_write_img(fits, kind == SHORT_IMG ? TSHORT : TUSHORT, 1, count, shorts, &status);
        break;
    default:
        fits_write_img(fits, TDOUBLE, 1, count, numbers, &status);
    }
    fits_close_file(fits, &status);
    if (status)
        fits_report_error(stderr, status);
    assert_int_equal(status, 0);
    return path;
}

static void expect_same(const char *packed, const char *plain, size_t pages)
{
    HELD_BY(penta_io_reader_held) penta_io_reader *a = NULL, *b = NULL;
    penta_io_image x, y;
    penta_io_error err = {""};

    EXPECT_IO(penta_io_reader_open(packed, &a, &err) && penta_io_reader_open(plain, &b, &err), err);
    assert_int_equal(penta_io_reader_pages(a), pages);
    for (size_t page = 0; page < pages; page++) {
        EXPECT_IO(penta_io_reader_read(a, page, &x, &err) && penta_io_reader_read(b, page, &y, &err), err);
        assert_int_equal(x.type, y.type);
        assert_int_equal(x.width, PW);
        assert_int_equal(x.height, PH);
        assert_memory_equal(x.data, y.data, PN * penta_type_size(x.type));
        penta_io_image_free(&x);
        penta_io_image_free(&y);
    }
}

static const char *gzip(const char *name, const char *path)
{
    size_t size;
    HELD unsigned char *data = read_file(path, &size);
    gzFile f = gzopen(in_directory(name), "wb");

    assert_int_equal(gzwrite(f, data, (unsigned)size), (int)size);
    assert_int_equal(gzclose(f), Z_OK);
    return in_directory(name);
}

IO_TEST(tile_compressed)
{
    static const int kinds[] = {BYTE_IMG, SHORT_IMG, USHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG};
    static const int hows[] = {RICE_1, GZIP_1, GZIP_2, PLIO_1, HCOMPRESS_1};
    penta_io_fits_wcs_cards wcs;

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t h = 0; h < COUNT(hows); h++) {
            bool floats = kinds[k] < 0;

            if ((floats && hows[h] != GZIP_1 && hows[h] != GZIP_2) || (hows[h] == PLIO_1 && kinds[k] == USHORT_IMG))
                continue; /* would be lossy; not in the standard */
            packed_file("plain.fits", kinds[k], 0, 2, NULL);
            expect_same(packed_file("a.fz", kinds[k], hows[h], 2, floats ? "no" : NULL), in_directory("plain.fits"), 1);
        }
    packed_file("plain.fits", USHORT_IMG, 0, 3, NULL);
    expect_same(packed_file("stack.fits.fz", USHORT_IMG, RICE_1, 3, NULL), in_directory("plain.fits"), PAGES);
    assert_true(penta_io_fits_wcs(in_directory("a.fz"), &wcs, &err));
    assert_int_equal(wcs.width, PW);
    assert_int_equal(wcs.height, PH);
    assert_true(wcs.wcs.crval[1] == 20);
}

IO_TEST(gzipped)
{
    penta_io_fits_wcs_cards wcs;
    unsigned char *data;
    size_t size;
    const char *path;

    packed_file("plain.fits", FLOAT_IMG, 0, 3, NULL);
    path = gzip("a.fits.gz", in_directory("plain.fits"));
    expect_same(path, in_directory("plain.fits"), PAGES);
    assert_true(penta_io_fits_wcs(path, &wcs, &err));
    assert_int_equal(wcs.width, PW);
    expect_same(gzip("b.fz.gz", packed_file("a.fz", LONG_IMG, RICE_1, 3, NULL)),
                packed_file("plain.fits", LONG_IMG, 0, 3, NULL), PAGES);
    assert_true(penta_io_image_has_name("a.fits.gz") && penta_io_image_has_name("a.FZ"));
    assert_true(penta_io_image_can_write("a.fits.gz", PENTA_F32, &err));
    assert_false(penta_io_image_can_write("a.fz", PENTA_F32, &err));
    data = read_file(path, &size);
    for (size_t n = 20; n < size; n += 101)
        expect_error(write_file("cut.fits.gz", data, n), "cut.fits.gz: ");
    expect_error(write_file("cut.fits.gz", data, size - 1), "its compression is damaged");
    free(data);
    expect_error(gzip("a.npy.gz", write_png("a.png", 8, 8, &(png_spec){.color = PNG_COLOR_TYPE_GRAY, .depth = 8},
                                            (const unsigned char[64]){0})),
                 "is a PNG file compressed by gzip; unpack it: gunzip");
}

/* Sizes that the tiles contradict, and tiles that claim more than the file. */
IO_TEST(packed_sizes)
{
    static const struct {
        const char *card, *value;
    } changes[] = {{"ZNAXIS1", "      2000000000"},  {"ZNAXIS2", "      2000000000"},
                   {"ZTILE1  ", "      2000000000"}, {"ZTILE2  ", "      2000000000"},
                   {"NAXIS2  ", "      2000000000"}, {"PCOUNT  ", "      2000000000"}};
    HELD unsigned char *data = NULL, *kept = NULL;
    size_t size;

    data = read_file(packed_file("a.fz", SHORT_IMG, RICE_1, 2, NULL), &size);
    kept = malloc(size);
    assert_non_null(kept);
    memcpy(kept, data, size);
    for (size_t k = 0; k < COUNT(changes); k++) {
        size_t at = 2880;

        while (at + 80 < size && memcmp(data + at, changes[k].card, strlen(changes[k].card)) != 0)
            at += 80;
        assert_true(at + 80 < size);
        memcpy(data + at + 14, changes[k].value, strlen(changes[k].value));
        expect_error(write_file("b.fz", data, size), "b.fz: ");
        memcpy(data, kept, size);
    }
    for (size_t at = 3 * 2880; at < size && at < 3 * 2880 + 8 * PH; at++) { /* the descriptors of the tiles */
        penta_io_image image;

        data[at] ^= 0x7f;
        if (read_page(write_file("b.fz", data, size), 0, &image, &err))
            penta_io_image_free(&image);
        data[at] ^= 0x7f;
    }
    for (size_t n = 2880; n < size; n += 960)
        expect_error(write_file("b.fz", data, n), "b.fz: ");
}

/* Names that cfitsio's own opening would take apart. */
TEST(names_are_names)
{
    static const char *const names[] = {"a[1:2,1:1].fits", "b.fits[0]", "c.fits+1",  "d(e).fits", "~f.fits", "-",
                                        "mem://g.fits",    "stdin",     "h.fits.gz", "@i.fits",   "!j.fits", "ftp://k"};
    char here[1024];

    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(mkdir(in_directory("mem:"), 0777), 0);
    assert_int_equal(mkdir(in_directory("ftp:"), 0777), 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *path = in_directory(names[i]);

        assert_int_equal(rename(row_of_3(8, "", "abc"), path), 0);
        expect_pixels(path, 3, 1, PENTA_U8, "abc");
        assert_int_equal(chdir(test_directory), 0);
        expect_pixels(names[i], 3, 1, PENTA_U8, "abc");
        assert_int_equal(chdir(here), 0);
    }
}

/* ---- what is refused ---- */

static void expect_refusal(const char *cards, const char *what)
{
    expect_error(one_hdu("refused.fits", cards, "0123456789abcdef", 16), what);
}

TEST(refusals)
{
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 1\nNAXIS1  = 16\n",
                   "HDU 0: its image has 1 axes; 2 (width, height)");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 4\nNAXIS1  = 2\nNAXIS2  = 2\nNAXIS3  = 2\nNAXIS4  = 2\n",
                   "its image has 4 axes");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 0\n", "the image is empty (2 x 0 pixels");
    expect_refusal(PRIMARY "BITPIX  = 24\nNAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 2\n", "BITPIX is 24, not 8");
    expect_refusal(PRIMARY "NAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 2\n", "BITPIX is 0");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = -2\nNAXIS2  = 2\n", "NAXIS1 is too small in its");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\n", "NAXIS2 is missing in its header");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS1  = 2\n", "NAXIS is missing in its header");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 1000\n", "NAXIS is 1000, over 999");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2.5\n", "NAXIS in its header is not an integer");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 99999999999999999999\n", "NAXIS in its header is not an integer");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 100000\nNAXIS2  = 100000\n",
                   "asks for 1 page(s) of 100000 x 100000 pixels of 8 bits, which end at byte 10000005120, but the "
                   "file has 5760; it is truncated");
    expect_refusal(PRIMARY "BITPIX  = -64\nNAXIS   = 3\nNAXIS1  = 4294967296\nNAXIS2  = 4294967296\nNAXIS3  = 2\n",
                   "it is truncated or damaged");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 2\nBSCALE  = 0.0\n", "BSCALE is 0");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 2\nBZERO   = 'no'\n",
                   "BZERO in its header is not a finite number");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 2\nBLANK   = 'no'\n",
                   "BLANK in its header is not an integer");
    expect_refusal(PRIMARY "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 9999\nNAXIS2  = 9999\nGROUPS  = T\nGCOUNT  = 0\n",
                   "GCOUNT is too small in its header");
    expect_error(write_file("a.fits", "SIMPLE  =", 9), "is a FITS file that ends inside the header of its HDU 0");
}

/* An endless header in a file that takes no place on the disk. */
TEST(header_without_end)
{
    const char *path = write_file("endless.fits", "SIMPLE  =                    T", 30);

    stretch_file(path, 1LL << 30);
    expect_error(path, "HDU 0: its header has no END in 147456 cards");
}

/* ---- damage ---- */

static void make_damageable(hand_made *f)
{
    add_header(f,
               PRIMARY "BITPIX  = 8\nNAXIS   = 0\nEXTEND  = T\nCTYPE1  = 'RA---TAN-SIP'\n"
                       "CTYPE2  = 'DEC--TAN-SIP'\nCRVAL1  = 10.0\nCRVAL2  = 20.0\nCRPIX1  = 3.5\nCRPIX2  = 4.5\n"
                       "CD1_1   = 0.01\nCD2_2   = 0.01\nA_ORDER = 2\nB_ORDER = 2\nA_2_0   = 1E-5\nB_1_1   = -2E-6\n");
    add_table(f, "");
    add_header(f, IMAGE "BITPIX  = 16\nNAXIS   = 3\nNAXIS1  = 40\nNAXIS2  = 30\nNAXIS3  = 2\nPCOUNT  = 0\n"
                        "GCOUNT  = 1\nBZERO   = 32768\nBSCALE  = 1\nBLANK   = 7\n");
    add_data(f, f->bytes, 40 * 30 * 2 * 2);
}

/* Reads everything; the answer does not matter, but an error must be a line. Nothing may stay in cfitsio. */
static bool read_all(const char *path)
{
    penta_io_reader *reader = NULL;
    penta_io_fits_wcs_cards wcs;
    penta_io_error err = {""};
    bool ok = penta_io_reader_open(path, &reader, &err);
    char message[FLEN_ERRMSG];

    for (size_t page = 0; ok && page < penta_io_reader_pages(reader); page++) {
        HELD_BY(penta_io_image_free) penta_io_image image;

        ok = penta_io_reader_read(reader, page, &image, &err);
    }
    penta_io_reader_close(reader);
    if (!ok && strncmp(err.text, path, strlen(path)) != 0)
        fail_msg("'%s' should name the file", err.text);
    *err.text = 0;
    if (!penta_io_fits_wcs(path, &wcs, &err) && strncmp(err.text, path, strlen(path)) != 0)
        fail_msg("'%s' should name the file", err.text);
    assert_int_equal(fits_read_errmsg(message), 0);
    return ok;
}

TEST(truncation)
{
    hand_made f = {.size = 0};
    size_t size;

    make_damageable(&f);
    assert_true(read_all(save("whole.fits", &f)));
    size = f.size;
    for (size_t block = 0; block < size / 2880; block++)
        for (int more = -1; more <= 1; more++) {
            f.size = block * 2880 + (size_t)(2880 * (block == 0)) + (size_t)more;
            if (f.size < size && read_all(save("cut.fits", &f)))
                fail_msg("%zu of %zu bytes can be read", f.size, size);
        }
}

/* Damaged at random; also, cfitsio must not print. */
TEST(random_bytes)
{
    char said[512];
    hand_made f = {.size = 0};
    uint64_t random = 1;
    int streams[2] = {dup(1), dup(2)};
    struct stat st;
    int quiet;

    make_damageable(&f);
    snprintf(said, sizeof said, "%s", in_directory("said"));
    fflush(NULL);
    quiet = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(quiet >= 0 && dup2(quiet, 1) == 1 && dup2(quiet, 2) == 2);
    for (int i = 0; i < 6000; i++) {
        unsigned char kept[3];
        size_t at[3];

        for (int k = 0; k < 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            at[k] = random >> 33 & 1 ? (random >> 34) % 1200 : (random >> 34) % f.size;
            kept[k] = f.bytes[at[k]];
            f.bytes[at[k]] =
                random & 1 << 20 ? (unsigned char)(random >> 24) : "0123456789=-'T EN"[(random >> 24) % 17];
        }
        read_all(save("changed.fits", &f));
        for (int k = 2; k >= 0; k--)
            f.bytes[at[k]] = kept[k];
    }
    fflush(NULL);
    dup2(streams[0], 1);
    dup2(streams[1], 2);
    close(streams[0]);
    close(streams[1]);
    close(quiet);
    assert_int_equal(stat(said, &st), 0);
    assert_int_equal(st.st_size, 0);
}

#endif

IN_DIRECTORY;
