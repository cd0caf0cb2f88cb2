/* Standard error of R_max from the scatter between the tiles of an image. */
#pragma once

#include <pentacl/autocorr.h>

/* What each tile contributes to C1D. Bins ascend in mean_r; bin 0 is the origin. */
typedef struct {
    size_t tiles, bins;
    const double *sum;     /* tiles x bins: the tile's share of the sum of N(X,Y) over the bin's offsets */
    const double *weight;  /* tiles x bins: pixel pairs behind each sum; NULL for equation 1 */
    const double *divisor; /* bins; where weight is NULL, sums over all tiles are divided by this: count sum I^2 */
    const double *mean_r;  /* bins, px */
    const int64_t *count;  /* bins: offsets in the bin */
} penta_tile_sums;

/*
 * Draws as many tiles as there are, with replacement, `resamples` times, finds the peak of each C1D (at a third of the
 * prominence, so that a faint peak is not lost in a resample) and sets *standard_error to the standard deviation of
 * those within a factor 1.5 of r_max (px): NaN where fewer than half of the resamples have one, or fewer than two tiles
 * or resamples are given. The draws depend on the seed alone. Returns PENTA_OK or PENTA_MEMORY.
 */
penta_status penta_bootstrap_r_max(const penta_tile_sums *sums, size_t resamples, uint64_t seed, double prominence,
                                   double r_max, double *standard_error);
