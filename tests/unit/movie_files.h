/* Movies for the tests of src/io: the numbers of cube_files.h, a band a frame. */
#pragma once

#include "cube_files.h"

#include <pentacl/io/movie.h>

enum { FRAMES = BANDS };

static inline penta_io_movie open_movie(const char *path, const penta_io_movie_hints *hints)
{
    penta_io_movie movie;
    penta_io_error err = {""};

    if (!penta_io_movie_open(path, hints, &movie, &err))
        fail_msg("cannot be opened: %s", err.text);
    assert_string_equal(err.text, "");
    return movie;
}

static inline void expect_frames(const penta_io_movie *m)
{
    size_t size = penta_type_size(m->type);

    for (size_t f = 0; f < m->frames; f++)
        for (size_t i = 0; i < m->height * m->width; i++) {
            unsigned char element[8];

            put_element(m->type, element_at(f, i / COLS, i % COLS), element);
            if (memcmp((const unsigned char *)m->data[f] + i * size, element, size) != 0)
                fail_msg("%s, %s: frame %zu, row %zu, column %zu is wrong", m->format, penta_type_name(m->type), f,
                         i / COLS, i % COLS);
        }
}

static inline void expect_movie(const char *path, const penta_io_movie_hints *hints, penta_type type,
                                const char *format)
{
    penta_io_movie m = open_movie(path, hints);

    assert_int_equal(m.frames, FRAMES);
    assert_int_equal(m.height, ROWS);
    assert_int_equal(m.width, COLS);
    assert_int_equal(m.type, type);
    assert_string_equal(m.format, format);
    assert_true(m.seconds >= 0 && m.seconds < 100);
    expect_frames(&m);
    penta_io_movie_close(&m);
    assert_null(m.data);
    penta_io_movie_close(&m);
}

/* Opening must fail with one line that names `path` and contains `what`, and give nothing. */
static inline void expect_movie_refused(const char *path, const penta_io_movie_hints *hints, const char *what)
{
    penta_io_movie movie = {.frames = 1};
    penta_io_error err = {""};

    if (penta_io_movie_open(path, hints, &movie, &err)) {
        penta_io_movie_close(&movie);
        fail_msg("%s can be opened, but should fail with '%s'", path, what);
    }
    assert_null(movie.data);
    assert_int_equal(movie.frames, 0);
    assert_null(movie.memory);
    expect_line(&err, path, what);
}
