/* The picture of a growing length scale, which autocorr draws of a series and prepare of one that it watches. As those
 * of autocorr/plots.h: BASE.png and BASE.svg, both or neither; sets err on anything but PLOT_OK. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/autocorr.h>

#include "figures/figure.h"

/* R_max over time. Arrays of n; r_se and outlier may be NULL. */
typedef struct {
    size_t n;
    const double *t;     /* s, or frame numbers */
    const double *r;     /* px */
    const double *r_se;  /* px */
    const bool *outlier; /* the points that the fits left out */
    bool seconds;        /* t is in s */
    size_t weak;         /* frames that have an R_max, which is not here as it is not reliable */
} plot_growth_points;

/* R_max(t) with error bars and the fitted models that penta_growth_shows, the one of least AICc drawn heavier. */
bool plot_growth(const char *base, const char *title, const plot_growth_points *points,
                 const penta_growth_fit fits[PENTA_GROWTH_MODELS], penta_io_error *err);
