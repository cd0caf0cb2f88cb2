/*
 * Movies: series of frames of one size and type. TIFF and BigTIFF of many pages, NPY (frames x height x width), MATLAB
 * arrays (height x width x frames, by matio), raw numbers.
 */
#ifndef PENTACL_IO_MOVIE_H
#define PENTACL_IO_MOVIE_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/array.h>

#include <pentacl/io/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a file may not say itself; NULL: nothing. */
typedef struct penta_io_movie_hints {
    /* "WxHxN:TYPE" or, with as many frames as the file holds, "WxH:TYPE"; TYPE u8, u16le, u16be, i16le, .. f64be:
     * numbers without a header */
    const char *raw;
    const char *variable; /* of a MATLAB file; NULL: its only array of three dimensions */
} penta_io_movie_hints;

typedef struct penta_io_movie {
    size_t frames, height, width;
    penta_type type;
    double rate;                          /* Hz, where the file says it (ImageJ's finterval or fps); else 0 */
    const void *const *data;              /* `frames` pointers to height x width numbers in this machine's byte order */
    const char *format;                   /* "TIFF", "BigTIFF", "NPY", "MATLAB", "raw" */
    double seconds;                       /* that reading took */
    struct penta_io_movie_memory *memory; /* of movie.c */
} penta_io_movie;

/** Frames that lie in the file as they are wanted are mapped, not read. Dimensions are checked against the file's size
 * before memory is taken. On failure *out is empty. */
PENTA_API bool penta_io_movie_open(const char *path, const penta_io_movie_hints *hints, penta_io_movie *out,
                                   penta_io_error *err);
PENTA_API void penta_io_movie_close(penta_io_movie *movie); /* an empty one is fine */

/** Whether the text can be penta_io_movie_hints.raw; says what can. */
PENTA_API bool penta_io_movie_check_raw(const char *text, penta_io_error *err);

#ifdef __cplusplus
}
#endif
#endif
