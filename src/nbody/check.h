/* Whether bodies can be computed with. Each failure names the first body that cannot. */
#ifndef PENTA_NBODY_CHECK_H
#define PENTA_NBODY_CHECK_H

#include "core/core.h"

/* n x 7: all finite, no mass negative; with eps = 0 no two at one place. */
penta_status nbody_check(penta_context *ctx, size_t n, const double *bodies, double eps);
/* m x 3: all finite. */
penta_status nbody_check_points(penta_context *ctx, size_t m, const double *points);

#endif
