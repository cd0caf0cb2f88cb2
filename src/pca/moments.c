/* to be written */
#include "pca/pca.h"
penta_status pca_moments_create(penta_context *ctx, size_t bands, bool exact, pca_moments **out)
{
    (void)bands, (void)exact, *out = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "not written yet");
}
penta_status pca_moments_add(pca_moments *m, uint64_t pixels, const double *shift, const double *sums,
                             const double *gram)
{
    (void)m, (void)pixels, (void)shift, (void)sums, (void)gram;
    return PENTA_UNSUPPORTED;
}
uint64_t pca_moments_pixels(const pca_moments *m)
{
    (void)m;
    return 0;
}
penta_status pca_moments_result(pca_moments *m, int ddof, double *mean, double *covariance)
{
    (void)m, (void)ddof, (void)mean, (void)covariance;
    return PENTA_UNSUPPORTED;
}
void pca_moments_reset(pca_moments *m)
{
    (void)m;
}
void pca_moments_destroy(pca_moments *m)
{
    (void)m;
}
