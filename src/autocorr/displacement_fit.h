/* The cross-correlation C2D about the displacement of two images: quadratics fitted to it, and how wide they are. */
#pragma once

#include <stdbool.h>

#include <pentacl/autocorr.h>

/* The displacement by C2D of two images; c2d NULL: flat. */
penta_displacement autocorr_displacement_find(const double *c2d, size_t max_offset);

/* side x side offsets by row; NaN: no value. */
typedef struct {
    const double *values;
    long side;
} penta_offsets;

/* NaN outside. */
double penta_offsets_at(const penta_offsets *c, long x, long y);

/* flat + x u + y v + xx u^2 + xy u v + yy v^2 at (u, v) from where it was fitted. */
typedef struct {
    double flat, x, y, xx, xy, yy;
} penta_quadratic;

/* Fitted about (x, y) to C2D between its offsets, with Gaussian weights of this standard deviation, in pixels. false:
 * too few offsets have a value. */
bool penta_quadratic_fit(const penta_offsets *c, double x, double y, double width, penta_quadratic *q);

/* The width, up to the widest, at which the place of the peak about offset (px, py) is told best; C2D farther than far
 * from there is what else the images share, and noise. false: with no width is the peak bent much more than that. */
bool penta_displacement_width(const penta_offsets *c, long px, long py, double far, double widest, double *best);

/* Standard errors of the place (x, y) of a peak fitted with this width; NaN: C2D or its curvature does not tell them.
 */
void penta_displacement_error(const penta_offsets *c, double x, double y, double width, double *x_se, double *y_se);
