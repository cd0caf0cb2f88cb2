/*
 * Stars on the image, as `penta stars --list` takes them: a CSV table whose header names x, y (px, pixel centres at
 * integers) and mag, and optionally id, mx and my (px that the star moves during the exposure). Other columns are
 * ignored, so a --truth file is a list too.
 */
#ifndef PENTA_TOOLS_STARS_LIST_H
#define PENTA_TOOLS_STARS_LIST_H

#include <pentacl/io/error.h>
#include "stars/ids.h"

typedef struct {
    size_t n; /* 0 for a header alone */
    double *x, *y, *mag;
    double *motion_x, *motion_y; /* NULL: no such columns */
    star_ids ids;                /* the row, counted from 1, where there is no id */
} star_list;

/* On failure *out is zeroed and the error names the file and, for a bad number, its line and column. */
bool star_list_open(const char *path, star_list *out, penta_io_error *err);

void star_list_close(star_list *list); /* a zeroed one is fine */

#endif
