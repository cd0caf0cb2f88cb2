/*
 * Forces on CPU devices: simd, double, ds. For few bodies every work-item adds up all sources for its own bodies, in
 * one launch (cl/nbody/simd_few.cl; a GPU that is told to take simd has no room for its arrays). For more, each pair of
 * bodies is computed once (simd_pairs.cl), with two thirds of the operations and separate sums in double for sets of
 * rows and parts of columns; where that is not possible, twice (simd.cl). Nothing here depends on the number of cores,
 * so that sums have the same bits for any.
 */
#include <stdio.h>
#include <string.h>

#include "math/sizes.h"
#include "nbody/nbody.h"
#include "nbody/triangle.h"

enum {
    FEW = 1024,      /* bodies, of which a work-item has a copy in the fastest cache */
    FEW_DS = 960,    /* ds has short segments; each pair once pays from here on */
    FEW_ITEMS = 32,  /* work-items that have one */
    MANY_ITEMS = 64, /* work-items where each pair is computed twice: more than most CPUs have cores */
    MOST_EACH = 16,  /* bodies of a work-item there: they share sources in the cache */
    LEAST_EACH = 2,
    PARTS = 8,      /* of the columns; times sets: work-items where each pair is computed once */
    FEW_PARTS = 4,  /* of few bodies, whose steps are so short that starting work-items counts */
    USUAL_SETS = 8, /* of rows; blocks get smaller before they become fewer */
    MOST_SETS = 16,
    LEAST_SETS = 2,   /* where the sums of more do not fit into memory */
    MOST_BLOCK = 512, /* bodies; two blocks meet in the fastest cache */
    LEAST_BLOCK = 64,
    VECTOR = 16 /* numbers that a work-item of nbody_simd_reduce adds up */
};

typedef struct {
    penta_resources resources;
    nbody_shape shape;
    bool few;
    size_t length; /* of the packed arrays */
    int block;     /* bodies; 0: each pair is computed twice */
    int each;
    size_t items;
    size_t sets, parts; /* of rows, of columns, with `block` */
    long eps2;          /* a number */
    penta_pace pace;
    penta_kernel pack, add, reduce;
    penta_buffer packed, partial; /* partial: (sets + parts) x 3 x length double */
} simd_state;

/* ---- set-up ---- */

/* Sets of rows for blocks of that size: two rows each at least, since rows differ in length. */
static size_t sets_for(const simd_state *s, size_t block)
{
    return penta_smaller(penta_divide_up(s->shape.n, block) / 2, MOST_SETS);
}

static size_t layers_of(const simd_state *s)
{
    return s->sets + s->parts;
}

static bool partial_fits(const simd_state *s)
{
    nbody_memory memory = nbody_memory_of(s->shape.share, s->resources.ctx);
    uint64_t bytes = (uint64_t)layers_of(s) * 3 * (s->shape.pitch + (size_t)s->block) * sizeof(double);

    return bytes <= memory.buffer && bytes <= memory.all / 4;
}

/* Chooses the largest blocks that give the usual sets; none for few bodies, or if the sums of many do not fit. */
static void choose_blocks(simd_state *s)
{
    for (int block = MOST_BLOCK; block >= LEAST_BLOCK && !s->block; block /= 2)
        if (sets_for(s, (size_t)block) >= USUAL_SETS)
            s->block = block;
    if (!s->block)
        return;
    s->sets = sets_for(s, (size_t)s->block);
    s->parts = s->block == MOST_BLOCK ? PARTS : FEW_PARTS;
    while (s->sets > LEAST_SETS && !partial_fits(s))
        s->sets /= 2;
    s->items = s->sets * s->parts;
    if (!partial_fits(s))
        s->block = 0;
}

static void choose_each(simd_state *s)
{
    s->each = MOST_EACH;
    if (s->few)
        s->each *= MANY_ITEMS / FEW_ITEMS;
    while (s->each > LEAST_EACH && s->shape.pitch / (size_t)s->each < (s->few ? FEW_ITEMS : MANY_ITEMS))
        s->each /= 2;
    s->items = s->shape.pitch / (size_t)s->each;
}

static penta_status get_kernels(simd_state *s, int kernel)
{
    penta_status status = PENTA_OK;
    const char *file = s->few ? "nbody/simd_few.cl" : s->block ? "nbody/simd_pairs.cl" : "nbody/simd.cl";
    char defines[96];

    snprintf(defines, sizeof defines, "%s%d%s%s", s->block ? "-DBLOCK=" : "-DEACH=", s->block ? s->block : s->each,
             kernel == PENTA_NBODY_DOUBLE ? " -DNBODY_DOUBLE"
             : kernel == PENTA_NBODY_DS   ? " -DNBODY_DS"
                                          : "",
             nbody_softened(s->shape.eps) ? " -DNBODY_SOFTENED" : "");
    if (s->few) {
        snprintf(defines + strlen(defines), sizeof defines - strlen(defines), " -DMOST=%d", FEW);
        return penta_kernel_get(&s->resources, file, "nbody_simd_few", defines, &s->add);
    }
    TRY(penta_kernel_get(&s->resources, file, "nbody_simd_pack", defines, &s->pack));
    TRY(penta_kernel_get(&s->resources, file, s->block ? "nbody_simd_pairs" : "nbody_simd", defines, &s->add));
    if (s->block)
        TRY(penta_kernel_get(&s->resources, file, "nbody_simd_reduce", defines, &s->reduce));
cleanup:
    return status;
}

/* Memory of what is packed, and of sums. */
static penta_status create_buffers(simd_state *s, int kernel)
{
    penta_status status = PENTA_OK;
    size_t arrays = kernel == PENTA_NBODY_DS ? 7 : 4;
    size_t real = kernel == PENTA_NBODY_DOUBLE ? sizeof(double) : sizeof(float);

    if (s->few)
        return PENTA_OK;
    TRY(penta_buffer_create(&s->resources, arrays * s->length * real, &s->packed));
    TRY(penta_buffer_create(&s->resources, s->block ? layers_of(s) * 3 * s->length * sizeof(double) : 0, &s->partial));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const nbody_shape *shape, int kernel, void **state)
{
    penta_status status = PENTA_OK;
    simd_state *s = NULL;

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->eps2 = nbody_number(ctx, shape->eps * shape->eps);
    s->few = penta_is_cpu(ctx) && shape->n <= (kernel == PENTA_NBODY_DS ? FEW_DS : FEW);
    if (!s->few && penta_context_device(ctx)->fp64) /* simd_pairs.cl has sums of doubles */
        choose_blocks(s);
    if (!s->block)
        choose_each(s);
    s->length = s->block ? (shape->n + (size_t)s->block - 1) / (size_t)s->block * (size_t)s->block : shape->pitch;
    TRY(get_kernels(s, kernel));
    TRY(create_buffers(s, kernel));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

/* ---- forces ---- */

static int blocks_of(const simd_state *s)
{
    return (int)(s->length / (size_t)s->block);
}

static penta_status launch_pairs(void *state, int first, int last, int begin, int end)
{
    simd_state *s = state;

    penta_grid items = penta_grid_groups(penta_grid_1d(s->items), 1, 1, 1);

    return penta_launch(&s->add, nbody_share_grid(s->shape.share, s->items, 1, 1, items),
                        ARGS(&s->packed, (long)s->length, blocks_of(s), s->eps2, (int)s->sets, (int)s->parts, first,
                             last, begin, end, &s->partial));
}

static penta_status add_pairs(simd_state *s, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    const nbody_triangle triangle = {s->block, blocks_of(s), (int)s->sets, launch_pairs, s};
    const nbody_layers layers = {.partial = &s->partial,
                                 .sets = s->sets,
                                 .parts = s->parts,
                                 .vectors = 3,
                                 .length = s->length,
                                 .pitch = s->shape.pitch,
                                 .block = (size_t)s->block};
    long length = (long)s->length, pitch = (long)s->shape.pitch;

    status = nbody_triangle_launch(s->resources.ctx, &s->pace, &triangle);
    if (s->shape.share)
        return nbody_share_layers(s->shape.share, status, &layers, acceleration);
    TRY(status);
    TRY(penta_launch(&s->reduce, penta_grid_1d(3 * s->shape.pitch / VECTOR),
                     ARGS(&s->partial, (int)layers_of(s), length, pitch, acceleration)));
cleanup:
    return status;
}

/* The grid where every work-item adds up all sources. */
static penta_grid grid_of_all(const simd_state *s)
{
    size_t each = (size_t)s->each;

    return nbody_share_grid(s->shape.share, s->shape.pitch, each, each,
                            penta_grid_groups(penta_grid_1d(s->items), 1, 1, 1));
}

static penta_status add_all(simd_state *s, penta_buffer *acceleration)
{
    size_t pitch = s->shape.pitch;
    penta_status status = penta_launch_paced(&s->add, grid_of_all(s), (double)s->length * (double)pitch, &s->pace,
                                             ARGS(&s->packed, (long)s->length, (long)pitch, s->eps2, acceleration));

    return nbody_share_vectors(s->shape.share, status, acceleration, 3, pitch, pitch, (size_t)s->each);
}

static penta_status add_few(simd_state *s, nbody_bodies *bodies, penta_buffer *acceleration)
{
    size_t pitch = s->shape.pitch;
    penta_status status =
        penta_launch(&s->add, grid_of_all(s),
                     ARGS(&bodies->mass, &bodies->position, (int)bodies->n, (long)pitch, s->eps2, acceleration));

    return nbody_share_vectors(s->shape.share, status, acceleration, 3, pitch, pitch, (size_t)s->each);
}

static penta_status accelerate(void *state, nbody_bodies *bodies, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    simd_state *s = state;
    long pitch = (long)bodies->pitch, length = (long)s->length;

    if (s->few)
        return add_few(s, bodies, acceleration);
    TRY(penta_launch(&s->pack, penta_grid_1d(s->length),
                     ARGS(&bodies->mass, &bodies->position, (int)bodies->n, pitch, length, &s->packed)));
    TRY(s->block ? add_pairs(s, acceleration) : add_all(s, acceleration));
cleanup:
    return status;
}

const nbody_engine nbody_simd = {create, accelerate};
