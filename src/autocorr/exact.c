/* Checks that the results of an exact FFT were near enough to the integers to which they are rounded. */
#include "autocorr/engine.h"

penta_status autocorr_verify_exact(penta_context *ctx, penta_buffer *worst, const char *fft)
{
    penta_status status = PENTA_OK;
    float distance = 0;

    TRY(penta_buffer_read(worst, 0, &distance, sizeof distance));
    if ((double)distance <= AUTOCORR_WORST_ALLOWED)
        return PENTA_OK;
    TRY(penta_buffer_zero(worst, 0, sizeof distance));
    status = penta_fail(ctx, PENTA_INTERNAL,
                        "%s gave a correlation %.2f away from an integer on %s: its results cannot be trusted here; "
                        "use another `fft`, or `method` tiled",
                        fft, (double)distance, penta_context_device(ctx)->name);
cleanup:
    return status;
}
