/* Beats of a movie, in the mean of its pixels. */
#include <pentacl/beats.h>

#include "core/core.h"

const int penta_apd_levels[PENTA_APD_LEVELS] = {30, 50, 80, 90};

const penta_option penta_beats_option_table[] = {
    PENTA_REAL_OPTION(penta_beats_options, refractory, 0, 50, 0, 1e6, "ms",
                      "least time between the upstrokes of beats"),
    PENTA_REAL_OPTION(penta_beats_options, threshold, 0, 0.3, 0.01, 1, "",
                      "an upstroke of the mean signal that climbs less of its range is no beat"),
    PENTA_INT_OPTION(penta_beats_options, velocity_window, 0, 7, 3, 63, "px",
                     "side of the square in which the activation surface is fitted, odd"),
    PENTA_CHOICE_OPTION(penta_beats_options, velocity, 0, "bayly,gradient",
                        "conduction velocity: of a fitted polynomial, or by central differences"),
    PENTA_REAL_OPTION(penta_beats_options, min_upstroke, 0, 0.2, 0, 1, "",
                      "pixels whose upstroke is less than that share of the beat's median one have no values in it"),
    PENTA_OPTIONS_END};

penta_status penta_beats_find(penta_context *ctx, const penta_movie_view *movie, const penta_beats_options *opt,
                              penta_beat **beats, size_t *count)
{
    (void)movie, (void)opt;
    *beats = NULL;
    *count = 0;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}
