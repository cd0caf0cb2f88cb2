/* Slabs filled by tests. */
#include "support/pca_slab.h"

#include "support/device.h"

void upload_slab(pca_slab *slab, const void *data, const uint8_t *flags, const double *shift)
{
    size_t bytes = slab->bands * slab->pitch * penta_type_size(slab->type);
    pca_slab made;

    EXPECT_OK(slab->ctx, pca_slab_create(slab->ctx, slab->bands, slab->pitch, slab->type, &made));
    slab->data = made.data;
    slab->flags = made.flags;
    slab->shift = made.shift;
    EXPECT_OK(slab->ctx, penta_buffer_write(&slab->data, 0, data, bytes));
    if (flags)
        EXPECT_OK(slab->ctx, penta_buffer_write(&slab->flags, 0, flags, slab->pitch));
    if (shift)
        EXPECT_OK(slab->ctx, penta_buffer_write(&slab->shift, 0, shift, slab->bands * sizeof *shift));
}
