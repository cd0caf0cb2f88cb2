/* The choice of the engine and of the arithmetic. */
#include "pca/pca.h"

pca_choice pca_choose(const penta_context *ctx, int cov)
{
    static const char *const names[] = {"", "triangle", "syrk", "gemm", "splitk", "square", "volkov"};
    int chosen = cov == PENTA_PCA_COV_AUTO ? PENTA_PCA_COV_TRIANGLE : cov;
    const pca_engine *triangle = penta_is_cpu(ctx) ? &pca_triangle_cpu : &pca_triangle;

    return (pca_choice){chosen == PENTA_PCA_COV_TRIANGLE ? triangle : &pca_centred, chosen, names[chosen]};
}

penta_type pca_real_type(penta_type pixels, int precision)
{
    bool floats = pixels == PENTA_F32 || pixels == PENTA_F64;

    return floats && precision == PENTA_PRECISION_SINGLE ? PENTA_F32 : PENTA_F64;
}
