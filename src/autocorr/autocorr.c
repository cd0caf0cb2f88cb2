/* penta_autocorr: options, plan, run. The stages: pipeline.h (device), frame.c (host input), peak.c (R_max). */
#include <pentacl/autocorr.h>

#include <math.h>
#include <stdlib.h>

#include "autocorr/pipeline.h"

static const penta_option option_rows[] = {
    PENTA_INT_OPTION(penta_autocorr_options, max_offset, 'R', 0, 0, 1e6, "px",
                     "largest offset |X|, |Y|; 0: a third of the smaller side"),
    PENTA_CHOICE_OPTION(penta_autocorr_options, method, 0, "auto,naive,lines,tiled,fft,ntt",
                        "correlation method; auto: the one predicted to be fastest"),
    PENTA_CHOICE_FROM_OPTION(
        penta_autocorr_options, estimator, 0, PENTA_AUTOCORR_UNBIASED, "eq1,unbiased,pearson",
        "eq1: divide by sum I^2; unbiased: also by the overlap; pearson: correlation coefficient of each overlap"),
    PENTA_CHOICE_FROM_OPTION(penta_autocorr_options, demean, 0, PENTA_AUTOCORR_DEMEAN_MEAN, "none,mean,plane",
                             "subtract the mean, or a fitted plane of brightness, first"),
    PENTA_CHOICE_OPTION(penta_autocorr_options, precision, 0, "auto,single,double",
                        "auto: exact for integer images, double for others"),
    PENTA_CHOICE_OPTION(penta_autocorr_options, fft, 0, "auto,clfft,vkfft,simd", "FFT library of --method fft"),
    PENTA_REAL_OPTION(penta_autocorr_options, prominence, 0, 0.01, 1e-9, 1, "",
                      "smallest rise of the peak over the trough, as a fraction of C(0) - C(trough)"),
    PENTA_INT_OPTION(penta_autocorr_options, bootstrap, 0, 100, 0, 100000, "",
                     "number of resamples for the standard error of R_max; 0: no standard error"),
    PENTA_OPTIONS_END};

const penta_option *penta_autocorr_option_table(void)
{
    return option_rows;
}

static const penta_preset preset_rows[] = {
    {"paper", "equation 1 of Lu et al. as printed", {{"estimator", "eq1"}, {"demean", "none"}}}, PENTA_PRESETS_END};

const penta_preset *penta_autocorr_presets(void)
{
    return preset_rows;
}

struct penta_autocorr {
    penta_resources resources;
    penta_context *ctx;
    autocorr_settings settings;
    autocorr_pipeline *pipelines[2][2]; /* [two images][masked], made when first needed */
    autocorr_scan *scan;
};

/* ---- creation ---- */

/* The type in which a frame is correlated: integers stay integers unless a plane is subtracted. */
static penta_type correlated_type(penta_type input, const penta_autocorr_options *o)
{
    bool integer = input == PENTA_U8 || input == PENTA_U16;

    if (integer && o->demean != PENTA_AUTOCORR_DEMEAN_PLANE)
        return input;
    return o->precision == PENTA_PRECISION_SINGLE ? PENTA_F32 : PENTA_F64;
}

static penta_status check_image(penta_context *ctx, size_t width, size_t height, penta_type type)
{
    size_t pixels;

    if (type != PENTA_U8 && type != PENTA_U16 && type != PENTA_F32 && type != PENTA_F64)
        return penta_fail(ctx, PENTA_INVALID, "images of type %s are not taken (u8, u16, f32, f64 are)",
                          penta_type_name(type));
    if (width == 0 || height == 0)
        return penta_fail(ctx, PENTA_INVALID, "the image is empty (%zu x %zu)", width, height);
    if (__builtin_mul_overflow(width, height, &pixels) || pixels >= (size_t)1 << 31)
        return penta_fail(ctx, PENTA_INVALID, "a %zu x %zu image has more than 2^31 - 1 pixels; crop or tile it", width,
                          height);
    return PENTA_OK;
}

/* max_offset of the settings. */
static penta_status settle_offset(penta_context *ctx, autocorr_settings *s)
{
    size_t small = s->width < s->height ? s->width : s->height;

    s->max_offset = s->options.max_offset ? (size_t)s->options.max_offset : small < 6 ? 1 : small / 3;
    if (small < 2)
        return penta_fail(ctx, PENTA_INVALID, "a %zu x %zu image is too small to have an offset; 2 x 2 is the least",
                          s->width, s->height);
    if (s->max_offset >= small)
        return penta_fail(ctx, PENTA_INVALID,
                          "`max_offset` is %zu px; it must be below the smaller side of the image, which is %zu x %zu",
                          s->max_offset, s->width, s->height);
    return PENTA_OK;
}

static bool numerators_exist(const autocorr_settings *s)
{
    return (s->type == PENTA_U8 || s->type == PENTA_U16) && !s->single;
}

static penta_status check_numerators(penta_context *ctx, const autocorr_settings *s)
{
    if (numerators_exist(s))
        return PENTA_OK;
    if (s->input != PENTA_U8 && s->input != PENTA_U16)
        return penta_fail(ctx, PENTA_INVALID, "exact numerators exist for unsigned 8- and 16-bit images, not for %s",
                          penta_type_name(s->input));
    return penta_fail(ctx, PENTA_INVALID,
                      "exact numerators are integers; leave out `demean` plane and `precision` single");
}

/* The rules that need no image. */
static penta_status resolve_options(penta_context *ctx, penta_type type, const penta_autocorr_options *opt,
                                    autocorr_settings *s)
{
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(ctx, penta_autocorr_option_table(), opt, &s->options, sizeof s->options));
    s->input = type;
    s->type = correlated_type(type, &s->options);
    s->single = s->options.precision == PENTA_PRECISION_SINGLE;
    if (s->options.method == PENTA_AUTOCORR_NTT && !numerators_exist(s))
        return penta_fail(
            ctx, PENTA_INVALID,
            "`method` ntt is for unsigned 8- and 16-bit images without `demean` plane and `precision` single");
cleanup:
    return status;
}

static penta_status resolve(penta_context *ctx, size_t width, size_t height, penta_type type,
                            const penta_autocorr_options *opt, autocorr_settings *s)
{
    penta_status status = PENTA_OK;

    TRY(resolve_options(ctx, type, opt, s));
    TRY(check_image(ctx, width, height, type));
    s->width = width;
    s->height = height;
    TRY(settle_offset(ctx, s));
cleanup:
    return status;
}

penta_status penta_autocorr_check(size_t width, size_t height, penta_type type, bool numerators,
                                  const penta_autocorr_options *opt, char *message, size_t size)
{
    autocorr_settings s = {0};
    penta_status status =
        width == 0 && height == 0 ? resolve_options(NULL, type, opt, &s) : resolve(NULL, width, height, type, opt, &s);

    if (status == PENTA_OK && numerators)
        status = check_numerators(NULL, &s);
    return penta_check_result(status, message, size);
}

/* The pipeline for one kind of input. */
static penta_status pipeline_for(penta_autocorr *plan, bool cross, bool masked, autocorr_pipeline **out)
{
    autocorr_pipeline **kept = &plan->pipelines[cross][masked];
    penta_status status = PENTA_OK;

    if (!*kept) {
        TRY(autocorr_pipeline_create(plan->ctx, &plan->settings, cross, masked, kept));
        TRY(penta_own(&plan->resources, kept, autocorr_pipeline_destroy));
    }
    *out = *kept;
cleanup:
    return status;
}

static void tell_precision(penta_context *ctx, const autocorr_settings *s)
{
    bool integer = s->input == PENTA_U8 || s->input == PENTA_U16, given = s->options.precision != PENTA_PRECISION_AUTO;

    if (s->single)
        penta_chose(ctx, "precision", "single", "option `precision`");
    else if (numerators_exist(s))
        penta_chose(ctx, "precision", "exact", "images of type %s have exact sums", penta_type_name(s->input));
    else if (given)
        penta_chose(ctx, "precision", "double", "option `precision`");
    else if (integer)
        penta_chose(ctx, "precision", "double", "option `demean` makes fractions of integers");
    else
        penta_chose(ctx, "precision", "double", "images of type %s have no exact sums", penta_type_name(s->input));
}

penta_status penta_autocorr_create(penta_context *ctx, size_t width, size_t height, penta_type type,
                                   const penta_autocorr_options *opt, penta_autocorr **out)
{
    penta_status status = PENTA_OK;
    penta_autocorr *plan = NULL;
    autocorr_pipeline *usual;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &plan));
    plan->ctx = ctx;
    TRY(resolve(ctx, width, height, type, opt, &plan->settings));
    TRY(autocorr_scan_create(ctx, &plan->settings, &plan->scan));
    TRY(penta_own(&plan->resources, &plan->scan, autocorr_scan_destroy));
    TRY(pipeline_for(plan, false, false, &usual));
    tell_precision(ctx, &plan->settings);
    *out = plan;
    plan = NULL;
cleanup:
    penta_autocorr_destroy(plan);
    return status;
}

void penta_autocorr_destroy(penta_autocorr *plan)
{
    penta_plan_free(plan);
}

size_t penta_autocorr_max_offset(const penta_autocorr *plan)
{
    return plan->settings.max_offset;
}

size_t penta_autocorr_batch(const penta_autocorr *plan)
{
    return autocorr_pipeline_batch(plan->pipelines[0][0]);
}

/* ---- the mean in equation 1 ---- */

double penta_autocorr_mean_ratio(const penta_autocorr *plan, const penta_autocorr_frame *frame)
{
    const penta_autocorr_options *o = &plan->settings.options;

    if (o->estimator != PENTA_AUTOCORR_EQ1 || o->demean != PENTA_AUTOCORR_DEMEAN_NONE || frame->with)
        return NAN;
    if (penta_is_device_array(frame->image) || penta_is_device_array(frame->mask))
        return NAN;
    return autocorr_frame_mean_ratio(&plan->settings, frame);
}

/*
 * C1D of equation 1 is about f (mean^2 + variance rho) / (mean^2 + variance), where f is the share of the image that
 * overlaps. Above mean^2 = variance the fall of f times mean^2 outweighs rho.
 */
bool penta_autocorr_mean_warning(size_t n, const double *ratios, char *message, size_t size)
{
    size_t frames = 0, above = 0;
    double worst = 0;

    for (size_t i = 0; i < n; i++) {
        if (isnan(ratios[i]))
            continue;
        frames++;
        above += ratios[i] > 1;
        worst = fmax(worst, ratios[i]);
    }
    if (above > 0 && message && size > 0)
        penta_snprintf(
            message, size,
            "equation 1 with the mean left in: mean^2 is above the variance in %zu of %zu frames (up to %.3g "
            "times), so the mean carries the curve, which falls with the overlap, and R_max is drawn inwards or "
            "lost; `demean` mean `estimator` unbiased, the default, measures the structure",
            above, frames, worst);
    return above > 0;
}

/* ---- run ---- */

static penta_status check_frames(penta_autocorr *plan, size_t n, const penta_autocorr_frame *frames,
                                 const penta_autocorr_result *results)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < n; i++) {
        if (!frames[i].image)
            return penta_fail(plan->ctx, PENTA_INVALID, "frame %zu has no image", i);
        if (!frames[i].with != !frames[0].with || !frames[i].mask != !frames[0].mask)
            return penta_fail(plan->ctx, PENTA_INVALID,
                              "the frames of one run must all have a second image or none, and all a mask or none");
        TRY(penta_check_host(plan->ctx, results[i].c1d, "c1d"));
        if (results[i].numerators && check_numerators(plan->ctx, &plan->settings) != PENTA_OK)
            return PENTA_INVALID;
    }
cleanup:
    return status;
}

static bool is_masked(const autocorr_input *in)
{
    return in->frame.mask || in->nan_pixels > 0;
}

/* After a failure: waits, because frames under way may still use the caller's arrays. */
static void abandon(penta_autocorr *plan)
{
    penta_settle(plan->ctx);
    for (int i = 0; i < 4; i++)
        if (plan->pipelines[i / 2][i % 2])
            autocorr_pipeline_abandon(plan->pipelines[i / 2][i % 2]);
}

/* Runs frames of one kind: all with a mask or NaN, or all without. before, all: frames of the whole run that come
 * before these, and that there are, for the progress. */
static penta_status run_alike(penta_autocorr *plan, size_t n, const autocorr_input *inputs,
                              penta_autocorr_result *results, size_t before, size_t all)
{
    penta_status status = PENTA_OK;
    autocorr_pipeline *p;
    size_t batch, now, next;

    TRY(pipeline_for(plan, inputs[0].frame.with != NULL, is_masked(&inputs[0]), &p));
    batch = autocorr_pipeline_batch(p);
    now = n < batch ? n : batch;
    TRY(autocorr_pipeline_start(p, 0, now, inputs));
    for (size_t done = 0, slot = 0; done < n; done += now, now = next, slot = 1 - slot) {
        size_t from = done + now;

        next = n - from < batch ? n - from : batch;
        if (next)
            TRY(autocorr_pipeline_start(p, 1 - slot, next, inputs + from));
        TRY(autocorr_pipeline_collect(p, slot, now, results + done));
        TRY(penta_report_progress(plan->ctx, (double)(before + from), (double)all));
    }
    TRY(autocorr_pipeline_finish(p));
cleanup:
    return status;
}

penta_status penta_autocorr_run(penta_autocorr *plan, size_t n, const penta_autocorr_frame *frames,
                                penta_autocorr_result *results)
{
    penta_status status = PENTA_OK;
    autocorr_input *inputs = NULL;

    if (n == 0)
        return PENTA_OK;
    TRY(check_frames(plan, n, frames, results));
    TRY(penta_calloc(plan->ctx, n, sizeof *inputs, &inputs));
    for (size_t i = 0; i < n; i++) {
        TRY(autocorr_input_open(plan->ctx, plan->scan, &frames[i], &inputs[i]));
        results[i].nan_pixels = inputs[i].nan_pixels;
    }
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && is_masked(&inputs[to]) == is_masked(&inputs[from]);)
            to++;
        TRY(run_alike(plan, to - from, inputs + from, results + from, from, n));
    }
cleanup:
    if (status != PENTA_OK)
        abandon(plan);
    for (size_t i = 0; inputs && i < n; i++)
        autocorr_input_close(&inputs[i]);
    free(inputs);
    return status;
}
