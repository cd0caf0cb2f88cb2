/*
 * The way of a star over the frame while the camera turns at a constant rate from one attitude to another: polynomials
 * of the time, and the straight pieces that are drawn instead of it.
 */
#ifndef PENTA_TOOLS_STARS_TURN_H
#define PENTA_TOOLS_STARS_TURN_H

#include "stars/pieces.h"

typedef struct star_turn {
    const star_frame_size *frame;
    const penta_camera *camera;
    const penta_attitude *from, *to;
    double angle;      /* of the turn, rad */
    double begin, end; /* of the turn, as shares of the exposure */
    double ra, dec;    /* of the star, deg */
    size_t owner;      /* its number */
} star_turn;

/*
 * Adds the pieces of the way that touch the frame, and to sum the integral of (x, y) over the time, px; NaN where the
 * star has no image for a part of it. False: out of memory.
 */
bool star_turn_cut(const star_turn *turn, star_pieces *pieces, double sum[2]);

#endif
