/*
 * The detector as its formula is written: one pixel after the other, in long double where a rounding could show, with
 * the host's libm. It shares the random words with the kernels (math/rng.h), and nothing else.
 */
#pragma once

#include <pentacl/detector.h>

/* One Poisson count of the pixel: the same number that the kernels draw. */
double reference_poisson(double mean, uint64_t seed, uint64_t pixel);

/* Mean number of electrons of a pixel that gets the photons. */
double reference_mean(const penta_detector_options *o, size_t width, size_t height, size_t x, size_t y, double photons);

/* A frame of double photons; saturated may be NULL. */
void reference_detector(const penta_detector_options *o, size_t width, size_t height, uint32_t frame,
                        const double *photons, float *dn, uint8_t *saturated);
