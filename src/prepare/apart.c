/* Frames of a series that are run out of their order, as several members share them. */
#include <math.h>
#include <string.h>

#include "prepare/plan.h"

/* By how much a score must be over `key_score` for certain: divided by the number of places and multiplied by it again,
 * it may have lost its last bits. */
#define MARGIN 1e-9

static bool measures(const penta_prepare *plan)
{
    return plan->registration && !plan->known;
}

penta_status penta_prepare_apart(penta_prepare *plan, bool apart)
{
    const penta_prepare_options *o = &plan->settings.o;

    if (apart && measures(plan) && !prepare_register_begun(plan->registration))
        return penta_fail(plan->ctx, PENTA_INVALID, "there is no first frame yet to register others with");
    if (apart && plan->settings.has_contrast && o->contrast_of == PENTA_PREPARE_CONTRAST_FIRST && isnan(plan->low))
        return penta_fail(plan->ctx, PENTA_INVALID, "there is no first frame yet whose contrast others could have");
    plan->apart = apart;
    if (plan->registration)
        prepare_register_apart(plan->registration, apart);
    return PENTA_OK;
}

bool penta_prepare_stands(const penta_prepare *plan, const penta_prepare_result *result)
{
    double least = plan->settings.o.key_score;
    bool registered = result->status == PENTA_PREPARED_OK || result->status == PENTA_PREPARED_LOST;

    if (!measures(plan) || !(least > 0) || !registered)
        return true;
    return result->drift.score * (double)(1 + result->drift.others) >= least * (1 + MARGIN);
}

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
