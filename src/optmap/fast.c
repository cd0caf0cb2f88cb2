/* Engine fast: shifts, then shift, Gaussian and median in one. */
#include <stdlib.h>

#include "optmap/optmap.h"

typedef struct {
    optmap_shifter *shifter;
    optmap_blender *blender;
} fast_state;

static void destroy(void *memory)
{
    fast_state *s = memory;

    if (!s)
        return;
    optmap_shifter_destroy(s->shifter);
    optmap_blender_destroy(s->blender);
    free(s);
}

static penta_status create(penta_context *ctx, const optmap_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    fast_state *s = NULL;

    TRY(penta_calloc(ctx, 1, sizeof *s, &s));
    TRY(optmap_shifter_create(ctx, shape, &s->shifter));
    TRY(optmap_blender_create(ctx, shape, &s->blender));
    *state = s;
    s = NULL;
cleanup:
    destroy(s);
    return status;
}

static penta_status run(void *state, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered)
{
    penta_status status = PENTA_OK;
    fast_state *s = state;

    TRY(optmap_shifter_run(s->shifter, band, shifts));
    TRY(optmap_blender_run(s->blender, band, shifts, filtered));
cleanup:
    return status;
}

const optmap_engine optmap_fast = {"fast", optmap_shifter_memory, create, run, destroy};
