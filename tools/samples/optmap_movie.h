/* Movies of `penta sample optmap`. */
#ifndef PENTA_TOOLS_SAMPLES_OPTMAP_MOVIE_H
#define PENTA_TOOLS_SAMPLES_OPTMAP_MOVIE_H

#include <pentacl/spiral.h>

#include "sample.h"

typedef struct {
    sample_common common;
    const char *device;
    int kind; /* plane, radial, spiral */
    int width, height, frames, beats;
    double rate, pixel_size;                   /* Hz, cm */
    double speed, angle, centre_x, centre_y;   /* cm/s, degrees, px */
    double start, cycle, apd, rise, alternans; /* ms, ms, ms, ms, per cent */
    double baseline, depth, noise;             /* counts, per cent, counts */
} optmap_sample_flags;

enum { OPTMAP_PLANE = 0, OPTMAP_RADIAL, OPTMAP_SPIRAL };

enum { SAMPLE_MOST_TIPS = 16 };

/* Tips of a frame, in px. */
typedef struct {
    size_t count;
    penta_spiral_tip tips[SAMPLE_MOST_TIPS];
} optmap_sample_tips;

/* signal: frames x height x width, 0 at rest, 1 excited. tips: of each frame. */
bool optmap_sample_spiral(const optmap_sample_flags *f, float *signal, optmap_sample_tips *tips, io_error *err);

/* movie.tif: pages of u16 in ImageJ's way, which says the rate; counts: frames x height x width. */
bool optmap_sample_tiff(const optmap_sample_flags *f, const uint16_t *counts, io_error *err);

#endif
