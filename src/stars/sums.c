/* What engines of two kernels have in common. */
#include "stars/sums.h"

enum { GROUP = 128, EACH = 8 }; /* work-items and stars of a group */

penta_status stars_sums_create(penta_resources *owner, const stars_shape *shape, const char *file, const char *defines,
                               const char *add, const char *store, size_t bytes, void **state)
{
    penta_status status = PENTA_OK;
    stars_sums *s;

    TRY(penta_calloc(owner, 1, sizeof *s, state));
    s = *state;
    s->shape = *shape;
    TRY(penta_kernel_get(owner, file, add, defines, &s->add));
    if (store) {
        TRY(penta_kernel_get(owner, file, store, defines, &s->store));
        TRY(penta_buffer_create(owner, bytes, &s->sums));
    }
cleanup:
    return status;
}

penta_status stars_zero_image(const stars_shape *shape, penta_buffer *image, size_t rows)
{
    return penta_buffer_zero(image, 0, rows * shape->width * (shape->dbl ? sizeof(double) : sizeof(float)));
}

penta_grid stars_groups(size_t stars)
{
    return penta_grid_groups(penta_grid_1d((stars + EACH - 1) / EACH * GROUP), GROUP, 1, 1);
}

penta_grid stars_pixels(const stars_shape *shape, size_t rows)
{
    return penta_grid_groups(penta_grid_2d(shape->width, rows), 32, 4, 1);
}
