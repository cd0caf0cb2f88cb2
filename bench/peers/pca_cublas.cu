/*
 * Products of principal components by cuBLAS. To it a row-major matrix is the transpose of a column-major one: X is
 * pixels x bands there, so X X^T becomes A^T A and the scores A M^T.
 */
#include "cuda_common.cuh"

#include <cublas_v2.h>
#include <stdlib.h>

struct peer_pca_cublas {
    peer_pca_product p; /* without its host memory */
    void *centred, *matrix, *result;
    size_t result_bytes;
    cublasHandle_t handle;
    cuda_timer timer;
    char device[256];
};

#define CUBLAS_TRY(call)                                                                                               \
    do {                                                                                                               \
        cublasStatus_t status_ = (call);                                                                               \
        if (status_ != CUBLAS_STATUS_SUCCESS)                                                                          \
            return cuda_failed(#call, cublasGetStatusString(status_), __FILE__, __LINE__);                             \
    } while (0)

/* ---- products ---- */

static cublasStatus_t double_product(const peer_pca_cublas *peer)
{
    const peer_pca_product *p = &peer->p;
    int bands = (int)p->bands, pixels = (int)p->pixels, outs = (int)p->outs;
    const double one = 1, zero = 0, *x = (const double *)peer->centred, *m = (const double *)peer->matrix;
    double *y = (double *)peer->result;

    if (p->form == PEER_PCA_SYRK) /* upper there is lower here */
        return cublasDsyrk(peer->handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, bands, pixels, &one, x, pixels, &zero, y,
                           bands);
    if (p->form == PEER_PCA_GEMM)
        return cublasDgemm(peer->handle, CUBLAS_OP_T, CUBLAS_OP_N, bands, bands, pixels, &one, x, pixels, x, pixels,
                           &zero, y, bands);
    return cublasDgemm(peer->handle, CUBLAS_OP_N, CUBLAS_OP_N, pixels, outs, bands, &one, x, pixels, m, bands, &zero, y,
                       pixels);
}

static cublasStatus_t single_product(const peer_pca_cublas *peer)
{
    const peer_pca_product *p = &peer->p;
    int bands = (int)p->bands, pixels = (int)p->pixels, outs = (int)p->outs;
    const float one = 1, zero = 0, *x = (const float *)peer->centred, *m = (const float *)peer->matrix;
    float *y = (float *)peer->result;

    if (p->form == PEER_PCA_SYRK)
        return cublasSsyrk(peer->handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, bands, pixels, &one, x, pixels, &zero, y,
                           bands);
    if (p->form == PEER_PCA_GEMM)
        return cublasSgemm(peer->handle, CUBLAS_OP_T, CUBLAS_OP_N, bands, bands, pixels, &one, x, pixels, x, pixels,
                           &zero, y, bands);
    return cublasSgemm(peer->handle, CUBLAS_OP_N, CUBLAS_OP_N, pixels, outs, bands, &one, x, pixels, m, bands, &zero, y,
                       pixels);
}

static peer_cuda_status enqueue(const void *data)
{
    const peer_pca_cublas *peer = (const peer_pca_cublas *)data;

    CUBLAS_TRY(peer->p.single ? single_product(peer) : double_product(peer));
    return PEER_CUDA_OK;
}

/* ---- making and releasing ---- */

static peer_cuda_status copy_in(const void *from, size_t bytes, void **to)
{
    CUDA_TRY(cudaMalloc(to, bytes));
    CUDA_TRY(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice));
    return PEER_CUDA_OK;
}

static peer_cuda_status build(peer_pca_cublas *peer, const peer_pca_product *p)
{
    size_t real = p->single ? sizeof(float) : sizeof(double);
    size_t results = p->form == PEER_PCA_SCORES ? p->outs * p->pixels : p->bands * p->bands;

    PEER_TRY(cuda_open(peer->device, sizeof peer->device));
    PEER_TRY(cuda_timer_create(&peer->timer));
    CUBLAS_TRY(cublasCreate(&peer->handle));
    PEER_TRY(copy_in(p->centred, p->bands * p->pixels * real, &peer->centred));
    if (p->form == PEER_PCA_SCORES)
        PEER_TRY(copy_in(p->matrix, p->outs * p->bands * real, &peer->matrix));
    peer->result_bytes = results * real;
    CUDA_TRY(cudaMalloc(&peer->result, peer->result_bytes));
    CUDA_TRY(cudaMemset(peer->result, 0, peer->result_bytes));
    return cuda_timer_calibrate(&peer->timer, enqueue, peer);
}

peer_cuda_status peer_pca_cublas_create(const peer_pca_product *product, peer_pca_cublas **out)
{
    peer_pca_cublas *peer = (peer_pca_cublas *)calloc(1, sizeof *peer);
    peer_cuda_status status;

    *out = NULL;
    if (!peer)
        return cuda_failed("calloc", "out of memory", __FILE__, __LINE__);
    peer->p = *product;
    peer->p.centred = peer->p.matrix = NULL;
    status = build(peer, product);
    if (status == PEER_CUDA_OK)
        *out = peer;
    else
        peer_pca_cublas_destroy(peer);
    return status;
}

peer_cuda_status peer_pca_cublas_run(peer_pca_cublas *peer, double *seconds)
{
    return cuda_timer_run(&peer->timer, enqueue, peer, seconds);
}

peer_cuda_status peer_pca_cublas_read(peer_pca_cublas *peer, void *result)
{
    CUDA_TRY(cudaMemcpy(result, peer->result, peer->result_bytes, cudaMemcpyDeviceToHost));
    return PEER_CUDA_OK;
}

const char *peer_pca_cublas_device(const peer_pca_cublas *peer)
{
    return peer->device;
}

void peer_pca_cublas_destroy(peer_pca_cublas *peer)
{
    if (!peer)
        return;
    if (peer->handle)
        cublasDestroy(peer->handle);
    cuda_timer_destroy(&peer->timer);
    cudaFree(peer->centred);
    cudaFree(peer->matrix);
    cudaFree(peer->result);
    free(peer);
}
