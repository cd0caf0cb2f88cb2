/* Engine `fast`: finds shifts, then shifts, averages and filters in one pass. */

#include "optmap/optmap.h"

typedef struct {
    penta_resources resources;
    optmap_shifter *shifter;
    fast_filter *filter;
} fast_state;

static penta_status create(penta_context *ctx, const optmap_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    fast_state *s = NULL;

    TRY(penta_plan_alloc(ctx, &s));
    TRY(optmap_shifter_create(ctx, shape, &s->shifter));
    TRY(penta_own(&s->resources, &s->shifter, optmap_shifter_destroy));
    TRY(fast_filter_create(ctx, shape, &s->filter));
    TRY(penta_own(&s->resources, &s->filter, fast_filter_destroy));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static penta_status run(void *state, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered)
{
    penta_status status = PENTA_OK;
    fast_state *s = state;

    TRY(optmap_shifter_run(s->shifter, band, shifts));
    TRY(fast_filter_run(s->filter, band, shifts, filtered));
cleanup:
    return status;
}

static void destroy(void *state)
{
    penta_plan_free((fast_state *)state);
}

const optmap_engine optmap_fast = {"fast", optmap_shifter_memory, create, run, destroy};
