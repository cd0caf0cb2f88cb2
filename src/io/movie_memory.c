/* Loading the numbers of a movie into memory. */
#include "io/movie_format.h"

#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "io/npy_format.h"
#include "io/parallel.h"

bool io_movie_is_type(penta_type type)
{
    return penta_type_size(type) > 0 && type != PENTA_I64;
}

uint64_t io_movie_frame_bytes(const penta_io_movie *movie)
{
    uint64_t bytes = io_product(io_product(movie->width, movie->height), penta_type_size(movie->type));

    return bytes == 0 || bytes > SIZE_MAX / 2 ? UINT64_MAX : bytes;
}

uint64_t io_movie_bytes(const penta_io_movie *movie)
{
    uint64_t bytes = io_product(io_movie_frame_bytes(movie), movie->frames);

    return bytes == 0 || bytes > SIZE_MAX / 2 ? UINT64_MAX : bytes;
}

/* ---- memory ---- */

bool io_movie_goes_on(const io_input *in, const penta_io_movie *movie, penta_io_error *err)
{
    const penta_io_movie_hints *h = movie->memory->hints;

    return !h->goes_on || h->goes_on(h->user, movie) || penta_io_fail(err, "%s: reading was stopped", in->path);
}

bool io_movie_alloc(const io_input *in, penta_io_movie *movie, penta_io_error *err)
{
    uint64_t bytes = io_movie_bytes(movie);
    penta_io_movie_memory *m = movie->memory;

    if (!io_movie_goes_on(in, movie, err))
        return false;
    m->frames = calloc(movie->frames, sizeof *m->frames);
    if (!m->frames)
        return penta_io_fail(err, "%s: out of memory for the list of %zu frames", in->path, movie->frames);
    m->numbers = bytes < UINT64_MAX ? calloc((size_t)bytes, 1) : NULL;
    if (!m->numbers)
        return penta_io_fail(err,
                             "%s: out of memory for %zu frames of %zu x %zu pixels of %s; cut the movie or free memory",
                             in->path, movie->frames, movie->width, movie->height, penta_type_name(movie->type));
    for (size_t i = 0; i < movie->frames; i++)
        m->frames[i] = io_movie_frame(movie, i);
    movie->data = m->frames;
    return true;
}

void penta_io_movie_close(penta_io_movie *movie)
{
    penta_io_movie_memory *m = movie->memory;

    if (m) {
        free(m->numbers);
        free(m->frames);
    }
    free(m);
    *movie = (penta_io_movie){0};
}

/* ---- numbers in the order of the file ---- */

typedef struct {
    const io_input *in;
    const uint64_t *at;
    uint64_t from; /* Fortran order: byte of the first number */
    bool swapped;
    size_t rows; /* Fortran order: of a piece */
    penta_io_movie *movie;
} taking;

/* Not from a mapping: where the file shrinks, that ends the process. */
static bool read_numbers(const taking *t, uint64_t at, void *to, size_t count, penta_io_error *err)
{
    size_t size = penta_type_size(t->movie->type);

    if (!io_input_read(t->in, at, to, count * size))
        return penta_io_fail(err, "%s: cannot be read; the file shrank, or the disk or memory fails", t->in->path);
    if (t->swapped)
        io_swap_elements(to, count, size);
    return true;
}

static bool read_frame(void *user, size_t i, penta_io_error *err)
{
    const taking *t = user;

    if (!io_movie_goes_on(t->in, t->movie, err))
        return false;
    return io_input_is_hole(t->in, t->at[i], io_movie_frame_bytes(t->movie)) || /* the memory is zeros, and untouched */
           read_numbers(t, t->at[i], io_movie_frame(t->movie, i), t->movie->width * t->movie->height, err);
}

bool io_movie_take(const io_input *in, const uint64_t *at, bool swapped, penta_io_movie *movie, penta_io_error *err)
{
    taking t = {.in = in, .at = at, .swapped = swapped, .movie = movie};

    return io_movie_alloc(in, movie, err) && io_parallel(movie->frames, read_frame, &t, err);
}

bool io_movie_take_row(const io_input *in, uint64_t at, bool swapped, penta_io_movie *movie, penta_io_error *err)
{
    uint64_t *places = calloc(movie->frames, sizeof *places);
    bool ok;

    if (!places)
        return penta_io_fail(err, "%s: out of memory for the list of %zu frames", in->path, movie->frames);
    for (size_t i = 0; i < movie->frames; i++)
        places[i] = at + i * io_movie_frame_bytes(movie);
    ok = io_movie_take(in, places, swapped, movie, err);
    free(places);
    return ok;
}

/* ---- Fortran order ---- */

enum { COLUMNS = 32, PIECE_BYTES = 4 << 20 };

/* Puts `count` columns of `rows` rows from (x, y) on, each with its frames one after another, into the frames. */
static void turn(const penta_io_movie *m, size_t x, size_t y, size_t count, size_t rows, const unsigned char *columns)
{
    size_t size = penta_type_size(m->type), column = rows * m->frames * size;

    for (size_t r = 0; r < rows; r++)
        for (size_t f = 0; f < m->frames; f++) {
            unsigned char *to = io_movie_frame(m, f) + ((y + r) * m->width + x) * size;
            const unsigned char *from = columns + (r * m->frames + f) * size;

            for (size_t c = 0; c < count; c++)
                memcpy(to + c * size, from + c * column, size);
        }
}

/* Number (f, y, x) is at f + frames (y + height x). */
static bool turn_piece(void *user, size_t i, penta_io_error *err)
{
    const taking *t = user;
    const penta_io_movie *m = t->movie;
    size_t across = (m->width + COLUMNS - 1) / COLUMNS, x = i % across * COLUMNS, y = i / across * t->rows;
    size_t count = m->width - x < COLUMNS ? m->width - x : COLUMNS;
    size_t rows = m->height - y < t->rows ? m->height - y : t->rows, size = penta_type_size(m->type);
    size_t numbers = rows * m->frames;
    unsigned char *columns = malloc(count * numbers * size);
    bool ok = columns ? io_movie_goes_on(t->in, m, err) : penta_io_fail(err, "%s: out of memory", t->in->path);

    for (size_t c = 0; ok && c < count; c++)
        ok = read_numbers(t, t->from + m->frames * (y + (uint64_t)m->height * (x + c)) * size,
                          columns + c * numbers * size, numbers, err);
    if (ok)
        turn(m, x, y, count, rows, columns);
    free(columns);
    return ok;
}

bool io_movie_take_fortran(const io_input *in, uint64_t at, bool swapped, penta_io_movie *movie, penta_io_error *err)
{
    taking t = {.in = in, .from = at, .swapped = swapped, .movie = movie};
    size_t fit;

    if (!io_movie_alloc(in, movie, err))
        return false;
    fit = PIECE_BYTES / COLUMNS / (movie->frames * penta_type_size(movie->type));
    t.rows = fit < 1 ? 1 : fit < movie->height ? fit : movie->height;
    return io_parallel((movie->width + COLUMNS - 1) / COLUMNS * ((movie->height + t.rows - 1) / t.rows), turn_piece, &t,
                       err);
}
