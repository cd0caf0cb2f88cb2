/* The pictures of `penta autocorr`: what is kept of a long series to draw them, and drawing. */
#pragma once

#include "autocorr/plots.h"
#include "shared/series.h"

enum { PICTURE_CURVES = 24 }; /* C1D curves kept of a series, evenly spread */

typedef struct pictures {
    size_t frames; /* in the series */
    size_t index[PICTURE_CURVES], count;
    size_t bins[PICTURE_CURVES];
    penta_autocorr_bin *c1d[PICTURE_CURVES]; /* NULL: not kept (yet) */
    double *c2d[2];                          /* of the first and the last frame */
    size_t max_offset[2];
} pictures;

void pictures_open(pictures *p, size_t frames);
void pictures_close(pictures *p);

/* Keeps what is needed of one frame (copies). Called by one thread at a time for any one frame. False: out of memory.
 */
bool pictures_keep(pictures *p, size_t number, size_t max_offset, const penta_autocorr_result *result);

/* Whether a frame's C1D and C2D are kept. */
bool pictures_want_c1d(const pictures *p, size_t number);
bool pictures_want_c2d(const pictures *p, size_t number);

/* DIR/c1d.png, DIR/c2d.png, and DIR/growth.png for series of 3 or more, each with its .svg. */
bool pictures_draw(const pictures *p, const series *s, const char *directory, penta_io_error *err);
