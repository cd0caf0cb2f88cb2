/*
 * Products of principal components by cuBLAS. To it a row-major matrix is the transpose of a column-major one: X is
 * pixels x bands there, so X X^T becomes A^T A and the scores A M^T.
 */
#include "cuda_common.cuh"

#include <cublas_v2.h>

#define CUBLAS_TRY(call)                                                                                               \
    do {                                                                                                               \
        cublasStatus_t status_ = (call);                                                                               \
        if (status_ != CUBLAS_STATUS_SUCCESS)                                                                          \
            return cuda_failed(#call, cublasGetStatusString(status_), __FILE__, __LINE__);                             \
    } while (0)

static cublasStatus_t syrk(cublasHandle_t h, int n, int k, const double *one, const double *x, const double *zero,
                           double *y)
{
    return cublasDsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, n, k, one, x, k, zero, y, n);
}

static cublasStatus_t syrk(cublasHandle_t h, int n, int k, const float *one, const float *x, const float *zero,
                           float *y)
{
    return cublasSsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, n, k, one, x, k, zero, y, n);
}

static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t op, int m, int n, int k, const double *one,
                           const double *a, int lda, const double *b, int ldb, const double *zero, double *y)
{
    return cublasDgemm(h, op, CUBLAS_OP_N, m, n, k, one, a, lda, b, ldb, zero, y, m);
}

static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t op, int m, int n, int k, const float *one,
                           const float *a, int lda, const float *b, int ldb, const float *zero, float *y)
{
    return cublasSgemm(h, op, CUBLAS_OP_N, m, n, k, one, a, lda, b, ldb, zero, y, m);
}

template <typename real> struct pca_cublas : peer_cuda {
    peer_pca_product p;
    real *x, *m, *y; /* on the device: X, M, the product */
    cublasHandle_t handle = NULL;

    explicit pca_cublas(const peer_pca_product *product) : p(*product)
    {
    }

    ~pca_cublas() override
    {
        if (handle)
            cublasDestroy(handle);
    }

    size_t results() const
    {
        return p.form == PEER_PCA_SCORES ? p.outs * p.pixels : p.bands * p.bands;
    }

    peer_cuda_status enqueue() const override
    {
        int bands = (int)p.bands, pixels = (int)p.pixels, outs = (int)p.outs;
        const real one = 1, zero = 0;

        if (p.form == PEER_PCA_SYRK) /* upper there is lower here */
            CUBLAS_TRY(syrk(handle, bands, pixels, &one, x, &zero, y));
        else if (p.form == PEER_PCA_GEMM)
            CUBLAS_TRY(gemm(handle, CUBLAS_OP_T, bands, bands, pixels, &one, x, pixels, x, pixels, &zero, y));
        else
            CUBLAS_TRY(gemm(handle, CUBLAS_OP_N, pixels, outs, bands, &one, x, pixels, m, bands, &zero, y));
        return PEER_CUDA_OK;
    }

    peer_cuda_status build() override
    {
        CUBLAS_TRY(cublasCreate(&handle));
        PEER_TRY(make(p.bands * p.pixels, &x, p.centred));
        if (p.form == PEER_PCA_SCORES)
            PEER_TRY(make(p.outs * p.bands, &m, p.matrix));
        return make(results(), &y);
    }

    peer_cuda_status read(void *first, void *) const override
    {
        CUDA_TRY(cudaMemcpy(first, y, results() * sizeof *y, cudaMemcpyDeviceToHost));
        return PEER_CUDA_OK;
    }
};

peer_cuda *peer_pca_cublas_create(const peer_pca_product *product)
{
    if (product->single)
        return cuda_create(new (std::nothrow) pca_cublas<float>(product));
    return cuda_create(new (std::nothrow) pca_cublas<double>(product));
}
