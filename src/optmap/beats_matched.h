/* Measuring beats in noise: shared by beats_matched.c, beats_align.c and beats_shape.c. */
#pragma once

#include "optmap/beats_blocks.h"

/*
 * Averages the movie along its waves: a Gaussian of sigma px over the pixels that have an activation time in the beat,
 * each trace shifted by the difference of those times (cl/optmap/beats_align.clh). times: beats x height x width, ms;
 * NaN: left out. out: frames x height x width, 0 without data. limit: bytes of device memory; 0: automatic.
 */
penta_status beats_align(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats, size_t count,
                         const float *times, double sigma, size_t limit, float *out);
/* The Gaussian's weights for distances 0 .. radius px. */
int beats_align_radius(double sigma);
void beats_align_weights(double sigma, float *weights);

/* The same on the host's cores for equal times, the same bits: known: per pixel, whether it has one in all beats. */
penta_status beats_blur(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats, size_t count,
                        const uint8_t *known, double sigma, float *out);

/* Properties of a beat's mean action potential. Lengths in frames, times relative to the activation. */
typedef struct beats_shape {
    bool known;                                          /* false: the other members are not set */
    double base_from, base_to;                           /* begin and end of the diastole before */
    double peak, factor;                                 /* time of the peak; factor that corrects the smoothed peak */
    double half_peak, half_rise, half[PENTA_APD_LEVELS]; /* half-widths of smoothing */
    double longer;                                       /* frames by which smoothing lengthens the rise */
    double shift[PENTA_APD_LEVELS];                      /* and makes the repolarisation earlier */
    double rise, width;                                  /* of the upstroke; standard deviation of its matched filter */
    double offset;            /* of the matched filter's maximum relative to that of the slope */
    double amplitude, timing; /* timing: frames, error of a single pixel's activation */
    double sigma;             /* px, of the average that the noise requires */
} beats_shape;

/* times: as above, for this beat; noise: standard deviation of a pixel. Sets known, rise, width, amplitude, timing and
 * sigma. Both may run on any thread, and fail only for want of memory. */
penta_status beats_shape_find(const penta_movie_view *movie, const penta_beat *beat, const float *times, double noise,
                              beats_shape *shape);

/* Determines how to measure a trace that is averaged over all->sigma px, with times from a filter of all->width: sets
 * what beats_shape_find does not set, and offset. rise is known. */
penta_status beats_shape_fit(const penta_movie_view *movie, const penta_beat *beat, const float *times, double noise,
                             const beats_shape *all, beats_shape *shape);

/* Measures all maps, except those of beats without a shape: `maps` already has literal ones for these. noise: per
 * pixel, NaN if it is not valid (optmap_beats_noise of cl/optmap/beats.cl). */
penta_status beats_measure_matched(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats,
                                   size_t count, const float *noise, penta_beat_maps *maps);
