/*
 * The only file that includes CLBlast's header. CLBlast 1.5.3 has a race in its cache of programs (fixed in 1.6.1), so
 * every call holds one lock.
 */
#include <clblast_c.h>
#include <pthread.h>

#include "core/internal.h"
#include "math/blas.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t holders;

void penta_blas_hold(void)
{
    pthread_mutex_lock(&lock);
    holders++;
    pthread_mutex_unlock(&lock);
}

void penta_blas_release(void)
{
    pthread_mutex_lock(&lock);
    if (--holders == 0)
        CLBlastClearCache(); /* its programs keep alive the contexts they were compiled in */
    pthread_mutex_unlock(&lock);
}

/* A routine in the precision of `real`: its arguments are the same in both. */
#define CLBLAST(real, routine, ...)                                                                                    \
    ((real) == PENTA_F64 ? CLBlastD##routine(__VA_ARGS__) : CLBlastS##routine(__VA_ARGS__))
/* How a matrix is passed to each routine. */
#define OPERAND(matrix) (matrix)->data->mem, (matrix)->offset, (matrix)->row

static penta_status failed(penta_context *ctx, CLBlastStatusCode code, const char *name)
{
    if (code == CLBlastNoDoublePrecision)
        return penta_fail(ctx, PENTA_UNSUPPORTED, "%s: %s has no double precision", name, ctx->info.name);
    if (code >= CLBlastInvalidGlobalWorkSize)
        return penta_cl_fail(ctx, (cl_int)code, name, __FILE__, __LINE__);
    return penta_fail(ctx, PENTA_DEVICE, "%s failed with CLBlast status %d", name, (int)code);
}

/* Around a call of CLBlast, which writes numbers into its kernels and compiles them where they are new. */
static void *enter(penta_context *ctx)
{
    pthread_mutex_lock(&lock);
    penta_building_begin(ctx, "clblast");
    return penta_c_locale_enter();
}

static void leave(penta_context *ctx, void *locale)
{
    penta_c_locale_leave(locale);
    penta_building_end(ctx);
    pthread_mutex_unlock(&lock);
}

/* After the library's commands. Takes ownership of begin. */
static penta_status finish(penta_context *ctx, CLBlastStatusCode code, penta_buffer *const *buffers, size_t count,
                           const char *name, cl_event begin)
{
    if (code == CLBlastSuccess)
        return penta_foreign_end(ctx, buffers, count, name, begin);
    clReleaseEvent(begin);
    return failed(ctx, code, name);
}

penta_status penta_blas_syrk(penta_context *ctx, penta_type real, size_t n, size_t k, const penta_matrix *a,
                             const penta_matrix *c)
{
    penta_status status = PENTA_OK;
    penta_buffer *const buffers[] = {a->data, c->data};
    CLBlastStatusCode code;
    cl_event begin;
    void *locale;

    TRY(penta_foreign_begin(ctx, buffers, 2, &begin));
    locale = enter(ctx);
    code = CLBLAST(real, syrk, CLBlastLayoutRowMajor, CLBlastTriangleLower, CLBlastTransposeNo, n, k, 1, OPERAND(a), 0,
                   OPERAND(c), &ctx->queue[PENTA_QUEUE_COMPUTE], NULL);
    leave(ctx, locale);
    TRY(finish(ctx, code, buffers, 2, "clblast syrk", begin));
cleanup:
    return status;
}

penta_status penta_blas_gemm(penta_context *ctx, penta_type real, size_t m, size_t n, size_t k, const penta_matrix *a,
                             const penta_matrix *b, const penta_matrix *c)
{
    penta_status status = PENTA_OK;
    penta_buffer *const buffers[] = {a->data, b->data, c->data};
    CLBlastStatusCode code;
    cl_event begin;
    void *locale;

    TRY(penta_foreign_begin(ctx, buffers, 3, &begin));
    locale = enter(ctx);
    code = CLBLAST(real, gemm, CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, m, n, k, 1, OPERAND(a),
                   OPERAND(b), 0, OPERAND(c), &ctx->queue[PENTA_QUEUE_COMPUTE], NULL);
    leave(ctx, locale);
    TRY(finish(ctx, code, buffers, 3, "clblast gemm", begin));
cleanup:
    return status;
}

penta_status penta_blas_gemm_batch(penta_context *ctx, penta_type real, size_t m, size_t n, size_t k,
                                   const penta_matrix *a, const penta_matrix *b, const penta_matrix *c, size_t count)
{
    penta_status status = PENTA_OK;
    penta_buffer *const buffers[] = {a->data, b->data, c->data};
    CLBlastStatusCode code;
    cl_event begin;
    void *locale;

    TRY(penta_foreign_begin(ctx, buffers, 3, &begin));
    locale = enter(ctx);
    code = CLBLAST(real, gemmStridedBatched, CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, m, n, k, 1,
                   OPERAND(a), a->step, OPERAND(b), b->step, 0, OPERAND(c), c->step, count,
                   &ctx->queue[PENTA_QUEUE_COMPUTE], NULL);
    leave(ctx, locale);
    TRY(finish(ctx, code, buffers, 3, "clblast gemm batch", begin));
cleanup:
    return status;
}
