/* t0 of every pixel and neighbour from correlations at the camera's rate. */
#include "optmap/optmap.h"

uint64_t optmap_shifter_memory(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    (void)ctx, (void)shape, (void)rows;
    return 0;
}

penta_status optmap_shifter_create(penta_context *ctx, const optmap_shape *shape, optmap_shifter **out)
{
    (void)shape;
    *out = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

penta_status optmap_shifter_run(optmap_shifter *s, optmap_traces *band, penta_buffer *shifts)
{
    (void)s, (void)band, (void)shifts;
    return PENTA_UNSUPPORTED;
}

void optmap_shifter_destroy(optmap_shifter *s)
{
    (void)s;
}
