/* What a format of images takes: one file (toy.c) and one row, which tests/CMakeLists.txt adds to the table. */

#include "unit/io_files.h"

TEST(it_is_read)
{
    static const unsigned char pixels[] = {1, 2, 3, 4, 5, 6};

    expect_pixels(write_file("a", "TOY\3\2\1\2\3\4\5\6", 11), 3, 2, PENTA_U8, pixels);
    expect_error(write_file("a.toy", "TOY\3\2\1\2\3\4\5", 10), "claims an image of 11 bytes");
}

TEST(it_is_listed)
{
    char known[256];
    penta_io_error err = {""};

    penta_io_image_formats(known, sizeof known);
    assert_non_null(strstr(known, " and Toy"));
    expect_error(write_file("unknown", "what", 4), "and Toy can be read");
    assert_true(penta_io_image_has_name("frame-1.TOY"));
    assert_false(penta_io_image_can_write("frame-1.toy", PENTA_U8, &err)); /* it has no `write` */
}

IN_DIRECTORY;
