/*
 * Leapfrog, kick-drift-kick: v += a h/2, x += v h, a = a(x), v += a h/2; and Yoshida's fourth-order composition of
 * three such steps, h = w1 dt, w0 dt, w1 dt with w1 = 1 / (2 - 2^(1/3)), w0 = 1 - 2 w1 (H. Yoshida, Phys. Lett. A 150
 * (1990) 262). Kernels: cl/nbody/step.clh. The acceleration at the end of a step is used in the next one, and the last
 * kick of a step is given together with the first of the next one, in one launch; `settle` gives it where none follows.
 */
#include <math.h>

#include "nbody/nbody.h"

typedef struct {
    penta_resources resources;
    nbody_forces *forces; /* borrowed */
    double dt;
    bool composed; /* Yoshida's */
    nbody_copy copy;
    penta_buffer before; /* 3 x pitch: the acceleration at the start of a step */
    bool up_to_date;     /* the acceleration belongs to the bodies' present positions */
    bool owes;           /* the last kick */
    double owed;         /* its time */
    penta_kernel kick_drift, kick_kick_drift, kick;
} leapfrog_state;

static penta_status create(const nbody_setup *setup, void **state)
{
    penta_status status = PENTA_OK;
    leapfrog_state *s = NULL;

    TRY(penta_plan_alloc(setup->ctx, &s));
    s->forces = setup->forces;
    s->dt = setup->options.dt;
    s->composed = setup->options.integrator == PENTA_NBODY_YOSHIDA4;
    TRY(penta_buffer_create(&s->resources, 3 * setup->shape.pitch * sizeof(double), &s->before));
    TRY(penta_kernels_get(&s->resources, nbody_meter_program(setup->ctx), "",
                          KERNELS({&s->kick_drift, "nbody_kick_drift"}, {&s->kick_kick_drift, "nbody_kick_kick_drift"},
                                  {&s->kick, "nbody_kick"})));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static void forget(void *state)
{
    leapfrog_state *s = state;

    s->up_to_date = s->owes = false;
}

enum { LANES = 8 }; /* bodies of a work-item on a CPU with double precision, as in step.clh */

static penta_grid grid_of(const leapfrog_state *s, const nbody_bodies *bodies)
{
    bool wide = penta_is_cpu(s->resources.ctx) && penta_context_device(s->resources.ctx)->fp64;

    return penta_grid_rows(penta_grid_1d(wide ? bodies->pitch / LANES : bodies->pitch));
}

static penta_status settle(void *state, nbody_bodies *bodies)
{
    leapfrog_state *s = state;
    penta_status status = PENTA_OK;

    if (!s->owes)
        return PENTA_OK;
    TRY(penta_launch(&s->kick, grid_of(s, bodies),
                     ARGS(&s->forces->acceleration, (int)bodies->pitch, nbody_number(s->resources.ctx, s->owed),
                          nbody_number(s->resources.ctx, s->dt), &bodies->scale, &s->before, &bodies->worst,
                          &bodies->velocity)));
    s->owes = false;
cleanup:
    return status;
}

static penta_status keep(void *state, nbody_bodies *bodies)
{
    leapfrog_state *s = state;
    penta_status status = settle(s, bodies);

    return status == PENTA_OK ? nbody_copy_keep(&s->resources, &s->copy, bodies) : status;
}

static penta_status bring_back(void *state, nbody_bodies *bodies)
{
    leapfrog_state *s = state;

    forget(s);
    return nbody_copy_bring_back(&s->copy, bodies);
}

static penta_status accelerate(leapfrog_state *s, nbody_bodies *bodies, double *interactions)
{
    *interactions += (double)bodies->n * (double)bodies->n;
    return nbody_forces_accelerate(s->forces, bodies);
}

/* The first kick of h/2, with the one that is owed, and the drift. whole: the step that begins and ended here; 0: it is
 * a part of Yoshida's. */
static penta_status kick_and_drift(leapfrog_state *s, nbody_bodies *bodies, double h, double whole)
{
    penta_context *ctx = s->resources.ctx;
    penta_buffer *a = &s->forces->acceleration;
    long half = nbody_number(ctx, 0.5 * h), drift = nbody_number(ctx, h);
    int pitch = (int)bodies->pitch;

    if (!s->owes)
        return penta_launch(&s->kick_drift, grid_of(s, bodies),
                            ARGS(a, pitch, half, drift, &s->before, &bodies->velocity, &bodies->position));
    s->owes = false;
    return penta_launch(&s->kick_kick_drift, grid_of(s, bodies),
                        ARGS(a, pitch, nbody_number(ctx, s->owed), half, drift, nbody_number(ctx, whole),
                             &bodies->scale, &s->before, &bodies->worst, &bodies->velocity, &bodies->position));
}

/* But for the last kick, which is owed. */
static penta_status kick_drift_kick(leapfrog_state *s, nbody_bodies *bodies, double h, double whole,
                                    double *interactions)
{
    penta_status status = PENTA_OK;

    TRY(kick_and_drift(s, bodies, h, whole));
    TRY(accelerate(s, bodies, interactions));
    s->owes = true;
    s->owed = 0.5 * h;
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
        TRY(kick_drift_kick(s, bodies, s->dt, s->dt, interactions));
    if (s->composed) {
        TRY(kick_drift_kick(s, bodies, outer * s->dt, s->dt, interactions));
        TRY(kick_drift_kick(s, bodies, inner * s->dt, 0, interactions));
        TRY(kick_drift_kick(s, bodies, outer * s->dt, 0, interactions));
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

static penta_status save(void *state, nbody_bodies *bodies, size_t first, size_t count, double *out)
{
    (void)state, (void)bodies;
    (void)first, (void)count;
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

const nbody_integrator nbody_leapfrog = {create, forget, keep, bring_back, step, settle, kept, save, load};
