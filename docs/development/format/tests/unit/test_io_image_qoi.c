/* QOI: every operation, what is written, and every error. */
#define _POSIX_C_SOURCE 200809L

#include "io_files.h"

#define END "\0\0\0\0\0\0\0\1"
/* A file of width x height pixels (both below 256) with these operations, from string literals. */
#define FILE_OF(width, height, operations)                                                                             \
    write_file("a.qoi", "qoif\0\0\0" width "\0\0\0" height "\3\0" operations END,                                      \
               sizeof("qoif\0\0\0" width "\0\0\0" height "\3\0" operations END) - 1)

TEST(operations)
{
    expect_pixels(FILE_OF("\3", "\1", "\xfe\012\012\012\x7f\xb4\x88"), 3, 1, PENTA_U8,
                  (const uint8_t[]){10, 11, 31}); /* in full, a small change, a larger one */
    expect_pixels(FILE_OF("\5", "\1", "\xfe\012\012\012\xff\7\7\7\0\xc1\013"), 5, 1, PENTA_U8,
                  (const uint8_t[]){10, 7, 7, 7, 10}); /* with alpha, a run, a pixel seen before */
    expect_pixels(FILE_OF("\2", "\1", "\xc0\xfe\xff\0\0"), 2, 1, PENTA_U8, (const uint8_t[]){0, 76});
}

TEST(errors)
{
    penta_io_error err = {""};

    expect_error(write_file("a.qoi", "qoif\0\0\0\1", 8), "the file ends in its header");
    expect_error(FILE_OF("\0", "\1", ""), "the image is empty");
    expect_error(FILE_OF("\377", "\377", "\xc0"), "claims an image of 195075 bytes");
    expect_error(FILE_OF("\2", "\1", "\xc0"), "its pixels do not fill the image");
    expect_error(FILE_OF("\2", "\1", "\xc2"), "its pixels do not fill the image");
    expect_error(FILE_OF("\1", "\1", "\xfe\1\1"), "its pixels do not fill the image");
    assert_true(penta_io_image_can_write("a.qoi", PENTA_U8, &err));
    assert_false(penta_io_image_can_write("a.qoi", PENTA_U16, &err));
}

/* Long runs, pixels seen before, and others; grey and in colour. */
TEST(written)
{
    enum { WIDTH = 200, HEIGHT = 3 };
    uint8_t values[3 * WIDTH * HEIGHT];
    penta_io_image grey = {.width = WIDTH, .height = HEIGHT, .type = PENTA_U8, .data = values}, colour = grey, back;
    penta_io_reader *reader = NULL;
    penta_io_error err = {""};

    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)(i < 300 ? 0 : i < 600 ? i % 7 * 40 : i * i / 5);
    assert_true(penta_io_image_write(in_directory("grey.qoi"), &grey, NULL, &err));
    expect_pixels(in_directory("grey.qoi"), WIDTH, HEIGHT, PENTA_U8, values);
    colour.channels = 3;
    assert_true(penta_io_image_write(in_directory("colour.qoi"), &colour, NULL, &err));
    assert_true(penta_io_reader_open(in_directory("colour.qoi"), &reader, &err));
    penta_io_reader_keep_colour(reader);
    assert_true(penta_io_reader_read(reader, 0, &back, &err));
    assert_int_equal(back.channels, 3);
    assert_memory_equal(back.data, values, sizeof values);
    penta_io_image_free(&back);
    penta_io_reader_close(reader);
}

IN_DIRECTORY;
