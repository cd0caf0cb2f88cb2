/* Engine literal: the thesis's steps. */
#include "optmap/optmap.h"

static uint64_t memory(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    (void)ctx, (void)shape, (void)rows;
    return 0;
}

static penta_status create(penta_context *ctx, const optmap_shape *shape, void **state)
{
    (void)shape;
    *state = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

static penta_status run(void *state, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered)
{
    (void)state, (void)band, (void)shifts, (void)filtered;
    return PENTA_UNSUPPORTED;
}

static void destroy(void *state)
{
    (void)state;
}

const optmap_engine optmap_literal = {"literal", memory, create, run, destroy};
