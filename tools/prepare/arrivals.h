/*
 * Frames that arrive in a directory, one after another. A frame is a regular file whose name ends as those of images do
 * (.png .tif .npy .nef ..., in upper or lower case) and does not begin with a dot; others are passed over,
 * and so are STEM.mask.png and the like, which are masks. Names are in the order of people: frame-9 before frame-10.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/error.h>

typedef struct arrivals arrivals;

typedef struct arrival {
    char *path;    /* directory/name */
    double time;   /* s since the epoch, of the file's last change */
    int64_t bytes; /* its size */
    bool again;    /* it was given out before, and has changed since (arrivals_failed) */
} arrival;

/* NULL: out of memory. */
arrivals *arrivals_open(const char *directory);
void arrivals_close(arrivals *a); /* NULL is fine */

/* The frame has been given out before, in an earlier run. False: out of memory. */
bool arrivals_done(arrivals *a, const char *name);

/* A frame that was given out, now or in an earlier run, when it had this time and size (-1: not known), could not be
 * used: it is given out again once it has others. False: out of memory. */
bool arrivals_failed(arrivals *a, const char *name, double time, int64_t bytes);

/*
 * Frames that are whole, of the same size and time for two looks in a row, in the order of their names: those to be
 * given out again, then new ones, up to the first that is not whole; not others given out before. *late: the name of
 * a frame that belongs before frames given out already, so it is too late for its place: it is left out, and named in
 * one look; otherwise NULL. The caller frees the array, its paths and *late. False: the directory cannot be read, or
 * out of memory.
 */
bool arrivals_look(arrivals *a, arrival **out, size_t *count, char **late, penta_io_error *err);
void arrivals_free(arrival *list, size_t count);

/* < 0, 0, > 0: runs of digits by their numbers, all else by bytes; 0 only for equal names. */
int arrivals_compare(const char *a, const char *b);
