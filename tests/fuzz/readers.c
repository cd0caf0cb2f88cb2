/* Whole reads of files of images, cubes, movies and bodies, as programs make them: every byte that comes back is looked
 * at. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/bodies.h>
#include <pentacl/io/cube.h>
#include <pentacl/io/image.h>
#include <pentacl/io/movie.h>

enum { MOST_PAGES = 64, MOST_ROWS = 64 };

/* Sanitizers see whether all of it is there. */
static void touch(const void *data, size_t bytes)
{
    static volatile unsigned char sink;
    const unsigned char *at = data;
    unsigned char sum = 0;

    for (size_t i = 0; i < bytes; i++)
        sum = (unsigned char)(sum + at[i]);
    sink = sum;
    (void)sink;
}

static void read_pages(const char *path, enum penta_io_axes axes, bool colour)
{
    penta_io_reader *reader = NULL;
    penta_io_error err = {""};

    if (!penta_io_reader_open_axes(path, axes, &reader, &err)) {
        fuzz_check(!reader, "a reader that cannot be opened is NULL");
        fuzz_check_error(&err);
        return;
    }
    if (colour)
        penta_io_reader_keep_colour(reader);
    fuzz_check(penta_io_reader_pages(reader) > 0, "an image has a page");
    for (size_t page = 0; page < penta_io_reader_pages(reader) && page < MOST_PAGES; page++) {
        penta_io_image image = {0};

        if (penta_io_reader_read(reader, page, &image, &err)) {
            size_t channels = image.channels > 1 ? image.channels : 1;

            fuzz_check(image.width > 0 && image.height > 0, "a page has pixels");
            touch(image.data, image.width * image.height * channels * penta_type_size(image.type));
        } else {
            fuzz_check(!image.data, "a page that cannot be read is empty");
            fuzz_check_error(&err);
        }
        penta_io_image_free(&image);
    }
    penta_io_reader_close(reader);
}

void fuzz_read_image(const char *path)
{
    char kind[64];

    read_pages(path, PENTA_IO_AXES_AUTO, false);
    read_pages(path, PENTA_IO_AXES_YXC, true);
    read_pages(path, PENTA_IO_AXES_NYX, false);
    penta_io_looks_like_image(path, kind, sizeof kind);
}

/* Some rows at the top and at the bottom, and which of their pixels are valid. */
static void read_rows(penta_io_cube *cube)
{
    const penta_io_cube_info *about = penta_io_cube_about(cube);
    size_t rows = about->rows < MOST_ROWS ? about->rows : MOST_ROWS;
    size_t pixels = rows * about->cols, bytes = about->bands * pixels * penta_type_size(about->type);
    void *data = bytes < (size_t)1 << 28 ? malloc(bytes) : NULL;
    uint8_t *valid = bytes < (size_t)1 << 28 ? malloc(pixels) : NULL;
    penta_io_error err = {""};

    for (size_t first = 0; data && valid && first < about->rows; first = about->rows - rows) {
        if (penta_io_cube_read(cube, first, rows, data, &err))
            touch(data, bytes);
        else
            fuzz_check_error(&err);
        if (penta_io_cube_valid(cube, first, rows, true, valid, &err))
            touch(valid, pixels);
        else
            fuzz_check_error(&err);
        if (first > 0 || rows == about->rows)
            break;
    }
    free(data);
    free(valid);
}

static void read_cube(const char *path, const penta_io_cube_hints *hints)
{
    penta_io_cube *cube = NULL;
    penta_io_error err = {""};
    const size_t band = 0;

    if (!penta_io_cube_open(path, hints, &cube, &err)) {
        fuzz_check(!cube, "a cube that cannot be opened is NULL");
        fuzz_check_error(&err);
        return;
    }
    read_rows(cube);
    if (penta_io_cube_select(cube, &band, 1, 0, 0, 1, 1, &err))
        read_rows(cube);
    penta_io_cube_has_file(cube, path);
    penta_io_cube_close(cube);
}

void fuzz_read_cube(const char *path)
{
    static const penta_io_cube_hints hints[] = {{0}, {.rows = 2, .cols = 3}, {.axes = "rcb", .raw_values = true}};

    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        read_cube(path, &hints[i]);
}

void fuzz_read_movie(const char *path)
{
    static const penta_io_movie_hints hints[] = {{.raw = NULL}, {.raw = "3x2:u16be"}, {.variable = "a"}};

    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        penta_io_movie movie;
        penta_io_error err = {""};

        if (penta_io_movie_open(path, &hints[i], &movie, &err))
            for (size_t f = 0; f < movie.frames; f++)
                touch(movie.data[f], movie.width * movie.height * penta_type_size(movie.type));
        else
            fuzz_check_error(&err);
        penta_io_movie_close(&movie);
    }
}

void fuzz_read_bodies(const char *path)
{
    penta_io_bodies bodies;
    penta_io_error err = {""};

    if (penta_io_bodies_read(path, &bodies, &err)) {
        fuzz_check(bodies.n > 0, "there are bodies");
        for (size_t i = 0; i < 7 * bodies.n; i++)
            fuzz_check(isfinite(bodies.rows[i]) && (i % 7 > 0 || bodies.rows[i] >= 0), "numbers of bodies are usable");
        for (size_t i = 0; bodies.family && i < bodies.n; i++)
            fuzz_check(bodies.family[i] < PENTA_IO_FAMILIES, "a family is known");
        for (size_t i = 0; bodies.softening && i < bodies.n; i++)
            fuzz_check(bodies.softening[i] >= 0, "softening is not negative");
        if (bodies.id)
            touch(bodies.id, bodies.n * sizeof *bodies.id);
        for (const char *c = bodies.note; *c; c++)
            fuzz_check((unsigned char)*c >= ' ', "a note is printable");
    } else {
        fuzz_check(!bodies.rows && bodies.n == 0, "bodies that cannot be read are empty");
        fuzz_check_error(&err);
    }
    penta_io_bodies_free(&bodies);
}
