/* Movies of pixels' traces, and their shifts by src/optmap/fast_shifts*.c against the correlation's sums in double. */
#pragma once

#include "optmap/fast_shifts.h"

typedef struct {
    size_t width, height, frames;
    penta_optmap_options options;
    int interp, taps;
    double *v;      /* pixel after pixel */
    uint8_t *valid; /* of pixels */
} shift_movie;

shift_movie make_shift_movie(size_t width, size_t height, size_t frames, int interp, int taps, int window);
void free_shift_movie(shift_movie *m);

/* What movies show: the value at pixel (x, y) and frame t. */
typedef double shift_show(const shift_movie *m, double x, double y, double t);
shift_show wave_show, noisy_wave_show, noise_show, slope_show;
enum { SHIFT_SHOWS = 10 };
extern shift_show *const shift_shows[SHIFT_SHOWS]; /* these and others */

void fill_shift_movie(shift_movie *m, shift_show *show);

/* The device's shifts, by bands of `step` rows of results. */
void compute_shifts(penta_context *ctx, const shift_movie *m, size_t step, int32_t *shifts);

/* Against the definition, and in bands of `step` rows of results the same, unless step is 0; fails the test where a
 * pair with a unique largest value is wrong, and returns the share of such pairs. */
double check_shift_bands(penta_context *ctx, const shift_movie *m, size_t step);
double check_shifts(penta_context *ctx, const shift_movie *m);
