/*
 * Single-precision forces on GPUs, each pair of bodies computed once: the order in which blocks of bodies meet. Partial
 * sums go to memory, of as many parts of the blocks at a time as fit, or of some offsets of one part. Sums of parts
 * meet in a tree (tiled_tree.c), so that members of a group may have some of them. Kernels: cl/nbody/shared_pairs.cl.
 */
#include "nbody/tiled.h"

#include <stdio.h>

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

/* Some blocks a part at least, so that parts are about equally large. */
static size_t choose_parts(const nbody_pairs *p)
{
    enum { LEAST_BLOCKS = 2 };
    size_t parts = 1;

    while (parts < NBODY_PAIRS_PARTS && 2 * parts * LEAST_BLOCKS <= p->blocks)
        parts *= 2;
    return parts;
}

/* Blocks of so many parts, at most. */
static size_t blocks_of(const nbody_pairs *p, size_t parts)
{
    return penta_divide_up(p->blocks * parts, p->parts);
}

/* Bytes of the partial sums of so many parts. */
static uint64_t partial_bytes(const nbody_pairs *p, size_t parts, size_t offsets)
{
    uint64_t vectors = 3 * (uint64_t)blocks_of(p, parts) * p->side;

    return vectors * (penta_divide_up(offsets, p->run) * sizeof(double) + offsets * sizeof(float));
}

/* Chooses how much is done at a time. Whether one part fits does not depend on who has it, so the order of sums does
 * not. Passes have whole runs of offsets, about as many in each. */
static void choose_chunk(nbody_pairs *p, size_t memory)
{
    nbody_memory has = nbody_memory_of(p->shape.share, p->ctx);
    uint64_t most = penta_smaller(has.all / 16, has.buffer);
    size_t runs = penta_divide_up(offsets_of(p), p->run), fitting;

    most = most < MOST_MEMORY ? most : MOST_MEMORY;
    most = memory ? memory : most;
    p->pass = offsets_of(p);
    for (p->chunk = p->parts; p->chunk > 1 && partial_bytes(p, p->chunk, p->pass) > most;)
        p->chunk /= 2;
    if (partial_bytes(p, p->chunk, p->pass) <= most)
        return;
    fitting = (size_t)(most / partial_bytes(p, 1, p->run));
    fitting = fitting < 1 ? 1 : fitting;
    p->pass = penta_divide_up(runs, penta_divide_up(runs, fitting)) * p->run;
}

/* Roots that this member has at a time, at most. */
static size_t places_of(const nbody_pairs *p)
{
    const nbody_share *share = p->shape.share;
    nbody_part own = nbody_pairs_parts(p, share, share ? share->rank : 0);
    nbody_branches b = {.count = 0};
    size_t most = 1;

    for (size_t size, at = own.first; at < own.first + own.count; at += size) {
        size = nbody_branch_size(at, own.first + own.count, p->chunk);
        most = penta_larger(most, b.count + 1);
        nbody_branches_add(&b, at, size, NULL, NULL);
    }
    return most;
}

static penta_status create_buffers(penta_resources *owner, nbody_pairs *p)
{
    penta_status status = PENTA_OK;
    size_t bodies = blocks_of(p, p->chunk) * p->side, targets, sources, roots;

    TRY(penta_size(p->ctx, 3 * penta_divide_up(p->pass, p->run), bodies, sizeof(double), &targets));
    TRY(penta_size(p->ctx, 3 * p->pass, bodies, sizeof(float), &sources));
    TRY(penta_buffer_create(owner, targets, &p->targets));
    TRY(penta_buffer_create(owner, sources, &p->sources));
    if (p->chunk == p->parts && !p->shape.share) /* the only root is the acceleration itself */
        return PENTA_OK;
    TRY(penta_size(p->ctx, places_of(p), nbody_pairs_length(p), sizeof(double), &roots));
    TRY(penta_buffer_create(owner, roots, &p->roots));
    penta_buffer_put_in_line(&p->roots);
    if (p->shape.share)
        TRY(nbody_pairs_join(owner, p));
cleanup:
    return status;
}

penta_status nbody_pairs_create(penta_resources *owner, const nbody_shape *shape, const nbody_tiled_form *form,
                                size_t group, size_t bodies, const char *defines, nbody_pairs *out)
{
    penta_status status = PENTA_OK;
    nbody_pairs *p = out;
    char all[640];

    p->ctx = owner->ctx;
    p->shape = *shape;
    p->group = group;
    p->side = group * bodies;
    p->blocks = penta_divide_up(shape->n, p->side);
    p->parts = choose_parts(p);
    p->run = form->runs ? form->runs : choose_run(p);
    choose_chunk(p, form->memory);
    snprintf(all, sizeof all, "-DPARTS=%zu %s", p->parts, defines);
    TRY(penta_kernels_get(owner, "nbody/shared_pairs.cl", all,
                          KERNELS({&p->sum, "nbody_pairs"}, {&p->add, "nbody_pairs_add"},
                                  {&p->merge, "nbody_pairs_merge"}, {&p->combine, "nbody_pairs_combine"},
                                  {&p->unpack, "nbody_pairs_unpack"})));
    TRY(create_buffers(owner, p));
cleanup:
    return status;
}

/* ---- forces ---- */

/* Where sums of bodies go: steps from block to block and from axis to axis, and how many bodies have a place. */
typedef struct {
    penta_buffer *buffer;
    size_t place; /* of roots */
    long block, axis;
    int bodies;
} destination;

/* The sum over a branch, of which all partial sums fit, or of one part. */
static penta_status add_branch(nbody_pairs *p, penta_buffer *records, size_t begin, size_t size, const destination *to)
{
    penta_status status = PENTA_OK;
    size_t end = offsets_of(p), base = p->blocks * begin / p->parts;
    size_t held = p->blocks * (begin + size) / p->parts - base;
    int blocks = (int)p->blocks, side = (int)p->side;
    float eps2 = (float)(p->shape.eps * p->shape.eps);

    for (size_t first = 0; first < end; first += p->pass) {
        size_t offsets = penta_smaller(p->pass, end - first), runs = penta_divide_up(offsets, p->run);
        penta_grid grid = penta_grid_groups(penta_grid_2d(held * p->group, runs), p->group, 1, 1);

        grid.offset = base * p->group;
        TRY(penta_launch_paced(&p->sum, grid, 2 * (double)(held * p->side) * (double)(offsets * p->side), &p->pace,
                               ARGS(records, eps2, blocks, (int)base, (int)held, (int)first, (int)offsets, (int)p->run,
                                    &p->targets, &p->sources)));
        TRY(penta_launch(&p->add, penta_grid_rows(penta_grid_2d((size_t)(blocks * side), 3)),
                         ARGS(&p->targets, &p->sources, blocks, (int)base, (int)held, (int)begin, (int)size, (int)first,
                              (int)offsets, (int)runs, first == 0 ? 1 : 0, to->block, to->axis, to->bodies,
                              (long)to->place, to->buffer)));
    }
cleanup:
    return status;
}

typedef struct {
    nbody_pairs *pairs;
    penta_buffer *records;
    nbody_branches branches;
} summing;

static penta_status merge(void *data, size_t first, size_t second)
{
    nbody_pairs *p = ((const summing *)data)->pairs;
    size_t length = nbody_pairs_length(p);

    return penta_launch(&p->merge, penta_grid_rows(penta_grid_1d(length)),
                        ARGS(&p->roots, (long)(first * length), (long)(second * length), (long)length));
}

/* The roots of parts begin .. end - 1. */
static penta_status add_roots(summing *s, size_t begin, size_t end)
{
    penta_status status = PENTA_OK;
    nbody_pairs *p = s->pairs;
    long side = (long)p->side;

    for (size_t size; begin < end; begin += size) {
        const destination to = {&p->roots, s->branches.count * nbody_pairs_length(p), 3 * side, side,
                                (int)(p->blocks * p->side)};

        size = nbody_branch_size(begin, end, p->chunk);
        TRY(add_branch(p, s->records, begin, size, &to));
        TRY(nbody_branches_add(&s->branches, begin, size, merge, s));
    }
cleanup:
    return status;
}

penta_status nbody_pairs_accelerate(nbody_pairs *p, penta_buffer *records, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    nbody_share *share = p->shape.share;
    const destination direct = {acceleration, 0, (long)p->side, (long)p->shape.pitch, (int)p->shape.pitch};
    summing s = {.pairs = p, .records = records};
    nbody_part own = nbody_pairs_parts(p, share, share ? share->rank : 0);

    if (share)
        return nbody_pairs_meet(p, add_roots(&s, own.first, own.first + own.count), acceleration);
    if (p->chunk == p->parts)
        return add_branch(p, records, 0, p->parts, &direct);
    TRY(add_roots(&s, 0, p->parts));
    TRY(penta_launch(&p->unpack, penta_grid_rows(penta_grid_2d(p->shape.pitch, 3)),
                     ARGS(&p->roots, (int)p->shape.pitch, (long)p->shape.pitch, acceleration)));
cleanup:
    return status;
}
