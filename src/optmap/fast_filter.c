/* Shift, Gaussian and median in one. */
#include "optmap/optmap.h"

penta_status optmap_blender_create(penta_context *ctx, const optmap_shape *shape, optmap_blender **out)
{
    (void)shape;
    *out = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

penta_status optmap_blender_run(optmap_blender *b, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered)
{
    (void)b, (void)band, (void)shifts, (void)filtered;
    return PENTA_UNSUPPORTED;
}

void optmap_blender_destroy(optmap_blender *b)
{
    (void)b;
}
