/* The Hermite integrator without a plan, and bodies for it. Rows are mass, position, velocity. */
#pragma once

#include "nbody/nbody.h"

typedef struct {
    nbody_setup setup;
    nbody_bodies bodies;
    void *state;
    double interactions;
} simulation;

typedef struct {
    int mode, precision;
    double dt, eta, eps;
} method;

/* Double, or ds where the device has no double. */
int finest_precision(const penta_context *ctx);

simulation simulation_start(penta_context *ctx, method m, size_t n, const double *rows);
void simulation_go(simulation *s, int steps);
void simulation_bodies(simulation *s, double *rows);
void simulation_stop(simulation *s);
/* Integrates rows by `steps` steps; returns the number of interactions. */
double integrate_bodies(penta_context *ctx, method m, size_t n, double *rows, int steps);

/* Relative to the energy before; eps: the method's. */
double energy_error(size_t n, const double *before, const double *after, double eps);
/* Largest difference of a coordinate (columns 3), or of a coordinate or velocity (columns 6). */
double largest_difference(size_t n, const double *a, const double *b, size_t columns);

/* The jerk of body i, straight from the formula. */
void reference_jerk(size_t n, const double *rows, double eps, size_t i, double jerk[3]);

/* Plummer's sphere: mass 1, scale length 1, velocities from its distribution function (Aarseth, Henon, Wielen 1974). */
double *plummer_sphere(size_t n);
double *copy_of_bodies(size_t n, const double *rows);
