/* A movie smoothed for its phase, and the noise that this leaves. */
#ifndef PENTA_OPTMAP_PHASE_SMOOTH_H
#define PENTA_OPTMAP_PHASE_SMOOTH_H

#include <pentacl/rotors.h>

#include "core/core.h"

typedef struct optmap_smooth {
    penta_resources resources;
    const penta_movie_view *movie;
    int radius, reach;    /* of the Gaussian: px, frames */
    double *space, *time; /* its weights, 2 radius + 1 and 2 reach + 1, sum 1 */
    double *maps;         /* 3 x height x width, for the sums of weights */
    float *noise;         /* height x width: standard deviation of the smoothed movie's noise; NaN: no valid pixel */
    float *weight;        /* of the pixels; 0: not valid */
    uint8_t *known;       /* of each pixel whether there is a result: valid ones, and holes among them */
    float *scale;         /* 1 over the sum of the weights about a pixel */
    /* On the device: frames with a border of zeros, a piece of the movie at a time. */
    size_t pitch, lines, piece, first;
    penta_kernel blur;
    penta_buffer frames, scratch, along_space, along_time;
    float *staging;
} optmap_smooth;

/*
 * out: the movie (frames x height x width) under a Gaussian of `sigma` px in space, cut at 3 sigma, and of `duration`
 * frames in time, cut likewise; past its ends it goes on as its mirror image. A pixel counts with
 * w = n^2 / (s^2 + n^2), s its noise and n the lower quartile of all pixels' noises, and not at all where a number is
 * not finite or nothing changes; there `out` and s->noise are NaN, unless in a hole of the others that a square of
 * 2 ceil(sigma) + 1 pixels cannot enter. The noise s of a pixel is the root of the mean
 * square of its second differences over 6: of white noise its standard deviation. With both 0 `out` is not touched, and
 * s->noise is that noise. s: empty at first.
 */
penta_status optmap_smooth_run(penta_context *ctx, optmap_smooth *s, const penta_movie_view *movie, double sigma,
                               double duration, float *out);
void optmap_smooth_release(optmap_smooth *s); /* an empty one is fine */

static inline bool optmap_smooths(const optmap_smooth *s)
{
    return s->radius > 0 || s->reach > 0;
}

/* Noise of each pixel as above; NaN where it is not valid or constant. */
void optmap_noise_of_pixels(const penta_movie_view *movie, float *noise);

/*
 * A frame's phases that were marked as weak become themselves again where they lie in a hole that a square of
 * 2 radius + 1 pixels cannot enter, as the core of a rotor is, and NaN elsewhere. In all frames.
 */
penta_status optmap_fill_cores(penta_context *ctx, const penta_movie_view *phase, int radius, float *out);

/* Fills holes of the set that a square of 2 radius + 1 pixels cannot enter (a closing). scratch: 2 x height x width;
 * counts: width. */
void optmap_close(uint8_t *set, size_t width, size_t height, int radius, uint8_t *scratch, uint16_t *counts);

/* What a weak phase is marked by: this much is added to it. */
#define OPTMAP_WEAK 16.0F /* as in cl/optmap/phase.cl */

#endif
