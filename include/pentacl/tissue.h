/*
 * A sheet of heart muscle: movies of hearts from the equations of the tissue, whose activation, action potentials,
 * speed and rotors are known. The model is that of R. R. Aliev and A. V. Panfilov (Chaos, Solitons & Fractals 7 (1996)
 * 293),
 *
 *   du/dt = div(D grad u) - k u (u - a) (u - 1) - u v,   dv/dt = (eps0 + mu1 v / (u + mu2)) (-v - k u (u - a - 1)),
 *
 * u 0 at rest and 1 excited, time in units of time_unit ms, D the tensor of the fibres: Dl along them, Dl /
 * anisotropy^2 across, Dl such that a plane wave into tissue at rest, in which v is still 0, runs along them at
 * `speed`: c = sqrt(Dl k / 2) (1 - 2 a), exact for that front. Cells are square; D is that of linear finite elements on
 * the two triangles of each square of four cells, the diagonal along the fibres, masses lumped; time by Euler's
 * explicit steps, in float. Nothing flows out of the outline: that is the elements' natural border.
 *
 * Positions are in pixels, the middle of the first one at (0, 0), y down.
 */
#ifndef PENTACL_TISSUE_H
#define PENTACL_TISSUE_H

#include <stdint.h>

#include <pentacl/context.h>
#include <pentacl/options.h>
#include <pentacl/spiral.h>

PENTA_BEGIN_DECLS

typedef struct {
    size_t size;               /* of this struct, by penta_tissue_options_init */
    double pixel_size;         /* cm */
    double speed;              /* cm/s, along the fibres */
    double anisotropy;         /* the speed along the fibres over that across */
    double fibre;              /* degrees: where the fibres run, 0 right, 90 down */
    double time_unit;          /* ms */
    double k, a;               /* of the model */
    double epsilon0, mu1, mu2; /* of the model */
    int cells;                 /* on a pixel's side; 0: as many as the front across the fibres needs */
    double step;               /* ms, the longest; 0: 0.02 units, or what is stable */
} penta_tissue_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_tissue_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_tissue_options_init(penta_tissue_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_tissue_option_table(), options);
}

typedef struct penta_tissue penta_tissue;

/**
 * Every rule of the options, and of sheets of this size (both 0: not known yet). opt may be NULL. On failure returns
 * PENTA_INVALID and writes one line, which names options in backquotes, into message (which may be NULL).
 */
PENTA_API penta_status penta_tissue_check(size_t width, size_t height, const penta_tissue_options *opt, char *message,
                                          size_t size);

/**
 * A sheet of width x height pixels, at rest. outline: height x width, 0 where there is no tissue; NULL: tissue
 * everywhere. A cell that is in no triangle of tissue is none. opt may be NULL. Errors: PENTA_INVALID (what
 * penta_tissue_check refuses, no tissue), PENTA_MEMORY, PENTA_DEVICE. On failure *out is
 * NULL.
 */
PENTA_API penta_status penta_tissue_create(penta_context *ctx, size_t width, size_t height, const uint8_t *outline,
                                           const penta_tissue_options *opt, penta_tissue **out);

/** The options with what the plan chose where they said 0: cells, and the longest step. */
PENTA_API const penta_tissue_options *penta_tissue_chosen(const penta_tissue *tissue);

/** u = 1 within `radius` px of (x, y); 0: a radius that makes a wave. */
PENTA_API penta_status penta_tissue_stimulate(penta_tissue *tissue, double x, double y, double radius);

/** u = 1 on the side of the line through (x, y) that the direction `angle` (degrees, 0 right, 90 down) comes from: a
 * plane wave goes off that way. */
PENTA_API penta_status penta_tissue_stimulate_half(penta_tissue *tissue, double x, double y, double angle);

typedef struct {
    double x, y; /* px */
    int charge;  /* +1 or -1, as of penta_spiral_tip */
} penta_tissue_rotor;

/** The whole sheet: a broken wave around each of these places, which curl into as many rotors. The sheet was at rest
 * or not; what was is lost. */
PENTA_API penta_status penta_tissue_begin_rotors(penta_tissue *tissue, const penta_tissue_rotor *rotors, size_t count);

/** Goes on for `ms`, in equal steps no longer than the longest. */
PENTA_API penta_status penta_tissue_advance(penta_tissue *tissue, double ms);

/** u, v: (height cells) x (width cells), cells as chosen; 0 where there is no tissue. Either may be NULL. */
PENTA_API penta_status penta_tissue_read(penta_tissue *tissue, float *u, float *v);

/** height x width: means of u over the tissue of each pixel; 0 where there is none. */
PENTA_API penta_status penta_tissue_signal(penta_tissue *tissue, float *signal);

/** height x width: the share of each pixel that is tissue, 0 .. 1. */
PENTA_API void penta_tissue_cover(const penta_tissue *tissue, float *cover);

/** Tips now, in px, u = 1/2 and v = k (1/2 - a) / 2 at once, which is where u stands still: *count of them, the first
 * `most` in tips. */
PENTA_API penta_status penta_tissue_tips(penta_tissue *tissue, penta_spiral_tip *tips, size_t most, size_t *count);

PENTA_API void penta_tissue_destroy(penta_tissue *tissue); /* NULL is fine */

/** The outline of a heart seen from the front, filling width x height pixels but for a margin: base above, apex below
 * right, a border that is not smooth. mask: height x width, 1 in the heart. */
PENTA_API void penta_tissue_heart(size_t width, size_t height, uint8_t *mask);

/* ---- a movie of it, and what is known about it ---- */

typedef struct {
    double time;         /* ms from the first frame; not before it */
    double x, y, radius; /* px; radius 0: one that makes a wave */
} penta_tissue_stimulus;

enum { PENTA_TISSUE_LEVELS = 4 }; /* 30, 50, 80, 90 % of repolarisation */

/* Tips of a frame: `count` from tips[first] on. */
typedef struct {
    size_t first, count;
} penta_tissue_tips_at;

/*
 * Maps are beats x height x width, NaN where there is none: the nth is that of the pixel's nth excitation. Known from
 * the noise-free signal of each pixel, looked at every 0.25 ms or more often: activation where it climbs the fastest
 * (parabola), durations from there to where it has fallen by 30, 50, 80, 90 % of the way from its peak to its least
 * value before the upstroke (a line between two looks). velocity: beats x 2 x height x width, cm/s, x then y: grad T /
 * |grad T|^2 by central differences of activation.
 */
typedef struct {
    size_t frames, height, width, beats;
    float *signal;                    /* frames x height x width, as penta_tissue_signal */
    double *activation;               /* ms */
    double *apd[PENTA_TISSUE_LEVELS]; /* ms */
    double *velocity;
    penta_tissue_tips_at *tips_at; /* frames */
    penta_spiral_tip *tips;
} penta_tissue_movie;

/**
 * Films the sheet from now on: frame n shows it n / frame_rate_hz s later, at a moment (no exposure time). Stimuli in
 * order of time. Reports progress. Errors: PENTA_INVALID (frame rate not above 0, no frames, stimuli out of order or
 * before the first frame), PENTA_MEMORY, PENTA_DEVICE, PENTA_CANCELLED. On failure *out is empty.
 */
PENTA_API penta_status penta_tissue_film(penta_tissue *tissue, double frame_rate_hz, size_t frames,
                                         const penta_tissue_stimulus *stimuli, size_t count, penta_tissue_movie *out);
PENTA_API void penta_tissue_movie_free(penta_tissue_movie *movie); /* empties it; an empty one is fine */

PENTA_END_DECLS
#endif
