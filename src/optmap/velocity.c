/* Conduction velocity from activation maps. */
#include <math.h>

#include <pentacl/beats.h>

#include "core/internal.h"

static penta_status check(penta_context *ctx, size_t height, size_t width, double pixel_size,
                          const penta_beats_options *o)
{
    if (height == 0 || width == 0 || width > INT32_MAX / 2 / height)
        return penta_fail(ctx, PENTA_INVALID, "a map of %zu x %zu pixels", width, height);
    if (!(pixel_size > 0) || !isfinite(pixel_size))
        return penta_fail(ctx, PENTA_INVALID, "the pixel size is %g cm, but must be above 0", pixel_size);
    if (o->velocity_window % 2 == 0)
        return penta_fail(ctx, PENTA_INVALID, "--velocity-window is %d px, but must be odd", o->velocity_window);
    return penta_require_double(ctx, "conduction velocities need");
}

penta_status penta_velocity(penta_context *ctx, size_t height, size_t width, const float *activation, double pixel_size,
                            const penta_beats_options *opt, float *velocity)
{
    penta_status status = PENTA_OK;
    size_t bytes = height * width * sizeof *activation;
    bool cpu = penta_is_cpu(ctx);
    penta_beats_options o;
    penta_kernel kernel = {0};
    penta_buffer times = {0}, out = {0};

    TRY(penta_options_resolve(ctx, penta_beats_option_table, opt, &o, sizeof o));
    TRY(check(ctx, height, width, pixel_size, &o));
    TRY(penta_kernel_get(ctx, "optmap/velocity.cl", "optmap_velocity",
                         o.velocity == PENTA_VELOCITY_BAYLY ? "-DBAYLY" : "", &kernel));
    TRY(penta_buffer_upload(ctx, activation, bytes, &times));
    TRY(penta_buffer_create(ctx, 2 * bytes, &out));
    TRY(penta_launch(&kernel, penta_grid_groups(penta_grid_2d(cpu ? 1 : width, height), cpu ? 1 : 64, 1, 1),
                     ARGS(&times, (int)width, (int)height, o.velocity_window / 2, 1000 * pixel_size, &out)));
    TRY(penta_buffer_read(&out, 0, velocity, 2 * bytes));
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx);
    penta_kernel_release(&kernel);
    penta_buffer_release(&times);
    penta_buffer_release(&out);
    return status;
}
