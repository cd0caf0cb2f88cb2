/* to be written */
#include "pca/pca.h"
penta_status pca_solve(penta_context *ctx, const penta_pca_options *o, size_t bands, uint64_t pixels,
                       const double *mean, const double *covariance, const double *noise, penta_pca_model *out)
{
    (void)o, (void)bands, (void)pixels, (void)mean, (void)covariance, (void)noise, (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "not written yet");
}
void penta_pca_model_free(penta_pca_model *model)
{
    (void)model;
}
void penta_pca_residuals(const penta_pca_model *model, double *orthogonality, double *residual)
{
    (void)model, (void)orthogonality, (void)residual;
}
