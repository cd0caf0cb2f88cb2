/*
 * Pieces of star trails. Each is a star that moves at a constant rate along a straight line, with its share of the
 * flux: the share of the exposure that it takes. Its middle is the mean position of the star in that time, so that no
 * chord draws light to the inside of an arc, and its motion fits best by least squares; it is short and straight enough
 * to change no pixel of the trail by more than about STARS_OFF of the trail's brightness.
 */
#pragma once

#include <pentacl/exposure.h>

#define STARS_OFF 5e-4 /* of a trail's brightness that a pixel may be off */

typedef struct stars_frame {
    size_t width, height;
    int roi;
    double light;   /* px, standard deviation of the light that a pixel sees of a star */
    double longest; /* px, of a piece */
} stars_frame;

/* Of a plan with these options and this ROI. */
stars_frame stars_frame_make(size_t width, size_t height, int roi, const penta_stars_options *options);
/* Of a plan (stars.c). */
stars_frame stars_frame_of(const penta_stars *plan);

/* px that the middle of an arc may be off the chord of its ends whatever its length: the brightness of a trail changes
 * by at most 0.6 / sigma a px, and the piece is off by two thirds of that. */
double stars_straight(const stars_frame *frame);

/* Whether the ROI of a star here touches the frame. */
bool stars_touches(const stars_frame *frame, double x, double y);

typedef struct stars_pieces {
    size_t n, room;
    double *x, *y, *motion_x, *motion_y; /* px, of the middle; px during the exposure */
    double *flux;                        /* share of the exposure, 0 to 1, until stars_pieces_weigh */
    size_t *owner;                       /* number of the star */
} stars_pieces;

/* Adds a piece if it touches the frame. */
penta_status stars_pieces_add(stars_pieces *pieces, const stars_frame *frame, size_t owner, double x, double y,
                              double mx, double my, double share);

/* Adds the pieces of a straight trail with its middle at (x, y) that touch the frame. */
penta_status stars_pieces_line(stars_pieces *pieces, const stars_frame *frame, size_t owner, double x, double y,
                               double mx, double my);

/* Adds the pieces of stars 0 to n-1, at ra, dec (deg), as the camera turns along the path (of two attitudes or more),
 * and fills their trails (trail.c). */
penta_status stars_pieces_path(stars_pieces *pieces, const stars_frame *frame, const penta_camera *camera,
                               const penta_attitude_path *path, size_t n, const double *ra, const double *dec,
                               penta_star_trail *trails);

/* Gives each piece its share of its star's flux. */
void stars_pieces_weigh(stars_pieces *pieces, const double *flux);

void stars_pieces_free(stars_pieces *pieces); /* a zeroed one is fine */
