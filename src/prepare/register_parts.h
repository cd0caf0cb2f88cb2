/* The parts of registration, which register.c calls. */
#ifndef PENTA_PREPARE_REGISTER_PARTS_H
#define PENTA_PREPARE_REGISTER_PARTS_H

#include "math/fft.h"
#include "prepare/stages.h"

static inline size_t prepare_shorter_side(const prepare_shape *shape)
{
    return shape->width < shape->height ? shape->width : shape->height;
}

/* Pixels that content may have moved along a side of so many: of option max_drift. */
static inline int prepare_most_shift(int option, size_t pixels)
{
    return option > 0 ? option : (int)(3 * pixels / 4);
}

/* ---- what registration sees: register_see.c ---- */

/*
 * e = ((g * (I m)) / (g * m)) / w - 1, g a Gaussian of 1.5 px, nothing beyond the frame; ln w the average of the
 * logarithms of blocks' means by a Gaussian G of a 32nd of the shorter side (4 px at least), w a spline between the
 * blocks' middles. Contrast with what is near: without the light, most of the noise, and dust, which leaves no hole
 * that shows. All of it moves with the pattern, except at the sides, where the wide average has only half of its
 * surroundings: 2.5 standard deviations of G are left out there. Left out, too, is where too little about a pixel
 * counts or it is too dark.
 */
typedef struct prepare_see {
    prepare_shape shape;
    size_t nodes_x, nodes_y;
    int block, reach, border; /* px, nodes, px */
    float few;                /* pixels, by the Gaussian's weights, that a wide average must have */
    penta_kernel blocks, mean, fill, wide_x, wide_y, along_x, along_y;
    penta_buffer weights;      /* float, reach + 1: of G */
    penta_buffer sums, filled; /* float, 2 x nodes_y x nodes_x a frame: as in the kernels */
    penta_buffer wide;         /* float, nodes_y x nodes_x a frame: w */
    penta_buffer level;        /* float a frame: the mean of its pixels that count */
    penta_buffer halfway;      /* float, 2 x height x width a frame: smoothed along x, numerators and denominators */
} prepare_see;
penta_status prepare_see_create(penta_resources *own, const prepare_shape *shape, prepare_see *out);
/* seen: float, batch x height x width, 0 where it does not count; seen_mask: uchar, 1 where it does. */
penta_status prepare_see_run(prepare_see *s, prepare_batch *batch, penta_buffer *seen, penta_buffer *seen_mask);

/* ---- shifts to a pixel: register_fft.c ---- */

enum {
    PREPARE_WRAPS = 4,                      /* with and without wrap-around, along x and along y */
    PREPARE_CANDIDATES = 10 * PREPARE_WRAPS /* of so many maxima */
};

/* Where a frame may lie: shifts of its content, px. Likely are those of the largest maximum. */
typedef struct prepare_candidates {
    int count;
    int x[PREPARE_CANDIDATES], y[PREPARE_CANDIDATES];
    bool likely[PREPARE_CANDIDATES];
} prepare_candidates;

typedef struct prepare_finder prepare_finder;
/* For images of width x height, shifts up to most_x, most_y, `batch` at a time; found to `by` pixels. */
penta_status prepare_finder_create(penta_resources *own, const prepare_settings *settings, size_t width, size_t height,
                                   int by, int most_x, int most_y, size_t batch, prepare_finder **out);
/* Bytes of a spectrum. */
size_t prepare_finder_bytes(const prepare_finder *f);
/* spectrum of image `index` of images. */
penta_status prepare_finder_spectrum(prepare_finder *f, penta_buffer *images, size_t index, penta_buffer *spectrum);
/* The shifts of n images from `from` on against that of the spectrum; height: the correlation's largest value. Waits.
 */
penta_status prepare_finder_run(prepare_finder *f, penta_buffer *spectrum, penta_buffer *images, size_t from, size_t n,
                                prepare_candidates *found, float *height);

/* ---- shifts to parts of a pixel: register_fine.c ---- */

/* A frame of the batch and what is known about it. */
typedef struct prepare_match {
    int frame;
    prepare_candidates at;
    penta_drift drift; /* relative to f: angle as given, dx, dy and score found; score -1: nowhere */
    bool grows;        /* its tiles say that the content is stretched, */
    double grow;       /* by so much relative to f; 0: not found */
} prepare_match;

/* Shifts of n frames against f, from their candidates. Waits. */
penta_status prepare_fine_run(penta_context *ctx, prepare_sums *s, const prepare_shape *shape, penta_buffer *f,
                              penta_buffer *f_mask, penta_buffer *g, penta_buffer *g_mask, size_t n,
                              prepare_match *match);

/* ---- other places that fit as well: register_periods.c ---- */

/* A frame g of a batch and what it is compared with. */
typedef struct prepare_pair {
    prepare_sums *sums;
    penta_buffer *f, *f_mask, *g, *g_mask;
} prepare_pair;

/* Shifts by which a frame is like itself. */
typedef struct prepare_periods {
    size_t count;
    double x[PENTA_DRIFT_OTHERS], y[PENTA_DRIFT_OTHERS]; /* px */
} prepare_periods;

/* Maxima of the correlation of image `index` with itself, whose spectrum it is: candidates of its periods. Waits. */
penta_status prepare_finder_periods(prepare_finder *f, penta_buffer *spectrum, penta_buffer *images, size_t index,
                                    prepare_candidates *found);
/* Of f (g: the same) those by which it is like itself. Waits. */
penta_status prepare_periods_find(penta_context *ctx, const prepare_pair *of, const prepare_shape *shape,
                                  const prepare_candidates *at, prepare_periods *out);
/* Where the frame was found in f, with its growth: the others of its drift. Waits. */
penta_status prepare_periods_try(const prepare_pair *of, const prepare_shape *shape, const prepare_periods *periods,
                                 int frame, double grow, penta_drift *drift);

/* ---- growth: rigid.c ---- */

/* As prepare_peak, for one within `reach` px: the fit goes on beyond the coefficients, roughly (register_sums.c). */
bool prepare_peak_within(const double *r, double reach, double *sx, double *sy, double *top);

/* Whether the tiles of a frame, by their sums about a whole shift, tell of a growth that matters. */
penta_status prepare_rigid_grows(penta_context *ctx, const prepare_shape *shape, const float *tile_sums, bool *grows);

/* ---- growth, roughly: register_grow.c ---- */

/* How much the content of a frame has grown against f, up to a tenth, its angle being 0; 0: that explains nothing. */
penta_status prepare_grow_run(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                              double *grow);
/* The growth at which the coefficient is largest, from one near it. */
penta_status prepare_grow_refine(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                                 double *grow);

/* ---- the angle, roughly: register_turn.c ---- */

typedef struct prepare_turner prepare_turner;
penta_status prepare_turner_create(penta_resources *own, const prepare_shape *shape, int most_x, int most_y,
                                   prepare_turner **out);
/* Frames are compared with this one from now on. */
penta_status prepare_turner_key(prepare_turner *t, penta_buffer *key);
/* Angle and candidates of a frame of images. Waits. */
penta_status prepare_turner_run(prepare_turner *t, penta_buffer *images, prepare_match *match);

#endif
