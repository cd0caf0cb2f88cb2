/* Plans of the optmap workload: options, bands of rows, results on their way out. */
#include <stdlib.h>

#include "optmap/optmap.h"

const penta_option penta_optmap_option_table[] = {
    PENTA_CHOICE_OPTION(penta_optmap_options, engine, 0, "fast,literal",
                        "fast: the same shifts from far less work; literal: the thesis's steps"),
    PENTA_INT_OPTION(penta_optmap_options, interp, 0, 10, 1, 100, "", "interpolation in time by this factor"),
    PENTA_INT_OPTION(penta_optmap_options, taps, 0, 0, 0, 10001, "",
                     "of the interpolation filter, odd; 0: 8 times the factor + 1"),
    PENTA_INT_OPTION(penta_optmap_options, window, 0, 5, 1, 31, "px", "side of the square of neighbours, odd"),
    PENTA_REAL_OPTION(penta_optmap_options, sigma, 0, 1.179, 0.01, 100, "px", "standard deviation of the Gaussian"),
    PENTA_INT_OPTION(penta_optmap_options, median, 0, 5, 0, 63, "samples", "median in time; 0 or 1: none"),
    PENTA_CHOICE_OPTION(penta_optmap_options, median_edges, 0, "zero,truncate",
                        "at the ends of the movie: zeros beyond, or the median of what there is"),
    PENTA_CHOICE_OPTION(penta_optmap_options, polarity, 0, "down,up",
                        "down: the signal drops on depolarisation and is inverted; up: it rises"),
    PENTA_TEXT_OPTION(penta_optmap_options, baseline, 0, "A:B", "F0 is the mean of frames A .. B-1; default: of all"),
    PENTA_REAL_OPTION(penta_optmap_options, min_range, 0, 0, 0, 1e30, "", "pixels are valid whose v ranges over more"),
    PENTA_TEXT_OPTION(penta_optmap_options, min_value, 0, "V", "and whose largest v is above this; default: off"),
    PENTA_INT_OPTION(penta_optmap_options, drift, 0, -1, -1, 9, "",
                     "degree of the polynomial in time that is taken off each pixel first; -1: none"),
    PENTA_CHOICE_OPTION(penta_optmap_options, correlation, 0, "plain,phase",
                        "of pixels with their neighbours; phase: each frequency by its amplitude (literal only)"),
    PENTA_INT_OPTION(penta_optmap_options, max_lag, 0, -1, -1, 2147483647, "samples",
                     "largest shift, in interpolated samples; -1: any"),
    PENTA_FLAG_OPTION(penta_optmap_options, demean, 0, "correlate pixels less their means over time"),
    PENTA_CHOICE_OPTION(penta_optmap_options, tails, 0, "odd,hold,zero",
                        "shifted traces beyond their ends: odd reflection, the last sample, or zeros"),
    PENTA_CHOICE_OPTION(penta_optmap_options, invalid, 0, "renormalise,zero",
                        "neighbours that are not valid: weights renormalised, or zeros"),
    PENTA_CHOICE_OPTION(penta_optmap_options, border, 0, "full,renormalise",
                        "at the frame's edges: full windows only, or weights renormalised"),
    /* not called output, which in the command is where files go */
    {"out_rate", PENTA_OPTION_CHOICE, offsetof(penta_optmap_options, output), 0, 0, 0, 0, "camera,interpolated", "",
     "the rate of the filtered movie"},
    PENTA_CHOICE_OPTION(penta_optmap_options, fft, 0, "auto,clfft,vkfft", "FFT library"),
    PENTA_INT_OPTION(penta_optmap_options, elements, 0, 16, 2, 128, "",
                     "literal: samples a work-item of the search for a shift looks at, a power of 2"),
    PENTA_INT_OPTION(penta_optmap_options, batch, 0, 0, 0, 1000000, "rows",
                     "rows of pixels at a time; 0: as many as fit the device. Changes no result"),
    PENTA_OPTIONS_END};

penta_status penta_optmap_create(penta_context *ctx, size_t width, size_t height, size_t frames,
                                 const penta_optmap_options *opt, penta_optmap **out)
{
    (void)width, (void)height, (void)frames, (void)opt;
    *out = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

penta_status penta_optmap_run(penta_optmap *plan, const penta_movie *movie, penta_optmap_result *result)
{
    (void)plan, (void)movie, (void)result;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "to be written");
}

size_t penta_optmap_frames(const penta_optmap *plan)
{
    (void)plan;
    return 0;
}

const char *penta_optmap_engine_name(const penta_optmap *plan)
{
    (void)plan;
    return "fast";
}

void penta_optmap_destroy(penta_optmap *plan)
{
    free(plan);
}
