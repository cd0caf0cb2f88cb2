/* Data for the pictures of the autocorrelation. */
#pragma once

#include "autocorr/plots.h"
#include "figures/plot_growth.h"
#include "support/pictures.h"

enum { R = 100, BINS = R + 1 };

/* floor + (1 - floor) cos(2 pi r / r_max) / (1 + r / r_max): trough at about r_max / 2, peak at about r_max. */
static inline autocorr_c1d_frame make_frame(penta_autocorr_bin bins[BINS], double time, double r_max, double floor)
{
    autocorr_c1d_frame frame = {time, BINS, bins, {PENTA_PEAK_OK, 0, r_max, NAN, 0, r_max / 2, 0}, false};

    for (int i = 0; i < BINS; i++) {
        double x = i / r_max;

        bins[i] =
            (penta_autocorr_bin){i > 0 ? 6 * i : 1, i, floor + (1 - floor) * cos(6.283185307 * x) / (1 + x), 0.01};
    }
    frame.peak.c_min = bins[r_max / 2 < R ? (int)(r_max / 2) : R].c;
    frame.peak.c_max = bins[r_max < R ? (int)r_max : R].c;
    return frame;
}

static inline autocorr_c1d_frame without_peak(autocorr_c1d_frame frame, enum penta_peak_status status)
{
    frame.peak = (penta_peak){status, 0, NAN, NAN, NAN, NAN, NAN};
    return frame;
}

static inline double *make_c2d(size_t r, double value)
{
    size_t side = 2 * r + 1;
    double *c2d = malloc(side * side * sizeof *c2d);

    assert_non_null(c2d);
    for (size_t i = 0; i < side * side; i++)
        c2d[i] = value * (1 + 0.001 * (double)(i % side));
    return c2d;
}

static const penta_growth_fit fits[PENTA_GROWTH_MODELS] = {
    {.model = PENTA_GROWTH_PROPORTIONAL,
     .ok = true,
     .parameters = 1,
     .value = {0.71, NAN, NAN},
     .standard_error = {0.021, NAN, NAN},
     .aicc = 90.5,
     .rss = 40},
    {.model = PENTA_GROWTH_LINEAR,
     .ok = true,
     .parameters = 2,
     .value = {12.1, 0.53, NAN},
     .standard_error = {0.3, 0.024, NAN},
     .aicc = 10.5,
     .rss = 4},
    {.model = PENTA_GROWTH_POWER,
     .ok = true,
     .parameters = 3,
     .value = {4, -7.25, 0.5},
     .standard_error = {0.5, 0.3, 0.05},
     .aicc = 30.5,
     .rss = 7},
};

enum { POINTS = 20 };

typedef struct {
    double t[POINTS], r[POINTS], r_se[POINTS];
    bool outlier[POINTS];
} growth_data;

static inline plot_growth_points make_points(growth_data *d)
{
    for (int i = 0; i < POINTS; i++) {
        d->t[i] = i;
        d->r[i] = 12.1 + 0.53 * i + 0.1 * (i % 3);
        d->r_se[i] = 0.2;
        d->outlier[i] = false;
    }
    return (plot_growth_points){POINTS, d->t, d->r, d->r_se, d->outlier, true, 0};
}
