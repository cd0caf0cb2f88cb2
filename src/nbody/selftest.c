/* Known answers: the acceleration of a regular n-gon, and a circular orbit of two bodies. */
#include <math.h>

#include "nbody/nbody.h"

enum { CORNERS = 3, ORBIT_STEPS = 256 };

/* |a| of each body is (1 / 4N) sum over k of csc(pi k / N), towards the centre. */
static penta_status triangle(penta_context *ctx)
{
    penta_status status = PENTA_OK;
    penta_nbody *plan = NULL;
    penta_nbody_options o;
    double bodies[7 * CORNERS], a[3 * CORNERS], wanted = 0.192450089729875;

    penta_nbody_options_init(&o);
    o.eps = 0;
    TRY(penta_nbody_initial(PENTA_NBODY_NGON, 0, CORNERS, bodies));
    TRY(penta_nbody_create(ctx, CORNERS, &o, &plan));
    TRY(penta_nbody_set(plan, bodies));
    TRY(penta_nbody_forces(plan, a, NULL));
    for (int i = 0; i < CORNERS && status == PENTA_OK; i++) {
        double size = sqrt(a[3 * i] * a[3 * i] + a[3 * i + 1] * a[3 * i + 1] + a[3 * i + 2] * a[3 * i + 2]);

        if (!(fabs(size / wanted - 1) < 1e-6))
            status =
                penta_fail(ctx, PENTA_INTERNAL, "acceleration %d of a triangle is %.9g, not %.9g", i, size, wanted);
    }
cleanup:
    penta_nbody_destroy(plan);
    return status;
}

/* Masses 1/2, distance 1: the period is 2 pi. */
static penta_status orbit(penta_context *ctx, int integrator, double tolerance)
{
    penta_status status = PENTA_OK;
    penta_nbody *plan = NULL;
    penta_nbody_options o;
    const double start[14] = {0.5, 0.5, 0, 0, 0, 0.5, 0, 0.5, -0.5, 0, 0, 0, -0.5, 0};
    double end[14];

    penta_nbody_options_init(&o);
    o.eps = 0;
    o.precision = penta_context_device(ctx)->fp64 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_DS;
    o.integrator = integrator;
    o.dt = 2 * 3.14159265358979323846 / ORBIT_STEPS;
    TRY(penta_nbody_create(ctx, 2, &o, &plan));
    TRY(penta_nbody_set(plan, start));
    TRY(penta_nbody_advance(plan, ORBIT_STEPS));
    TRY(penta_nbody_get(plan, end));
    for (int i = 0; i < 14 && status == PENTA_OK; i++)
        if (!(fabs(end[i] - start[i]) <= tolerance))
            status = penta_fail(ctx, PENTA_INTERNAL, "after a circular orbit number %d is %.9g, not %.9g", i, end[i],
                                start[i]);
cleanup:
    penta_nbody_destroy(plan);
    return status;
}

static penta_status selftest(penta_context *ctx)
{
    penta_status status = PENTA_OK;

    TRY(triangle(ctx));
    TRY(orbit(ctx, PENTA_NBODY_LEAPFROG, 1e-3));
    TRY(orbit(ctx, PENTA_NBODY_HERMITE4, 1e-5));
cleanup:
    return status;
}

const penta_workload penta_nbody_workload = {
    .name = "nbody",
    .summary = "gravity of n bodies, summed over all pairs",
    .selftest = selftest,
    .tables = {PENTA_WORKLOAD_OPTIONS(nbody)},
};
