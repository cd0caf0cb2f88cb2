/* The peers' rows of the pca benchmark. */
#include "cuda.h"
#include "input.h"

#include <math.h>

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

typedef struct {
    pca_input *in;
    peer_pca_product product;
    int threads;
} product_job;

static double check(void *data, const char *variant)
{
    const product_job *j = data;

    if (j->product.form == PEER_PCA_SCORES) {
        pca_check_scores(j->in, variant, j->in->result, j->product.outs);
    } else {
        scale_matrix(j->in, &j->product);
        pca_check_covariance(j->in, variant, j->in->matrix, j->product.single ? plain_sums : double_sums);
    }
    return NAN;
}

#endif

/* ---- OpenBLAS ---- */

#ifdef PENTA_HAVE_OPENBLAS

static void openblas_work(void *data, double *device_seconds)
{
    const product_job *j = data;

    (void)device_seconds;
    peer_pca_openblas(&j->product, j->threads, result_of(j->in, &j->product));
}

static void openblas_row(pca_input *in, const peer_pca_product *product, int threads)
{
    product_job job = {in, *product, threads};

    pca_clear(in);
    bench_work_row(in->b,
                   bench_text(in->b, "OpenBLAS %s, %d thread%s", routine(product), threads, threads == 1 ? "" : "s"),
                   BENCH_PEER, BENCH_WALL, openblas_work, check, &job, NULL);
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

static void cublas_row(pca_input *in, const peer_pca_product *product)
{
    product_job job = {in, *product, 0};
    const bench_cuda_row row = {.variant = bench_text(in->b, "cuBLAS %s", routine(product)),
                                .first = result_of(in, product),
                                .check = check,
                                .in = &job};

    if (!bench_cuda_suits(in->b))
        return;
    pca_clear(in);
    bench_cuda_add(in->b, &row, peer_pca_cublas_create(product));
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
