/* Turns a recording into findings: masks pixels; analysis_condition.c and analysis_measure.c continue. */
#include "optmap/amend.h"
#include "optmap/analysis.h"
#include "optmap/beats_blocks.h"
#include "optmap/glance.h"
#include "optmap/optmap.h"
#include "optmap/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* Copies the given options, also from programs built with a shorter or longer struct; NULL: the defaults. */
static penta_status take_options(penta_context *ctx, const penta_analysis_options *given, penta_analysis_options *out)
{
    enum { MOST_BYTES = 1 << 16 };

    penta_analysis_options_init(out);
    if (!given)
        return PENTA_OK;
    if (given->size < sizeof given->size || given->size > MOST_BYTES)
        return penta_fail(ctx, PENTA_INVALID, "the options were not initialised; call penta_analysis_options_init");
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    out->size = sizeof *out;
    return PENTA_OK;
}

static penta_status check_options(penta_context *ctx, const penta_analysis_options *o, double rate)
{
    if (!(o->pixel_size >= 0 && isfinite(o->pixel_size)))
        return penta_fail(ctx, PENTA_INVALID, "`pixel_size` is %g cm; it must not be below 0", o->pixel_size);
    if (!(o->low >= 0) || !(o->high >= 0))
        return penta_fail(ctx, PENTA_INVALID, "`low` and `high` must not be below 0");
    if (o->high > 0 && o->high <= o->low)
        return penta_fail(ctx, PENTA_INVALID, "`high` %g is not above `low` %g", o->high, o->low);
    if (rate > 0 && (o->high > rate / 2 || o->low >= rate / 2))
        return penta_fail(ctx, PENTA_INVALID, "there are no frequencies above half the rate, %g Hz (`low`, `high`)",
                          rate / 2);
    return PENTA_OK;
}

/* Resolves the options of all parts into the plan; known: the recording is known. */
static penta_status resolve(penta_context *ctx, size_t width, size_t height, size_t frames, double frame_rate_hz,
                            bool known, const penta_analysis_options *given, struct penta_analysis *p)
{
    penta_status status = PENTA_OK;
    penta_analysis_options *o = &p->options;

    TRY(take_options(ctx, given, o));
    TRY(optmap_options_resolve(ctx, width, height, frames, known, o->conditioning, &p->conditioning));
    TRY(beats_options_resolve(ctx, o->beats, &p->beats));
    TRY(penta_options_resolve(ctx, penta_rotors_option_table(), o->rotors, &p->rotors, sizeof p->rotors));
    if (known && !(frame_rate_hz > 0 && isfinite(frame_rate_hz)))
        return penta_fail(ctx, PENTA_INVALID, "the frame rate is %g Hz; it must be above 0", frame_rate_hz);
    TRY(check_options(ctx, o, analysis_filtered_rate(&p->conditioning, frame_rate_hz)));
cleanup:
    return status;
}

penta_status penta_analysis_check(size_t width, size_t height, size_t frames, double frame_rate_hz,
                                  const penta_analysis_options *opt, char *message, size_t size)
{
    bool known = width > 0 || height > 0 || frames > 0;
    struct penta_analysis resolved;

    return penta_check_result(resolve(NULL, width, height, frames, frame_rate_hz, known, opt, &resolved), message,
                              size);
}

penta_status penta_analysis_create(penta_context *ctx, const penta_analysis_options *opt, penta_analysis **out)
{
    penta_status status = PENTA_OK;
    penta_analysis *p = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &p));
    TRY(resolve(ctx, 0, 0, 0, 0, false, opt, p));
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

/* ---- mask ---- */

/* Whether only the survey decides what is tissue. */
static bool leaves_background(const penta_analysis *p, const penta_recording *r)
{
    return !p->options.keep_background && !r->movie.mask;
}

static bool leaves_bad(const penta_analysis *p, const penta_recording *r)
{
    return !p->options.keep_bad && (r->movie.mask || !p->options.keep_background);
}

/* Makes the mask: tissue, and bad pixels if they are kept. */
static penta_status make_mask(penta_context *ctx, const penta_recording *r, penta_findings *f)
{
    penta_status status = PENTA_OK;
    const penta_survey *v = &f->survey;
    size_t pixels = v->width * v->height;
    bool none = v->counts[PENTA_SURVEY_TISSUE] == 0 && !r->movie.mask; /* nothing is known, so all pixels are used */

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

static penta_status refuse_negative(penta_analysis *p, const penta_glance *glance)
{
    if (!(glance->negative > 0.5))
        return PENTA_OK;
    return penta_fail(p->resources.ctx, PENTA_INVALID,
                      "the mean light is below 0 in %.3g %% of the pixels, and signals are changes over the mean: add "
                      "the offset that was subtracted, or save numbers that are not negative without a sign",
                      100 * glance->negative);
}

static penta_status check_recording(penta_analysis *p, const penta_recording *r)
{
    struct penta_analysis resolved;

    if (r->width == 0 || r->height == 0 || r->frames < 2 || !r->movie.frames || r->movie.type == PENTA_I64)
        return penta_fail(p->resources.ctx, PENTA_INVALID,
                          "a movie of %zu frames of %zu x %zu pixels of type %s cannot be analysed", r->frames,
                          r->width, r->height, penta_type_name(r->movie.type));
    return resolve(p->resources.ctx, r->width, r->height, r->frames, r->frame_rate_hz, true, &p->options, &resolved);
}

/* A spoilt frame may jump as numbers do that wrapped round. */
static penta_status amend(penta_context *ctx, const penta_recording *r, penta_findings *f)
{
    penta_status status = PENTA_OK;
    const penta_movie *m = &f->amends.movie;

    TRY(amend_recording(ctx, r, &f->amends));
    if (m->frames && f->wrapped > 0)
        TRY(penta_survey_wrapped(ctx, r->width, r->height, r->frames, m->type, m->frames, &f->wrapped));
cleanup:
    return status;
}

penta_status penta_analysis_survey(penta_analysis *p, const penta_recording *r, bool inspected, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    const penta_movie *movie;
    enum survey_doubt doubt;

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
    TRY(optmap_glance(ctx, r, NULL, &f->glance));
    TRY(refuse_negative(p, &f->glance));
    if (!p->options.keep_frames)
        TRY(amend(ctx, r, f));
    movie = analysis_movie(r, f);
    if (f->background_left_out || f->bad_left_out || f->chose_drift) {
        TRY(survey_run(ctx, r->width, r->height, r->frames, movie, p->conditioning.polarity, &f->survey, &doubt));
        f->drift = f->chose_drift ? f->survey.drift : f->drift;
        if (f->chose_drift)
            survey_tell_drift(ctx, &f->survey, doubt);
        TRY(make_mask(ctx, r, f));
        TRY(optmap_glance(ctx, r, f->mask, &f->glance));
    }
cleanup:
    return status;
}

/* ---- the analysis ---- */

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
    void *const arrays[] = {
        f->mask,   f->result.filtered, f->result.traces, f->result.shifts, f->result.valid, f->beats,
        f->climbs, f->snr_filtered,    f->velocity,      f->alternans,     f->frequency,    f->regularity,
        f->phase,  f->singularities,   f->rotors,        f->average,       f->minor};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    penta_beat_maps_free(&f->maps);
    penta_survey_free(&f->survey);
    penta_amends_free(&f->amends);
    *f = (penta_findings){0};
}
