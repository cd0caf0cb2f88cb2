/* The VkFFT backend. Its initialisation is not thread-safe, so it runs under one lock. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "math/fft_backend.h"
#include "math/vkfft.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Forward and inverse are two applications, because their row hints differ. VkFFT keeps pointers into the state. */
typedef struct {
    VkFFTApplication app[2];
    bool made[2];
    uint64_t bytes;
    cl_mem data;
} vkfft_state;

static penta_status failed(penta_context *ctx, VkFFTResult code, const char *what)
{
    if (code == VKFFT_ERROR_UNSUPPORTED_FFT_LENGTH || code == VKFFT_ERROR_UNSUPPORTED_FFT_LENGTH_R2C)
        return penta_fail(ctx, PENTA_UNSUPPORTED, "VkFFT cannot do this length; pad it to another");
    if (code == VKFFT_ERROR_FAILED_TO_ALLOCATE || code == VKFFT_ERROR_MALLOC_FAILED)
        return penta_fail(ctx, PENTA_MEMORY, "VkFFT could not allocate its memory");
    return penta_fail(ctx, PENTA_DEVICE, "VkFFT %s failed with code %d", what, (int)code);
}

static VkFFTConfiguration configuration(penta_context *ctx, vkfft_state *state, const penta_fft_shape *s, bool inverse)
{
    VkFFTConfiguration c;
    size_t from = inverse ? s->drop_from : s->zero_from, to = inverse ? s->drop_to : s->zero_to;

    /* VkFFT transforms real rows in pairs: a skipped range must not split a pair (with 1.2.26 the last row was wrong).
     */
    from += from % 2;
    to -= to % 2;
    memset(&c, 0, sizeof c);
    c.FFTdim = s->rank;
    c.size[0] = s->nx;
    c.size[1] = s->ny;
    c.size[2] = 1;
    c.platform = &ctx->platform;
    c.device = &ctx->device;
    c.context = &ctx->handle;
    c.bufferSize = &state->bytes;
    c.buffer = &state->data;
    c.numberBatches = s->batch;
    c.doublePrecision = s->dbl;
    c.performR2C = s->real;
    c.makeForwardPlanOnly = !inverse;
    c.makeInversePlanOnly = inverse;
    c.useUint64 = state->bytes / (s->dbl ? 8 : 4) >= (uint64_t)1 << 31;
    if (to > from) {
        c.performZeropadding[1] = 1;
        c.fft_zeropad_left[1] = from;
        c.fft_zeropad_right[1] = to;
    }
    return c;
}

static void destroy(void *memory)
{
    vkfft_state *state = memory;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2; i++)
        if (state->made[i])
            vkfft_delete(&state->app[i]);
    pthread_mutex_unlock(&lock);
    free(state);
}

static penta_status initialise(penta_context *ctx, vkfft_state *state, const penta_fft_shape *shape, bool inverse)
{
    VkFFTConfiguration c = configuration(ctx, state, shape, inverse);
    penta_status built;
    VkFFTResult code = vkfft_initialise(ctx, &state->app[inverse], &c, &built);

    if (built != PENTA_OK)
        return built;
    if (code != VKFFT_SUCCESS)
        return failed(ctx, code, "initialisation");
    state->made[inverse] = true;
    return PENTA_OK;
}

/* Initialises both applications, or the one that is wanted, under the lock. */
static penta_status initialise_both(penta_context *ctx, vkfft_state *state, const penta_fft_shape *shape)
{
    penta_status status = initialise(ctx, state, shape, false);

    return status == PENTA_OK && shape->wants != PENTA_FFT_FORWARD ? initialise(ctx, state, shape, true) : status;
}

static penta_status create(penta_context *ctx, const penta_fft_shape *shape, void **out)
{
    penta_status status = PENTA_OK;
    vkfft_state *state = NULL;
    size_t bytes;

    if (shape->nx < 2 || (shape->rank == 2 && shape->ny < 2)) {
        status = penta_fail(ctx, PENTA_UNSUPPORTED, "VkFFT cannot do a length of 1; use clFFT");
        goto cleanup;
    }
    TRY(penta_calloc(ctx, 1, sizeof *state, &state));
    TRY(penta_fft_bytes(ctx, shape, &bytes));
    state->bytes = bytes;
    pthread_mutex_lock(&lock);
    status = initialise_both(ctx, state, shape);
    pthread_mutex_unlock(&lock);
    TRY(status);
cleanup:
    if (status != PENTA_OK && state) {
        destroy(state);
        state = NULL;
    }
    *out = state;
    return status;
}

/* VkFFT takes the number of work-groups from here when it launches; rank 1 folds the batch into another dimension. */
static void set_batch(VkFFTApplication *app, uint64_t count)
{
    VkFFTPlan *plans[] = {app->localFFTPlan, app->localFFTPlan_inverse};

    if (app->configuration.FFTdim != 2)
        return;
    app->configuration.numberBatches = count;
    for (int i = 0; i < 2; i++)
        if (plans[i])
            plans[i]->R2Cdecomposition.specializationConstants.numBatches = count;
}

static penta_status execute(penta_context *ctx, void *memory, penta_buffer *data, bool inverse, size_t count)
{
    vkfft_state *state = memory;
    VkFFTLaunchParams params;
    VkFFTResult code;

    memset(&params, 0, sizeof params);
    state->data = data->mem;
    params.buffer = &state->data;
    params.commandQueue = &ctx->queue[PENTA_QUEUE_COMPUTE];
    set_batch(&state->app[inverse], count);
    code = vkfft_append(&state->app[inverse], inverse, &params);
    return code == VKFFT_SUCCESS ? PENTA_OK : failed(ctx, code, "launch");
}

const penta_fft_driver penta_fft_vkfft = {"fft vkfft forward", "fft vkfft inverse", true, create, execute, destroy};
