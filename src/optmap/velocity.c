/* Conduction velocity from activation maps. */
#include <pentacl/beats.h>

#include "core/core.h"

penta_status penta_velocity(penta_context *ctx, size_t height, size_t width, const float *activation, double pixel_size,
                            const penta_beats_options *opt, float *velocity)
{
    (void)height, (void)width, (void)activation, (void)pixel_size, (void)opt, (void)velocity;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}
