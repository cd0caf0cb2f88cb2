/* Forces on CPU devices: simd, double, ds. Kernels: cl/nbody/simd.cl. */
#include <stdio.h>
#include <stdlib.h>

#include "nbody/nbody.h"

enum {
    LANES = 16,      /* of cl/nbody/simd.cl, or a multiple of them */
    ITEMS_A_CORE = 8 /* so that cores that are slow for a while have less to do */
};

/* Bodies of a work-item, powers of two up to NBODY_PITCH: many share the sources in the cache, few make more items. */
static const int most_each = 16, least_each = 2;

typedef struct {
    penta_context *ctx;
    nbody_shape shape;
    int each;
    size_t length; /* of the packed arrays: that of the state */
    penta_kernel pack, add;
    penta_buffer packed;
} simd_state;

static void destroy(void *memory)
{
    simd_state *s = memory;

    if (!s)
        return;
    penta_kernel_release(&s->pack);
    penta_kernel_release(&s->add);
    penta_buffer_release(&s->packed);
    free(s);
}

static int bodies_of_item(penta_context *ctx, size_t pitch)
{
    size_t items = (size_t)penta_context_device(ctx)->compute_units * ITEMS_A_CORE;
    int each = most_each;

    while (each > least_each && pitch / (size_t)each < items)
        each /= 2;
    return each;
}

static penta_status create(penta_context *ctx, const nbody_shape *shape, int kernel, void **state)
{
    penta_status status = PENTA_OK;
    simd_state *s = NULL;
    size_t arrays = kernel == PENTA_NBODY_DS ? 7 : 4,
           real = kernel == PENTA_NBODY_DOUBLE ? sizeof(double) : sizeof(float);
    char defines[96];

    TRY(penta_calloc(ctx, 1, sizeof *s, &s));
    s->ctx = ctx;
    s->shape = *shape;
    s->length = shape->pitch;
    s->each = bodies_of_item(ctx, shape->pitch);
    snprintf(defines, sizeof defines, "-DEACH=%d%s%s", s->each,
             kernel == PENTA_NBODY_DOUBLE ? " -DNBODY_DOUBLE"
             : kernel == PENTA_NBODY_DS   ? " -DNBODY_DS"
                                          : "",
             nbody_softened(shape->eps) ? " -DNBODY_SOFTENED" : "");
    TRY(penta_kernel_get(ctx, "nbody/simd.cl", "nbody_simd_pack", defines, &s->pack));
    TRY(penta_kernel_get(ctx, "nbody/simd.cl", "nbody_simd", defines, &s->add));
    TRY(penta_buffer_create(ctx, arrays * s->length * real, &s->packed));
    *state = s;
    s = NULL;
cleanup:
    destroy(s);
    return status;
}

static penta_status accelerate(void *state, nbody_bodies *bodies, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    simd_state *s = state;
    long pitch = (long)bodies->pitch, length = (long)s->length;

    TRY(penta_launch(&s->pack, penta_grid_1d(s->length),
                     ARGS(&bodies->mass, &bodies->position, (int)bodies->n, pitch, length, &s->packed)));
    TRY(penta_launch(&s->add, penta_grid_groups(penta_grid_1d(s->length / (size_t)s->each), 1, 1, 1),
                     ARGS(&s->packed, length, pitch, s->shape.eps * s->shape.eps, acceleration)));
cleanup:
    return status;
}

const nbody_force nbody_simd = {create, accelerate, destroy};
