/* The parts of registration, called by register.c. */
#pragma once

#include "math/fft.h"
#include "prepare/stages.h"

static inline size_t prepare_shorter_side(const prepare_shape *shape)
{
    return shape->width < shape->height ? shape->width : shape->height;
}

/* Largest shift in pixels along a side of `pixels` pixels, from option max_drift. */
static inline int prepare_most_shift(int option, size_t pixels)
{
    return option > 0 ? option : (int)(3 * pixels / 4);
}

/* ---- filtering before registration: register_see.c ---- */

/*
 * The filtered image e = ((g * (I m)) / (g * m)) / w - 1. g is a Gaussian of 1.5 px, zero-padded at the frame's sides.
 * ln w is the average of the logarithms of block means under a Gaussian G of 1/32 of the shorter side (at least 4 px);
 * a spline interpolates w between the middles of blocks.
 *
 * e is the local contrast. It suppresses the illumination, most noise, and the holes that dust leaves. All of e moves
 * with the pattern, except near the sides, where the wide average has only half of its surroundings: a border of 2.5
 * standard deviations of G is masked. Pixels are masked, too, if too few unmasked pixels are around them or if they are
 * too dark.
 */
typedef struct prepare_see {
    prepare_shape shape;
    size_t nodes_x, nodes_y;
    int block, reach, border; /* px, nodes, px */
    float few;                /* least sum of Gaussian-weighted pixels for a wide average */
    penta_kernel blocks, mean, fill, wide_x, wide_y, along_x, along_y;
    penta_buffer weights;      /* float, reach + 1: weights of G */
    penta_buffer sums, filled; /* float, 2 x nodes_y x nodes_x per frame: as in the kernels */
    penta_buffer wide;         /* float, nodes_y x nodes_x per frame: w */
    penta_buffer level;        /* float per frame: mean of its unmasked pixels */
    penta_buffer halfway;      /* float, 2 x height x width per frame: numerator and denominator, smoothed along x */
} prepare_see;
penta_status prepare_see_create(penta_resources *own, const prepare_shape *shape, prepare_see *out);
/* seen: float, batch x height x width, 0 where masked; seen_mask: uchar, 1 where unmasked. */
penta_status prepare_see_run(prepare_see *s, prepare_batch *batch, penta_buffer *seen, penta_buffer *seen_mask);

/* A batch g and the frame f that its frames are compared with. */
typedef struct prepare_pair {
    prepare_sums *sums;
    penta_buffer *f, *f_mask, *g, *g_mask;
} prepare_pair;

/* The nine coefficients of each of n trials about their shifts (register_sums.c). Waits. */
penta_status prepare_sums_try(const prepare_pair *of, size_t n, const prepare_trial *trial, double *r);

/* ---- whole-pixel shifts: register_fft.c ---- */

enum {
    PREPARE_WRAPS = 4,                      /* with and without wrap-around, along x and y */
    PREPARE_CANDIDATES = 10 * PREPARE_WRAPS /* of up to 10 maxima */
};

/* Candidate shifts of a frame's content, px. `likely` marks those of the largest maximum. */
typedef struct prepare_candidates {
    int count;
    int x[PREPARE_CANDIDATES], y[PREPARE_CANDIDATES];
    bool likely[PREPARE_CANDIDATES];
} prepare_candidates;

typedef struct prepare_finder prepare_finder;
/* For images of width x height, shifts up to most_x and most_y, `batch` images at a time; `by` x `by` pixels are
 * binned. */
penta_status prepare_finder_create(penta_resources *own, const prepare_settings *settings, size_t width, size_t height,
                                   int by, int most_x, int most_y, size_t batch, prepare_finder **out);
/* Bytes of one spectrum. */
size_t prepare_finder_bytes(const prepare_finder *f);
/* Computes the spectrum of image `index` of images. */
penta_status prepare_finder_spectrum(prepare_finder *f, penta_buffer *images, size_t index, penta_buffer *spectrum);
/* Finds candidate shifts of n images from `from` on, relative to the image of the spectrum. height: the correlation's
 * largest value. Waits. */
penta_status prepare_finder_run(prepare_finder *f, penta_buffer *spectrum, penta_buffer *images, size_t from, size_t n,
                                prepare_candidates *found, float *height);

/* ---- subpixel shifts: register_fine.c ---- */

/* A frame of the batch and what registration knows about it. */
typedef struct prepare_match {
    int frame;
    prepare_candidates at;
    penta_drift drift; /* relative to f: angle is given; dx, dy and score are found; score -1: not found */
    bool grows;        /* the tiles show that the content is stretched */
    double grow;       /* growth relative to f; 0: not found */
} prepare_match;

/* Finds the shifts of n frames relative to f, from their candidates. Waits. */
penta_status prepare_fine_run(penta_context *ctx, prepare_sums *s, const prepare_shape *shape, penta_buffer *f,
                              penta_buffer *f_mask, penta_buffer *g, penta_buffer *g_mask, size_t n,
                              prepare_match *match);

/* ---- alternative shifts that fit as well: register_periods.c ---- */

/* Shifts at which a frame resembles itself. */
typedef struct prepare_periods {
    size_t count;
    bool line;                                           /* the first two lie on a line all along which it does */
    double x[PENTA_DRIFT_OTHERS], y[PENTA_DRIFT_OTHERS]; /* px */
} prepare_periods;

/* Finds maxima of the autocorrelation of image `index`, whose spectrum is given: candidates of its periods. Waits. */
penta_status prepare_finder_periods(prepare_finder *f, penta_buffer *spectrum, penta_buffer *images, size_t index,
                                    prepare_candidates *found);
/* Of the candidates, keeps the shifts at which f resembles itself (g: f again). Waits. */
penta_status prepare_periods_find(const prepare_pair *of, const prepare_shape *shape, const prepare_candidates *at,
                                  prepare_periods *out);
/* Fills the alternatives (others) of the drift of a frame that was found in f with growth `grow`. Waits. */
penta_status prepare_periods_try(const prepare_pair *of, const prepare_shape *shape, const prepare_periods *periods,
                                 int frame, double grow, penta_drift *drift);

/* ---- parts that move apart: register_moves.c ---- */

/* Whether a part of a frame that was found in f has moved otherwise than the frame; (*dx, *dy): by how much more.
 * border: px that are masked at each side. Waits. */
penta_status prepare_moves_run(const prepare_pair *of, const prepare_shape *shape, size_t border,
                               const prepare_match *match, bool *apart, double *dx, double *dy);
/* The quadratic through nine coefficients by least squares (register_sums.c). */
double prepare_quadratic_at(const double *r, double x, double y);

/* ---- growth: rigid.c ---- */

/* Like prepare_peak, but accepts peaks within `reach` px by rough extrapolation of the fit (register_sums.c). */
bool prepare_peak_within(const double *r, double reach, double *sx, double *sy, double *top);

/* Whether the tiles of a frame, from their sums about a whole-pixel shift, show a growth that matters. */
penta_status prepare_rigid_grows(penta_context *ctx, const prepare_shape *shape, const float *tile_sums, bool *grows);

/* ---- rough growth: register_grow.c ---- */

/* Estimates the growth of a frame's content relative to f, up to a tenth, at angle 0; 0: growth does not improve the
 * match. */
penta_status prepare_grow_run(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                              double *grow);
/* Refines a growth to the one at which the coefficient is largest. */
penta_status prepare_grow_refine(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                                 double *grow);

/* ---- rough angle: register_turn.c ---- */

typedef struct prepare_turner prepare_turner;
penta_status prepare_turner_create(penta_resources *own, const prepare_shape *shape, int most_x, int most_y,
                                   prepare_turner **out);
/* Sets the key that later frames are compared with. */
penta_status prepare_turner_key(prepare_turner *t, penta_buffer *key);
/* Finds the angle and candidate shifts of a frame of images. Waits. */
penta_status prepare_turner_run(prepare_turner *t, penta_buffer *images, prepare_match *match);
