/* to be written */
#include "pca/pca.h"
#include <stddef.h>

const penta_option penta_pca_option_table[] = {
    PENTA_INT_OPTION(penta_pca_options, components, 'k', 0, 0, 4096, "", "components that are kept; 0: all"),
    PENTA_REAL_OPTION(penta_pca_options, variance, 0, 0, 0, 100, "%",
                      "keep as many components as explain so much of the variance; 0: not used"),
    PENTA_FLAG_OPTION(penta_pca_options, standardize, 0, "bands of variance 1: the correlation matrix is decomposed"),
    PENTA_FLAG_OPTION(penta_pca_options, whiten, 0, "scores of variance 1"),
    PENTA_CHOICE_OPTION(penta_pca_options, kind, 0, "pca,mnf",
                        "principal components, or maximum noise fractions (noise from differences along rows)"),
    PENTA_CHOICE_OPTION(penta_pca_options, cov, 0, "auto,triangle,syrk,gemm,splitk,square,volkov",
                        "how the covariance is computed"),
    PENTA_CHOICE_OPTION(penta_pca_options, precision, 0, "auto,single,double",
                        "arithmetic; auto is double. The covariance of integers is exact in any case"),
    PENTA_INT_OPTION(penta_pca_options, ddof, 0, 1, 0, 1000000, "", "the covariance is divided by pixels - ddof"),
    PENTA_TEXT_OPTION(penta_pca_options, no_data, 0, "VALUE",
                      "pixels with this number (or nan) in any band are left out"),
    PENTA_OPTIONS_END};

penta_status penta_pca_create(penta_context *ctx, size_t bands, size_t pixels, const penta_pca_options *opt,
                              penta_pca **out)
{
    (void)bands, (void)pixels, (void)opt, *out = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "not written yet");
}
penta_status penta_pca_add(penta_pca *plan, const penta_cube_rows *rows)
{
    (void)plan, (void)rows;
    return PENTA_UNSUPPORTED;
}
penta_status penta_pca_solve(penta_pca *plan, penta_pca_model *out)
{
    (void)plan, (void)out;
    return PENTA_UNSUPPORTED;
}
void penta_pca_reset(penta_pca *plan)
{
    (void)plan;
}
const char *penta_pca_cov_name(const penta_pca *plan)
{
    (void)plan;
    return "";
}
void penta_pca_destroy(penta_pca *plan)
{
    (void)plan;
}
