/*
 * Single-precision forces on GPUs, each pair of bodies computed once: the order in which blocks of bodies meet. Partial
 * sums go to memory, for one offset between blocks at a time; a pass has as many offsets as fit in memory. Kernels:
 * cl/nbody/shared_pairs.cl.
 */
#include "nbody/tiled.h"
#include "math/sizes.h"

enum {
    LEAST_BODIES = 8192,     /* from which this is faster than computing each pair twice */
    LEAST_LOCAL = 48 * 1024, /* bytes of local memory */
    GROUP = 128,
    LEAST_GROUP = 64,
    EACH = 8, /* bodies of a work-item */
    LEAST_EACH = 4,
    FEW_GROUPS = 4,    /* per compute unit; with fewer, blocks get smaller */
    MOST_RUN = 4,      /* offsets of a work-group */
    LEAST_GROUPS = 32, /* per compute unit before runs get longer */
    MOST_MEMORY = 1 << 30
};

/* Except on NVIDIA, values pass between work-items through local memory, which costs more than it saves. */
bool nbody_pairs_suit(penta_context *ctx, size_t n, const nbody_tiled_form *form)
{
    if (penta_context_device(ctx)->local_memory < LEAST_LOCAL)
        return false;
    return form->pairs ? form->pairs > 0 : penta_is_nvidia(ctx) && n >= LEAST_BODIES;
}

static bool keeps_busy(penta_context *ctx, size_t n, size_t side)
{
    size_t blocks = penta_divide_up(n, side);

    return blocks * (blocks / 2 + 1) >= FEW_GROUPS * penta_split_units(ctx);
}

void nbody_pairs_choose(penta_context *ctx, size_t n, const nbody_tiled_form *form, size_t *group, size_t *bodies)
{
    *group = form->group ? form->group : GROUP;
    *bodies = form->bodies ? form->bodies : EACH;
    if (!form->bodies && !keeps_busy(ctx, n, *group * *bodies))
        *bodies = LEAST_EACH;
    if (!form->group && !keeps_busy(ctx, n, *group * *bodies))
        *group = LEAST_GROUP;
}

static size_t offsets_of(const nbody_pairs *p)
{
    return p->blocks / 2 + 1;
}

static size_t choose_run(const nbody_pairs *p)
{
    size_t groups = LEAST_GROUPS * penta_split_units(p->ctx);
    size_t run = p->blocks * offsets_of(p) / groups;

    return run < 1 ? 1 : run > MOST_RUN ? MOST_RUN : run;
}

/* Offsets of a pass: whole runs, about as many in each pass. */
static size_t choose_pass(const nbody_pairs *p, size_t memory)
{
    const penta_device *d = penta_context_device(p->ctx);
    size_t vectors = 3 * p->blocks * p->side, run_bytes = vectors * (sizeof(double) + p->run * sizeof(float));
    uint64_t most = d->memory / 16 < d->max_allocation ? d->memory / 16 : d->max_allocation;
    size_t runs = penta_divide_up(offsets_of(p), p->run), fitting;

    most = most < MOST_MEMORY ? most : MOST_MEMORY;
    fitting = (size_t)(memory ? memory : most) / run_bytes;
    fitting = fitting < 1 ? 1 : fitting;
    return penta_divide_up(runs, penta_divide_up(runs, fitting)) * p->run;
}

penta_status nbody_pairs_create(penta_resources *owner, const nbody_shape *shape, const nbody_tiled_form *form,
                                size_t group, size_t bodies, const char *defines, nbody_pairs *out)
{
    penta_status status = PENTA_OK;
    nbody_pairs *p = out;
    size_t targets, sources;

    p->ctx = owner->ctx;
    p->shape = *shape;
    p->group = group;
    p->side = group * bodies;
    p->blocks = penta_divide_up(shape->n, p->side);
    p->run = form->runs ? form->runs : choose_run(p);
    p->pass = choose_pass(p, form->memory);
    TRY(penta_kernels_get(owner, "nbody/shared_pairs.cl", defines,
                          KERNELS({&p->sum, "nbody_pairs"}, {&p->add, "nbody_pairs_add"})));
    TRY(penta_size(p->ctx, 3 * p->pass / p->run, p->blocks * p->side, sizeof(double), &targets));
    TRY(penta_size(p->ctx, 3 * p->pass, p->blocks * p->side, sizeof(float), &sources));
    TRY(penta_buffer_create(owner, targets, &p->targets));
    TRY(penta_buffer_create(owner, sources, &p->sources));
cleanup:
    return status;
}

penta_status nbody_pairs_accelerate(nbody_pairs *p, penta_buffer *records, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    size_t end = offsets_of(p), offsets, runs;
    double bodies = (double)(p->blocks * p->side);
    float eps2 = (float)(p->shape.eps * p->shape.eps);
    int blocks = (int)p->blocks, pitch = (int)p->shape.pitch;

    for (size_t first = 0; first < end; first += p->pass) {
        offsets = first + p->pass < end ? p->pass : end - first;
        runs = penta_divide_up(offsets, p->run);
        TRY(penta_launch_paced(
            &p->sum, penta_grid_groups(penta_grid_2d(p->blocks * p->group, runs), p->group, 1, 1),
            2 * bodies * (double)(offsets * p->side), &p->pace,
            ARGS(records, eps2, blocks, (int)first, (int)offsets, (int)p->run, &p->targets, &p->sources)));
        TRY(penta_launch(&p->add, penta_grid_rows(penta_grid_2d(p->shape.pitch, 3)),
                         ARGS(&p->targets, &p->sources, (int)runs, (int)offsets, (long)(p->blocks * p->side), pitch,
                              first == 0 ? 1 : 0, acceleration)));
    }
cleanup:
    return status;
}
