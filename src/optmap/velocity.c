/* Conduction velocity from activation maps. */
#include <math.h>
#include <stdlib.h>

#include "optmap/beats_matched.h"

#include "core/internal.h"

enum { usual_window = 7, largest_window = 31, first_window = 15, PASSES = 3 };
static const double wanted = 0.15; /* error of a slope, of the median gradient */

static penta_status check(penta_context *ctx, size_t height, size_t width, double pixel_size,
                          const penta_beats_options *o)
{
    if (height == 0 || width == 0 || width > INT32_MAX / 2 / height)
        return penta_fail(ctx, PENTA_INVALID, "a map of %zu x %zu pixels", width, height);
    if (!(pixel_size > 0) || !isfinite(pixel_size))
        return penta_fail(ctx, PENTA_INVALID, "the pixel size is %g cm, but must be above 0", pixel_size);
    if (o->velocity_window % 2 == 0 && o->velocity_window != 0)
        return penta_fail(ctx, PENTA_INVALID, "--velocity-window is %d px, but must be odd", o->velocity_window);
    return penta_require_double(ctx, "conduction velocities need");
}

static penta_status find(penta_context *ctx, size_t height, size_t width, const float *activation, double timing,
                         double pixel_size, const penta_beats_options *opt, float *velocity)
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
                         o.velocity == PENTA_VELOCITY_GRADIENT ? ""
                         : o.velocity == PENTA_VELOCITY_BAYLY  ? "-DBAYLY"
                                                               : "-DBAYLY -DROBUST",
                         &kernel));
    TRY(penta_buffer_upload(ctx, activation, bytes, &times));
    TRY(penta_buffer_create(ctx, 2 * bytes, &out));
    TRY(penta_launch(&kernel, penta_grid_groups(penta_grid_2d(cpu ? 1 : width, height), cpu ? 1 : 64, 1, 1),
                     ARGS(&times, (int)width, (int)height, (o.velocity_window ? o.velocity_window : usual_window) / 2,
                          timing, 1000 * pixel_size, &out)));
    TRY(penta_buffer_read(&out, 0, velocity, 2 * bytes));
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx);
    penta_kernel_release(&kernel);
    penta_buffer_release(&times);
    penta_buffer_release(&out);
    return status;
}

penta_status penta_velocity(penta_context *ctx, size_t height, size_t width, const float *activation, double pixel_size,
                            const penta_beats_options *opt, float *velocity)
{
    return find(ctx, height, width, activation, 0, pixel_size, opt, velocity);
}

/* The window whose fit has the wanted error: that of a slope is timing sqrt(12) / window^2. */
static int choose_window(const float *activation, const float *velocity, size_t pixels, double timing,
                         double pixel_size, float *scratch)
{
    size_t known = 0;
    double speed, side;
    int most, window;

    for (size_t i = 0; i < pixels; i++) {
        known += !isnan(activation[i]);
        scratch[i] = hypotf(velocity[i], velocity[pixels + i]);
    }
    speed = beats_median(scratch, pixels, scratch);
    if (!(speed > 0))
        return usual_window;
    side = sqrt(timing * 3.4641 * speed / (wanted * 1000 * pixel_size));
    most = (int)(sqrt((double)known) / 3);
    most = most > largest_window ? largest_window : most;
    window = side < most ? (int)side : most;
    return window < usual_window ? usual_window : window | 1;
}

penta_status penta_velocity_matched(penta_context *ctx, size_t height, size_t width, const float *activation,
                                    double timing, double pixel_size, const penta_beats_options *opt, float *velocity,
                                    int *window)
{
    penta_status status = PENTA_OK;
    penta_beats_options o;
    float *scratch = NULL;
    bool given;

    TRY(penta_options_resolve(ctx, penta_beats_option_table, opt, &o, sizeof o));
    given = o.velocity_window != 0 || !(timing > 0) || o.velocity == PENTA_VELOCITY_GRADIENT;
    if (!o.velocity_window)
        o.velocity_window = given ? usual_window : first_window;
    TRY(find(ctx, height, width, activation, timing, pixel_size, &o, velocity));
    TRY(penta_calloc(ctx, height * width, sizeof *scratch, &scratch));
    for (int i = 1; i < PASSES && !given; i++) {
        int before = o.velocity_window;

        o.velocity_window = choose_window(activation, velocity, height * width, timing, pixel_size, scratch);
        if (o.velocity_window == before)
            break;
        TRY(find(ctx, height, width, activation, timing, pixel_size, &o, velocity));
    }
    if (window)
        *window = o.velocity_window;
cleanup:
    free(scratch);
    return status;
}
