/* Images to write, and what writing them must give, for the tests of src/io. */
#pragma once

#include "io_files.h"

#include <pentacl/io/image.h>

static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};

/* Random bits; floats among them are NaN, subnormal and so on. */
static inline penta_io_image random_image(size_t width, size_t height, penta_type type)
{
    static uint64_t random = 1;
    penta_io_image image = {.width = width, .height = height, .type = type};
    size_t bytes = width * height * penta_type_size(type);

    image.data = malloc(bytes);
    assert_non_null(image.data);
    for (size_t i = 0; i < bytes; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        ((unsigned char *)image.data)[i] = (unsigned char)(random >> 56);
    }
    return image;
}

static inline void expect_written(const char *path, const penta_io_image *image, const penta_io_metadata *meta)
{
    penta_io_error err = {""};

    EXPECT_IO(penta_io_image_write(path, image, meta, &err), err);
}

/* Must fail with one line that names the file. */
static inline void expect_not_written(const char *path, const penta_io_image *image, const penta_io_metadata *meta,
                                      const char *what)
{
    penta_io_error err = {""};

    if (penta_io_image_write(path, image, meta, &err))
        fail_msg("%s was written, but should fail with '%s'", path, what);
    expect_line(&err, path, what);
}
