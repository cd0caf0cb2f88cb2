/* The CPU form of the tiled method behind the seam of engine.h. */

#include "autocorr/direct_cpu.h"
#include "autocorr/engine.h"

static penta_status create(penta_context *ctx, const autocorr_shape *s, enum penta_fft_backend fft, size_t batch,
                           void **state)
{
    penta_direct_cpu *plan = NULL;
    penta_status status =
        penta_direct_cpu_create(ctx, s->width, s->height, s->type, s->max_offset, s->cross, NULL, &plan);

    (void)fft;
    (void)batch;
    *state = plan;
    return status;
}

static penta_status run(void *state, size_t frames, penta_buffer *a, penta_buffer *b, penta_buffer *out)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < frames; i++)
        TRY(penta_direct_cpu_run(state, a, b, i, out));
cleanup:
    return status;
}

static void destroy(void *state)
{
    penta_direct_cpu_destroy(state);
}

const autocorr_engine autocorr_tiled_cpu = {"tiled", create, run, NULL, NULL, destroy};
