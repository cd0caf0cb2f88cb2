/* Initial conditions of tests, and how their bodies are distributed. */
#ifndef PENTA_TESTS_BODIES_H
#define PENTA_TESTS_BODIES_H

#include <stddef.h>
#include <stdint.h>

/* n x 7 numbers of a model (enum penta_nbody_model); to free. */
double *initial_bodies(int model, uint64_t seed, size_t n);

double length_of(const double v[3]);

/* What is to be looked at of a body, or NaN where it is not. */
typedef double (*quantity)(const double *body, size_t i);
/* As expect_distributed. */
void expect_quantity(const double *bodies, size_t n, quantity value, double (*share)(double x), const char *what);

/* Of angles all round; of radii in Hernquist's model, cut where it is here. */
double angle_share(double angle);
double hernquist_share(double r);

#endif
