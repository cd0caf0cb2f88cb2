/* Measuring beats in noise: what beats_matched.c, beats_align.c and beats_shape.c share. */
#ifndef PENTA_OPTMAP_BEATS_MATCHED_H
#define PENTA_OPTMAP_BEATS_MATCHED_H

#include "optmap/beats_blocks.h"

/*
 * The movie averaged along its waves: a Gaussian of sigma px over the pixels that have an activation time in the beat,
 * each trace shifted by the difference of those times (cl/optmap/beats_align.cl). times: beats x height x width, ms;
 * NaN: left out. out: frames x height x width, 0 where there is nothing. limit: bytes of device memory; 0: what suits.
 */
penta_status beats_align(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats, size_t count,
                         const float *times, double sigma, size_t limit, float *out);

/* What the mean action potential of a beat tells. Lengths in frames, places from the activation on. */
typedef struct beats_shape {
    bool known;                /* otherwise nothing here is */
    double base_from, base_to; /* diastole before */
    double peak, factor;       /* where it is, and what the smoothed trace there is multiplied by */
    double half_peak, half_rise, half[PENTA_APD_LEVELS]; /* half lengths of smoothing */
    double longer;                                       /* by what smoothing makes the rise longer */
    double shift[PENTA_APD_LEVELS];                      /* and the repolarisation earlier */
    double rise, width;                                  /* of the upstroke; of its matched filter, as a deviation */
    double offset;                                       /* of the matched filter's largest value, from the slope's */
    double amplitude, timing; /* timing: frames, error of the activation of one pixel alone */
    double sigma;             /* px, of the average that the noise asks for */
} beats_shape;

/* times as above, of this beat; noise: standard deviation of a pixel. Sets known, rise, width, amplitude, timing,
 * sigma. */
penta_status beats_shape_find(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beat,
                              const float *times, double noise, beats_shape *shape);

/* How a pixel's trace is to be measured that is averaged over all->sigma px, with times by a filter of all->width: sets
 * what is not set by beats_shape_find, and offset. rise is known. */
penta_status beats_shape_fit(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beat,
                             const float *times, double noise, const beats_shape *all, beats_shape *shape);

/*
 * Surfaces of degree 2 through maps of times by robust least squares (cl/optmap/surface.clh) in squares of `window` px.
 * values, spread: count x height x width, ms: the surface in the pixel, and the standard deviation about it. NaN where
 * the map has no time, or too few about it.
 */
penta_status beats_surfaces(penta_context *ctx, size_t count, size_t width, size_t height, const float *times,
                            int window, float *values, float *spread);

/* All maps but the literal ones' of a beat that has no shape; those are in `maps` already. */
penta_status beats_measure_matched(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats,
                                   size_t count, penta_beat_maps *maps);

/* Noise of each pixel, NaN where it is not valid (cl/optmap/beats_matched.cl). */
penta_status beats_deviation(penta_context *ctx, const penta_movie_view *movie, float *noise);

#endif
