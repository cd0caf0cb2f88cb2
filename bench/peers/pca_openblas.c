/* Products of principal components by OpenBLAS, linked directly: whatever libblas is on this machine. */
#include "peers.h"

#include <cblas.h>

static void double_product(const peer_pca_product *p, double *result)
{
    blasint bands = (blasint)p->bands, pixels = (blasint)p->pixels, outs = (blasint)p->outs;
    const double *x = p->centred;

    if (p->form == PEER_PCA_SYRK)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, bands, pixels, 1, x, pixels, 0, result, bands);
    else if (p->form == PEER_PCA_GEMM)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, bands, bands, pixels, 1, x, pixels, x, pixels, 0, result,
                    bands);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, outs, pixels, bands, 1, p->matrix, bands, x, pixels, 0,
                    result, pixels);
}

static void single_product(const peer_pca_product *p, float *result)
{
    blasint bands = (blasint)p->bands, pixels = (blasint)p->pixels, outs = (blasint)p->outs;
    const float *x = p->centred;

    if (p->form == PEER_PCA_SYRK)
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, bands, pixels, 1, x, pixels, 0, result, bands);
    else if (p->form == PEER_PCA_GEMM)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, bands, bands, pixels, 1, x, pixels, x, pixels, 0, result,
                    bands);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, outs, pixels, bands, 1, p->matrix, bands, x, pixels, 0,
                    result, pixels);
}

void peer_pca_openblas(const peer_pca_product *product, int threads, void *result)
{
    int before = openblas_get_num_threads();

    openblas_set_num_threads(threads);
    if (product->single)
        single_product(product, result);
    else
        double_product(product, result);
    openblas_set_num_threads(before);
}
