/* Cubes that a test writes. */
#pragma once

#include "cube_files.h"

#include <pentacl/io/output.h>

static inline const char *empty_directory_named(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s", in_directory(name));
    (void)remove_tree(path);
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

/* DIRECTORY/a.npy and so on. */
static inline const char *target(const char *directory, int format)
{
    char name[64];
    char path[128];

    penta_io_cube_name(format, "a", name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return in_directory(path);
}

static inline penta_io_cube_writer *create(const char *path, int format, const penta_io_cube_info *about,
                                           const penta_io_cube *like)
{
    penta_io_cube_writer *writer = NULL;
    penta_io_error err = {""};

    EXPECT_IO(penta_io_cube_create(path, format, about, like, &writer, &err), err);
    return writer;
}

static inline void finish(penta_io_cube_writer *writer)
{
    penta_io_error err = {""};

    EXPECT_IO(penta_io_cube_finish(writer, &err), err);
}

/* Rows of the known cube, from memory where bands are three elements farther apart than they must. */
static inline void write_rows(penta_io_cube_writer *writer, penta_type type, size_t first, size_t count)
{
    size_t size = penta_type_size(type);
    size_t stride = count * COLS + 3;
    unsigned char *data = malloc(BANDS * stride * size);
    penta_io_error err = {""};

    assert_non_null(data);
    for (size_t i = 0; i < BANDS * count * COLS; i++) {
        size_t band = i / (count * COLS);
        size_t row = i / COLS % count;

        put_element(type, element_at(band, first + row, i % COLS),
                    data + (band * stride + row * COLS + i % COLS) * size);
    }
    EXPECT_IO(penta_io_cube_write(writer, first, count, data, stride, &err), err);
    free(data);
}

static inline penta_io_cube_info about_known(penta_type type)
{
    return (penta_io_cube_info){.bands = BANDS, .rows = ROWS, .cols = COLS, .type = type};
}

/* It cannot be made, for the reason `what`. */
static inline void expect_not_created(const char *path, int format, const penta_io_cube_info *about, const char *what)
{
    penta_io_cube_writer *writer = (penta_io_cube_writer *)&writer;
    penta_io_error err = {""};

    if (penta_io_cube_create(path, format, about, NULL, &writer, &err))
        fail_msg("%s can be made, but should fail with '%s'", path, what);
    assert_null(writer);
    expect_line(&err, path, what);
}
