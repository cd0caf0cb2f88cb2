/* Tables of attitudes: --track, a row for each frame, and --exposure-track, attitudes during one exposure. */
#ifndef PENTA_TOOLS_STARS_TRACK_H
#define PENTA_TOOLS_STARS_TRACK_H

#include <pentacl/sky.h>

#include <pentacl/io/error.h>

typedef struct star_track {
    size_t n; /* at least 1 */
    penta_attitude *attitude;
    double *time; /* s; NULL: no such column */
    char **name;  /* NULL: no such column */
} star_track;

/*
 * A CSV table whose header names ra, dec (deg) and perhaps roll (0 without it), or w, x, y, z, or q0, q1, q2, q3 (w
 * first); and perhaps time and name. Other columns are errors. On failure *out is zeroed.
 */
bool star_track_open(const char *path, star_track *out, penta_io_error *err);

/* The same for one exposure: at least two rows, whose times grow. */
bool star_track_open_exposure(const char *path, star_track *out, penta_io_error *err);

void star_track_close(star_track *track); /* a zeroed one is fine */

#endif
