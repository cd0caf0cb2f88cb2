/*
 * The Cahn-Hilliard equation as it is written: derivatives by a Fourier sum over all waves, each value summed by
 * itself, and in time the classical method of Runge and Kutta with steps as small as explicit ones must be. For small
 * grids.
 */
#pragma once

#include <stddef.h>

/* u, height x width cells of side `cell`, `steps` steps of h later. */
void reference_spinodal(size_t width, size_t height, double cell, double h, size_t steps, double *u);

/* First moment of the structure factor, radians a cell, and mean of (u^2 - 1)^2 / 4 + |gradient u|^2 / 2. */
double reference_spinodal_wave_number(size_t width, size_t height, const double *u);
double reference_spinodal_energy(size_t width, size_t height, double cell, const double *u);
