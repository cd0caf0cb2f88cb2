/*
 * Forces of few bodies on GPUs: one launch, where those of tiled.c take three, of which each costs more than its work.
 * Kernel: cl/nbody/few.cl.
 */
#include "nbody/few.h"

#include <stdio.h>

enum {
    MOST = 4096, /* bodies */
    GROUP = 256, /* runs on every device */
    TARGETS = 8,
    TARGETS_DOUBLE = 4 /* for registers and local memory */
};

typedef struct {
    penta_resources resources;
    nbody_shape shape;
    bool dbl;
    size_t group, targets;
    penta_kernel kernel;
} few_state;

bool nbody_few_suits(const penta_context *ctx, const nbody_shape *shape, int kernel)
{
    bool has_form = kernel == PENTA_NBODY_BEST || kernel == PENTA_NBODY_DS || kernel == PENTA_NBODY_DOUBLE;

    return has_form && !penta_is_cpu(ctx) && shape->n <= MOST;
}

penta_status nbody_few_create(penta_context *ctx, const nbody_shape *shape, int kernel, const nbody_few_form *form,
                              void **state)
{
    penta_status status = PENTA_OK;
    few_state *s = NULL;
    char defines[192];

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->dbl = kernel == PENTA_NBODY_DOUBLE;
    s->group = form && form->group ? form->group : GROUP;
    s->targets = form && form->targets ? form->targets : s->dbl ? TARGETS_DOUBLE : TARGETS;
    snprintf(defines, sizeof defines, "-DGROUP=%zu -DTARGETS=%zu%s%s%s", s->group, s->targets,
             s->dbl ? " -DNBODY_DOUBLE" : "", kernel == PENTA_NBODY_DS ? " -DNBODY_DS" : "",
             nbody_softened(shape->eps) ? " -DNBODY_SOFTENED" : "");
    TRY(penta_kernel_get(&s->resources, "nbody/few.cl", "nbody_few", defines, &s->kernel));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static penta_status create(penta_context *ctx, const nbody_shape *shape, int kernel, void **state)
{
    return nbody_few_create(ctx, shape, kernel, NULL, state);
}

static penta_status launch(few_state *s, nbody_bodies *bodies, penta_buffer *acceleration)
{
    size_t items = s->shape.pitch / s->targets * s->group;
    penta_grid all = penta_grid_groups(penta_grid_1d(items), s->group, 1, 1);
    penta_grid grid = nbody_share_grid(s->shape.share, items, s->group, 1, all);
    int n = (int)s->shape.n, pitch = (int)s->shape.pitch;
    double eps2 = s->shape.eps * s->shape.eps;

    if (s->dbl)
        return penta_launch(&s->kernel, grid, ARGS(&bodies->mass, &bodies->position, eps2, n, pitch, acceleration));
    return penta_launch(&s->kernel, grid, ARGS(&bodies->mass, &bodies->position, (float)eps2, n, pitch, acceleration));
}

static penta_status accelerate(void *state, nbody_bodies *bodies, penta_buffer *acceleration)
{
    few_state *s = state;
    penta_status status = launch(s, bodies, acceleration);

    return nbody_share_vectors(s->shape.share, status, acceleration, 3, s->shape.pitch, s->shape.pitch, s->targets);
}

const nbody_engine nbody_few = {create, accelerate};
