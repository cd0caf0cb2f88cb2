/* How large pixels are without their offset, so that products of pairs of floats neither overflow nor lose digits. */
#include "pca/exponents.h"

#include <stdio.h>

#include "math/sizes.h"
#include "pca/forms.h"

enum { CPU_RUN = 4096, GPU_ITEMS = 16384 }; /* pixels of a work-item; work-items of a band */

penta_status pca_exponents_create(penta_resources *owner, size_t bands, penta_type type, pca_exponents *out)
{
    penta_status status = PENTA_OK;
    char defines[64];

    out->needed = type == PENTA_F32 || type == PENTA_F64;
    TRY(penta_buffer_create(owner, bands * sizeof(int32_t), &out->of_bands));
    TRY(penta_buffer_zero(&out->of_bands, 0, out->of_bands.bytes));
    if (!out->needed)
        return PENTA_OK;
    snprintf(defines, sizeof defines, "-DTYPE=%s -DKIND=%d", pca_cl_type(owner->ctx, type), pca_cl_kind(type));
    TRY(penta_kernel_get(owner, "pca/exponents.cl", "pca_exponents", defines, &out->find));
cleanup:
    return status;
}

penta_status pca_exponents_find(pca_exponents *e, pca_slab *slab, penta_buffer *offsets)
{
    penta_status status = PENTA_OK;
    bool cpu = penta_is_cpu(slab->ctx);
    size_t items = cpu ? penta_divide_up(slab->pixels, CPU_RUN) : penta_smaller(slab->pixels, GPU_ITEMS);
    penta_grid grid = penta_grid_2d(items, slab->bands);

    if (!e->needed || slab->pixels == 0)
        return PENTA_OK;
    TRY(penta_buffer_zero(&e->of_bands, 0, e->of_bands.bytes));
    TRY(penta_launch(&e->find, cpu ? penta_grid_groups(grid, 1, 1, 1) : penta_grid_rows(grid),
                     ARGS(&slab->data, (long)slab->pitch, (int)slab->pixels, offsets, &e->of_bands)));
cleanup:
    return status;
}
