/* Random fields made of plane waves, and what the samples' pictures are made with. No files here. */
#pragma once

#include <stdint.h>

#define TWO_PI  6.283185307179586
#define J0_PEAK 7.015586669815619 /* of waves of one number k the autocorrelation is J0(k r), its R_max this / k */

/* 53 random bits by number, the same everywhere. */
uint64_t sample_bits(int seed, uint64_t number);

/* The same, uniform in [0, 1). */
double sample_uniform(int seed, uint64_t number);

/* Adds cos(kx x + ky y + phase) to a picture of height x width. */
void sample_add_wave(float *field, int width, int height, double kx, double ky, double phase);
