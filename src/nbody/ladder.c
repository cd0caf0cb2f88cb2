/*
 * The slides' tuning ladder (M. Burtscher, "Writing Efficient CUDA Programs"), single precision: kernels of
 * cl/nbody/ladder.cl and what each of them takes.
 */
#include <stdio.h>

#include "nbody/nbody.h"

#define SOFTENED " -DNBODY_SOFTENED"

#define ONE_ITEM_RATE 1e7 /* interactions per second of a single work-item, about, on any device */

enum { GROUP = 256 }; /* work-items of a group: GROUP of cl/nbody/ladder.cl */

typedef enum { STRUCTS, ARRAYS, ARRAYS_AND_CONSTANTS } rung_input;

typedef struct {
    int kernel; /* enum penta_nbody_kernel */
    const char *name, *defines;
    rung_input input;
} rung;

static const rung rungs[] = {
    {PENTA_NBODY_GPU1, "nbody_gpu1", "", STRUCTS},
    {PENTA_NBODY_AOS, "nbody_aos", "", STRUCTS},
    {PENTA_NBODY_SOA, "nbody_soa", "", ARRAYS},
    {PENTA_NBODY_CONST, "nbody_const", "", ARRAYS_AND_CONSTANTS},
    {PENTA_NBODY_RSQRT, "nbody_rsqrt", "", ARRAYS_AND_CONSTANTS},
    {PENTA_NBODY_SPLIT, "nbody_split", "", ARRAYS_AND_CONSTANTS},
    {PENTA_NBODY_LOCAL, "nbody_local", "", ARRAYS_AND_CONSTANTS},
    {PENTA_NBODY_UNROLL2, "nbody_local", "-DUNROLL=2", ARRAYS_AND_CONSTANTS},
    {PENTA_NBODY_UNROLL4, "nbody_local", "-DUNROLL=4", ARRAYS_AND_CONSTANTS},
    {PENTA_NBODY_UNROLL8, "nbody_local", "-DUNROLL=8", ARRAYS_AND_CONSTANTS},
    {PENTA_NBODY_UNROLL16, "nbody_local", "-DUNROLL=16", ARRAYS_AND_CONSTANTS},
    {PENTA_NBODY_UNROLL32, "nbody_local", "-DUNROLL=32", ARRAYS_AND_CONSTANTS},
};

/* body_t and parameters_t of cl/nbody/ladder.clh. */
struct body {
    float mass, x, y, z, vx, vy, vz;
};
struct parameters {
    int32_t n, pitch;
    float eps2;
};

typedef struct {
    penta_resources resources;
    const rung *rung;
    nbody_shape shape;
    size_t padded; /* bodies: whole work-groups */
    penta_pace pace;
    penta_kernel pack, accelerate;
    penta_buffer structs;    /* padded struct body */
    penta_buffer arrays[4];  /* mass, x, y, z: padded floats each */
    penta_buffer parameters; /* struct parameters */
} ladder_state;

static float squared(double eps)
{
    return (float)(eps * eps);
}

static penta_status create_buffers(ladder_state *s)
{
    penta_status status = PENTA_OK;
    struct parameters parameters = {(int32_t)s->shape.n, (int32_t)s->shape.pitch, squared(s->shape.eps)};

    if (s->rung->input == STRUCTS)
        TRY(penta_buffer_create(&s->resources, s->padded * sizeof(struct body), &s->structs));
    for (int k = 0; k < 4 && s->rung->input != STRUCTS; k++)
        TRY(penta_buffer_create(&s->resources, s->padded * sizeof(float), &s->arrays[k]));
    TRY(penta_buffer_upload(&s->resources, &parameters, sizeof parameters, &s->parameters));
cleanup:
    return status;
}

static penta_status get_kernels(ladder_state *s)
{
    penta_status status = PENTA_OK;
    const char *pack = s->rung->input == STRUCTS ? "nbody_ladder_structs" : "nbody_ladder_arrays";
    char defines[64];

    snprintf(defines, sizeof defines, "%s%s", s->rung->defines, nbody_softened(s->shape.eps) ? SOFTENED : "");
    TRY(penta_kernels_get(&s->resources, "nbody/ladder.cl", defines,
                          KERNELS({&s->pack, pack}, {&s->accelerate, s->rung->name})));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const nbody_shape *shape, int kernel, void **state)
{
    penta_status status = PENTA_OK;
    ladder_state *s = NULL;

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->padded = (shape->pitch + GROUP - 1) / GROUP * GROUP;
    s->rung = rungs;
    while (s->rung->kernel != kernel)
        s->rung++;
    TRY(get_kernels(s));
    TRY(create_buffers(s));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

/* The bodies in the layout of the rung, in single precision. */
static penta_status pack(ladder_state *s, nbody_bodies *b)
{
    penta_grid grid = penta_grid_groups(penta_grid_1d(s->padded), GROUP, 1, 1);
    penta_buffer *out = s->arrays;
    int n = (int)b->n, pitch = (int)b->pitch;

    if (s->rung->input == STRUCTS)
        return penta_launch(&s->pack, grid, ARGS(&b->mass, &b->position, &b->velocity, n, pitch, &s->structs));
    return penta_launch(&s->pack, grid, ARGS(&b->mass, &b->position, n, pitch, &out[0], &out[1], &out[2], &out[3]));
}

/* gpu1, a single work-item, is slow: it begins with a few bodies per launch. */
static penta_status accelerate_by_one(ladder_state *s, nbody_bodies *bodies, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = s->accelerate.ctx;
    penta_grid one = penta_grid_groups(penta_grid_1d(1), 1, 1, 1);
    nbody_part part = nbody_share_part(s->shape.share, bodies->pitch, GROUP);
    int n = (int)bodies->n, pitch = (int)bodies->pitch;
    float eps2 = squared(s->shape.eps);

    if (!(s->pace.rate > 0))
        s->pace.rate = ONE_ITEM_RATE;
    TRY(penta_pace_begin(ctx, &s->pace));
    for (int begin = (int)part.first, end = (int)(part.first + part.count); begin < end;) {
        double left = end - begin;
        int count = (int)(penta_pace_share(ctx, &s->pace, left * n) * left);

        count = count < 1 ? 1 : count;
        TRY(penta_launch(&s->accelerate, one, ARGS(&s->structs, n, pitch, eps2, begin, begin + count, acceleration)));
        TRY(penta_pace_piece(ctx, &s->pace, (double)count * n));
        begin += count;
    }
cleanup:
    return status;
}

static penta_status accelerate_part(ladder_state *s, nbody_bodies *bodies, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    penta_buffer *in = s->arrays;
    penta_grid all = penta_grid_groups(penta_grid_1d(s->padded), GROUP, 1, 1);
    penta_grid grid = nbody_share_grid(s->shape.share, bodies->pitch, GROUP, 1, all);
    int n = (int)bodies->n, pitch = (int)bodies->pitch;
    double pairs = (double)s->padded * n;
    float eps2 = squared(s->shape.eps);

    if (s->rung->kernel == PENTA_NBODY_GPU1)
        TRY(accelerate_by_one(s, bodies, acceleration));
    else if (s->rung->input == STRUCTS)
        TRY(penta_launch_paced(&s->accelerate, grid, pairs, &s->pace, ARGS(&s->structs, n, pitch, eps2, acceleration)));
    else if (s->rung->input == ARRAYS)
        TRY(penta_launch_paced(&s->accelerate, grid, pairs, &s->pace,
                               ARGS(&in[0], &in[1], &in[2], &in[3], n, pitch, eps2, acceleration)));
    else
        TRY(penta_launch_paced(&s->accelerate, grid, pairs, &s->pace,
                               ARGS(&in[0], &in[1], &in[2], &in[3], &s->parameters, acceleration)));
cleanup:
    return status;
}

static penta_status accelerate(void *state, nbody_bodies *bodies, penta_buffer *acceleration)
{
    penta_status status = PENTA_OK;
    ladder_state *s = state;

    TRY(pack(s, bodies));
    status = accelerate_part(s, bodies, acceleration);
    return nbody_share_vectors(s->shape.share, status, acceleration, 3, bodies->pitch, bodies->pitch, GROUP);
cleanup:
    return status;
}

const nbody_engine nbody_ladder = {create, accelerate};
