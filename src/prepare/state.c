/* The state that a series carries from one run to the next: rewind, save, load. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prepare/plan.h"

void penta_prepare_rewind(penta_prepare *plan)
{
    if (plan->registration)
        prepare_register_rewind(plan->registration);
    plan->low = plan->high = NAN;
    plan->frames = 0;
}

static penta_status save_illumination(penta_prepare *plan, penta_prepare_state *out)
{
    penta_status status = PENTA_OK;
    const float *illumination = NULL;
    size_t bytes = out->nodes_x * out->nodes_y * sizeof *illumination;

    if (plan->settings.o.flatten != PENTA_PREPARE_SERIES)
        return PENTA_OK;
    TRY(prepare_background_illumination(plan->background, &illumination));
    if (!illumination)
        return PENTA_OK;
    TRY(penta_calloc(plan->ctx, bytes, 1, &out->illumination));
    memcpy(out->illumination, illumination, bytes);
cleanup:
    return status;
}

penta_status penta_prepare_save(penta_prepare *plan, penta_prepare_state *out)
{
    penta_status status = PENTA_OK;

    *out = (penta_prepare_state){.low = plan->low, .high = plan->high};
    if (plan->registration)
        TRY(prepare_register_save(plan->registration, out));
    out->frames = plan->frames;
    out->width = plan->shape.width;
    out->height = plan->shape.height;
    out->nodes_x = plan->shape.nodes_x;
    out->nodes_y = plan->shape.nodes_y;
    TRY(save_illumination(plan, out));
cleanup:
    if (status != PENTA_OK)
        penta_prepare_state_free(out);
    return status;
}

static bool is_finite_drift(const penta_drift *d)
{
    return isfinite(d->dx) && isfinite(d->dy) && isfinite(d->angle);
}

static penta_status check_state(const penta_prepare *plan, const penta_prepare_state *s)
{
    const prepare_shape *shape = &plan->shape;
    size_t nodes = shape->nodes_x * shape->nodes_y;

    if (s->width != shape->width || s->height != shape->height || s->nodes_x != shape->nodes_x ||
        s->nodes_y != shape->nodes_y)
        return penta_fail(plan->ctx, PENTA_INVALID, "a state of %zu x %zu px frames does not fit ones of %zu x %zu",
                          s->width, s->height, shape->width, shape->height);
    if (!is_finite_drift(&s->key) || !is_finite_drift(&s->last) || !(s->last_grow > -1 && isfinite(s->last_grow)) ||
        isinf(s->low) || isinf(s->high) || isnan(s->low) != isnan(s->high))
        return penta_fail(plan->ctx, PENTA_INVALID, "the state's drifts or levels are not finite");
    for (size_t i = 0; s->illumination && i < nodes; i++)
        if (!(s->illumination[i] > 0 && isfinite(s->illumination[i])))
            return penta_fail(plan->ctx, PENTA_INVALID, "the state's illumination is not positive everywhere");
    if (plan->settings.o.flatten == PENTA_PREPARE_SERIES && s->frames && !s->illumination)
        return penta_fail(plan->ctx, PENTA_INVALID, "the state has no illumination, which `flatten` series needs");
    if (plan->registration && !plan->known && s->frames && !s->key_image)
        return penta_fail(plan->ctx, PENTA_INVALID, "the state has no frame to register with");
    return PENTA_OK;
}

penta_status penta_prepare_load(penta_prepare *plan, const penta_prepare_state *state)
{
    penta_status status = PENTA_OK;

    TRY(check_state(plan, state));
    if (plan->settings.o.flatten == PENTA_PREPARE_SERIES && state->illumination)
        TRY(prepare_background_load(plan->background, state->illumination));
    if (plan->registration && state->key_image)
        TRY(prepare_register_load(plan->registration, state));
    else if (plan->registration)
        prepare_register_rewind(plan->registration);
    plan->frames = state->frames;
    plan->low = state->low;
    plan->high = state->high;
    plan->started = plan->ran = true;
cleanup:
    return status;
}

void penta_prepare_state_free(penta_prepare_state *state)
{
    free(state->key_image);
    free(state->last_image);
    free(state->illumination);
    *state = (penta_prepare_state){0};
}
