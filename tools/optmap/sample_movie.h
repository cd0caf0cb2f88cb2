/* Movies of `penta sample optmap`. */
#pragma once

#include <pentacl/array.h>
#include <pentacl/tissue_camera.h>

#include "shared/sample.h"

typedef struct {
    sample_common common;
    const char *device;
    int kind; /* plane, radial, spiral, tissue */
    int width, height, frames, beats;
    double rate, pixel_size;                   /* Hz, cm */
    double speed, angle, centre_x, centre_y;   /* cm/s, degrees, px */
    double start, cycle, apd, rise, alternans; /* ms, ms, ms, ms, per cent */
    double baseline, depth, noise;             /* counts, per cent, counts */
    /* of a tissue */
    int outline, beats_before; /* heart, full */
    double settle, radius;     /* ms, px */
    const char *sites, *rotors;
    penta_tissue_options tissue; /* its pixel size and speed, and the camera's depth and seed, are the above */
    penta_camera_options camera;
} optmap_sample_flags;

enum { OPTMAP_PLANE = 0, OPTMAP_RADIAL, OPTMAP_SPIRAL, OPTMAP_TISSUE };

enum { SAMPLE_MOST_TIPS = 16 };

/* Tips of a frame, in px. */
typedef struct {
    size_t count;
    penta_spiral_tip tips[SAMPLE_MOST_TIPS];
} optmap_sample_tips;

/* signal: frames x height x width, 0 at rest, 1 excited. tips: of each frame. */
bool optmap_sample_spiral(const optmap_sample_flags *f, float *signal, optmap_sample_tips *tips, penta_io_error *err);

/* The rules of the library about a spiral, and about a tissue and its places. */
bool optmap_sample_spiral_check(const optmap_sample_flags *f, penta_io_error *err);
bool optmap_sample_tissue_check(const optmap_sample_flags *f, penta_io_error *err);

/* All files of a tissue. */
bool optmap_sample_tissue(const optmap_sample_flags *f, penta_io_error *err);

/* name.npy: first x height x width, or without `first` (0) height x width. */
bool optmap_sample_npy(const optmap_sample_flags *f, const char *name, penta_type type, size_t first, const void *data,
                       penta_io_error *err);

/* ms from one beat to the next */
static inline double optmap_sample_cycle(const optmap_sample_flags *f)
{
    return f->cycle > 0 ? f->cycle : 1e3 * f->frames / f->rate / f->beats;
}

/* An error of the library as one of files. */
bool optmap_sample_failed(const penta_context *ctx, penta_io_error *err);

/* movie.tif: pages of u16 in ImageJ's way, which says the rate; counts: frames x height x width. */
bool optmap_sample_tiff(const optmap_sample_flags *f, const uint16_t *counts, penta_io_error *err);
