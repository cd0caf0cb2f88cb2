/* PGM and PPM: plain and raw, comments, every kind of maxval, several images a file, and every error. */

#include "io_files.h"

/* A file from a string literal, zeros included. */
#define PNM(text) write_file("a.pgm", text, sizeof(text) - 1)

TEST(plain)
{
    expect_pixels(PNM("P2\n# a comment 9 9\n3 # width\n2\n#\n255\n0 1 2\n3 4 255"), 3, 2, PENTA_U8,
                  (const uint8_t[]){0, 1, 2, 3, 4, 255});
    expect_pixels(PNM("P2 3 1 65535 0\t65535\r\n256\n"), 3, 1, PENTA_U16, (const uint16_t[]){0, 65535, 256});
    expect_pixels(PNM("P2 2 1 100 # inside\n7 # and after\n 100 # end"), 2, 1, PENTA_U8, (const uint8_t[]){7, 100});
    expect_pixels(PNM("P3 2 1 255 255 0 0  9 9 9 "), 2, 1, PENTA_U8, (const uint8_t[]){76, 9});
    expect_pixels(PNM("P2\r\n1 1\r\n1\r\n1\r\n"), 1, 1, PENTA_U8, (const uint8_t[]){1});
}

TEST(raw)
{
    expect_pixels(PNM("P5\n# made up\n3 2\n# again\n255\n\0\1\2\377#\n"), 3, 2, PENTA_U8,
                  (const uint8_t[]){0, 1, 2, 255, '#', '\n'});
    expect_pixels(PNM("P5 2 1 65535\n\1\2\377\376"), 2, 1, PENTA_U16, (const uint16_t[]){0x102, 0xfffe});
    expect_pixels(PNM("P6 2 1 255\n\377\0\0\7\7\7"), 2, 1, PENTA_U8, (const uint8_t[]){76, 7});
    expect_pixels(PNM("P6 1 1 65535\n\1\0\1\0\1\0"), 1, 1, PENTA_U16, (const uint16_t[]){256});
}

/* Values are not scaled, and 256 is where two bytes begin. */
TEST(maxval)
{
    expect_pixels(PNM("P5 2 1 100\n\0\144"), 2, 1, PENTA_U8, (const uint8_t[]){0, 100});
    expect_pixels(PNM("P5 2 1 1\n\0\1"), 2, 1, PENTA_U8, (const uint8_t[]){0, 1});
    expect_pixels(PNM("P5 2 1 256\n\1\0\0\7"), 2, 1, PENTA_U16, (const uint16_t[]){256, 7});
    expect_pixels(PNM("P5 1 1 4095\n\017\377"), 1, 1, PENTA_U16, (const uint16_t[]){4095});
    expect_error(PNM("P5 2 2 100\n\0\1\2\145"), "the value 101 at row 2, column 2 is over the maxval 100");
    expect_error(PNM("P5 1 1 4095\n\020\0"), "the value 4096 at row 1, column 1 is over the maxval 4095");
    expect_error(PNM("P2 2 1 100 5 101 "), "the value 101 at row 1, column 2 is over the maxval 100");
    expect_error(PNM("P6 2 1 100\n\0\1\2\3\145\5"), "the value 101 at row 1, column 2");
}

IO_TEST(several_images)
{
    const char *path = PNM("P5 2 1 255\n\1\2P5 1 2 255\n\3\4\n P6 1 1 255\n\5\5\5\n");
    penta_io_reader *reader = NULL;
    penta_io_image image;

    assert_true(penta_io_reader_open(path, &reader, &err));
    assert_int_equal(penta_io_reader_pages(reader), 3);
    for (size_t page = 3; page-- > 0;) {
        assert_true(penta_io_reader_read(reader, page, &image, &err));
        assert_int_equal(((uint8_t *)image.data)[0], page * 2 + 1);
        assert_int_equal(image.height, page == 1 ? 2 : 1);
        penta_io_image_free(&image);
    }
    assert_false(penta_io_reader_read(reader, 3, &image, &err));
    assert_non_null(strstr(err.text, "has 3 pages, but page 4"));
    penta_io_reader_close(reader);
    expect_error(PNM("P5 1 1 255\n\1P5 1 1 255\n"), "asks for 1 x 1 pixels, more than the 0 bytes");
    path = PNM("P5 1 1 9\n\1P5 1 1 9\n\11P5 1 1 9\n\12");
    assert_true(penta_io_reader_open(path, &reader, &err));
    assert_false(penta_io_reader_read(reader, 2, &image, &err));
    assert_non_null(strstr(err.text, ": page 3 of 3: the value 10"));
    penta_io_reader_close(reader);
}

TEST(bad_headers)
{
    expect_error(PNM("P5"), "the file ends");
    expect_error(PNM("P5 3"), "the file ends");
    expect_error(PNM("P5 3 # no end"), "the file ends");
    expect_error(PNM("P5 3 2 255"), "no single space");
    expect_error(PNM("P5 0 2 255\n"), "width and height");
    expect_error(PNM("P5 -3 2 255\n"), "width and height");
    expect_error(PNM("P5 3x 2 255\n"), "width and height");
    expect_error(PNM("P5 9999999999 2 255\n"), "width and height");
    expect_error(PNM("P5 1 1 0\n\0"), "maxval");
    expect_error(PNM("P5 1 1 65536\n\0\0"), "maxval");
    expect_error(PNM("P5 1 1 2.5\n\0\0"), "maxval");
    expect_error(PNM("P1 1 1 1"), "PBM bitmap");
    expect_error(PNM("P4 1 1\n\1"), "PBM bitmap");
    expect_error(PNM("P7\nWIDTH 1\n"), "a PAM");
}

TEST(too_little_or_too_much_data)
{
    expect_error(PNM("P5 3 2 255\n12345"), "asks for 3 x 2 pixels, more than the 5 bytes that follow can hold");
    expect_error(PNM("P5 3 2 256\n12345678901"), "more than the 11 bytes");
    expect_error(PNM("P6 3 2 255\n12345678901234567"), "more than the 17 bytes");
    expect_error(PNM("P5 999999999 999999999 65535\n12345"), "more than the 5 bytes");
    expect_error(PNM("P2 999999999 999999999 65535\n1 2 3"), "more than the 5 bytes");
    expect_error(PNM("P2 3 2 255\n100 200 30 40 50"), "ends at row 2 of 2");
    expect_error(PNM("P2 2 1 255\n1 x2"), "no number at byte 13 (row 1)");
    expect_error(PNM("P2 2 1 255\n1 -2"), "no number");
    expect_error(PNM("P2 2 1 255\n1 2 3"), "more follows");
    expect_error(PNM("P5 1 1 255\n12"), "1 bytes follow the image from byte 12 on");
}

/* Over the edge of the text buffer. */
TEST(long_plain_file)
{
    enum { SIDE = 150 };
    HELD char *text = malloc(SIDE * SIDE * 7 + 100);
    HELD uint16_t *expected = malloc(SIDE * SIDE * sizeof *expected);
    size_t n;

    assert_true(text && expected);
    n = (size_t)sprintf(text, "P2 %d %d 65535\n", SIDE, SIDE);
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        expected[i] = (uint16_t)(i * 40503u);
        n += (size_t)sprintf(text + n, "%u%c", expected[i], i % 13 ? ' ' : '\n');
    }
    expect_pixels(write_file("long.pgm", text, n), SIDE, SIDE, PENTA_U16, expected);
}

IN_DIRECTORY;
