/* The peers' rows of the pca benchmark. */
#include "input.h"

#include <stdio.h>
#include <string.h>

static peer_pca_product product_of(const pca_input *in, peer_pca_form form, size_t outs)
{
    return (peer_pca_product){.form = form,
                              .single = in->real == PENTA_F32,
                              .bands = in->c->bands,
                              .pixels = in->pixels,
                              .outs = outs,
                              .centred = in->centred,
                              .matrix = in->forward};
}

static const char *routine(const peer_pca_product *p)
{
    if (p->form == PEER_PCA_SYRK)
        return p->single ? "ssyrk" : "dsyrk";
    return p->single ? "sgemm" : "dgemm";
}

#if defined(PENTA_HAVE_OPENBLAS) || defined(PENTA_HAVE_CUDA)

/* A product in one float a number, over all pixels; in double (cuBLAS was 1.8e-12 off). */
static const double plain_sums = 1e-3, double_sums = 1e-11;

/* Where a product of this form goes: a matrix, or scores. */
static void *result_of(const pca_input *in, const peer_pca_product *p)
{
    return p->form == PEER_PCA_SCORES ? in->result : in->product;
}

/* Sums become covariances in double. */
static void scale_matrix(const pca_input *in, const peer_pca_product *p)
{
    const float *single = in->product;
    const double *doubles = in->product;

    for (size_t i = 0; i < p->bands * p->bands; i++)
        in->matrix[i] = (p->single ? (double)single[i] : doubles[i]) / (double)(in->pixels - 1);
}

static void check_product(const pca_input *in, const char *variant, const peer_pca_product *p)
{
    if (p->form == PEER_PCA_SCORES) {
        pca_check_scores(in, variant, in->result, p->outs);
        return;
    }
    scale_matrix(in, p);
    pca_check_covariance(in, variant, in->matrix, p->single ? plain_sums : double_sums);
}

#endif

/* ---- OpenBLAS ---- */

#ifdef PENTA_HAVE_OPENBLAS

typedef struct {
    peer_pca_product product;
    int threads;
    void *result;
} openblas_job;

static void openblas_work(void *data, double *device_seconds)
{
    const openblas_job *job = data;

    (void)device_seconds;
    peer_pca_openblas(&job->product, job->threads, job->result);
}

static void openblas_row(pca_input *in, const peer_pca_product *product, int threads)
{
    openblas_job job = {*product, threads, result_of(in, product)};
    bench_samples samples;
    double none = 0;
    char variant[64];

    snprintf(variant, sizeof variant, "OpenBLAS %s, %d thread%s", routine(product), threads, threads == 1 ? "" : "s");
    pca_clear(in);
    openblas_work(&job, &none);
    check_product(in, variant, product);
    bench_measure(openblas_work, &job, &samples);
    bench_row(in->b, variant, BENCH_PEER, BENCH_WALL, &samples);
}

static void openblas_rows(pca_input *in, const peer_pca_product *product)
{
    openblas_row(in, product, 1);
    if (bench_cores() > 1)
        openblas_row(in, product, bench_cores());
}

#else

static void openblas_rows(pca_input *in, const peer_pca_product *product)
{
    bench_note(in->b, "OpenBLAS %s left out: this build has no OpenBLAS", routine(product));
}

#endif

/* ---- cuBLAS ---- */

#ifdef PENTA_HAVE_CUDA

typedef struct {
    const pca_input *in;
    peer_pca_cublas *peer;
} cublas_job;

static void cublas_work(void *data, double *device_seconds)
{
    const cublas_job *job = data;

    if (peer_pca_cublas_run(job->peer, device_seconds) != PEER_CUDA_OK)
        bench_fail(job->in->b, "cuBLAS: %s", peer_cuda_error());
}

static void cublas_row(pca_input *in, const peer_pca_product *product)
{
    const penta_device *device = penta_context_device(bench_context(in->b));
    cublas_job job = {.in = in};
    bench_samples samples;
    char variant[64];

    snprintf(variant, sizeof variant, "cuBLAS %s", routine(product));
    if (device->type != PENTA_DEVICE_GPU || !strstr(device->vendor, "NVIDIA")) {
        bench_note(in->b, "%s left out: the device under test is not an NVIDIA GPU", variant);
        return;
    }
    if (peer_pca_cublas_create(product, &job.peer) != PEER_CUDA_OK) {
        bench_note(in->b, "%s left out: %s", variant, peer_cuda_error());
        return;
    }
    pca_clear(in);
    if (peer_pca_cublas_read(job.peer, result_of(in, product)) != PEER_CUDA_OK)
        bench_fail(in->b, "%s: %s", variant, peer_cuda_error());
    check_product(in, variant, product);
    bench_measure(cublas_work, &job, &samples);
    bench_row(in->b, variant, BENCH_PEER, BENCH_DEVICE, &samples);
    bench_machine_add(in->b, peer_pca_cublas_device(job.peer));
    peer_pca_cublas_destroy(job.peer);
}

#endif

static void product_rows(pca_input *in, const peer_pca_product *product)
{
    openblas_rows(in, product);
#ifdef PENTA_HAVE_CUDA
    cublas_row(in, product);
#endif
}

void pca_covariance_peers(pca_input *in)
{
    peer_pca_product syrk, gemm;

    pca_centre(in);
    syrk = product_of(in, PEER_PCA_SYRK, 0);
    gemm = product_of(in, PEER_PCA_GEMM, 0);
    product_rows(in, &syrk);
    product_rows(in, &gemm);
}

void pca_scores_peers(pca_input *in, size_t outs)
{
    peer_pca_product product;

    pca_centre(in);
    product = product_of(in, PEER_PCA_SCORES, outs);
    product_rows(in, &product);
}
