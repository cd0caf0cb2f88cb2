/* to be written */
#include "pca/pca.h"
static penta_status create(penta_context *ctx, const pca_shape *shape, int method, void **state)
{
    (void)shape;
    (void)method;
    (void)state;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "not written yet");
}
static penta_status run(void *state, pca_slab *slab, penta_buffer *gram, penta_buffer *sums)
{
    (void)state;
    (void)gram;
    (void)sums;
    return penta_fail(slab->ctx, PENTA_UNSUPPORTED, "not written yet");
}
static void destroy(void *state)
{
    (void)state;
}
const pca_cov pca_triangle = {create, run, destroy};
