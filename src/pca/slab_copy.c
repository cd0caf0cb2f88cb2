/* Copies pixels of one slab to another on the device. A slab has the layout of one row of a BIL cube, and its flags
 * that of a band of bytes, so the kernel for such rows does it. */
#include "pca/slab.h"

/* Of `bands` runs, from_pitch and to_pitch elements apart; flags: a run of bytes. */
static penta_status copy(pca_loader *loader, pca_slab *slab, const pca_slab *from, size_t at, size_t count, bool flags)
{
    penta_status status = PENTA_OK;
    penta_type type = flags ? PENTA_U8 : slab->type;
    penta_kernel *bil = &loader->kernels[type].bil;
    penta_buffer *source = (penta_buffer *)(flags ? &from->flags : &from->data);
    size_t bands = flags ? 1 : slab->bands;
    bool cpu = penta_is_cpu(loader->resources.ctx);

    TRY(slab_kernel(loader, bil, type, "layout", "pca_slab_bil"));
    TRY(penta_launch(bil, cpu ? slab_items(1) : slab_grid(count, bands),
                     ARGS(source, (size_t)0, (unsigned)from->pitch, (unsigned)at, (unsigned)count, (unsigned)bands,
                          slab->pitch, (unsigned)slab->pixels, (unsigned)(cpu ? 1 : SLAB_BANDS_EACH),
                          flags ? &slab->flags : &slab->data)));
cleanup:
    return status;
}

static penta_status copy_flags(pca_loader *loader, pca_slab *slab, const pca_slab *from, size_t at, size_t count)
{
    penta_status status = PENTA_OK;

    if (!from->masked)
        return slab->masked ? slab_allow(loader, slab, slab->pixels, count) : PENTA_OK;
    if (!slab->masked && slab->pixels)
        TRY(slab_allow(loader, slab, 0, slab->pixels));
    slab->masked = true;
    TRY(copy(loader, slab, from, at, count, true));
cleanup:
    return status;
}

penta_status pca_slab_copy(pca_loader *loader, pca_slab *slab, pca_slab *from, size_t at, size_t count)
{
    penta_status status = PENTA_OK;

    if (slab->pixels == 0)
        slab->masked = slab->differences = false;
    if (slab->type != from->type || slab->bands != from->bands || at > from->pixels || count > from->pixels - at ||
        count > slab->pitch - slab->pixels)
        return penta_fail(loader->resources.ctx, PENTA_INTERNAL, "pixels of a slab that do not fit in another one");
    TRY(copy_flags(loader, slab, from, at, count));
    TRY(copy(loader, slab, from, at, count, false));
    slab->pixels += count;
cleanup:
    return status;
}
