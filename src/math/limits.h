/* Rates of multiply-adds by the type of their numbers (flops.c), which are three of the limits (limits.c). */
#pragma once

#include <pentacl/flops.h>

#include "core/core.h"

/* limit: PENTA_LIMIT_SINGLE, _DOUBLE or _INT32. Operations a second, two for each multiply-add. */
penta_status penta_multiply_add_rate(penta_context *ctx, penta_limit limit, double *rate);

/* Time of the kernels of this name since the last reset of the profile, s. */
double penta_profiled_kernel(penta_context *ctx, const char *name);
