/* Which covariance runs, and in which arithmetic. */
#include "pca/pca.h"

pca_choice pca_choose(const penta_context *ctx, int cov)
{
    static const char *const names[] = {"", "triangle", "syrk", "gemm", "splitk", "square", "volkov"};
    int method = cov == PENTA_PCA_COV_AUTO ? PENTA_PCA_COV_TRIANGLE : cov;
    const pca_cov *triangle = penta_is_cpu(ctx) ? &pca_triangle_cpu : &pca_triangle;

    return (pca_choice){method == PENTA_PCA_COV_TRIANGLE ? triangle : &pca_centred, method, names[method]};
}

penta_type pca_real_type(penta_type pixels, int precision)
{
    bool floats = pixels == PENTA_F32 || pixels == PENTA_F64;

    return floats && precision == PENTA_PRECISION_SINGLE ? PENTA_F32 : PENTA_F64;
}
