/* Gravity as its formula is written, in long double. Bodies: n x 7, mass x y z vx vy vz. */
#pragma once

#include <stddef.h>

#include <pentacl/nbody.h>

/* Acceleration (3) and potential at a point; body `self` is left out (n or more: none). Either may be NULL. */
void reference_nbody_field(size_t n, const double *bodies, double eps, const double point[3], size_t self,
                           double acceleration[3], double *potential);

/* Accelerations (n x 3) and potentials (n) of the bodies themselves; either may be NULL. All cores. */
void reference_nbody_forces(size_t n, const double *bodies, double eps, double *acceleration, double *potential);

/* Everything of penta_nbody_diagnostics. */
void reference_nbody_diagnose(size_t n, const double *bodies, double eps, penta_nbody_diagnostics *out);

/* Relative errors |a - b| / |b| of accelerations (n x 3): their median, 99th percentile and largest. Where b is 0, |a|.
 */
typedef struct {
    double median, p99, largest;
} reference_nbody_errors;
reference_nbody_errors reference_nbody_compare(size_t n, const double *got, const double *want);
