/*
 * Forces on GPUs: every work-item holds a few bodies, the sources pass through local memory. If the bodies make too
 * few work-groups for the device, or leave its last round half empty, the sources are sliced as well, and a second
 * kernel adds the sums of the slices. Kernels: cl/nbody/tiled.cl. For many bodies `best` computes each pair once
 * instead (tiled_pairs.c).
 */
#include "nbody/tiled.h"
#include "math/sizes.h"

#include <math.h>
#include <stdio.h>

enum {
    GROUP = 256,        /* runs on every device */
    GROUP_NVIDIA = 512, /* single precision: 6 % faster there */
    BODIES = 4,
    BODIES_WIDE = 2, /* of kernels whose numbers take two registers */
    UNROLL = 32,     /* sources: of cl/nbody/tiled.cl */
    MOST_SLICES = 64
};

typedef struct {
    penta_resources resources;
    nbody_shape shape;
    bool dbl;
    size_t group, bodies, blocks; /* blocks of group * bodies targets */
    size_t slice, slices;         /* sources of a slice */
    size_t packed;                /* records, including those of mass 0 */
    penta_kernel pack, sum, add;
    penta_buffer records, partial; /* partial: slices x 3 x pitch, when there are several */
    penta_pace pace;
    bool shares; /* each pair once; slices are not used then */
    nbody_pairs pairs;
} tiled_state;

/* ---- set-up ---- */

static bool is_wide(int kernel)
{
    return kernel == PENTA_NBODY_DOUBLE || kernel == PENTA_NBODY_DS;
}

/* Targets of a work-item: as many as still give a few blocks. */
static size_t choose_bodies(int kernel, size_t group, size_t n)
{
    size_t bodies = is_wide(kernel) ? BODIES_WIDE : BODIES;

    while (bodies > 1 && n < 4 * group * bodies)
        bodies /= 2;
    return bodies;
}

/* Of a form whose sources are sliced. */
static void choose_form(tiled_state *s, int kernel, const nbody_tiled_form *form)
{
    s->group = form->group ? form->group : penta_is_nvidia(s->resources.ctx) && !is_wide(kernel) ? GROUP_NVIDIA : GROUP;
    s->bodies = form->bodies ? form->bodies : choose_bodies(kernel, s->group, s->shape.n);
}

/* The most slices whose sums fit: in a sixteenth of the memory and in one buffer. */
static size_t slices_in_memory(const tiled_state *s)
{
    nbody_memory memory = nbody_memory_of(s->shape.share, s->resources.ctx);
    uint64_t most = penta_smaller(memory.all / 16, memory.buffer);

    return (size_t)(most / (3 * s->shape.pitch * sizeof(double)));
}

/*
 * The number of slices for which the busiest compute unit is done first. It works through `rounds` groups, at a rate
 * that grows with their number as they hide each other's latency. A group takes as long as its sources, and START more
 * for beginning, writing and adding its sums.
 */
static size_t choose_slices(const tiled_state *s, size_t least)
{
    const double START = 96, LATENCY = 0.3; /* sources; rounds */
    size_t units = penta_split_units(s->resources.ctx), most = penta_divide_up(s->shape.n, 2 * UNROLL), best = least;
    double least_cost = HUGE_VAL;

    most = most > MOST_SLICES ? MOST_SLICES : most;
    most = most > slices_in_memory(s) ? slices_in_memory(s) : most;
    for (size_t slices = least; slices <= most; slices++) {
        double rounds = (double)penta_divide_up(s->blocks * slices, units);
        double cost = (rounds + LATENCY) * ((double)s->shape.n / (double)slices + START);

        if (cost < least_cost) {
            least_cost = cost;
            best = slices;
        }
    }
    return best;
}

/* slices 0: choose. Slices without sources are dropped, down to `least`. */
static void set_slices(tiled_state *s, size_t slices, size_t least)
{
    slices = slices ? slices : choose_slices(s, least);
    s->slice = penta_divide_up(penta_divide_up(s->shape.n, slices), UNROLL) * UNROLL;
    slices = penta_divide_up(s->shape.n, s->slice);
    s->slices = slices > least ? slices : least;
}

/* Also makes the kernels and buffers of pairs. */
static penta_status get_kernels(tiled_state *s, int kernel, const nbody_tiled_form *form)
{
    penta_status status = PENTA_OK;
    const char *more = form->defines ? form->defines : "";
    char defines[512];

    snprintf(defines, sizeof defines, "-DGROUP=%zu -DBODIES=%zu%s%s%s %s", s->group, s->bodies,
             kernel == PENTA_NBODY_DOUBLE ? " -DNBODY_DOUBLE" : "", kernel == PENTA_NBODY_DS ? " -DNBODY_DS" : "",
             nbody_softened(s->shape.eps) ? " -DNBODY_SOFTENED" : "", more);
    TRY(penta_kernels_get(
        &s->resources, "nbody/tiled.cl", defines,
        KERNELS({&s->pack, "nbody_tiled_pack"}, {&s->sum, "nbody_tiled"}, {&s->add, "nbody_tiled_add"})));
    if (s->shares)
        TRY(nbody_pairs_create(&s->resources, &s->shape, form, s->group, s->bodies, defines, &s->pairs));
cleanup:
    return status;
}

static penta_status create_buffers(tiled_state *s, int kernel)
{
    penta_status status = PENTA_OK;
    size_t record = is_wide(kernel) ? 32 : 16, bytes;

    TRY(penta_buffer_create(&s->resources, s->packed * record, &s->records));
    if (s->slices == 1)
        return PENTA_OK;
    TRY(penta_size(s->resources.ctx, 3 * s->slices, s->shape.pitch, sizeof(double), &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->partial));
    if (s->shape.share) /* all are added, also those that this member does not compute */
        TRY(penta_buffer_zero(&s->partial, 0, bytes));
cleanup:
    return status;
}

penta_status nbody_tiled_create(penta_context *ctx, const nbody_shape *shape, int kernel, const nbody_tiled_form *form,
                                void **state)
{
    penta_status status = PENTA_OK;
    const nbody_tiled_form own = form ? *form : (nbody_tiled_form){0};
    tiled_state *s = NULL;

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->dbl = kernel == PENTA_NBODY_DOUBLE;
    s->shares = kernel == PENTA_NBODY_BEST && nbody_pairs_suit(ctx, shape->n, &own);
    if (s->shares)
        nbody_pairs_choose(ctx, shape->n, &own, &s->group, &s->bodies);
    else
        choose_form(s, kernel, &own);
    s->blocks = penta_divide_up(shape->n, s->group * s->bodies);
    s->packed = s->blocks * s->group * s->bodies;
    set_slices(s, s->shares ? 1 : own.slices, kernel == PENTA_NBODY_JSPLIT ? 2 : 1);
    TRY(get_kernels(s, kernel, &own));
    TRY(create_buffers(s, kernel));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static penta_status create(penta_context *ctx, const nbody_shape *shape, int kernel, void **state)
{
    return nbody_tiled_create(ctx, shape, kernel, NULL, state);
}

/* ---- forces ---- */

static penta_status launch_sum(tiled_state *s, penta_buffer *sums)
{
    penta_grid all = penta_grid_groups(penta_grid_2d(s->blocks * s->group, s->slices), s->group, 1, 1);
    penta_grid grid = nbody_share_grid(s->shape.share, s->shape.pitch, s->group * s->bodies, s->bodies, all);
    int sources = (int)(penta_divide_up(s->shape.n, UNROLL) * UNROLL), slice = (int)s->slice,
        pitch = (int)s->shape.pitch;
    double eps2 = s->shape.eps * s->shape.eps, pairs = (double)s->packed * sources;

    if (s->dbl)
        return penta_launch_paced(&s->sum, grid, pairs, &s->pace, ARGS(&s->records, eps2, sources, slice, pitch, sums));
    return penta_launch_paced(&s->sum, grid, pairs, &s->pace,
                              ARGS(&s->records, (float)eps2, sources, slice, pitch, sums));
}

static penta_status sum_slices(tiled_state *s, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    size_t numbers = 3 * s->shape.pitch;

    if (s->slices == 1)
        return launch_sum(s, acceleration);
    TRY(launch_sum(s, &s->partial));
    TRY(penta_launch(&s->add, penta_grid_rows(penta_grid_1d(numbers)),
                     ARGS(&s->partial, (int)s->slices, (long)numbers, acceleration)));
cleanup:
    return status;
}

static penta_status accelerate(void *state, nbody_bodies *bodies, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    tiled_state *s = state;

    TRY(penta_launch(
        &s->pack, penta_grid_rows(penta_grid_1d(s->packed)),
        ARGS(&bodies->mass, &bodies->position, (int)s->shape.n, (int)s->shape.pitch, (int)s->packed, &s->records)));
    if (s->shares)
        return nbody_pairs_accelerate(&s->pairs, &s->records, acceleration);
    status = sum_slices(s, acceleration);
    return nbody_share_vectors(s->shape.share, status, acceleration, 3, s->shape.pitch, s->shape.pitch,
                               s->group * s->bodies);
cleanup:
    return status;
}

const nbody_engine nbody_tiled = {create, accelerate};
