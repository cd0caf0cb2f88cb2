/*
 * Leapfrog, kick-drift-kick: v += a h/2, x += v h, a = a(x), v += a h/2; and Yoshida's fourth-order composition of
 * three such steps, h = w1 dt, w0 dt, w1 dt with w1 = 1 / (2 - 2^(1/3)), w0 = 1 - 2 w1 (H. Yoshida, Phys. Lett. A 150
 * (1990) 262). Kernels: cl/nbody/step.cl. The acceleration at the end of a step is used in the next
 * one.
 */
#include <math.h>

#include "nbody/nbody.h"

typedef struct {
    penta_resources resources;
    nbody_forces *forces; /* borrowed */
    double dt;
    bool composed; /* Yoshida's */
    nbody_copy before;
    bool up_to_date; /* the acceleration belongs to the bodies' present positions */
    penta_kernel kick_drift, kick;
} leapfrog_state;

static penta_status create(const nbody_setup *setup, void **state)
{
    penta_status status = PENTA_OK;
    leapfrog_state *s = NULL;

    TRY(penta_plan_alloc(setup->ctx, &s));
    s->forces = setup->forces;
    s->dt = setup->options.dt;
    s->composed = setup->options.integrator == PENTA_NBODY_YOSHIDA4;
    TRY(penta_kernels_get(&s->resources, "nbody/step.cl", "",
                          KERNELS({&s->kick_drift, "nbody_kick_drift"}, {&s->kick, "nbody_kick"})));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static void forget(void *state)
{
    leapfrog_state *s = state;

    s->up_to_date = false;
}

static penta_status keep(void *state, nbody_bodies *bodies)
{
    leapfrog_state *s = state;

    return nbody_copy_keep(&s->resources, &s->before, bodies);
}

static penta_status bring_back(void *state, nbody_bodies *bodies)
{
    leapfrog_state *s = state;

    s->up_to_date = false;
    return nbody_copy_bring_back(&s->before, bodies);
}

static penta_status accelerate(leapfrog_state *s, nbody_bodies *bodies, double *interactions)
{
    *interactions += (double)bodies->n * (double)bodies->n;
    return nbody_forces_accelerate(s->forces, bodies);
}

static penta_status kick_drift_kick(leapfrog_state *s, nbody_bodies *bodies, double h, double *interactions)
{
    penta_status status = PENTA_OK;
    penta_buffer *a = &s->forces->acceleration;
    penta_grid grid = penta_grid_rows(penta_grid_1d(3 * bodies->pitch));
    long count = (long)(3 * bodies->pitch), half = nbody_number(s->resources.ctx, 0.5 * h);

    TRY(penta_launch(&s->kick_drift, grid,
                     ARGS(a, count, half, nbody_number(s->resources.ctx, h), &bodies->velocity, &bodies->position)));
    TRY(accelerate(s, bodies, interactions));
    TRY(penta_launch(&s->kick, grid, ARGS(a, count, half, &bodies->velocity)));
cleanup:
    return status;
}

static penta_status step(void *state, nbody_bodies *bodies, double *interactions)
{
    penta_status status = PENTA_OK;
    leapfrog_state *s = state;
    double outer = 1 / (2 - cbrt(2)), inner = 1 - 2 * outer;

    if (!s->up_to_date)
        TRY(accelerate(s, bodies, interactions));
    s->up_to_date = false; /* in case one of these fails */
    if (!s->composed)
        TRY(kick_drift_kick(s, bodies, s->dt, interactions));
    if (s->composed) {
        TRY(kick_drift_kick(s, bodies, outer * s->dt, interactions));
        TRY(kick_drift_kick(s, bodies, inner * s->dt, interactions));
        TRY(kick_drift_kick(s, bodies, outer * s->dt, interactions));
    }
    s->up_to_date = true;
cleanup:
    return status;
}

/* Nothing is saved: the acceleration is computed again from the positions, with the same bits. */
static size_t kept(const void *state)
{
    (void)state;
    return 0;
}

static penta_status save(void *state, nbody_bodies *bodies, double *out)
{
    (void)state;
    (void)bodies;
    (void)out;
    return PENTA_OK;
}

static penta_status load(void *state, nbody_bodies *bodies, const double *in)
{
    (void)bodies;
    (void)in;
    forget(state);
    return PENTA_OK;
}

const nbody_integrator nbody_leapfrog = {create, forget, keep, bring_back, step, kept, save, load};
