/* The search for outliers of a growth series. */
#pragma once

#include <pentacl/autocorr.h>

/* Flags outliers among n points in ascending order of t, all finite, r above 0. se: standard errors, finite and above
 * 0, or NULL.
 */
penta_status growth_find_outliers(size_t n, const double *t, const double *r, const double *se, bool *outlier);
