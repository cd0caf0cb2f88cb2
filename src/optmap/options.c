/* Options of the optmap workload: their table and their rules. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "optmap/optmap.h"

static const penta_option option_rows[] = {
    PENTA_CHOICE_OPTION(penta_optmap_options, engine, 0, "fast,literal",
                        "fast: the same shifts with far less work; literal: the steps of the thesis"),
    PENTA_INT_OPTION(penta_optmap_options, interp, 0, 10, 1, 100, "", "factor of the interpolation in time"),
    PENTA_INT_OPTION(penta_optmap_options, taps, 0, 0, 0, 10001, "",
                     "length of the interpolation filter, odd; 0: 8 times the factor + 1"),
    PENTA_INT_OPTION(penta_optmap_options, window, 0, 5, 1, 31, "px", "side of the square of neighbours, odd"),
    PENTA_REAL_OPTION(penta_optmap_options, sigma, 0, 1.179, 0.01, 100, "px", "standard deviation of the Gaussian"),
    PENTA_INT_OPTION(penta_optmap_options, median, 0, 5, 0, 63, "samples",
                     "length of the median in time; 0 or 1: none"),
    PENTA_CHOICE_OPTION(penta_optmap_options, median_edges, 0, "zero,truncate",
                        "median at the ends of the movie: with zeros beyond, or of the samples that exist"),
    PENTA_CHOICE_OPTION(penta_optmap_options, polarity, 0, "down,up",
                        "down: the signal drops on depolarisation and is inverted; up: it rises"),
    PENTA_TEXT_OPTION(penta_optmap_options, baseline, 0, "A:B",
                      "F0 is the mean of frames A .. B-1; default: all frames"),
    PENTA_REAL_OPTION(penta_optmap_options, min_intensity, 0, 0, 0, 1e30, "",
                      "pixels with a smaller F0, such as a dark background, are not valid; 0: off"),
    PENTA_REAL_OPTION(penta_optmap_options, min_range, 0, 0, 0, 1e30, "",
                      "pixels whose normalised signal has a smaller range are not valid"),
    PENTA_TEXT_OPTION(penta_optmap_options, min_value, 0, "V",
                      "pixels whose normalised signal never exceeds this are not valid; default: off"),
    PENTA_NAMED_INT_OPTION(penta_optmap_options, drift, 0, "auto,none", PENTA_OPTMAP_DRIFT_AUTO, -2, 9, "",
                           "remove bleaching first: a polynomial in time through each pixel's diastole, of this "
                           "degree; auto: as the movie needs"),
    PENTA_CHOICE_OPTION(penta_optmap_options, correlation, 0, "plain,phase",
                        "how pixels are correlated with their neighbours; phase: divide each frequency by its "
                        "amplitude (literal only)"),
    PENTA_INT_OPTION(penta_optmap_options, max_lag, 0, -1, -1, 2147483647, "samples",
                     "largest shift, in interpolated samples; -1: any"),
    PENTA_FLAG_OPTION(penta_optmap_options, demean, 0, "subtract each pixel's mean over time before correlating"),
    PENTA_CHOICE_OPTION(penta_optmap_options, tails, 0, "odd,hold,zero",
                        "how shifted traces continue beyond their ends: odd reflection, the last sample, or zeros"),
    PENTA_CHOICE_OPTION(penta_optmap_options, invalid, 0, "renormalise,zero",
                        "neighbours that are not valid: renormalise the weights, or take zeros"),
    PENTA_CHOICE_OPTION(penta_optmap_options, border, 0, "full,renormalise",
                        "at the frame's edges: full windows only, or renormalise the weights"),
    /* not called output, which names files in the command */
    {"out_rate", PENTA_OPTION_CHOICE, offsetof(penta_optmap_options, output), 0, 0, 0, 0, "camera,interpolated", "",
     "the rate of the filtered movie", PENTA_OPTIONS_SIZED},
    PENTA_CHOICE_OPTION(penta_optmap_options, fft, 0, "auto,clfft,vkfft", "FFT library"),
    PENTA_INT_OPTION(penta_optmap_options, elements, 0, 16, 2, 128, "",
                     "literal: samples per work-item in the search for a shift, a power of 2"),
    PENTA_INT_OPTION(penta_optmap_options, batch, 0, 0, 0, 1000000, "rows",
                     "rows of pixels at a time; 0: as many as fit the device. Changes no result"),
    PENTA_OPTIONS_END};

const penta_option *penta_optmap_option_table(void)
{
    return option_rows;
}

/* ---- text values ---- */

/* Parses digits only: strtoull would accept signs and spaces. */
static bool parse_frame(const char *text, char **end, uintmax_t *out)
{
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoumax(text, end, 10);
    return errno == 0;
}

penta_status optmap_parse_baseline(penta_context *ctx, const char *text, size_t frames, int *begin, int *end)
{
    uintmax_t a, b;
    char *next;

    *begin = 0;
    *end = (int)frames;
    if (!text)
        return PENTA_OK;
    if (!parse_frame(text, &next, &a) || *next != ':' || !parse_frame(next + 1, &next, &b) || *next)
        return penta_fail(ctx, PENTA_INVALID, "`baseline` needs frames A:B, such as 0:100, not '%.60s'", text);
    if (a >= b)
        return penta_fail(ctx, PENTA_INVALID, "`baseline` %.60s has no frame: it ends before frame B", text);
    if (b > frames)
        return penta_fail(ctx, PENTA_INVALID, "`baseline` %.60s goes beyond the movie's %zu frames", text, frames);
    *begin = (int)a;
    *end = (int)b;
    return PENTA_OK;
}

penta_status optmap_parse_min_value(penta_context *ctx, const char *text, double *out)
{
    char *end;

    *out = -INFINITY;
    if (!text)
        return PENTA_OK;
    *out = penta_strtod(text, &end);
    if (end == text || *end || !isfinite(*out))
        return penta_fail(ctx, PENTA_INVALID, "`min_value` needs a number, not '%.60s'", text);
    return PENTA_OK;
}

/* ---- rules ---- */

static penta_status check_sizes(penta_context *ctx, size_t width, size_t height, size_t frames,
                                const penta_optmap_options *o)
{
    static const size_t most_pixels = (size_t)1 << 30, most_samples = (size_t)1 << 28;

    if (!width || !height)
        return penta_fail(ctx, PENTA_INVALID, "a movie of %zu x %zu pixels", width, height);
    if (frames < 2)
        return penta_fail(ctx, PENTA_INVALID, "a movie of %zu frame%s; it must have 2 at least", frames,
                          frames == 1 ? "" : "s");
    if (width > most_pixels / height || frames > most_samples / (size_t)o->interp)
        return penta_fail(ctx, PENTA_INVALID,
                          "a movie of %zu x %zu pixels and %zu frames, interpolated by %d, is too large", width, height,
                          frames, o->interp);
    if ((size_t)o->window > width || (size_t)o->window > height)
        return penta_fail(ctx, PENTA_INVALID, "`window` %d does not fit in frames of %zu x %zu pixels", o->window,
                          width, height);
    if (o->drift >= 0 && (size_t)o->drift >= frames)
        return penta_fail(ctx, PENTA_INVALID, "`drift` %d leaves nothing of %zu frames", o->drift, frames);
    return PENTA_OK;
}

/* known: width, height and frames are known. */
static penta_status check_options(penta_context *ctx, size_t width, size_t height, size_t frames, bool known,
                                  const penta_optmap_options *o)
{
    penta_status status = PENTA_OK;
    double value;
    int begin, end;

    if (o->window % 2 == 0)
        return penta_fail(ctx, PENTA_INVALID, "`window` is %d px; it must be odd", o->window);
    TRY(optmap_filter_check(ctx, o->interp, o->taps));
    if (o->elements & (o->elements - 1))
        return penta_fail(ctx, PENTA_INVALID, "`elements` is %d; it must be a power of 2", o->elements);
    if (o->correlation == PENTA_OPTMAP_PHASE && o->engine != PENTA_OPTMAP_LITERAL)
        return penta_fail(ctx, PENTA_INVALID, "`correlation` phase needs `engine` literal");
    if (known)
        TRY(check_sizes(ctx, width, height, frames, o));
    TRY(optmap_parse_baseline(ctx, o->baseline, known ? frames : INT32_MAX, &begin, &end));
    TRY(optmap_parse_min_value(ctx, o->min_value, &value));
cleanup:
    return status;
}

penta_status optmap_options_resolve(penta_context *ctx, size_t width, size_t height, size_t frames, bool known,
                                    const penta_optmap_options *given, penta_optmap_options *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(ctx, penta_optmap_option_table(), given, out, sizeof *out));
    if (!out->taps)
        out->taps = 8 * out->interp + 1;
    TRY(check_options(ctx, width, height, frames, known, out));
cleanup:
    return status;
}

penta_status penta_optmap_check(size_t width, size_t height, size_t frames, const penta_optmap_options *opt,
                                char *message, size_t size)
{
    penta_optmap_options resolved;
    bool known = width > 0 || height > 0 || frames > 0;

    return penta_check_result(optmap_options_resolve(NULL, width, height, frames, known, opt, &resolved), message,
                              size);
}
