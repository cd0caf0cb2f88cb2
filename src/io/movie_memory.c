/* Loading the numbers of a movie into memory. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "io/movie_format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

static bool alloc_list(const io_input *in, penta_io_movie *movie, penta_io_error *err)
{
    penta_io_movie_memory *m = movie->memory = calloc(1, sizeof *m);

    if (m)
        m->frames = calloc(movie->frames, sizeof *m->frames);
    movie->data = m ? m->frames : NULL;
    return movie->data || penta_io_fail(err, "%s: out of memory for the list of %zu frames", in->path, movie->frames);
}

bool io_movie_alloc(const io_input *in, penta_io_movie *movie, penta_io_error *err)
{
    uint64_t bytes = io_movie_bytes(movie);

    if (!alloc_list(in, movie, err))
        return false;
    movie->memory->numbers = bytes < UINT64_MAX ? malloc((size_t)bytes) : NULL;
    if (!movie->memory->numbers)
        return penta_io_fail(err,
                             "%s: out of memory for %zu frames of %zu x %zu pixels of %s; cut the movie or free memory",
                             in->path, movie->frames, movie->width, movie->height, penta_type_name(movie->type));
    for (size_t i = 0; i < movie->frames; i++)
        movie->memory->frames[i] = io_movie_frame(movie, i);
    return true;
}

static bool map_file(const io_input *in, penta_io_movie_memory *m)
{
    void *map = in->bytes <= SIZE_MAX ? mmap(NULL, (size_t)in->bytes, PROT_READ, MAP_PRIVATE, in->fd, 0) : MAP_FAILED;

    if (map == MAP_FAILED)
        return false;
    m->map = map;
    m->map_bytes = (size_t)in->bytes;
    (void)posix_madvise(map, m->map_bytes, POSIX_MADV_WILLNEED);
    return true;
}

void penta_io_movie_close(penta_io_movie *movie)
{
    penta_io_movie_memory *m = movie->memory;

    if (m) {
        if (m->map)
            munmap(m->map, m->map_bytes);
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
    penta_io_movie *movie;
} taking;

static bool cannot_read(const taking *t, penta_io_error *err)
{
    return penta_io_fail(err, "%s: cannot be read; the file shrank, or the disk or memory fails", t->in->path);
}

static bool read_frame(void *user, size_t i, penta_io_error *err)
{
    const taking *t = user;
    size_t bytes = (size_t)io_movie_frame_bytes(t->movie);
    size_t size = penta_type_size(t->movie->type);

    if (!io_input_read(t->in, t->at[i], io_movie_frame(t->movie, i), bytes))
        return cannot_read(t, err);
    if (t->swapped)
        io_swap_elements(io_movie_frame(t->movie, i), bytes / size, size);
    return true;
}

static bool can_be_mapped(const taking *t)
{
    size_t size = penta_type_size(t->movie->type);

    for (size_t i = 0; i < t->movie->frames; i++)
        if (t->at[i] % size != 0)
            return false;
    return !t->swapped || size == 1;
}

bool io_movie_take(const io_input *in, const uint64_t *at, bool swapped, penta_io_movie *movie, penta_io_error *err)
{
    taking t = {.in = in, .at = at, .swapped = swapped, .movie = movie};
    const unsigned char *map;

    if (can_be_mapped(&t)) {
        if (!alloc_list(in, movie, err))
            return false;
        if (map_file(in, movie->memory)) {
            map = movie->memory->map;
            for (size_t i = 0; i < movie->frames; i++)
                movie->memory->frames[i] = map + at[i];
            return true;
        }
        free(movie->memory->frames);
        free(movie->memory);
        movie->memory = NULL;
    }
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

enum { FRAMES_AT_A_TIME = 32 }; /* frames written together, one row each */

/* Transposes the frames of piece i: number (f, y, x) is at f + frames (y + height x). */
static bool turn_frames(void *user, size_t i, penta_io_error *err)
{
    const taking *t = user;
    const penta_io_movie *m = t->movie;
    size_t size = penta_type_size(m->type);
    size_t first = i * FRAMES_AT_A_TIME;
    size_t count = m->frames - first < FRAMES_AT_A_TIME ? m->frames - first : FRAMES_AT_A_TIME;
    unsigned char run[FRAMES_AT_A_TIME * sizeof(double)];

    for (size_t y = 0; y < m->height; y++)
        for (size_t x = 0; x < m->width; x++) {
            uint64_t at = t->from + (first + m->frames * (y + (uint64_t)m->height * x)) * size;

            if (m->memory->map)
                memcpy(run, (const unsigned char *)m->memory->map + at, count * size);
            else if (!io_input_read(t->in, at, run, count * size))
                return cannot_read(t, err);
            if (t->swapped)
                io_swap_elements(run, count, size);
            for (size_t f = 0; f < count; f++)
                memcpy(io_movie_frame(m, first + f) + (y * m->width + x) * size, run + f * size, size);
        }
    return true;
}

bool io_movie_take_fortran(const io_input *in, uint64_t at, bool swapped, penta_io_movie *movie, penta_io_error *err)
{
    taking t = {.in = in, .from = at, .swapped = swapped, .movie = movie};

    if (!io_movie_alloc(in, movie, err))
        return false;
    (void)map_file(in, movie->memory); /* without a mapping it reads number by number, which is slow */
    return io_parallel((movie->frames + FRAMES_AT_A_TIME - 1) / FRAMES_AT_A_TIME, turn_frames, &t, err);
}
