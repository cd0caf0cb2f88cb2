/* Known answers: the scene of five stars on 16 x 16 pixels, drawn by every engine of the device. */
#include <pentacl/detector.h>

#include <math.h>

#include "stars/engine.h"

enum { SIDE = 16, STARS = 5 };

static const double star_x[STARS] = {7.25, 8, 0.4, -1.2, 12.5}, star_y[STARS] = {8.60, 8, 15.7, 3.3, 12.5};
static const double star_m[STARS] = {3, 0, 2, 1, -1};

static penta_status compare(penta_context *ctx, const char *engine, const float *image)
{
    static const double sum_wanted = 3712.041409988578;
    static const struct {
        int x, y;
        double value;
    } wanted[] = {{8, 8, 115.586094119850}, {0, 15, 13.976567220437}};
    double sum = 0;

    for (int i = 0; i < SIDE * SIDE; i++)
        sum += (double)image[i];
    if (!(fabs(sum / sum_wanted - 1) < 1e-6))
        return penta_fail(ctx, PENTA_INTERNAL, "engine %s: the scene holds %.9g, not %.9g", engine, sum, sum_wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        double got = (double)image[wanted[i].y * SIDE + wanted[i].x];

        if (!(fabs(got / wanted[i].value - 1) < 1e-6))
            return penta_fail(ctx, PENTA_INTERNAL, "engine %s: pixel (%d,%d) is %.9g, not %.9g", engine, wanted[i].x,
                              wanted[i].y, got, wanted[i].value);
    }
    return PENTA_OK;
}

static penta_status draw(penta_context *ctx, int engine, float *image, const char **name)
{
    penta_status status = PENTA_OK;
    penta_stars *plan = NULL;
    penta_stars_options o;
    penta_stars_list stars = {.n = STARS, .x = star_x, .y = star_y, .magnitude = star_m};
    penta_stars_result result = {.image = image};

    penta_stars_options_init(&o);
    o.engine = engine;
    o.sigma = 1.2;
    o.roi = 10;
    o.amplitude = 1000;
    TRY(penta_stars_create(ctx, SIDE, SIDE, &o, &plan));
    TRY(penta_stars_run(plan, &stars, &result));
    *name = result.engine;
cleanup:
    penta_stars_destroy(plan);
    return status;
}

static penta_status selftest(penta_context *ctx)
{
    penta_status status = PENTA_OK;
    float image[SIDE * SIDE];
    const char *name = "";

    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_FIXED; engine++) {
        TRY(draw(ctx, engine, image, &name));
        TRY(compare(ctx, name, image));
    }
cleanup:
    return status;
}

const penta_workload penta_stars_workload = {
    .name = "stars",
    .summary = "star-camera frames from lists of stars",
    .selftest = selftest,
    .tables = {PENTA_WORKLOAD_OPTIONS(stars), PENTA_WORKLOAD_OPTIONS(detector)},
};
