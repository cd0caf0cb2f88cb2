/* Internals of the repair of recordings: frames that the camera spoilt, and the flicker of lamps. */
#pragma once

#include <pentacl/analysis.h>

#include "optmap/survey.h"

enum { AMEND_SIDE = 8, AMEND_BLOCKS = AMEND_SIDE * AMEND_SIDE };

/* One camera's movie, and means over its frames, which decide. A block is one of up to AMEND_SIDE x AMEND_SIDE parts.
 */
typedef struct {
    survey s;               /* for survey_lights alone */
    penta_movie movie;      /* without a second camera */
    size_t count;           /* of blocks */
    double *mean;           /* of each frame */
    double *blocks;         /* count x frames: means; behind `mean` */
    double noise;           /* standard deviation of a mean less the mean of its neighbours */
    uint8_t *block;         /* of each pixel: its block */
    uint8_t *bad;           /* frames that are to be interpolated */
    double *gained, *added; /* flicker: F = (1 + gained) true + added */
    const void **made;      /* frames, of this type, of which those are written that are not the movie's own */
    penta_type type;
} amend_camera;

/* The median of |x| over 0.6745. scratch: count, may be x. */
double amend_spread(const double *x, size_t count, double *scratch);

/* Frame n is the sum of frames at[k] times w[k]: itself, or what its neighbours say of it. Returns how many. */
int amend_sources(const amend_camera *c, size_t n, size_t at[4], double w[4]);
/* Sets `bad`, counts them in `out`, and interpolates `mean` and `blocks` there. */
penta_status amend_find_frames(amend_camera *c, penta_amends *out);
/* Sets `gained` and `added`, and lists the flickers in `out`. */
penta_status amend_find_flicker(amend_camera *c, double rate, penta_amends *out);

/* Finds what is spoilt in a recording, and makes out->movie where there is something. *out is empty. */
penta_status amend_recording(penta_context *ctx, const penta_recording *r, penta_amends *out);
