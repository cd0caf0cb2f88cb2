/*
 * Movies: series of frames of one size and type. TIFF and BigTIFF of many pages, NPY (frames x height x width), MATLAB
 * arrays (height x width x frames, by matio), raw numbers.
 */
#ifndef PENTA_IO_MOVIE_H
#define PENTA_IO_MOVIE_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/array.h>

#include <pentacl/io/error.h>

/* What a file may not say itself; NULL: nothing. */
typedef struct io_movie_hints {
    /* "WxHxN:TYPE" or, with as many frames as the file holds, "WxH:TYPE"; TYPE u8, u16le, u16be, i16le, .. f64be:
     * numbers without a header */
    const char *raw;
    const char *variable; /* of a MATLAB file; NULL: its only array of three dimensions */
} io_movie_hints;

typedef struct io_movie {
    size_t frames, height, width;
    penta_type type;
    double rate;                    /* Hz, where the file says it (ImageJ's finterval or fps); else 0 */
    const void *const *data;        /* `frames` pointers to height x width numbers in this machine's byte order */
    const char *format;             /* "TIFF", "BigTIFF", "NPY", "MATLAB", "raw" */
    double seconds;                 /* that reading took */
    struct io_movie_memory *memory; /* of movie.c */
} io_movie;

/* Frames that lie in the file as they are wanted are mapped, not read. Dimensions are checked against the file's size
 * before memory is taken. On failure *out is empty. */
bool io_movie_open(const char *path, const io_movie_hints *hints, io_movie *out, io_error *err);
void io_movie_close(io_movie *movie); /* an empty one is fine */

/* Whether the text can be io_movie_hints.raw; says what can. */
bool io_movie_check_raw(const char *text, io_error *err);

#endif
