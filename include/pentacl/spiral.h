/*
 * Spiral waves of an excitable medium: movies of hearts whose rotors are known. D. Barkley's model (Physica D 49 (1991)
 * 61) on a grid of square cells with sealed borders,
 *
 *   du/dt = u (1 - u) (u - (v + b) / a) / epsilon + laplacian u,   dv/dt = u - v,
 *
 * by explicit Euler steps and the nine-point Laplacian, in float, the same bits on every device. A grid begins with a
 * wave that is cut off in its middle, whose free end curls into one spiral.
 */
#ifndef PENTACL_SPIRAL_H
#define PENTACL_SPIRAL_H

#include <pentacl/context.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

/* Length and time in the model's units. With the defaults a spiral turns once in 4. */
typedef struct {
    size_t size; /* of this struct, by penta_spiral_options_init */
    double a, b, epsilon;
    double cell; /* side of a cell */
    double step; /* of time */
} penta_spiral_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_spiral_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_spiral_options_init(penta_spiral_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_spiral_option_table(), options);
}

/* A tip: u = 1/2 and v = a/2 - b at once. */
typedef struct {
    double x, y; /* cells, the middle of cell (0, 0) at (0, 0) */
    int charge;  /* of the phase around it, as in rotors.h */
} penta_spiral_tip;

typedef struct penta_spiral penta_spiral;

/**
 * Every rule of the options, and of grids of this size (both 0: not known yet). opt may be NULL. On failure returns
 * PENTA_INVALID and writes one line, which names options in backquotes, into message (which may be NULL).
 */
PENTA_API penta_status penta_spiral_check(size_t width, size_t height, const penta_spiral_options *opt, char *message,
                                          size_t size);

/**
 * Grid of width x height cells, at its beginning. opt may be NULL. Errors: PENTA_INVALID (what
 * penta_spiral_check refuses), PENTA_MEMORY, PENTA_DEVICE. On failure *out is NULL.
 */
PENTA_API penta_status penta_spiral_create(penta_context *ctx, size_t width, size_t height,
                                           const penta_spiral_options *opt, penta_spiral **out);
PENTA_API penta_status penta_spiral_advance(penta_spiral *spiral, size_t steps);
/** u, v: height x width; either may be NULL. */
PENTA_API penta_status penta_spiral_read(penta_spiral *spiral, float *u, float *v);
/** Tips of such u and v, bilinear within a cell, by rows: as many as there are, the first `most` of them in tips. */
PENTA_API size_t penta_spiral_tips(const penta_spiral *spiral, const float *u, const float *v, penta_spiral_tip *tips,
                                   size_t most);
PENTA_API void penta_spiral_destroy(penta_spiral *spiral); /* NULL is fine */

PENTA_END_DECLS
#endif
