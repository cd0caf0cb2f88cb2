/*
 * Pieces of the ways that stars take over a frame. Each is a star that moves at a constant rate along a straight line,
 * with its share of the flux: by the time that it takes. Its middle is the mean position of the star in that time, so
 * that no chord draws light to the inside of an arc, and its motion fits best by least squares; it is short and
 * straight enough to change no pixel of the trail by more than about STAR_OFF of the trail's brightness.
 */
#ifndef PENTA_TOOLS_STARS_PIECES_H
#define PENTA_TOOLS_STARS_PIECES_H

#include "stars/pointing.h"

#define STAR_OFF 5e-4 /* of a trail's brightness that a pixel may be off */

typedef struct star_frame_size {
    size_t width, height;
    int roi;
    double light;   /* px, standard deviation of the light that a pixel sees of a star */
    double longest; /* px, of a piece */
} star_frame_size;

/* Of a plan with these options and this ROI. */
star_frame_size star_frame_make(size_t width, size_t height, int roi, const penta_stars_options *options);

/* px that the middle of an arc may be off the chord of its ends whatever its length: the brightness of a trail changes
 * by at most 0.6 / sigma a px, and the piece is off by two thirds of that. */
double star_straight(const star_frame_size *frame);

typedef struct star_pieces {
    size_t n, room;
    double *x, *y, *motion_x, *motion_y; /* px, of the middle; px during the exposure */
    double *flux;                        /* share of the exposure, 0 to 1, until star_pieces_weigh */
    size_t *owner;                       /* number of the star */
} star_pieces;

/* Where a star is during an exposure, px: NaN where it has no image then (the mean: not all the time). */
typedef struct star_way {
    double mean_x, mean_y; /* over the time */
    double start_x, start_y, end_x, end_y;
} star_way;

/* Adds a piece if it touches the frame. False: out of memory. */
bool star_pieces_add(star_pieces *pieces, const star_frame_size *frame, size_t owner, double x, double y, double mx,
                     double my, double share);

/* Whether the ROI of a star here touches the frame, as the library has it. */
bool star_touches(const star_frame_size *frame, double x, double y);

/* Adds the pieces of a straight way with its middle at (x, y) that touch the frame. False: out of memory. */
bool star_pieces_line(star_pieces *pieces, const star_frame_size *frame, size_t owner, double x, double y, double mx,
                      double my);

/* Adds the pieces of stars 0 to n-1, at ra, dec (deg), as the camera turns along the path (of two attitudes or more),
 * and fills their ways (path.c). */
bool star_pieces_path(star_pieces *pieces, const star_frame_size *frame, const star_optics *optics,
                      const star_path *path, size_t n, const double *ra, const double *dec, star_way *ways,
                      penta_io_error *err);

/* Gives each piece its share of its star's flux. */
void star_pieces_weigh(star_pieces *pieces, const double *flux);

void star_pieces_free(star_pieces *pieces); /* a zeroed one is fine */

#endif
