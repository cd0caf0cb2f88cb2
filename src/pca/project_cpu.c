/* to be written */
#include "pca/pca.h"
static penta_status create(penta_context *ctx, const pca_map_shape *shape, const penta_affine *affine, void **state)
{
    (void)shape;
    (void)affine;
    (void)state;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "not written yet");
}
static penta_status run(void *state, pca_slab *slab, penta_buffer *results, size_t first, penta_buffer *range)
{
    (void)state;
    (void)results;
    (void)first;
    (void)range;
    return penta_fail(slab->ctx, PENTA_UNSUPPORTED, "not written yet");
}
static void destroy(void *state)
{
    (void)state;
}
const pca_project pca_project_cpu = {create, run, destroy};
