/* Conduction velocity from activation maps. */
#include <math.h>
#include <stdlib.h>

#include "optmap/beats_matched.h"
#include "optmap/ranks.h"
#include "optmap/velocity_host.h"

#include "core/internal.h"

enum { usual_window = 7, largest_window = 31, first_window = 15, PASSES = 3 };
static const double wanted = 0.15; /* wanted error of a slope, relative to the median gradient */
static const double full =
    0.8; /* least known fraction of a window for degree 3, which flattens curved fronts less .. */
static const double steeper = 2.7; /* .. with an error this many times that of degree 2 */
static const double enough = 0.25; /* of the pixels with a time; if fewer have a full window, all get a fit */

static penta_status check(penta_context *ctx, size_t width, size_t height, double pixel_size)
{
    if (height == 0 || width == 0 || width > INT32_MAX / 2 / height)
        return penta_fail(ctx, PENTA_INVALID, "a map of %zu x %zu pixels", width, height);
    if (!(pixel_size > 0) || !isfinite(pixel_size))
        return penta_fail(ctx, PENTA_INVALID, "the pixel size is %g cm, but must be above 0", pixel_size);
    return PENTA_OK;
}

static int window_of(const penta_beats_options *o)
{
    return o->velocity_window ? o->velocity_window : usual_window;
}

static penta_status find(penta_context *ctx, size_t width, size_t height, const float *activation, double share,
                         double timing, double pixel_size, const penta_beats_options *opt, float *velocity)
{
    penta_status status = PENTA_OK;
    size_t bytes = height * width * sizeof *activation;
    penta_beats_options o;
    penta_resources mine = {.ctx = ctx};
    penta_kernel kernel = {0};
    penta_buffer times = {0}, out = {0};

    TRY(beats_options_resolve(ctx, opt, &o));
    TRY(check(ctx, width, height, pixel_size));
    if (velocities_are_hosts(ctx)) {
        velocity_on_host(&(velocity_job){activation, (int)width, (int)height, window_of(&o) / 2, o.velocity, share,
                                         timing, 1000 * pixel_size, velocity});
        return PENTA_OK;
    }
    TRY(penta_kernel_get(&mine, "optmap/velocity.cl", "optmap_velocity",
                         o.velocity == PENTA_VELOCITY_GRADIENT ? ""
                         : o.velocity == PENTA_VELOCITY_BAYLY  ? "-DBAYLY"
                                                               : "-DBAYLY -DROBUST",
                         &kernel));
    TRY(penta_buffer_upload(&mine, activation, bytes, &times));
    TRY(penta_buffer_create(&mine, 2 * bytes, &out));
    TRY(penta_launch(&kernel, penta_grid_groups(penta_grid_2d(width, height), 64, 1, 1),
                     ARGS(&times, (int)width, (int)height, window_of(&o) / 2, share, timing, 1000 * pixel_size, &out)));
    TRY(penta_buffer_read(&out, 0, velocity, 2 * bytes));
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx);
    penta_resources_release(&mine);
    return status;
}

penta_status penta_velocity(penta_context *ctx, size_t width, size_t height, const float *activation, double pixel_size,
                            const penta_beats_options *opt, float *velocity)
{
    return find(ctx, width, height, activation, 0, 0, pixel_size, opt, velocity);
}

static size_t count_known(const float *map, size_t pixels)
{
    size_t known = 0;

    for (size_t i = 0; i < pixels; i++)
        known += !isnan(map[i]);
    return known;
}

/* Chooses the window whose fit has the wanted error; the error of a slope of degree 2 is timing sqrt(12) / window^2. */
static int choose_window(const float *activation, const float *velocity, size_t pixels, double timing, bool cubic,
                         double pixel_size, float *scratch)
{
    double speed, side;
    int most, window;

    for (size_t i = 0; i < pixels; i++)
        scratch[i] = hypotf(velocity[i], velocity[pixels + i]);
    speed = optmap_lower_median(scratch, pixels, scratch);
    if (!(speed > 0))
        return usual_window;
    side = sqrt((cubic ? steeper : 1) * timing * 3.4641 * speed / (wanted * 1000 * pixel_size));
    most = (int)(sqrt((double)count_known(activation, pixels)) / 3);
    most = most > largest_window ? largest_window : most;
    window = side < most ? (int)side : most;
    return window < usual_window ? usual_window : window | 1;
}

typedef struct {
    penta_context *ctx;
    size_t height, width;
    const float *activation;
    double timing, pixel_size;
    penta_beats_options options;
    bool given; /* the caller gave the window */
    float *scratch;
} job;

/* Fits in windows of which at least `share` is known. */
static penta_status match(job *j, double share, float *velocity)
{
    penta_status status = PENTA_OK;
    penta_beats_options *o = &j->options;

    if (!j->given)
        o->velocity_window = first_window;
    TRY(find(j->ctx, j->width, j->height, j->activation, share, j->timing, j->pixel_size, o, velocity));
    for (int i = 1; i < PASSES && !j->given; i++) {
        int before = o->velocity_window;

        o->velocity_window = choose_window(j->activation, velocity, j->height * j->width, j->timing, share > 0,
                                           j->pixel_size, j->scratch);
        if (o->velocity_window == before)
            break;
        TRY(find(j->ctx, j->width, j->height, j->activation, share, j->timing, j->pixel_size, o, velocity));
    }
cleanup:
    return status;
}

penta_status penta_velocity_matched(penta_context *ctx, size_t width, size_t height, const float *activation,
                                    double timing, double pixel_size, const penta_beats_options *opt, float *velocity,
                                    int *window)
{
    penta_status status = PENTA_OK;
    job j = {ctx, height, width, activation, timing, pixel_size, .scratch = NULL};
    penta_beats_options *o = &j.options;
    size_t pixels = height * width;

    TRY(beats_options_resolve(ctx, opt, o));
    j.given = o->velocity_window != 0 || !(timing > 0) || o->velocity == PENTA_VELOCITY_GRADIENT;
    if (!o->velocity_window)
        o->velocity_window = usual_window;
    TRY(penta_calloc(ctx, pixels, sizeof *j.scratch, &j.scratch));
    TRY(match(&j, o->velocity == PENTA_VELOCITY_ROBUST ? full : 0, velocity));
    if (o->velocity == PENTA_VELOCITY_ROBUST &&
        (double)count_known(velocity, pixels) < enough * (double)count_known(activation, pixels))
        TRY(match(&j, 0, velocity));
    if (window)
        *window = o->velocity_window;
cleanup:
    free(j.scratch);
    return status;
}
