/* Checks of bodies and points. A failure names the first bad one. */
#pragma once

#include "core/core.h"

/* n x 7: all numbers are finite, no mass is negative, and with eps = 0 no two bodies are at one place. */
penta_status nbody_check(penta_context *ctx, size_t n, const double *bodies, double eps);
/* What pairs of floats hold, for devices without double precision: n x 7, the step and the softening, m x 3. */
penta_status nbody_check_floats(penta_context *ctx, size_t n, const double *bodies);
penta_status nbody_check_float_options(penta_context *ctx, double dt, double eps);
penta_status nbody_check_float_points(penta_context *ctx, size_t m, const double *points);

/* m x 3: all numbers are finite. */
penta_status nbody_check_points(penta_context *ctx, size_t m, const double *points);
