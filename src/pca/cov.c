/* The choice of the engine and of the arithmetic. */
#include "pca/pca.h"

pca_choice pca_choose(const penta_context *ctx, int cov)
{
    static const char *const names[] = {"", "triangle", "syrk", "gemm", "splitk", "square", "volkov"};
    int chosen = cov == PENTA_PCA_COV_AUTO ? PENTA_PCA_COV_TRIANGLE : cov;
    const pca_engine *triangle = penta_is_cpu(ctx) ? &pca_triangle_cpu : &pca_triangle;

    return (pca_choice){chosen == PENTA_PCA_COV_TRIANGLE ? triangle : &pca_centred, chosen, names[chosen]};
}

penta_status pca_check_cov(penta_context *ctx, int cov)
{
    if (penta_context_device(ctx)->fp64 || cov == PENTA_PCA_COV_AUTO || cov == PENTA_PCA_COV_TRIANGLE)
        return PENTA_OK;
    return penta_fail(ctx, PENTA_UNSUPPORTED,
                      "`cov` %s needs double precision, which %s does not have; use `cov` triangle",
                      pca_choose(ctx, cov).name, penta_context_device(ctx)->name);
}

penta_status pca_check_precision(penta_context *ctx, int precision)
{
    if (penta_context_device(ctx)->fp64 || precision != PENTA_PRECISION_DOUBLE)
        return PENTA_OK;
    return penta_fail(ctx, PENTA_UNSUPPORTED,
                      "%s has no double precision; use `precision` auto, which computes in pairs of floats there",
                      penta_context_device(ctx)->name);
}

const pca_project *pca_choose_project(const penta_context *ctx, penta_type real)
{
    if (real == PENTA_F64 && !penta_context_device(ctx)->fp64)
        return &pca_project_pairs;
    return penta_is_cpu(ctx) ? &pca_project_cpu : &pca_project_gpu;
}

penta_type pca_real_type(penta_type pixels, int precision)
{
    bool floats = pixels == PENTA_F32 || pixels == PENTA_F64;

    return floats && precision == PENTA_PRECISION_SINGLE ? PENTA_F32 : PENTA_F64;
}

void pca_tell_choice(penta_context *ctx, int cov, const pca_choice *choice)
{
    if (cov != PENTA_PCA_COV_AUTO)
        penta_chose(ctx, "covariance", choice->name, "option `cov`");
    else
        penta_chose(ctx, "covariance", choice->name, "it sums each pair of bands once, in a form for %s",
                    choice->engine == &pca_triangle_cpu ? "CPUs" : "GPUs");
}

void pca_tell_precision(penta_context *ctx, penta_type pixels, const penta_pca_options *o)
{
    bool differences = o->kind == PENTA_PCA_MNF;
    const char *type = penta_type_name(pixels);

    if (!penta_context_device(ctx)->fp64 && !pca_is_exact(pixels) && pca_real_type(pixels, o->precision) == PENTA_F64)
        penta_chose(ctx, "precision", "pairs of floats", "the device has no double precision");
    else if (pca_is_exact(pixels))
        penta_chose(ctx, "precision", "exact", "covariances of pixels of type %s are, for any `precision`", type);
    else if (differences)
        penta_chose(ctx, "precision", "double", "noise fractions are not computed in another (`kind` mnf)");
    else if (pca_real_type(pixels, o->precision) == PENTA_F32)
        penta_chose(ctx, "precision", "single", "option `precision`");
    else if (o->precision == PENTA_PRECISION_DOUBLE)
        penta_chose(ctx, "precision", "double", "option `precision`");
    else
        penta_chose(ctx, "precision", "double", "pixels of type %s are summed in double%s", type,
                    o->precision == PENTA_PRECISION_SINGLE ? "; `precision` single is for floats" : "");
}
