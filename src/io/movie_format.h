/* Shared by the formats of movies. Internal to src/io. */
#pragma once

#include <stdint.h>

#include "io/input.h"
#include <pentacl/io/movie.h>

typedef struct penta_io_movie_memory {
    const void **frames;
    void *numbers;                     /* frame after frame */
    const penta_io_movie_hints *hints; /* while the movie is opened */
} penta_io_movie_memory;

/* One format. `open` sets size, type and rate, and loads the numbers with one of the functions below. */
typedef struct {
    const char *name;
    const char *const *ends; /* suffixes of names, without the dot, ending with NULL */
    const char *library;     /* the library that implements it; NULL: none */
    const char *missing;     /* what to install if this build lacks the format; then only name and matches are set */
    bool (*matches)(const unsigned char *head, size_t size);
    bool (*open)(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err);
    bool has_variables; /* hints.variable names one of them */
} io_movie_format;

/* Opens numbers without a header, described by hints.raw. */
bool io_movie_open_raw(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err);

/* Whether a movie can have numbers of this type. */
bool io_movie_is_type(penta_type type);
/* Bytes of a frame or a movie; UINT64_MAX if memory cannot address them, or if there are none. */
uint64_t io_movie_frame_bytes(const penta_io_movie *movie);
uint64_t io_movie_bytes(const penta_io_movie *movie);

/* Whether the caller wants the rest; to be asked before each piece. */
bool io_movie_goes_on(const io_input *in, const penta_io_movie *movie, penta_io_error *err);
/* Allocates the numbers and the frame pointers into them. The caller has checked that the file can hold them. */
bool io_movie_alloc(const io_input *in, penta_io_movie *movie, penta_io_error *err);
static inline unsigned char *io_movie_frame(const penta_io_movie *movie, size_t frame)
{
    return (unsigned char *)movie->memory->numbers + frame * io_movie_frame_bytes(movie);
}

/* Reads the frames. Frame i begins at byte at[i] of the file, in row-major order; swapped: its byte order
 * differs from this machine's. */
bool io_movie_take(const io_input *in, const uint64_t *at, bool swapped, penta_io_movie *movie, penta_io_error *err);
/* Like io_movie_take, for contiguous frames from byte `at` on. */
bool io_movie_take_row(const io_input *in, uint64_t at, bool swapped, penta_io_movie *movie, penta_io_error *err);
/* Like io_movie_take_row, for Fortran order: the frame index runs fastest, then rows, then columns. */
bool io_movie_take_fortran(const io_input *in, uint64_t at, bool swapped, penta_io_movie *movie, penta_io_error *err);
