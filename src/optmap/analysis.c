/* A recording on its way to findings: what is left out of it, the filtered movie. analysis_measure.c goes on. */
#include "optmap/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static void init_options(penta_analysis_options *o)
{
    penta_analysis_options_init(o);
}

static penta_status fail(char *message, size_t size, const char *text)
{
    if (message)
        snprintf(message, size, "%s", text);
    return PENTA_INVALID;
}

/* Frames a second of the filtered movie. */
static double filtered_rate(const penta_optmap_options *o, double frame_rate_hz)
{
    return o->output == PENTA_OPTMAP_INTERPOLATED ? frame_rate_hz * o->interp : frame_rate_hz;
}

static penta_status check_frequencies(const penta_analysis_options *o, double rate, char *message, size_t size)
{
    char text[160];

    if (!(o->low >= 0) || !(o->high >= 0))
        return fail(message, size, "`low` and `high` must not be below 0");
    if (o->high > 0 && o->high <= o->low) {
        snprintf(text, sizeof text, "`high` %g is not above `low` %g", o->high, o->low);
        return fail(message, size, text);
    }
    if (rate > 0 && (o->high > rate / 2 || o->low >= rate / 2)) {
        snprintf(text, sizeof text, "there are no frequencies above half the rate, %g Hz (`low`, `high`)", rate / 2);
        return fail(message, size, text);
    }
    return PENTA_OK;
}

penta_status penta_analysis_check(size_t width, size_t height, size_t frames, double frame_rate_hz,
                                  const penta_analysis_options *opt, char *message, size_t size)
{
    penta_analysis_options none;
    penta_optmap_options conditioning;
    const penta_analysis_options *o = opt ? opt : &none;
    penta_status status = PENTA_OK;

    (void)width;
    (void)height;
    init_options(&none);
    penta_optmap_options_init(&conditioning);
    if (frames > 0 && !(frame_rate_hz > 0 && isfinite(frame_rate_hz)))
        status = fail(message, size, "a movie needs a frame rate above 0 Hz");
    if (status == PENTA_OK && !(o->pixel_size >= 0 && isfinite(o->pixel_size)))
        status = fail(message, size, "`pixel_size` must not be below 0");
    return status != PENTA_OK
               ? status
               : check_frequencies(o, filtered_rate(o->conditioning ? o->conditioning : &conditioning, frame_rate_hz),
                                   message, size);
}

penta_status penta_analysis_create(penta_context *ctx, const penta_analysis_options *opt, penta_analysis **out)
{
    penta_status status = PENTA_OK;
    penta_analysis *p = NULL;
    char text[256];

    *out = NULL;
    if (penta_analysis_check(0, 0, 0, 0, opt, text, sizeof text) != PENTA_OK)
        return penta_fail(ctx, PENTA_INVALID, "%s", text);
    TRY(penta_plan_alloc(ctx, &p));
    init_options(&p->options);
    if (opt)
        p->options = *opt;
    TRY(penta_options_resolve(ctx, penta_optmap_option_table(), p->options.conditioning, &p->conditioning,
                              sizeof p->conditioning));
    TRY(penta_options_resolve(ctx, penta_beats_option_table(), p->options.beats, &p->beats, sizeof p->beats));
    TRY(penta_options_resolve(ctx, penta_rotors_option_table(), p->options.rotors, &p->rotors, sizeof p->rotors));
    TRY(penta_own(&p->resources, &p->optmap, penta_optmap_destroy));
    TRY(penta_own(&p->resources, &p->phases, penta_phases_destroy));
    *out = p;
    p = NULL;
cleanup:
    penta_plan_free(p);
    return status;
}

void penta_analysis_destroy(penta_analysis *plan)
{
    penta_plan_free(plan);
}

/* ---- what is left out ---- */

/* Whether nothing but the survey says what is tissue. */
static bool leaves_background(const penta_analysis *p, const penta_recording *r)
{
    return !p->options.keep_background && !r->movie.mask;
}

static bool leaves_bad(const penta_analysis *p, const penta_recording *r)
{
    return !p->options.keep_bad && (r->movie.mask || !p->options.keep_background);
}

/* Tissue, and bad pixels where they are kept. */
static penta_status make_mask(penta_context *ctx, const penta_recording *r, penta_findings *f)
{
    penta_status status = PENTA_OK;
    const penta_survey *v = &f->survey;
    size_t pixels = v->width * v->height;
    bool none = v->counts[PENTA_SURVEY_TISSUE] == 0 && !r->movie.mask; /* nothing is known: all are taken */

    if (!f->bad_left_out && !f->background_left_out)
        return PENTA_OK;
    TRY(penta_calloc(ctx, pixels, 1, &f->mask));
    for (size_t i = 0; i < pixels; i++) {
        bool bad = v->kind[i] == PENTA_SURVEY_STUCK || v->kind[i] == PENTA_SURVEY_JUMPING;

        f->mask[i] = none || v->kind[i] == PENTA_SURVEY_TISSUE || (bad && !f->bad_left_out);
    }
cleanup:
    return status;
}

static penta_status inspect(penta_context *ctx, const penta_recording *r, penta_findings *f)
{
    penta_status status = PENTA_OK;
    const void *const *cameras[] = {r->movie.frames, r->movie.under};

    for (size_t i = 0; i < 2; i++)
        if (cameras[i])
            TRY(penta_survey_saturation(ctx, r->width, r->height, r->frames, r->movie.type, cameras[i],
                                        &f->saturation[i]));
    TRY(penta_survey_wrapped(ctx, r->width, r->height, r->frames, r->movie.type, r->movie.frames, &f->wrapped));
cleanup:
    return status;
}

static penta_status refuse_saturated(penta_analysis *p, const penta_findings *f)
{
    for (size_t i = 0; i < 2; i++)
        if (!p->options.accept_saturated && penta_saturation_is_excessive(&f->saturation[i], f->width, f->height))
            return penta_fail(p->resources.ctx, PENTA_INVALID,
                              "%zu of %zu pixels%s are saturated, at %.10g in successive frames; expose less, or go on "
                              "(`accept_saturated`)",
                              f->saturation[i].pixels, f->width * f->height, i ? " of the second camera" : "",
                              f->saturation[i].level);
    return PENTA_OK;
}

static penta_status check_recording(penta_analysis *p, const penta_recording *r)
{
    char text[256];

    if (r->width == 0 || r->height == 0 || r->frames < 2 || !r->movie.frames || r->movie.type == PENTA_I64)
        return penta_fail(p->resources.ctx, PENTA_INVALID,
                          "a movie of %zu frames of %zu x %zu pixels of type %s cannot be analysed", r->frames,
                          r->width, r->height, penta_type_name(r->movie.type));
    if (penta_analysis_check(r->width, r->height, r->frames, r->frame_rate_hz, &p->options, text, sizeof text) !=
        PENTA_OK)
        return penta_fail(p->resources.ctx, PENTA_INVALID, "%s", text);
    return PENTA_OK;
}

penta_status penta_analysis_survey(penta_analysis *p, const penta_recording *r, bool inspected, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;

    f->width = r->width;
    f->height = r->height;
    f->frames = r->frames;
    f->frame_rate_hz = r->frame_rate_hz;
    f->pixel_size = p->options.pixel_size;
    f->drift = p->conditioning.drift;
    f->chose_drift = f->drift == PENTA_OPTMAP_DRIFT_AUTO;
    f->down = p->conditioning.polarity == PENTA_OPTMAP_DOWN;
    f->background_left_out = leaves_background(p, r);
    f->bad_left_out = leaves_bad(p, r);
    TRY(check_recording(p, r));
    if (!inspected)
        TRY(inspect(ctx, r, f));
    TRY(refuse_saturated(p, f));
    if (f->background_left_out || f->bad_left_out || f->chose_drift) {
        TRY(penta_survey_run(ctx, r->width, r->height, r->frames, &r->movie, p->conditioning.polarity, &f->survey));
        f->drift = f->chose_drift ? f->survey.drift : f->drift;
        TRY(make_mask(ctx, r, f));
    }
cleanup:
    return status;
}

/* ---- conditioning ---- */

/* A plan for movies of this shape. */
static penta_status need_plan(penta_analysis *p, const penta_recording *r)
{
    penta_status status = PENTA_OK;

    if (p->optmap && p->width == r->width && p->height == r->height && p->frames == r->frames)
        return PENTA_OK;
    penta_optmap_destroy(p->optmap);
    p->optmap = NULL;
    TRY(penta_optmap_create(p->resources.ctx, r->width, r->height, r->frames, &p->conditioning, &p->optmap));
    p->width = r->width;
    p->height = r->height;
    p->frames = r->frames;
cleanup:
    return status;
}

static penta_status make_results(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    size_t pixels = f->width * f->height, bytes, neighbours = (size_t)(p->conditioning.window * p->conditioning.window);
    penta_optmap_result *r = &f->result;

    TRY(penta_size(ctx, f->filtered.frames, pixels, sizeof *r->filtered, &bytes));
    TRY(penta_calloc(ctx, bytes, 1, &r->filtered));
    TRY(penta_size(ctx, f->frames, pixels, sizeof *r->traces, &bytes));
    TRY(penta_calloc(ctx, bytes, 1, &r->traces));
    TRY(penta_calloc(ctx, pixels, sizeof *r->valid, &r->valid));
    if (p->options.shifts) {
        TRY(penta_size(ctx, pixels, neighbours, sizeof *r->shifts, &bytes));
        TRY(penta_calloc(ctx, bytes, 1, &r->shifts));
    }
    f->filtered.data = r->filtered;
    f->traces = (penta_movie_view){f->frames, f->height, f->width, f->frame_rate_hz, r->traces};
cleanup:
    return status;
}

/* Whether there is a pixel with a result. */
static penta_status check_windows(const penta_analysis *p, const penta_findings *f)
{
    for (size_t i = 0; i < f->width * f->height; i++)
        if (isfinite(f->filtered.data[i]))
            return PENTA_OK;
    return penta_fail(p->resources.ctx, PENTA_INVALID,
                      "none of its %zu valid pixels is so far from the edges that a whole window of %d x %d fits; take "
                      "what there is of windows (`border` renormalise), or smaller ones (`window`)",
                      f->result.valid_pixels, p->conditioning.window, p->conditioning.window);
}

penta_status penta_analysis_condition(penta_analysis *p, const penta_recording *r, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_movie movie = r->movie;

    movie.mask = f->mask ? f->mask : r->movie.mask;
    TRY(need_plan(p, r));
    if (f->survey.kind && f->chose_drift)
        TRY(penta_optmap_set_drift(p->optmap, f->survey.drift));
    f->engine = penta_optmap_engine_name(p->optmap);
    f->filtered = (penta_movie_view){.frames = penta_optmap_frames(p->optmap),
                                     .height = r->height,
                                     .width = r->width,
                                     .rate = filtered_rate(&p->conditioning, r->frame_rate_hz)};
    TRY(make_results(p, f));
    TRY(penta_optmap_run(p->optmap, &movie, &f->result));
    TRY(check_windows(p, f));
cleanup:
    return status;
}

/* ---- all of it ---- */

penta_status penta_analysis_run(penta_analysis *p, const penta_recording *recording, penta_findings *f)
{
    penta_status status = PENTA_OK;

    *f = (penta_findings){0};
    TRY(penta_analysis_survey(p, recording, false, f));
    TRY(penta_analysis_condition(p, recording, f));
    TRY(penta_analysis_measure(p, f));
cleanup:
    return status;
}

void penta_findings_free(penta_findings *f)
{
    void *const arrays[] = {f->mask,         f->result.filtered, f->result.traces, f->result.shifts,
                            f->result.valid, f->beats,           f->climbs,        f->snr_filtered,
                            f->velocity,     f->alternans,       f->frequency,     f->regularity,
                            f->phase,        f->singularities,   f->rotors,        f->average};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    penta_beat_maps_free(&f->maps);
    penta_survey_free(&f->survey);
    *f = (penta_findings){0};
}
