/* A plan of the nbody workload, for the files that make it up: plan.c, plan_bodies.c, plan_state.c. */
#pragma once

#include "nbody/frame.h"
#include "nbody/nbody.h"
#include "nbody/need.h"

struct penta_nbody {
    penta_resources resources;
    nbody_setup setup;
    nbody_share share; /* group NULL: there is none */
    nbody_forces forces;
    nbody_bodies bodies;
    nbody_frame frame;
    nbody_meter *meter;
    const nbody_integrator *integrator;
    void *motion;      /* its state */
    penta_kernel rows; /* made when first needed, like the port */
    penta_port out;
    double *host; /* pitch x 7: staging */
    bool has_bodies;
    nbody_need need;          /* of the bodies that were set */
    int told;                 /* the kernel that the listener was told; 0: none yet */
    uint64_t step, base_step; /* time = base_time + (step - base_step) dt */
    double base_time, interactions;
};

/* NULL without a group. */
static inline nbody_share *nbody_plan_share(penta_nbody *plan)
{
    return plan->share.group ? &plan->share : NULL;
}

static inline penta_status nbody_plan_need_bodies(penta_nbody *plan)
{
    return plan->has_bodies ? PENTA_OK : penta_fail(plan->setup.ctx, PENTA_INVALID, "the plan has no bodies yet");
}

/* Checks rows of seven numbers of the state, chooses the forces that they need, and writes them to the device; what the
 * integrator and the step check knew is forgotten. saved: the precision of a saved state; 0: none. */
penta_status nbody_plan_take(penta_nbody *plan, const double *rows, int saved);
/* Rows of the state, in its own frame: all, and those from `first` on. */
penta_status nbody_plan_rows(penta_nbody *plan, double *rows);
penta_status nbody_plan_part(penta_nbody *plan, size_t first, size_t count, double *rows);
