/* Phase of each pixel by the Hilbert transform. */
#include <pentacl/rotors.h>

#include "core/core.h"

penta_status penta_phase(penta_context *ctx, const penta_movie_view *movie, float *out)
{
    (void)movie, (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

penta_status penta_dominant_frequency(penta_context *ctx, const penta_movie_view *movie, double low, double high,
                                      float *frequency, float *regularity)
{
    (void)movie, (void)low, (void)high, (void)frequency, (void)regularity;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}
