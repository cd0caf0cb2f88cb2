/* Initial conditions for tests, and the distribution of their bodies. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* n x 7 numbers of a model (enum penta_nbody_model), to be freed. */
double *initial_bodies(int model, uint64_t seed, size_t n);

double length_of(const double v[3]);

/* The quantity of a body to test, or NaN to leave the body out. */
typedef double (*quantity)(const double *body, size_t i);
/* Like expect_distributed. */
void expect_quantity(const double *bodies, size_t n, quantity value, double (*share)(double x), const char *what);

/* Distribution functions: of uniform angles, and of radii in Hernquist's model with our cut-off. */
double angle_share(double angle);
double hernquist_share(double r);
