/*
 * Movies: series of frames of one size and type. TIFF and BigTIFF of many pages, NPY (frames x height x width), MATLAB
 * 5 and 7.3 arrays (height x width x frames, by matio), raw numbers.
 */
#ifndef PENTACL_IO_MOVIE_H
#define PENTACL_IO_MOVIE_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/array.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

struct penta_io_movie;

/* What the caller knows of a file that does not say it itself; NULL: nothing. */
typedef struct penta_io_movie_hints {
    /* "WxHxN:TYPE" or, with as many frames as the file holds, "WxH:TYPE"; TYPE u8, u16le, u16be, i16le, .. f64be:
     * numbers without a header */
    const char *raw;
    const char *variable; /* of a MATLAB file; NULL: its only array of three dimensions */
    /* Asked on any thread before memory is taken (movie->data is NULL then, its size and type are known) and before
     * each piece that is read; false ends reading. NULL: it goes on */
    bool (*goes_on)(void *user, const struct penta_io_movie *movie);
    void *user;
} penta_io_movie_hints;

typedef struct penta_io_movie {
    size_t frames, height, width;
    penta_type type;
    double rate;                          /* Hz, where the file says it (ImageJ's finterval or fps); else 0 */
    const void *const *data;              /* `frames` pointers to height x width numbers in this machine's byte order */
    const char *format;                   /* "TIFF", "BigTIFF", "NPY", "MATLAB", "raw" */
    double seconds;                       /* how long reading took */
    struct penta_io_movie_memory *memory; /* internal */
} penta_io_movie;

/** Opens a movie; the content tells the format. Dimensions are checked against the file's size before memory is
 * allocated; a file that shrinks while it is read is an error. On failure *out is empty. */
PENTA_API bool penta_io_movie_open(const char *path, const penta_io_movie_hints *hints, penta_io_movie *out,
                                   penta_io_error *err);
PENTA_API void penta_io_movie_close(penta_io_movie *movie); /* an empty one is fine */

/** Whether the text is well formed for penta_io_movie_hints.raw; if not, err says what is. */
PENTA_API bool penta_io_movie_check_raw(const char *text, penta_io_error *err);

PENTA_END_DECLS
#endif
