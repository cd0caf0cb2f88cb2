/* What the formats of movies share. Internal to src/io. */
#ifndef PENTA_IO_MOVIE_FORMAT_H
#define PENTA_IO_MOVIE_FORMAT_H

#include <stdint.h>

#include "io/input.h"
#include <pentacl/io/movie.h>

typedef struct penta_io_movie_memory {
    const void **frames;
    void *numbers; /* what was read: frame after frame */
    void *map;     /* the file as it is, where it was mapped */
    size_t map_bytes;
} penta_io_movie_memory;

/* One format. `open` tells size, type and rate, and takes the numbers by one of the functions below. */
typedef struct {
    const char *name;
    const char *missing; /* what to install, where this build lacks it and has name and matches alone */
    bool (*matches)(const unsigned char *head, size_t size);
    bool (*open)(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err);
    bool has_variables; /* of which hints.variable names one */
} io_movie_format;

/* Numbers without a header, as hints.raw says. */
bool io_movie_open_raw(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err);

/* Whether a movie can have numbers of this type. */
bool io_movie_is_type(penta_type type);
/* UINT64_MAX where that is more than memory can address, or there are none. */
uint64_t io_movie_frame_bytes(const penta_io_movie *movie);
uint64_t io_movie_bytes(const penta_io_movie *movie);

/* Memory for the numbers, and data that points into it. The file has been asked whether it can hold them. */
bool io_movie_alloc(const io_input *in, penta_io_movie *movie, penta_io_error *err);
static inline unsigned char *io_movie_frame(const penta_io_movie *movie, size_t frame)
{
    return (unsigned char *)movie->memory->numbers + frame * io_movie_frame_bytes(movie);
}

/* Frame i lies in the file from byte at[i] on, its numbers in their order; swapped: in the other byte order. Maps them,
 * or reads them. */
bool io_movie_take(const io_input *in, const uint64_t *at, bool swapped, penta_io_movie *movie, penta_io_error *err);
/* The same of frames one behind another from byte `at` on. */
bool io_movie_take_row(const io_input *in, uint64_t at, bool swapped, penta_io_movie *movie, penta_io_error *err);
/* Numbers from byte `at` on that lie frames fastest, then rows, then columns. */
bool io_movie_take_fortran(const io_input *in, uint64_t at, bool swapped, penta_io_movie *movie, penta_io_error *err);

#endif
