/* Buffers and launches of the Hermite integrator. */
#include <stdio.h>

#include "math/sizes.h"
#include "nbody/hermite.h"
#include "nbody/triangle.h"

enum {
    BLOCK = 256, /* bodies of a count; BLOCK of hermite.cl */
    GROUP = 128, /* GROUP of hermite_gpu.cl */
    MOST_PARTS = 64,
    FULL_GPU = 512, /* work-groups that keep any GPU busy; with fewer, the sources are split */
    MOST_EACH = 16, /* bodies of a work-item on CPUs; MOST_EACH of hermite_cpu.cl */
    LEAST_EACH = 2,
    PAIR_BLOCK = 256, /* bodies; BLOCK of hermite_cpu.cl */
    PAIR_PARTS = 8,   /* of the columns of pairs of blocks, and the most sets of rows */
    LEAST_SETS = 4,
    FULL_CPU = 64,  /* work-items that keep any CPU busy */
    CPU_PART = 1024 /* sources of a part: enough to outweigh the start of a work-item */
};

/* ---- set-up ---- */

/* Sets of rows of pairs of blocks, with separate sums for all bodies as each part of the columns has: with at least two
 * rows each, in a part of the memory; whatever the number of cores. 0: the sums of a few do not fit, or bodies are few.
 */
static size_t pair_sets(const hermite_device *d)
{
    nbody_memory memory = nbody_memory_of(d->shape.share, d->ctx);
    uint64_t room = penta_smaller(memory.all / 4, memory.buffer);
    size_t layers = (size_t)room / (6 * d->shape.pitch * sizeof(double)), sets;

    sets = penta_smaller(penta_divide_up(d->shape.pitch, PAIR_BLOCK) / 2, PAIR_PARTS);
    sets = penta_smaller(sets, layers > PAIR_PARTS ? layers - PAIR_PARTS : 0);
    return sets >= LEAST_SETS ? sets : 0;
}

static penta_status create_kernels(const nbody_setup *setup, hermite_device *d)
{
    penta_status status = PENTA_OK;
    const char *pairs = penta_is_cpu(d->ctx) ? "nbody/hermite_cpu.cl" : "nbody/hermite_gpu.cl";
    int precision = setup->choice.precision;
    char defines[64];

    snprintf(defines, sizeof defines, "-DHERMITE_TERMS=%d%s",
             precision == PENTA_PRECISION_DOUBLE ? 0
             : precision == PENTA_PRECISION_DS   ? 1
                                                 : 2,
             nbody_softened(d->shape.eps) ? " -DHERMITE_SOFTENED" : "");
    TRY(penta_kernel_get(d->owner, pairs, "nbody_hermite_evaluate", defines, &d->evaluate));
    if (d->pair_sets > 0)
        TRY(penta_kernel_get(d->owner, pairs, "nbody_hermite_pairs", defines, &d->pairs));
    if (d->packs)
        TRY(penta_kernel_get(d->owner, pairs, "nbody_hermite_pack", defines, &d->pack));
    TRY(penta_kernels_get(d->owner, "nbody/hermite.cl", "",
                          KERNELS({&d->predict, "nbody_hermite_predict"}, {&d->list, "nbody_hermite_list"},
                                  {&d->join, "nbody_hermite_join"}, {&d->start, "nbody_hermite_start"},
                                  {&d->trial, "nbody_hermite_trial"}, {&d->correct, "nbody_hermite_correct"})));
cleanup:
    return status;
}

/* Sums in parts, at most: n bodies in one part, or as many parts as fill the device. */
static size_t partial_sums(const hermite_device *d)
{
    size_t split = penta_smaller(d->shape.n * d->most_parts, (size_t)2 * FULL_GPU * GROUP),
           pairs = d->pair_sets > 0 ? (d->pair_sets + PAIR_PARTS) * d->shape.pitch : 0;

    return penta_larger(penta_larger(d->shape.n, split), pairs);
}

static penta_status create_buffers(hermite_device *d)
{
    penta_status status = PENTA_OK;
    size_t pitch = d->shape.pitch, vectors = 3 * pitch * sizeof(double);

    TRY(penta_buffer_create(d->owner, 2 * vectors, &d->predicted));
    TRY(penta_buffer_create(d->owner, d->packs ? 12 * pitch * sizeof(float) : 0, &d->packed));
    TRY(penta_buffer_create(d->owner, penta_divide_up(pitch, BLOCK) * sizeof(int32_t), &d->counts));
    TRY(penta_buffer_create(d->owner, pitch * sizeof(int32_t), &d->list_of));
    TRY(penta_buffer_create(d->owner, 6 * partial_sums(d) * sizeof(double), &d->partial));
    if (d->shape.share)
        TRY(penta_buffer_create(d->owner, 2 * vectors, &d->joined));
    TRY(penta_buffer_create(d->owner, vectors, &d->acceleration));
    TRY(penta_buffer_create(d->owner, vectors, &d->jerk));
    TRY(penta_buffer_create(d->owner, pitch * sizeof(int32_t), &d->level));
    TRY(penta_buffer_create(d->owner, HERMITE_LEVELS * sizeof(int32_t), &d->bodies_of));
    TRY(penta_buffer_zero(&d->acceleration, 0, vectors)); /* those beyond n stay 0 */
    TRY(penta_buffer_zero(&d->jerk, 0, vectors));
    TRY(penta_buffer_zero(&d->level, 0, pitch * sizeof(int32_t)));
cleanup:
    return status;
}

penta_status hermite_device_create(penta_resources *owner, const nbody_setup *setup, hermite_device *d)
{
    penta_status status = PENTA_OK;
    size_t least_part;

    *d = (hermite_device){.owner = owner, .ctx = setup->ctx, .shape = setup->shape, .dt = setup->options.dt};
    d->packs = penta_is_cpu(d->ctx) && setup->choice.precision != PENTA_PRECISION_DOUBLE;
    if (penta_is_cpu(d->ctx) && !d->packs)
        d->pair_sets = pair_sets(d);
    least_part = penta_is_cpu(d->ctx) ? CPU_PART : GROUP;
    d->most_parts = penta_smaller(penta_divide_up(d->shape.pitch, least_part), MOST_PARTS);
    TRY(create_kernels(setup, d));
    TRY(create_buffers(d));
cleanup:
    return status;
}

/* ---- prediction and sums ---- */

/* Numbers for kernels. */
static long step_of(const hermite_device *d)
{
    return nbody_number(d->ctx, d->dt);
}

static long squared_softening(const hermite_device *d)
{
    return nbody_number(d->ctx, d->shape.eps * d->shape.eps);
}

/* A work-item, or a group of them on GPUs, for each block of bodies. */
static penta_grid blocks_of(const hermite_device *d)
{
    size_t blocks = penta_divide_up(d->shape.pitch, BLOCK), items = penta_is_cpu(d->ctx) ? 1 : BLOCK;

    return penta_grid_groups(penta_grid_1d(blocks * items), items, 1, 1);
}

static penta_status predict(hermite_device *d, nbody_bodies *b, const hermite_move *m)
{
    penta_status status = PENTA_OK;
    bool all = m->active == d->shape.n;
    int n = (int)d->shape.n, pitch = (int)d->shape.pitch;

    TRY(penta_launch(&d->predict, blocks_of(d),
                     ARGS(&b->position, &b->velocity, &d->acceleration, &d->jerk, &d->level, n, pitch, step_of(d),
                          (long)m->tick, m->least, m->most, m->due, &d->predicted, &d->counts)));
    if (!(all && d->lists_all)) /* the list of all bodies never changes */
        TRY(penta_launch(&d->list, blocks_of(d),
                         ARGS(&d->level, &d->counts, n, m->least, m->most, m->due, &d->list_of)));
    d->lists_all = all;
    if (d->packs)
        TRY(penta_launch(&d->pack, penta_grid_1d(6 * d->shape.pitch / NBODY_PITCH),
                         ARGS(&d->predicted, pitch, &d->packed)));
cleanup:
    return status;
}

/* Bodies of a work-item on CPUs, of a work-group on GPUs: more share more loads, fewer keep more of the device busy. */
static size_t bodies_of_team(bool cpu, size_t active)
{
    size_t team = cpu ? MOST_EACH : GROUP;

    if (cpu)
        while (team > LEAST_EACH && active < FULL_CPU * team)
            team /= 2;
    else
        while (team > 1 && 2 * active <= team)
            team /= 2;
    return team;
}

typedef struct {
    hermite_device *device;
    nbody_bodies *bodies;
} meeting;

static penta_status launch_pairs(void *state, int first, int last, int begin, int end)
{
    const meeting *m = state;
    hermite_device *d = m->device;
    size_t items = d->pair_sets * PAIR_PARTS;
    penta_grid grid = penta_grid_groups(penta_grid_1d(items), 1, 1, 1);

    return penta_launch(&d->pairs, nbody_share_grid(d->shape.share, items, 1, 1, grid),
                        ARGS(&m->bodies->mass, &d->predicted, (int)d->shape.pitch, squared_softening(d),
                             (int)d->pair_sets, PAIR_PARTS, first, last, begin, end, &d->partial));
}

/* Between short steps members ask whether to stop here, before they tell one another what they did. */
static penta_status ask(hermite_device *d)
{
    return d->shape.share && d->adapts ? penta_ask_progress(d->ctx) : PENTA_OK;
}

/* The parts are added up. */
static penta_status take_joined(hermite_device *d, penta_status status)
{
    d->parts = 1;
    d->sums = &d->joined;
    return status;
}

static penta_status meet_pairs(hermite_device *d, nbody_bodies *b)
{
    meeting m = {d, b};
    const nbody_triangle triangle = {PAIR_BLOCK, (int)penta_divide_up(d->shape.pitch, PAIR_BLOCK), (int)d->pair_sets,
                                     launch_pairs, &m};
    const nbody_layers layers = {.partial = &d->partial,
                                 .sets = d->pair_sets,
                                 .parts = PAIR_PARTS,
                                 .vectors = 6,
                                 .length = d->shape.pitch,
                                 .pitch = d->shape.pitch,
                                 .block = PAIR_BLOCK};
    penta_status status = ask(d);

    d->parts = d->pair_sets + PAIR_PARTS;
    d->stride = d->shape.pitch;
    if (status == PENTA_OK)
        status = nbody_triangle_launch(d->ctx, &d->pace, &triangle);
    return d->shape.share ? take_joined(d, nbody_share_layers(d->shape.share, status, &layers, &d->joined)) : status;
}

/* ---- each pair twice ---- */

/* This member's part of the bodies that move. */
static penta_grid part_of_teams(const hermite_device *d, size_t active, size_t team, penta_grid grid)
{
    size_t items = penta_is_cpu(d->ctx) ? 1 : GROUP; /* of a team */
    nbody_part part = nbody_share_part(d->shape.share, active, team);

    if (!d->shape.share)
        return grid;
    grid.offset = part.first / team * items;
    grid.global[0] = penta_divide_up(part.count, team) * items;
    return grid;
}

/* Adds up this member's parts, and gets the others'. */
static penta_status join(hermite_device *d, penta_status status, size_t active, size_t team)
{
    nbody_part part = nbody_share_part(d->shape.share, active, team);
    int first = (int)part.first, end = (int)(part.first + part.count);

    if (status == PENTA_OK && part.count > 0)
        status = penta_launch(&d->join, penta_grid_rows(penta_grid_1d(part.count)),
                              ARGS(&d->partial, (int)d->parts, (int)d->stride, first, end, &d->joined));
    return take_joined(d, nbody_share_vectors(d->shape.share, status, &d->joined, 6, active, active, team));
}

penta_status hermite_evaluate(hermite_device *d, nbody_bodies *b, const hermite_move *m)
{
    penta_status status = PENTA_OK;
    bool cpu = penta_is_cpu(d->ctx);
    size_t pitch = d->shape.pitch, unit = cpu ? NBODY_PITCH : GROUP, team, teams, chunk;
    penta_grid grid;

    TRY(predict(d, b, m));
    d->sums = &d->partial;
    if (m->active == d->shape.n && d->pair_sets > 0)
        return meet_pairs(d, b);
    team = bodies_of_team(cpu, m->active);
    teams = penta_divide_up(m->active, team);
    d->parts = penta_smaller(d->most_parts, penta_divide_up(cpu ? FULL_CPU : FULL_GPU, teams));
    chunk = penta_divide_up(penta_divide_up(pitch, d->parts), unit) * unit;
    d->parts = penta_divide_up(pitch, chunk);
    d->stride = m->active;
    grid = cpu ? penta_grid_groups(penta_grid_2d(teams, d->parts), 1, 1, 1)
               : penta_grid_groups(penta_grid_2d(teams * GROUP, d->parts), GROUP, 1, 1);
    status = ask(d);
    if (status == PENTA_OK)
        status = penta_launch_paced(&d->evaluate, part_of_teams(d, m->active, team, grid),
                                    (double)m->active * (double)pitch, &d->pace,
                                    ARGS(&b->mass, d->packs ? &d->packed : &d->predicted, &d->list_of, (int)m->active,
                                         (int)pitch, (int)chunk, (int)team, squared_softening(d), &d->partial));
    return d->shape.share ? join(d, status, m->active, team) : status;
cleanup:
    return status;
}

/* ---- start, trial, correct; keep and bring back ---- */

static penta_grid items(size_t count)
{
    return penta_grid_rows(penta_grid_1d(count));
}

penta_status hermite_start(hermite_device *d)
{
    penta_status status = PENTA_OK;
    int32_t bodies_of[HERMITE_LEVELS] = {(int32_t)d->shape.n};

    TRY(penta_buffer_write(&d->bodies_of, 0, bodies_of, sizeof bodies_of));
    TRY(penta_launch(&d->start, items(d->shape.n),
                     ARGS(d->sums, (int)d->parts, (int)d->stride, (int)d->shape.n, (int)d->shape.pitch,
                          &d->acceleration, &d->jerk, &d->level)));
cleanup:
    return status;
}

penta_status hermite_trial(hermite_device *d, int trial, int before, double eta)
{
    return penta_launch(&d->trial, items(d->shape.n),
                        ARGS(d->sums, (int)d->parts, (int)d->stride, (int)d->shape.n, (int)d->shape.pitch, step_of(d),
                             trial, before, nbody_number(d->ctx, eta), &d->acceleration, &d->jerk, &d->level,
                             &d->bodies_of));
}

penta_status hermite_correct(hermite_device *d, nbody_bodies *b, const hermite_move *m, double eta)
{
    return penta_launch(&d->correct, items(m->active),
                        ARGS(&d->list_of, (int)m->active, d->sums, (int)d->parts, (int)d->stride, (int)d->shape.pitch,
                             step_of(d), (long)m->tick, m->least, m->most, nbody_number(d->ctx, eta), &b->position,
                             &b->velocity, &d->acceleration, &d->jerk, &d->level, &d->bodies_of, &b->scale, &b->worst));
}

static penta_status keep_one(hermite_device *d, penta_buffer *from, size_t bytes, penta_buffer *to)
{
    penta_status status = PENTA_OK;

    if (!to->mem)
        TRY(penta_buffer_create(d->owner, bytes, to));
    TRY(penta_buffer_copy(from, to, bytes));
cleanup:
    return status;
}

penta_status hermite_keep(hermite_device *d, nbody_bodies *b)
{
    size_t vectors = 3 * d->shape.pitch * sizeof(double), levels = d->shape.pitch * sizeof(int32_t);
    penta_status status = PENTA_OK;

    TRY(nbody_copy_keep(d->owner, &d->before, b));
    TRY(keep_one(d, &d->acceleration, vectors, &d->acceleration_before));
    TRY(keep_one(d, &d->jerk, vectors, &d->jerk_before));
    TRY(keep_one(d, &d->level, levels, &d->level_before));
    TRY(keep_one(d, &b->worst, vectors / 3, &d->worst_before));
cleanup:
    return status;
}

penta_status hermite_bring_back(hermite_device *d, nbody_bodies *b)
{
    size_t vectors = 3 * d->shape.pitch * sizeof(double), levels = d->shape.pitch * sizeof(int32_t);
    penta_status status = PENTA_OK;

    TRY(nbody_copy_bring_back(&d->before, b));
    TRY(penta_buffer_copy(&d->acceleration_before, &d->acceleration, vectors));
    TRY(penta_buffer_copy(&d->jerk_before, &d->jerk, vectors));
    TRY(penta_buffer_copy(&d->level_before, &d->level, levels));
    TRY(penta_buffer_copy(&d->worst_before, &b->worst, vectors / 3));
    d->lists_all = false;
cleanup:
    return status;
}
