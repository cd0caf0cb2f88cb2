/* How far C1D goes up and down by chance, in a texture that has no length. */
#pragma once

#include <pentacl/autocorr.h>

/* The image behind a curve. */
typedef struct {
    double pixels, width, height; /* pixels: those that count */
} chance_image;

/* The core of C1D, which ends where C1D falls to 0 or at the trough, as a spike and a Gaussian. */
typedef struct {
    chance_image image;
    double spike, top; /* of white noise, at the origin alone; of the rest */
    double power;      /* sum of C2D^2 over the core without the spike */
    double width2;     /* of the sums of C(s) C(s + d), px^2: standard deviation in d, squared */
} chance_core;

chance_core autocorr_chance_core(const penta_autocorr_bin *c1d, size_t trough, const chance_image *image);

/* Standard deviation of C1D(a) - C1D(b), a and b outside the core. */
double autocorr_chance_sd(const chance_core *core, double a, double b);

/* Radius at which C1D has fallen to 1/e of what it is at the origin without white noise; the last one where it does not
 * fall so far, the first one of white noise alone; NaN without bins. */
double autocorr_correlation_length(const penta_autocorr_bin *c1d, size_t bins);
