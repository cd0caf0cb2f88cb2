/* Plans of the optmap workload: options, and how many rows are done at a time. plan_run.c runs them. */
#include <stdlib.h>
#include <string.h>

#include "optmap/plan.h"

static const penta_option option_rows[] = {
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
    PENTA_REAL_OPTION(penta_optmap_options, min_intensity, 0, 0, 0, 1e30, "",
                      "pixels whose F0 is less are not valid, such as a dark background; 0: off"),
    PENTA_REAL_OPTION(penta_optmap_options, min_range, 0, 0, 0, 1e30, "", "pixels are valid whose v ranges over more"),
    PENTA_TEXT_OPTION(penta_optmap_options, min_value, 0, "V", "and whose largest v is above this; default: off"),
    PENTA_NAMED_INT_OPTION(penta_optmap_options, drift, 0, "auto,none", PENTA_OPTMAP_DRIFT_AUTO, -2, 9, "",
                           "bleaching is taken off first: a polynomial in time through each pixel's diastole, of this "
                           "degree, or as the movie needs it"),
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
     "the rate of the filtered movie", PENTA_OPTIONS_SIZED},
    PENTA_CHOICE_OPTION(penta_optmap_options, fft, 0, "auto,clfft,vkfft", "FFT library"),
    PENTA_INT_OPTION(penta_optmap_options, elements, 0, 16, 2, 128, "",
                     "literal: samples a work-item of the search for a shift looks at, a power of 2"),
    PENTA_INT_OPTION(penta_optmap_options, batch, 0, 0, 0, 1000000, "rows",
                     "rows of pixels at a time; 0: as many as fit the device. Changes no result"),
    PENTA_OPTIONS_END};

const penta_option *penta_optmap_option_table(void)
{
    return option_rows;
}

/* ---- options ---- */

static penta_status check_sizes(penta_context *ctx, const optmap_shape *s, const penta_optmap_options *o)
{
    static const size_t most_pixels = (size_t)1 << 30, most_samples = (size_t)1 << 28;

    if (!s->width || !s->height)
        return penta_fail(ctx, PENTA_INVALID, "a movie of %zu x %zu pixels", s->width, s->height);
    if (s->frames < 2)
        return penta_fail(ctx, PENTA_INVALID, "a movie of %zu frame%s; it must have 2 at least", s->frames,
                          s->frames == 1 ? "" : "s");
    if (s->width > most_pixels / s->height || s->frames > most_samples / (size_t)o->interp)
        return penta_fail(ctx, PENTA_INVALID,
                          "a movie of %zu x %zu pixels and %zu frames, interpolated by %d, is too large", s->width,
                          s->height, s->frames, o->interp);
    if ((size_t)o->window > s->width || (size_t)o->window > s->height)
        return penta_fail(ctx, PENTA_INVALID, "--window %d does not fit in frames of %zu x %zu pixels", o->window,
                          s->width, s->height);
    if (o->drift >= 0 && (size_t)o->drift >= s->frames)
        return penta_fail(ctx, PENTA_INVALID, "--drift %d leaves nothing of %zu frames", o->drift, s->frames);
    return PENTA_OK;
}

static penta_status check_options(penta_context *ctx, const optmap_shape *s, const penta_optmap_options *o)
{
    penta_status status = PENTA_OK;
    double value;
    int begin, end;

    if (o->window % 2 == 0)
        return penta_fail(ctx, PENTA_INVALID, "--window is %d px; it must be odd", o->window);
    if (o->elements & (o->elements - 1))
        return penta_fail(ctx, PENTA_INVALID, "--elements is %d; it must be a power of 2", o->elements);
    TRY(check_sizes(ctx, s, o));
    TRY(optmap_parse_baseline(ctx, o->baseline, s->frames, &begin, &end));
    TRY(optmap_parse_min_value(ctx, o->min_value, &value));
cleanup:
    return status;
}

static penta_status copy_text(penta_context *ctx, const char **field, char **out)
{
    penta_status status = PENTA_OK;

    if (!*field)
        return PENTA_OK;
    TRY(penta_calloc(ctx, strlen(*field) + 1, 1, out));
    strcpy(*out, *field);
    *field = *out;
cleanup:
    return status;
}

static penta_status resolve(penta_optmap *p, const penta_optmap_options *given)
{
    penta_status status = PENTA_OK;
    penta_optmap_options *o = &p->options;

    TRY(penta_options_resolve(p->ctx, penta_optmap_option_table(), given, o, sizeof *o));
    if (!o->taps)
        o->taps = 8 * o->interp + 1;
    if (o->correlation == PENTA_OPTMAP_PHASE)
        o->engine = PENTA_OPTMAP_LITERAL;
    TRY(check_options(p->ctx, &p->shape, o));
    TRY(copy_text(p->ctx, &o->baseline, &p->baseline));
    TRY(copy_text(p->ctx, &o->min_value, &p->min_value));
    p->chooses_drift = o->drift == PENTA_OPTMAP_DRIFT_AUTO;
    o->drift = p->chooses_drift ? PENTA_OPTMAP_DRIFT_NONE : o->drift;
cleanup:
    return status;
}

/* ---- bands ---- */

/* Rows of the movie that `rows` rows of results need. */
static size_t with_halos(const penta_optmap *p, size_t rows)
{
    size_t all = rows + 2 * ((size_t)p->options.window / 2);

    return all < p->shape.height ? all : p->shape.height;
}

/* Whether a band of so many rows of results fits: all of it in `budget` bytes, its largest buffer in one allocation. */
static bool fits(const penta_optmap *p, size_t rows, uint64_t budget)
{
    const optmap_shape *s = &p->shape;
    uint64_t window = (uint64_t)p->options.window, all = with_halos(p, rows), row = s->width * sizeof(float);
    uint64_t trace = all * row * s->pitch, movie = rows * row * optmap_out_frames(s),
             shifts = rows * row * window * window;
    uint64_t most = penta_context_device(p->ctx)->max_allocation, loader = optmap_loader_memory(p->ctx, s, all);

    return trace <= most && movie <= most && shifts <= most &&
           2 * trace + movie + shifts + 3 * all * row + loader + p->engine->memory(p->ctx, s, all) <= budget;
}

/* The fewest bands of about equal height that fit. On a CPU the host and its caches share the memory. */
size_t optmap_choose_rows(const penta_optmap *p)
{
    uint64_t memory = penta_context_device(p->ctx)->memory, budget = penta_is_cpu(p->ctx) ? memory / 4 : memory / 4 * 3;
    size_t height = p->shape.height, rows = height;

    if (p->options.batch)
        return (size_t)p->options.batch < height ? (size_t)p->options.batch : height;
    for (size_t bands = 2; rows > 1 && !fits(p, rows, budget); bands++)
        rows = (height + bands - 1) / bands;
    return rows;
}

/* ---- plans ---- */

static penta_status create_parts(penta_optmap *p, const penta_optmap_options *opt)
{
    static const optmap_engine *const engines[] = {
        [PENTA_OPTMAP_FAST] = &optmap_fast, [PENTA_OPTMAP_LITERAL] = &optmap_literal};
    penta_status status = PENTA_OK;
    optmap_shape *s = &p->shape;
    size_t window;

    TRY(resolve(p, opt));
    window = (size_t)p->options.window;
    TRY(optmap_filter_design(p->ctx, p->options.interp, p->options.taps, &p->filter));
    TRY(penta_calloc(p->ctx, window * window, sizeof *p->gaussian, &p->gaussian));
    optmap_gaussian(p->options.window, p->options.sigma, p->gaussian);
    s->pitch = optmap_padded(s->frames);
    s->options = &p->options;
    s->filter = &p->filter;
    s->gaussian = p->gaussian;
    p->engine = engines[p->options.engine];
    p->band_rows = optmap_choose_rows(p);
    s->rows = with_halos(p, p->band_rows);
    TRY(p->engine->create(p->ctx, s, &p->state));
    TRY(penta_kernel_get(p->ctx, "optmap/traces_out.cl", "optmap_traces_out", "", &p->traces_out));
cleanup:
    return status;
}

penta_status penta_optmap_create(penta_context *ctx, size_t width, size_t height, size_t frames,
                                 const penta_optmap_options *opt, penta_optmap **out)
{
    penta_status status = PENTA_OK;
    penta_optmap *p = NULL;

    *out = NULL;
    TRY(penta_require_double(ctx, "optical mapping needs"));
    TRY(penta_calloc(ctx, 1, sizeof *p, &p));
    p->ctx = ctx;
    p->shape = (optmap_shape){.width = width, .height = height, .frames = frames};
    TRY(create_parts(p, opt));
    *out = p;
    p = NULL;
cleanup:
    penta_optmap_destroy(p);
    return status;
}

penta_status penta_optmap_set_drift(penta_optmap *plan, int degree)
{
    if (degree < PENTA_OPTMAP_DRIFT_NONE || degree > 9 || (degree > 0 && (size_t)degree >= plan->shape.frames))
        return penta_fail(plan->ctx, PENTA_INVALID, "a drift of degree %d is not for %zu frames", degree,
                          plan->shape.frames);
    plan->chooses_drift = false;
    if (degree != plan->options.drift) {
        optmap_loader_destroy(plan->loader);
        plan->loader = NULL;
        plan->options.drift = degree;
    }
    return PENTA_OK;
}

size_t penta_optmap_frames(const penta_optmap *plan)
{
    return optmap_out_frames(&plan->shape);
}

const char *penta_optmap_engine_name(const penta_optmap *plan)
{
    return plan->engine->name;
}

void penta_optmap_destroy(penta_optmap *plan)
{
    if (!plan)
        return;
    if (plan->engine)
        plan->engine->destroy(plan->state);
    optmap_loader_destroy(plan->loader);
    optmap_traces_release(&plan->band);
    penta_kernel_release(&plan->traces_out);
    penta_buffer_release(&plan->shifts);
    penta_buffer_release(&plan->filtered);
    penta_host_free(plan->ctx, plan->part);
    optmap_filter_free(&plan->filter);
    free(plan->gaussian);
    free(plan->baseline);
    free(plan->min_value);
    free(plan);
}
