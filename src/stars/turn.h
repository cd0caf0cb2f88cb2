/*
 * The trail of a star over the frame while the camera turns at a constant rate from one attitude to another:
 * polynomials of the time, and the straight pieces that are drawn instead of it.
 */
#pragma once

#include "stars/pieces.h"

typedef struct stars_turn {
    const stars_frame *frame;
    const penta_camera *camera;
    const penta_attitude *from, *to;
    double angle;      /* of the turn, rad */
    double begin, end; /* of the turn, as shares of the exposure */
    double ra, dec;    /* of the star, deg */
    size_t owner;      /* its number */
} stars_turn;

/*
 * Adds the pieces of the trail that touch the frame, and to sum the integral of (x, y) over the time, px; NaN where the
 * star has no image for a part of it.
 */
penta_status stars_turn_cut(const stars_turn *turn, stars_pieces *pieces, double sum[2]);
