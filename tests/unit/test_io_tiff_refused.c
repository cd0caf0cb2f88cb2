/* TIFF that is refused: pixels that no image has, and damage. */

#include "io_files.h"

#ifndef PENTA_HAVE_TIFF

TEST(without_libtiff)
{
    expect_error(write_file("a.tif", "II*\0\10\0\0\0", 8),
                 "is a TIFF file; this build has no TIFF support: install libtiff-dev and rebuild");
    expect_error(write_file("a.tif", "MM\0+\0\10\0\0", 8), "this build has no TIFF support");
}

#else

/* ---- what is refused ---- */

static void expect_refused(tiff_spec s, const char *what)
{
    unsigned char zeros[16 * 16 * 16] = {0};

    s.width = s.height = 16;
    expect_error(write_tiff("refused.tif", "w", &s, zeros), what);
}

TEST(refused_pixels)
{
    expect_refused((tiff_spec){.bits = 64, .format = SAMPLEFORMAT_INT}, "signed integers of 64 bits is not supported");
    expect_refused((tiff_spec){.bits = 12, .format = SAMPLEFORMAT_INT}, "signed integers of 12 bits is not supported");
    expect_refused((tiff_spec){.bits = 64}, "unsigned integers of 64 bits is not supported");
    expect_refused((tiff_spec){.bits = 24, .format = SAMPLEFORMAT_IEEEFP}, "floating-point numbers of 24 bits");
    expect_refused((tiff_spec){.bits = 64, .format = SAMPLEFORMAT_COMPLEXIEEEFP}, "complex numbers of 64 bits");
    expect_refused((tiff_spec){.bits = 32, .format = SAMPLEFORMAT_COMPLEXINT}, "complex numbers of 32 bits");
    expect_refused((tiff_spec){.bits = 8, .samples = 5}, "grey pixels of 5 channels");
    expect_refused((tiff_spec){.bits = 8, .samples = 4, .photometric = PHOTOMETRIC_SEPARATED + 1}, "colour space 5");
    expect_refused((tiff_spec){.bits = 8, .samples = 3, .photometric = PHOTOMETRIC_CIELAB + 1}, "colour space 8");
    expect_refused((tiff_spec){.bits = 4, .samples = 3, .photometric = PHOTOMETRIC_RGB + 1}, "RGB pixels of 4 bits");
    expect_refused((tiff_spec){.bits = 8, .samples = 2, .photometric = PHOTOMETRIC_RGB + 1},
                   "RGB pixels of 2 channels");
}

/* ---- damage ---- */

/* A one-page file whose directory entry for `tag` gets this value. Little-endian classic files only. */
static const char *with_tag(const tiff_spec *s, uint16_t tag, uint32_t value)
{
    unsigned char pixels[16 * 16 * 3] = {0};
    size_t size;
    HELD unsigned char *data = read_file(write_tiff("whole.tif", "wl", s, pixels), &size);
    size_t at = data[4] | (size_t)data[5] << 8;
    size_t entries = data[at] | (size_t)data[at + 1] << 8;
    const char *path;
    bool found = false;

    for (size_t i = 0; i < entries; i++) {
        unsigned char *entry = data + at + 2 + 12 * i;

        if ((entry[0] | entry[1] << 8) != tag)
            continue;
        found = true;
        entry[2] = 4; /* a 32-bit number */
        for (int k = 0; k < 4; k++)
            entry[8 + k] = (unsigned char)(value >> 8 * k);
    }
    assert_true(found);
    path = write_file("tag.tif", data, size);
    return path;
}

TEST(impossible_sizes)
{
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                            COMPRESSION_PACKBITS};
    tiff_spec s = {.width = 16, .height = 16, .bits = 8};

    for (size_t i = 0; i < COUNT(compressions); i++) {
        s.compression = compressions[i];
        expect_error(with_tag(&s, TIFFTAG_IMAGEWIDTH, 0xffffffff), "can hold");
        expect_error(with_tag(&s, TIFFTAG_IMAGELENGTH, 0x7fffffff), "tif: "); /* libtiff misses the strips first */
        expect_error(with_tag(&s, TIFFTAG_IMAGEWIDTH, 0), "tif: ");
        expect_error(with_tag(&s, TIFFTAG_IMAGELENGTH, 0), "tif: ");
    }
    s = (tiff_spec){.width = 16, .height = 16, .bits = 8, .tile = 16};
    expect_error(with_tag(&s, TIFFTAG_TILEWIDTH, 0x7ffffff0), "can hold");
    expect_error(with_tag(&s, TIFFTAG_TILELENGTH, 0), "tif: ");
    expect_error(with_tag(&s, TIFFTAG_TILELENGTH, 0x10000), "can hold");
}

TEST(unknown_compression)
{
    tiff_spec s = {.width = 16, .height = 16, .bits = 8};

    expect_error(with_tag(&s, TIFFTAG_COMPRESSION, 61234), "its compression (TIFF code 61234) is unknown");
}

TEST(broken_chains)
{
    tiff_spec s = {.width = 2, .height = 1, .bits = 8};
    size_t size;
    HELD unsigned char *data = read_file(write_tiff("whole.tif", "wl", &s, "ab"), &size);
    size_t at = data[4] | (size_t)data[5] << 8;
    size_t next = at + 2 + 12 * (size_t)data[at];

    data[next] = data[4];
    data[next + 1] = data[5];
    expect_error(write_file("loop.tif", data, size), "the pages form a loop");
    data[next + 2] = 1;
    expect_error(write_file("beyond.tif", data, size), "the directory of page 2 should be at byte 65");
    data[next] = data[next + 1] = data[next + 2] = 0;
    data[4] = data[5] = 0;
    expect_error(write_file("none.tif", data, size), "has no page");
    expect_error(write_file("head.tif", data, 6), "ends inside its TIFF header");
    data[4] = 6; /* zeros there */
    expect_error(write_file("nothing.tif", data, size), "there is no directory");
}

/* libtiff writes the directory last, and then the last strips may be what is missing: put it first. */
TEST(truncated_pixels)
{
    enum { AT = 8, ENTRIES = 9, DATA = AT + 2 + ENTRIES * 12 + 4 };
    static const uint16_t tags[ENTRIES][2] = {{256, 40},   {257, 40}, {258, 8},  {259, 1},   {262, 1},
                                              {273, DATA}, {277, 1},  {278, 40}, {279, 1600}};
    unsigned char file[DATA + 1600] = "II*\0\10";

    file[AT] = ENTRIES;
    for (size_t i = 0; i < ENTRIES; i++) {
        unsigned char *entry = file + AT + 2 + 12 * i;

        entry[0] = (unsigned char)tags[i][0];
        entry[1] = (unsigned char)(tags[i][0] >> 8);
        entry[2] = 3;
        entry[4] = 1;
        entry[8] = (unsigned char)tags[i][1];
        entry[9] = (unsigned char)(tags[i][1] >> 8);
    }
    expect_pixels(write_file("good.tif", file, sizeof file), 40, 40, PENTA_U8, file + DATA);
    for (size_t n = DATA; n < sizeof file; n += 7)
        expect_error(write_file("cut.tif", file, n), n < 1600 ? "can hold" : "cannot be decoded");
}

/* Nothing that libtiff has to say may reach stderr: it goes into the error line. */
TEST(stderr_stays_silent)
{
    tiff_spec s = {.width = 16, .height = 16, .bits = 8, .compression = COMPRESSION_ADOBE_DEFLATE};
    const char *bad = with_tag(&s, TIFFTAG_STRIPOFFSETS, 60000);
    const char *odd = in_directory("odd.tif");
    const char *said = in_directory("stderr.txt");
    unsigned char zeros[256] = {0};
    int saved = dup(STDERR_FILENO);
    int file = open(said, O_RDWR | O_CREAT | O_TRUNC, 0600);
    penta_io_image image;
    penta_io_error bad_err;
    penta_io_error odd_err;
    size_t size;
    bool bad_ok;
    bool odd_ok;
    unsigned char *data = read_file(write_tiff("whole.tif", "wl", &s, zeros), &size);

    data[(data[4] | (size_t)data[5] << 8) + 2] = 255; /* an unknown tag out of order: a warning, and then no width */
    write_file("odd.tif", data, size);
    free(data);
    assert_true(saved >= 0 && file >= 0);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    bad_ok = read_page(bad, 0, &image, &bad_err);
    odd_ok = read_page(odd, 0, &image, &odd_err);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_int_equal(lseek(file, 0, SEEK_END), 0);
    close(file);
    assert_false(bad_ok);
    assert_false(odd_ok);
    assert_non_null(strstr(bad_err.text, "row 1, column 1 on cannot be decoded: "));
    assert_null(strstr(bad_err.text, "no reason"));
    assert_null(strstr(odd_err.text, "no reason"));
}

#endif

IN_DIRECTORY;
