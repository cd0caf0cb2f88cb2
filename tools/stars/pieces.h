/*
 * Pieces of the ways that stars take over a frame. Each is a star that moves at a constant rate along a straight line,
 * no longer than half the region of interest, with its share of the flux: by the time that it takes.
 */
#ifndef PENTA_TOOLS_STARS_PIECES_H
#define PENTA_TOOLS_STARS_PIECES_H

#include "stars/pointing.h"

#define STAR_STRAIGHT 0.02 /* px that a piece may be off the way of its star */

typedef struct star_frame_size {
    size_t width, height;
    int roi;
} star_frame_size;

typedef struct star_pieces {
    size_t n, room;
    double *x, *y, *motion_x, *motion_y; /* px, of the middle; px during the exposure */
    double *flux;                        /* share of the exposure, 0 to 1, until star_pieces_weigh */
    size_t *owner;                       /* number of the star */
} star_pieces;

/* Whether the ROI of a star here touches the frame, as the library has it. */
bool star_touches(const star_frame_size *frame, double x, double y);

/* Adds the pieces of a straight way with its middle at (x, y) that touch the frame. False: out of memory. */
bool star_pieces_line(star_pieces *pieces, const star_frame_size *frame, size_t owner, double x, double y, double mx,
                      double my);

/* Adds the pieces of stars 0 to n-1, at ra, dec (deg), as the camera turns along the path (of two attitudes or more).
 */
bool star_pieces_path(star_pieces *pieces, const star_frame_size *frame, const star_optics *optics,
                      const star_path *path, size_t n, const double *ra, const double *dec, io_error *err);

/* Gives each piece its share of its star's flux. */
void star_pieces_weigh(star_pieces *pieces, const double *flux);

void star_pieces_free(star_pieces *pieces); /* a zeroed one is fine */

#endif
