/* to be written */
#include "pca/pca.h"
penta_status pca_loader_create(penta_context *ctx, size_t bands, const char *no_data, pca_loader **out)
{
    (void)bands, (void)no_data, *out = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "not written yet");
}
void pca_loader_destroy(pca_loader *loader)
{
    (void)loader;
}
penta_status pca_slab_create(penta_context *ctx, size_t bands, size_t pitch, penta_type type, pca_slab *out)
{
    (void)bands, (void)pitch, (void)type, (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "not written yet");
}
void pca_slab_release(pca_slab *slab)
{
    (void)slab;
}
size_t pca_slab_capacity(penta_context *ctx, size_t bands, size_t pixels)
{
    (void)ctx, (void)bands;
    return pca_padded(pixels);
}
penta_status pca_slab_append(pca_loader *loader, pca_slab *slab, const penta_cube_rows *rows, size_t first,
                             size_t count, bool differences)
{
    (void)loader, (void)rows, (void)first, (void)count, (void)differences;
    return penta_fail(slab->ctx, PENTA_UNSUPPORTED, "not written yet");
}
penta_status pca_loader_wait(pca_loader *loader)
{
    (void)loader;
    return PENTA_OK;
}
penta_status pca_slab_close(pca_loader *loader, pca_slab *slab, bool shift, size_t *bad_band, size_t *bad_pixel)
{
    (void)loader, (void)shift, (void)bad_band, (void)bad_pixel;
    return penta_fail(slab->ctx, PENTA_UNSUPPORTED, "not written yet");
}
