/*
 * The point-spread function of a plan: its numbers, its value on the host in double, and what the kernels need of it.
 *
 * Where a star lands. c0 = ceil(x - ROI/2) is the first column of its region of interest and half = ROI / 2 (integer);
 * column c0 + k, k = 0 .. ROI-1, lies dx = k - half - rx from the star, with the residual rx = x - c0 - half in (-1,
 * 1/2]. So only a number of at most 1 goes to single precision. Rows likewise.
 */
#pragma once

#include <pentacl/stars.h>

#include "core/core.h"

/* The array of numbers that kernels get; cl/stars/psf.clh has the same list. */
enum {
    PSF_HALF_INVERSE_VARIANCE = 0, /* two: 1 / (2 sigma^2) along each axis */
    PSF_ERF_SCALE = 2,             /* two: 1 / (sigma sqrt(2)) */
    PSF_COSINE = 4,
    PSF_SINE = 5,
    PSF_INVERSE_ALPHA2 = 6, /* two: 1 / alpha^2 */
    PSF_BETA = 8,
    PSF_OVERSAMPLING = 9,
    PSF_SAMPLES = 10, /* two: columns and rows of the image */
    PSF_QUADRATURE = 12,
    PSF_NODES = 13,   /* STARS_MOST_POINTS in [-1/2, 1/2] */
    PSF_WEIGHTS = 21, /* likewise; their sum is 1 */
    STARS_PSF_NUMBERS = 29,
    STARS_MOST_POINTS = 8
};

typedef struct stars_psf {
    int kind; /* enum penta_stars_psf */
    int roi;
    bool separable;        /* value(dx, dy) = factor(0, dx) factor(1, dy) */
    int quadrature;        /* points a pixel and axis; 1: the value at the pixel's centre */
    double sigma[2];       /* px, along the axes of the PSF */
    double cosine, sine;   /* of its angle */
    double alpha[2], beta; /* Moffat: half widths, px, along the axes */
    double norm;           /* what the values below are to be multiplied by, for stars at rest */
    double oversampling;   /* image: samples a pixel */
    size_t samples_x, samples_y;
    double *samples; /* image: samples_y x samples_x, scaled so that norm is 1; owned; NULL until given */
    double nodes[STARS_MOST_POINTS], weights[STARS_MOST_POINTS];
} stars_psf;

/* From checked options. The ROI of a flux tolerance is found here (for an image: once it is given). */
penta_status stars_psf_init(penta_context *ctx, const penta_stars_options *o, stars_psf *psf);
/* Takes a copy of the samples. On failure the PSF is as it was. */
penta_status stars_psf_set_image(penta_context *ctx, const penta_stars_options *o, size_t width, size_t height,
                                 double oversampling, const double *samples, stars_psf *psf);
void stars_psf_free(stars_psf *psf);

/* Separable PSF: the factor of an axis (0: x, 1: y) at d px from the star. Their product times `norm` is the PSF. */
double stars_psf_factor(const stars_psf *psf, int axis, double d);
/* Any PSF: its value over the norm for the pixel (dx, dy) from the star, which moves by (mx, my) during the exposure
 * (a round Gaussian then). */
double stars_psf_value(const stars_psf *psf, double dx, double dy, double mx, double my);

double stars_psf_norm(const stars_psf *psf, bool moving);

/* First column (row) of the region of interest of a star at x (y). */
double stars_first(double x, int roi);

/* ---- for kernels ---- */

/* Defines that shape a program: -DPENTA_DOUBLE, -DPSF_<KIND>, and -DPSF_SEPARABLE or, for stars that move,
 * -DPSF_MOVING. */
void stars_psf_defines(const stars_psf *psf, bool moving, bool dbl, char *text, size_t size);
void stars_psf_numbers(const stars_psf *psf, double numbers[STARS_PSF_NUMBERS]);
