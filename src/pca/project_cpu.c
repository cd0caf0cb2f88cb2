/*
 * Maps of pixels on CPU devices: every work-item has a run of pixels and separate extremes.
 * cl/pca/project_cpu.cl converts pixels once for all outputs; project_few_cpu.cl is for few outputs, whose sums fit
 * into registers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/sizes.h"
#include "pca/forms.h"

/* As in the kernels, except ITEMS_A_CORE. */
enum {
    BLOCK = 128,     /* pixels */
    FEW_BLOCK = 256, /* the same for few outputs */
    DEPTH = 256,     /* bands of a block that are converted at once */
    GROUP = 12,      /* outputs */
    FEW = 12,        /* outputs whose sums fit into registers */
    MOST_LANES = 16, /* of the vectors that extremes are kept in */
    ITEMS_A_CORE = 4 /* so that a core that is slow for a while gets less work */
};

typedef struct {
    penta_resources resources;
    pca_map_shape shape;
    size_t items;
    bool few;
    size_t block; /* pixels */
    size_t group; /* outputs that are neighbours in the matrix */
    penta_kernel products, widen;
    penta_buffer matrix; /* [groups][ins][group] reals */
    penta_buffer before; /* ins doubles */
    penta_buffer after;  /* outs, up to whole groups, reals */
    penta_buffer scratch;
    penta_buffer extremes; /* items x outs x 2 x MOST_LANES reals */
} project_state;

/* ---- set-up ---- */

static penta_status get_kernels(project_state *s)
{
    penta_status status = PENTA_OK;
    const char *file = s->few ? "pca/project_few_cpu.cl" : "pca/project_cpu.cl";
    penta_type type = s->shape.type;
    bool in_double = s->shape.real == PENTA_F64;
    char defines[128];

    snprintf(defines, sizeof defines, "-DKIND=%d -DPIXEL=%s%s%s", pca_cl_kind(type),
             pca_cl_type(s->resources.ctx, type), in_double ? " -DREAL_DOUBLE" : "",
             in_double || pca_is_exact(type) || type == PENTA_F32 ? " -DEXACT_IN_REAL" : "");
    if (s->few)
        snprintf(defines + strlen(defines), sizeof defines - strlen(defines), " -DOUTS=%zu", s->shape.outs);
    TRY(penta_kernels_get(&s->resources, file, defines,
                          KERNELS({&s->products, s->few ? "pca_project_few_cpu" : "pca_project_cpu"},
                                  {&s->widen, "pca_project_cpu_widen"})));
cleanup:
    return status;
}

/* Uploads doubles as `room` reals; from NULL: zeros. */
static penta_status upload(project_state *s, const double *from, size_t count, size_t room, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    bool in_double = s->shape.real == PENTA_F64;
    size_t bytes = room * (in_double ? sizeof(double) : sizeof(float));
    void *reals = NULL;

    TRY(penta_calloc(s->resources.ctx, 1, bytes, &reals));
    for (size_t i = 0; from && i < count; i++)
        if (in_double)
            ((double *)reals)[i] = from[i];
        else
            ((float *)reals)[i] = (float)from[i];
    TRY(penta_buffer_upload(&s->resources, reals, bytes, out));
cleanup:
    free(reals);
    return status;
}

static penta_status upload_map(project_state *s, const penta_affine *affine)
{
    penta_status status = PENTA_OK;
    size_t ins = s->shape.ins, outs = s->shape.outs, group = s->group, padded = (outs + group - 1) / group * group;
    double *grouped = NULL, *before = NULL;

    TRY(penta_calloc(s->resources.ctx, padded * ins, sizeof *grouped, &grouped));
    for (size_t o = 0; o < outs; o++)
        for (size_t b = 0; b < ins; b++)
            grouped[(o / group * ins + b) * group + o % group] = affine->matrix[o * ins + b];
    TRY(upload(s, grouped, padded * ins, padded * ins, &s->matrix));
    TRY(upload(s, affine->after, outs, padded, &s->after));
    TRY(penta_calloc(s->resources.ctx, ins, sizeof *before, &before));
    for (size_t b = 0; affine->before && b < ins; b++)
        before[b] = affine->before[b];
    TRY(penta_buffer_upload(&s->resources, before, ins * sizeof *before, &s->before));
cleanup:
    free(grouped);
    free(before);
    return status;
}

static penta_status create(penta_context *ctx, const pca_map_shape *shape, const penta_affine *affine, void **state)
{
    penta_status status = PENTA_OK;
    project_state *s = NULL;
    size_t real = shape->real == PENTA_F64 ? sizeof(double) : sizeof(float);
    size_t rows = shape->outs <= FEW ? shape->outs : 2 * penta_smaller(shape->ins, DEPTH);

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->few = shape->outs <= FEW;
    s->block = s->few ? FEW_BLOCK : BLOCK;
    s->group = s->few ? shape->outs : GROUP;
    s->items = (size_t)penta_context_device(ctx)->compute_units * ITEMS_A_CORE;
    if (s->items > shape->in_pitch / s->block)
        s->items = shape->in_pitch / s->block;
    TRY(get_kernels(s));
    TRY(upload_map(s, affine));
    TRY(penta_buffer_create(&s->resources, s->items * (rows + 1) * s->block * real, &s->scratch));
    TRY(penta_buffer_create(&s->resources, s->items * shape->outs * 2 * MOST_LANES * real, &s->extremes));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

/* ---- maps ---- */

static penta_status run(void *state, pca_slab *slab, penta_buffer *results, size_t first, penta_buffer *range)
{
    penta_status status = PENTA_OK;
    project_state *s = state;
    penta_grid items = penta_grid_groups(penta_grid_1d(s->items), 1, 1, 1);
    penta_grid outputs = penta_grid_groups(penta_grid_1d(s->shape.outs), 1, 1, 1);
    int ins = (int)s->shape.ins, outs = (int)s->shape.outs, masked = (int)slab->masked;
    long pitch = (long)slab->pitch, out_pitch = (long)s->shape.out_pitch, from = (long)first;
    long pixels = (long)slab->pixels, blocks = (long)(pca_padded(slab->pixels) / s->block);

    if (s->few)
        TRY(penta_launch(&s->products, items,
                         ARGS(&slab->data, pitch, ins, &slab->flags, masked, pixels, blocks, &s->matrix, &s->before,
                              &s->after, from, out_pitch, &s->scratch, results, &s->extremes)));
    else
        TRY(penta_launch(&s->products, items,
                         ARGS(&slab->data, pitch, ins, &slab->flags, masked, pixels, blocks, &s->matrix, &s->before,
                              &s->after, outs, from, out_pitch, &s->scratch, results, &s->extremes)));
    TRY(penta_launch(&s->widen, outputs, ARGS(&s->extremes, (int)s->items, range)));
cleanup:
    return status;
}

const pca_project pca_project_cpu = {create, run};
