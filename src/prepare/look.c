/* Passes over a whole series before its first frame is run: the illumination and the smoothed drifts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prepare/plan.h"

enum { LEAST_SURVEY = 3 }; /* frames: a median of three ignores what only one frame shows */

/* Processes n frames of a pass; number[i] is the frame number of images[i]. */
typedef penta_status (*pass_step)(penta_prepare *plan, size_t n, const void *const *images, const size_t *number);

/* A pass over frames of a source, at most one batch at a time. */
typedef struct {
    penta_prepare *plan;
    const penta_prepare_source *source;
    pass_step step;
    const void **images; /* a batch of frames */
    size_t *number;      /* numbers of the usable frames of the batch */
} pass;

/* Reads frames index[0 .. n-1] in order and runs the step on them; skips those that the source cannot give. */
static penta_status read_and_step(pass *p, size_t n, const size_t *index)
{
    penta_status status = PENTA_OK;
    size_t given = 0, good = 0;

    for (; given < n; given++) {
        TRY(p->source->read(p->source->data, index[given], &p->images[good]));
        p->number[good] = index[given];
        good += p->images[good] != NULL;
    }
    if (good > 0)
        TRY(p->step(p->plan, good, p->images, p->number));
cleanup:
    for (size_t i = 0; p->source->release && i < given; i++)
        p->source->release(p->source->data, index[i]);
    return status;
}

static penta_status pass_over(penta_prepare *plan, const penta_prepare_source *source, enum penta_prepare_pass what,
                              size_t n, const size_t *index, pass_step step)
{
    penta_status status = PENTA_OK;
    size_t batch = source->most > 0 && source->most < plan->shape.batch ? source->most : plan->shape.batch;
    pass p = {.plan = plan, .source = source, .step = step};

    TRY(penta_calloc(plan->ctx, batch, sizeof *p.images, &p.images));
    TRY(penta_calloc(plan->ctx, batch, sizeof *p.number, &p.number));
    if (source->begin)
        TRY(source->begin(source->data, what, n, index));
    for (size_t done = 0; done < n; done += batch)
        TRY(read_and_step(&p, n - done < batch ? n - done : batch, index + done));
cleanup:
    free(p.images);
    free(p.number);
    return status;
}

/* ---- the illumination ---- */

static penta_status survey_frames(penta_prepare *plan, size_t n, const void *const *images, const size_t *number)
{
    (void)number;
    return penta_prepare_survey(plan, n, images);
}

/* Surveys evenly spaced frames, including the first and the last. */
static penta_status survey_series(penta_prepare *plan, const penta_prepare_source *source)
{
    penta_status status = PENTA_OK;
    size_t n = source->count < PENTA_PREPARE_SURVEY ? source->count : PENTA_PREPARE_SURVEY, *index = NULL, used;

    TRY(penta_calloc(plan->ctx, n, sizeof *index, &index));
    for (size_t k = 0; k < n; k++)
        index[k] = n > 1 ? k * (source->count - 1) / (n - 1) : 0;
    TRY(pass_over(plan, source, PENTA_PREPARE_PASS_ILLUMINATION, n, index, survey_frames));
    used = prepare_background_surveyed(plan->background);
    if (used < LEAST_SURVEY)
        status = penta_fail(plan->ctx, PENTA_INVALID,
                            "`flatten` series needs at least %d frames that can be used, not %zu; take another "
                            "flattening",
                            LEAST_SURVEY, used);
cleanup:
    free(index);
    return status;
}

/* ---- the drifts ---- */

static penta_status measure_frames(penta_prepare *plan, size_t n, const void *const *images, const size_t *number)
{
    penta_status status = PENTA_OK;
    penta_prepare_frame *frames = NULL;
    penta_prepare_result *results = NULL;

    TRY(penta_calloc(plan->ctx, n, sizeof *frames, &frames));
    TRY(penta_calloc(plan->ctx, n, sizeof *results, &results));
    for (size_t i = 0; i < n; i++)
        frames[i].image = images[i];
    TRY(penta_prepare_run(plan, n, frames, results));
    for (size_t i = 0; i < n; i++)
        if (results[i].status == PENTA_PREPARED_OK)
            plan->measured[number[i]] = results[i].drift;
cleanup:
    free(frames);
    free(results);
    return status;
}

static penta_status measure_series(penta_prepare *plan, const penta_prepare_source *source)
{
    penta_status status = PENTA_OK;
    size_t *index = NULL;

    TRY(penta_calloc(plan->ctx, source->count, sizeof *plan->measured, &plan->measured));
    TRY(penta_calloc(plan->ctx, source->count, sizeof *index, &index));
    for (size_t i = 0; i < source->count; i++) {
        plan->measured[i].score = NAN;
        index[i] = i;
    }
    TRY(pass_over(plan, source, PENTA_PREPARE_PASS_DRIFT, source->count, index, measure_frames));
cleanup:
    free(index);
    return status;
}

static penta_status smooth_series(penta_prepare *plan, const penta_prepare_source *source, size_t *measured)
{
    penta_status status = measure_series(plan, source);

    penta_prepare_rewind(plan);
    TRY(status);
    for (size_t i = 0; i < source->count; i++)
        *measured += !isnan(plan->measured[i].score);
    TRY(penta_drift_smooth(source->count, plan->measured, (size_t)plan->settings.o.smooth_drift));
    TRY(penta_own(&plan->resources, &plan->known, free));
    plan->known = plan->measured;
    plan->known_count = source->count;
    plan->measured = NULL;
cleanup:
    free(plan->measured);
    plan->measured = NULL;
    return status;
}

/* ---- both ---- */

penta_status penta_prepare_look(penta_prepare *plan, const penta_prepare_source *source, size_t *measured)
{
    penta_status status = PENTA_OK;
    size_t drifts = 0;

    if (measured)
        *measured = 0;
    if (plan->ran)
        return penta_fail(plan->ctx, PENTA_INVALID, "a look at the series must come before its first frame");
    if (plan->settings.o.flatten == PENTA_PREPARE_SERIES)
        TRY(survey_series(plan, source));
    if (plan->settings.o.smooth_drift > 0 && plan->registration && !plan->known)
        TRY(smooth_series(plan, source, &drifts));
    if (measured)
        *measured = drifts;
cleanup:
    return status;
}

/* ---- drifts from plan to plan ---- */

const penta_drift *penta_prepare_drifts(const penta_prepare *plan, size_t *count)
{
    *count = plan->known_count;
    return plan->known;
}

penta_status penta_prepare_know(penta_prepare *plan, size_t n, const penta_drift *drift)
{
    penta_status status = PENTA_OK;

    if (!plan->registration)
        return penta_fail(plan->ctx, PENTA_INVALID, "frames with a drift need `register` shift or rigid");
    if (plan->ran || plan->known)
        return penta_fail(plan->ctx, PENTA_INVALID, "drifts must be given once, before the first frame");
    for (size_t i = 0; i < n; i++)
        if (!(isfinite(drift[i].dx) && isfinite(drift[i].dy) && isfinite(drift[i].angle)))
            return penta_fail(plan->ctx, PENTA_INVALID, "the drift of frame %zu is not finite", i);
    TRY(penta_calloc(&plan->resources, n, sizeof *plan->known, &plan->known));
    if (n > 0)
        memcpy(plan->known, drift, n * sizeof *drift);
    plan->known_count = n;
cleanup:
    return status;
}
