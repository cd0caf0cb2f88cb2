/*
 * The clFFT backend; the only file that includes its header. Its set-up is process-wide, and baking plans concurrently
 * aborts the process (measured with 2.12.2), so every call that touches shared state holds one lock.
 */
#include <clFFT.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/internal.h"
#include "math/fft_backend.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t users; /* existing plans; clFFT is set up while there are any */

typedef struct {
    clfftPlanHandle plan[2]; /* forward, inverse */
    bool made[2], counted;
    penta_buffer scratch;
} clfft_state;

static penta_status failed(penta_context *ctx, clfftStatus code, const char *call)
{
    if (code == CLFFT_NOTIMPLEMENTED)
        return penta_fail(ctx, PENTA_UNSUPPORTED,
                          "clFFT cannot do this length (only factors 2, 3, 5, 7, 11, 13); use `fft` vkfft");
    if ((cl_int)code == CL_INVALID_PROGRAM || (cl_int)code == CL_BUILD_PROGRAM_FAILURE)
        return penta_fail(ctx, PENTA_BUILD, "clFFT's kernels do not compile with this driver (%s, %s); use `fft` vkfft",
                          ctx->info.platform, ctx->info.driver);
    if (code < CLFFT_BUGCHECK)
        return penta_cl_fail(ctx, (cl_int)code, call, __FILE__, __LINE__);
    return penta_fail(ctx, PENTA_DEVICE, "%s failed with clFFT status %d", call, (int)code);
}

#define CLFFT_TRY(call)                                                                                                \
    do {                                                                                                               \
        clfftStatus code_ = (call);                                                                                    \
        if (code_ != CLFFT_SUCCESS) {                                                                                  \
            status = failed(ctx, code_, #call);                                                                        \
            goto cleanup;                                                                                              \
        }                                                                                                              \
    } while (0)

static penta_status set_up(penta_context *ctx, clfft_state *state)
{
    penta_status status = PENTA_OK;
    clfftSetupData data = {clfftVersionMajor, clfftVersionMinor, clfftVersionPatch, 0}; /* clfftInitSetupData, which C99
                                                                       inlines and so leaves without a body at -O0 */

    if (users == 0) {
        CLFFT_TRY(clfftSetup(&data));
    }
    users++;
    state->counted = true;
cleanup:
    return status;
}

/* Real rows are 2*(nx/2+1) long, so that the spectrum fits in place. */
static penta_status set_layout(penta_context *ctx, clfftPlanHandle plan, const penta_fft_shape *s, bool inverse)
{
    penta_status status = PENTA_OK;
    size_t half = s->nx / 2 + 1;
    size_t real_strides[2] = {1, 2 * half}, complex_strides[2] = {1, s->real ? half : s->nx};
    size_t real_distance = 2 * half * s->ny, complex_distance = complex_strides[1] * s->ny;
    bool real_in = s->real && !inverse, real_out = s->real && inverse;
    clfftLayout spectrum = s->real ? CLFFT_HERMITIAN_INTERLEAVED : CLFFT_COMPLEX_INTERLEAVED;

    CLFFT_TRY(clfftSetLayout(plan, real_in ? CLFFT_REAL : spectrum, real_out ? CLFFT_REAL : spectrum));
    CLFFT_TRY(clfftSetPlanInStride(plan, (clfftDim)s->rank, real_in ? real_strides : complex_strides));
    CLFFT_TRY(clfftSetPlanOutStride(plan, (clfftDim)s->rank, real_out ? real_strides : complex_strides));
    CLFFT_TRY(clfftSetPlanDistance(plan, real_in ? real_distance : complex_distance,
                                   real_out ? real_distance : complex_distance));
cleanup:
    return status;
}

static penta_status make_plan(penta_context *ctx, clfft_state *state, const penta_fft_shape *s, bool inverse)
{
    penta_status status = PENTA_OK;
    size_t lengths[2] = {s->nx, s->ny};
    clfftPlanHandle plan;

    CLFFT_TRY(clfftCreateDefaultPlan(&plan, ctx->handle, (clfftDim)s->rank, lengths));
    state->plan[inverse] = plan;
    state->made[inverse] = true;
    CLFFT_TRY(clfftSetPlanPrecision(plan, s->dbl ? CLFFT_DOUBLE : CLFFT_SINGLE));
    CLFFT_TRY(clfftSetResultLocation(plan, CLFFT_INPLACE));
    TRY(set_layout(ctx, plan, s, inverse));
    CLFFT_TRY(clfftSetPlanBatchSize(plan, s->batch));
    CLFFT_TRY(clfftSetPlanScale(plan, CLFFT_FORWARD, 1.0f));
    CLFFT_TRY(clfftSetPlanScale(plan, CLFFT_BACKWARD, 1.0f));
    CLFFT_TRY(clfftBakePlan(plan, 1, &ctx->queue[PENTA_QUEUE_COMPUTE], NULL, NULL));
cleanup:
    return status;
}

static void destroy(void *memory)
{
    clfft_state *state = memory;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2; i++)
        if (state->made[i])
            clfftDestroyPlan(&state->plan[i]);
    if (state->counted && --users == 0)
        clfftTeardown();
    pthread_mutex_unlock(&lock);
    penta_buffer_release(&state->scratch);
    free(state);
}

static penta_status create(penta_context *ctx, const penta_fft_shape *shape, void **out)
{
    penta_status status = PENTA_OK;
    clfft_state *state = NULL;
    size_t scratch = 0, bytes;
    bool locked = false;

    TRY(penta_calloc(ctx, 1, sizeof *state, &state));
    pthread_mutex_lock(&lock);
    locked = true;
    TRY(set_up(ctx, state));
    for (int inverse = 0; inverse < 2; inverse++) {
        TRY(make_plan(ctx, state, shape, inverse));
        CLFFT_TRY(clfftGetTmpBufSize(state->plan[inverse], &bytes));
        scratch = bytes > scratch ? bytes : scratch;
    }
    if (scratch)
        TRY(penta_buffer_create(ctx, scratch, &state->scratch));
cleanup:
    if (locked)
        pthread_mutex_unlock(&lock);
    if (status != PENTA_OK && state) {
        destroy(state);
        state = NULL;
    }
    *out = state;
    return status;
}

static penta_status execute(penta_context *ctx, void *memory, penta_buffer *data, bool inverse, size_t count)
{
    penta_status status = PENTA_OK;
    clfft_state *state = memory;

    (void)count;
    pthread_mutex_lock(&lock);
    CLFFT_TRY(clfftEnqueueTransform(state->plan[inverse], inverse ? CLFFT_BACKWARD : CLFFT_FORWARD, 1,
                                    &ctx->queue[PENTA_QUEUE_COMPUTE], 0, NULL, NULL, &data->mem, NULL,
                                    state->scratch.mem));
cleanup:
    pthread_mutex_unlock(&lock);
    return status;
}

const penta_fft_driver penta_fft_clfft = {"fft clfft forward", "fft clfft inverse", false, create, execute, destroy};
