/* Bodies of a Plummer sphere, set, moved by some steps and read back: the members share the forces. One member by
 * itself works as penta does on one device, without a group. */
#include <pentacl/nbody.h>

#include "input.h"
#include "scaling/scaling.h"

enum { SEED = 1, NUMBERS = 7 /* a body */ };
enum { BODIES, STEPS }; /* sizes of a case */

static const double time_step = 1e-4; /* short enough for this softening to keep all numbers finite */

typedef struct {
    penta_nbody *plan;
    double *bodies, *moved;
} state;

static penta_status begin(scaling_member *m)
{
    size_t n = m->c->sizes[BODIES];
    state *s = scaling_state(m, sizeof *s);
    penta_nbody_options o;

    if (!s)
        return PENTA_MEMORY;
    s->bodies = scaling_alloc(m, n * NUMBERS, sizeof *s->bodies);
    s->moved = scaling_alloc(m, n * NUMBERS, sizeof *s->moved);
    if (!s->bodies || !s->moved)
        return PENTA_MEMORY;
    if (penta_nbody_initial(PENTA_NBODY_PLUMMER, SEED, n, s->bodies) != PENTA_OK)
        return scaling_fault(m, PENTA_INVALID, "no Plummer sphere of %zu bodies", n);
    penta_nbody_options_init(&o);
    o.eps = NBODY_EPS;
    o.dt = time_step;
    return m->members == 1 ? penta_nbody_create(m->ctx, n, &o, &s->plan)
                           : penta_nbody_create_shared(m->ctx, m->group, n, &o, &s->plan);
}

static penta_status run(scaling_member *m)
{
    state *s = m->state;
    penta_status status = penta_nbody_set(s->plan, s->bodies);

    if (status == PENTA_OK)
        status = penta_nbody_advance(s->plan, m->c->sizes[STEPS]);
    return status == PENTA_OK && m->rank == 0 ? penta_nbody_get(s->plan, s->moved) : status;
}

static penta_status result(scaling_member *m, scaling_result *out)
{
    const state *s = m->state;

    *out = (scaling_result){s->moved, m->c->sizes[BODIES] * NUMBERS * sizeof *s->moved};
    return PENTA_OK;
}

static void end(void *state_)
{
    penta_nbody_destroy(((state *)state_)->plan);
}

const scaling_job scaling_nbody = {begin, run, result, end};
