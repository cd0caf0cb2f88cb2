/* A movie smoothed for its phase, and its noise after smoothing. */
#pragma once

#include <pentacl/rotors.h>

#include "core/core.h"

typedef struct optmap_smooth {
    penta_resources resources;
    const penta_movie_view *movie;
    int radius, reach;    /* cut-off of the Gaussian: px, frames */
    double *space, *time; /* its weights, 2 radius + 1 and 2 reach + 1, sum 1 */
    double *maps;         /* 3 x height x width, for the sums of weights */
    float *noise;         /* height x width: standard deviation of the smoothed movie's noise; NaN: no valid pixel */
    float *weight;        /* weight per pixel; 0: not valid */
    uint8_t *known;       /* per pixel: it has a result (valid pixels and holes between them) */
    float *scale;         /* 1 / sum of the weights around a pixel */
    /* On the device: frames with a border of zeros, one piece of the movie at a time. */
    size_t pitch, lines, piece, first;
    penta_kernel blur;
    penta_buffer frames, scratch, along_space, along_time;
    float *staging, *smoothed; /* frames and results; one memory, except on CPU devices */
} optmap_smooth;

/*
 * Smooths the movie (frames x height x width) into out with a Gaussian of `sigma` px in space and of `duration` frames
 * in time, both cut at 3 sigma; beyond its ends the movie is mirrored. With both 0 `out` is not written, and s->noise
 * is the noise below. s: empty at first.
 *
 * A pixel has weight w = n^2 / (s^2 + n^2), with s its noise and n the lower quartile of all pixels' noises. The noise
 * s is the root mean square of its second differences, divided by sqrt(6): the standard deviation if it is white.
 * Pixels with a number that is not finite, or that never change, have weight 0; there `out` and s->noise are NaN,
 * except in holes that a square of 2 ceil(sigma) + 1 pixels cannot enter.
 */
penta_status optmap_smooth_run(penta_context *ctx, optmap_smooth *s, const penta_movie_view *movie, double sigma,
                               double duration, float *out);
void optmap_smooth_release(optmap_smooth *s); /* an empty one is fine */

static inline bool optmap_smooths(const optmap_smooth *s)
{
    return s->radius > 0 || s->reach > 0;
}

/* Noise per pixel as above; NaN if it is not valid or constant. */
void optmap_noise_of_pixels(const penta_movie_view *movie, float *noise);

/*
 * In all frames, restores phases marked as weak if they lie in a hole that a square of 2 radius + 1 pixels cannot
 * enter, as the core of a rotor does; other weak phases become NaN.
 */
penta_status optmap_fill_cores(penta_context *ctx, const penta_movie_view *phase, int radius, float *out);

/* Fills holes of the set that a square of 2 radius + 1 pixels cannot enter (a closing). scratch: 2 x height x width;
 * counts: width. */
void optmap_close(uint8_t *set, size_t width, size_t height, int radius, uint8_t *scratch, uint16_t *counts);

/* added to a phase to mark it as weak */
#define OPTMAP_WEAK 16.0F /* as in cl/optmap/phase.cl */
