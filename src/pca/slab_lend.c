/*
 * Rows in place. During a call the loader has the caller's rows as a buffer where the device can use them as they lie,
 * in its own memory or, on a CPU device, in the host's. Kernels then lay out rows of BIL and BIP from there, and of BSQ
 * a whole slab of pixels without a mask is a slab as it lies, its bands as far apart as those of the cube.
 */
#include <string.h>

#include "pca/slab.h"

/* Bytes from the first element to the last. */
static penta_status bytes_of(const pca_loader *loader, const penta_cube_rows *rows, size_t *bytes)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = loader->resources.ctx;
    size_t pixels = rows->rows * rows->cols, size = penta_type_size(rows->type), between;

    if (rows->layout != PENTA_BSQ || !rows->band_stride)
        return penta_size(ctx, pixels, loader->bands, size, bytes);
    TRY(penta_size(ctx, rows->band_stride, loader->bands - 1, size, &between));
    *bytes = between + pixels * size;
cleanup:
    return status;
}

penta_status pca_loader_begin(pca_loader *loader, const penta_cube_rows *rows)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = loader->resources.ctx;
    size_t bytes;

    TRY(bytes_of(loader, rows, &bytes));
    TRY(penta_check_array(ctx, rows->mask, rows->rows * rows->cols));
    TRY(penta_buffer_lend(ctx, PENTA_READ, rows->data, bytes, penta_type_size(rows->type), &loader->rows));
    loader->in_device = penta_is_device_array(rows->data);
    loader->mask_in_device = penta_is_device_array(rows->mask);
cleanup:
    return status;
}

/* The queue of transfers is in order, and so is that of kernels. */
penta_status pca_loader_wait(pca_loader *loader)
{
    penta_status status = PENTA_OK;
    uint32_t nothing[2];

    if (!loader->in_device)
        TRY(penta_buffer_read(&loader->fence, 0, nothing, sizeof nothing));
    TRY(penta_buffer_give_back(&loader->rows));
cleanup:
    return status;
}

void pca_loader_abandon(pca_loader *loader)
{
    penta_settle(loader->resources.ctx); /* the rows may be on their way, and the caller may free them now */
    penta_buffer_release(&loader->rows);
}

bool slab_has_mask(const pca_loader *loader, const uint8_t *mask, size_t count)
{
    return mask && (loader->mask_in_device || memchr(mask, 0, count));
}

/* Whether pixels from `first` on make a slab as they lie. */
static bool can_lend(const pca_loader *loader, const pca_slab *slab, const penta_cube_rows *rows, size_t first)
{
    size_t pixels = rows->rows * rows->cols, stride = rows->band_stride ? rows->band_stride : pixels;

    return loader->rows.mem && rows->layout == PENTA_BSQ && slab->pixels == 0 && slab->type == rows->type &&
           pixels - first >= slab->pitch && stride <= INT32_MAX / slab->bands &&
           slab_no_data_in(&loader->no_data, slab->type).kind == SLAB_NO_DATA_NONE &&
           !slab_has_mask(loader, rows->mask ? rows->mask + first : NULL, slab->pitch);
}

penta_status pca_slab_lend(pca_loader *loader, pca_slab *slab, const penta_cube_rows *rows, size_t first, size_t *count)
{
    penta_status status = PENTA_OK;
    size_t stride = rows->band_stride ? rows->band_stride : rows->rows * rows->cols, size = penta_type_size(slab->type);
    penta_buffer part;

    *count = 0;
    if (!can_lend(loader, slab, rows, first))
        return PENTA_OK;
    TRY(penta_buffer_lend_part(&loader->rows, first * size, ((slab->bands - 1) * stride + slab->pitch) * size, &part));
    if (!part.mem)
        return PENTA_OK;
    *count = slab->pixels = slab->pitch;
    slab->own = slab->data;
    slab->own_pitch = slab->pitch;
    slab->data = part;
    slab->pitch = stride;
    slab->lent = true;
    slab->masked = slab->differences = false;
cleanup:
    return status;
}

void pca_slab_clear(pca_slab *slab)
{
    slab->pixels = slab->valid = 0;
    slab->masked = false;
    if (!slab->lent)
        return;
    penta_buffer_release(&slab->data);
    slab->data = slab->own;
    slab->pitch = slab->own_pitch;
    slab->own = (penta_buffer){0};
    slab->lent = false;
}
