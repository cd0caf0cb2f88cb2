/* A band of the movie on the device. */
#include "optmap/optmap.h"

penta_status optmap_loader_create(penta_context *ctx, const optmap_shape *shape, penta_type type, bool under,
                                  optmap_loader **out)
{
    (void)shape, (void)type, (void)under;
    *out = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

penta_status optmap_load(optmap_loader *loader, const penta_movie *movie, optmap_traces *band, size_t *valid)
{
    (void)loader, (void)movie, (void)band, (void)valid;
    return PENTA_UNSUPPORTED;
}

void optmap_traces_release(optmap_traces *band)
{
    (void)band;
}

void optmap_loader_destroy(optmap_loader *loader)
{
    (void)loader;
}
