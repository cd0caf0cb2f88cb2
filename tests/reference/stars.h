/* Star-camera frames as the formulas are written: one star after another, one pixel after another, in double. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t width, height;
    int roi;
    double sigma_x, sigma_y, angle_deg; /* the PSF's x axis, turning from x to y */
    bool integrated;                    /* over the pixel; unrotated Gaussians only */
    double moffat_beta;                 /* > 0: a Moffat of the same FWHM as the Gaussian's */
    double amplitude, base;             /* flux = amplitude base^-m */
} reference_stars;

/* image: height x width, overwritten. */
void reference_stars_draw(const reference_stars *r, size_t n, const double *x, const double *y, const double *m,
                          double *image);

/* One star that moves by (mx, my) during the exposure, by the mean over many places on its way; added to the image. */
void reference_stars_add_moving(const reference_stars *r, double x, double y, double m, double mx, double my,
                                double *image);
