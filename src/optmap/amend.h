/* Internals of the repair of recordings: frames that the camera spoilt, and the flicker of lamps. */
#ifndef PENTA_OPTMAP_AMEND_H
#define PENTA_OPTMAP_AMEND_H

#include <stdatomic.h>

#include <pentacl/analysis.h>

#include "core/core.h"

enum { AMEND_SIDE = 8, AMEND_BLOCKS = AMEND_SIDE * AMEND_SIDE };

/* One camera's movie, and sums over its frames, which decide. A block is one of AMEND_SIDE x AMEND_SIDE parts. */
typedef struct {
    penta_context *ctx;
    size_t width, height, frames;
    penta_movie movie;           /* without a second camera */
    double noise;                /* standard deviation of a mean less the mean of its neighbours */
    double *mean;                /* of each frame */
    double *blocks;              /* AMEND_BLOCKS x frames: means; behind `mean` */
    size_t pixels[AMEND_BLOCKS]; /* of each; 0 in small frames */
    uint8_t *bad;                /* frames that are to be interpolated */
    double *gained, *added;      /* flicker: F = (1 + gained) true + added */
    atomic_bool failed;          /* a thread ran out of memory */
} amend_camera;

/* The median of |x| over 0.6745. scratch: count. */
double amend_spread(const double *x, size_t count, double *scratch);

/* Frame n is the sum of frames at[k] times w[k]: itself, or what its neighbours say of it. Returns how many. */
int amend_sources(const amend_camera *c, size_t n, size_t at[4], double w[4]);
/* Sets `bad`, counts them in `out`, and interpolates `mean` and `blocks` there. */
penta_status amend_find_frames(amend_camera *c, penta_amends *out);
/* Sets `gained` and `added`, and lists the flickers in `out`. */
penta_status amend_find_flicker(amend_camera *c, double rate, penta_amends *out);

/* Finds what is spoilt in a recording, and makes out->movie where there is something. *out is empty. */
penta_status amend_recording(penta_context *ctx, const penta_recording *r, penta_amends *out);

#endif
