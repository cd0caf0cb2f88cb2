/* cl/optmap/velocity.clh and surface.clh compiled as C: the same formulas in double. */
#include "optmap/velocity_host.h"

#include <pentacl/parallel.h>

#include "math/opencl_as_c.h"

static inline int max(int a, int b)
{
    return a > b ? a : b;
}

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

#include "optmap/velocity.clh"

static void find_row(void *data, size_t y)
{
    const velocity_job *j = data;

    for (int x = 0; x < j->width; x++) {
        size_t at = y * (size_t)j->width + (size_t)x;
        double v[2];

        if (j->kind == PENTA_VELOCITY_GRADIENT)
            central_velocity(j->times, j->width, j->height, x, (int)y, v);
        else
            fitted_velocity(j->times, j->width, j->height, x, (int)y, j->radius, j->share, j->timing,
                            j->kind == PENTA_VELOCITY_ROBUST, v);
        j->out[at] = (float)(v[0] * j->scale);
        j->out[(size_t)j->height * (size_t)j->width + at] = (float)(v[1] * j->scale);
    }
}

void velocity_on_host(const velocity_job *job)
{
    velocity_job j = *job;

    penta_parallel((size_t)j.height, find_row, &j);
}

/* Row `row` of all maps, one after another. */
static void fit_row(void *data, size_t row)
{
    const surface_job *j = data;
    size_t width = (size_t)j->width, height = (size_t)j->height;
    const float *map = j->times + row / height * height * width;

    for (size_t x = 0; x < width; x++) {
        size_t at = row * width + x;
        double b[TERMS], errors[3], spread = NAN, middle = (double)j->times[at];
        bool known = isfinite(middle) && fit_surface(map, j->width, j->height, (int)x, (int)(row % height), j->radius,
                                                     middle, true, b, errors, &spread);

        j->values[at] = known ? (float)(middle + b[5]) : NAN;
        j->spreads[at] = known ? (float)spread : NAN;
    }
}

void surfaces_on_host(const surface_job *job, size_t count)
{
    surface_job j = *job;

    penta_parallel(count * (size_t)j.height, fit_row, &j);
}
