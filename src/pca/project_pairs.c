/*
 * Maps of pixels in pairs of floats, for devices without double precision (cl/pca/project_pairs.clh): results are
 * doubles. Forms: project_pairs.cl for GPUs, project_pairs_cpu.cl for CPU devices.
 */
#include <stdio.h>

#include "math/sizes.h"
#include "pca/exponents.h"
#include "pca/forms.h"

/* As in the kernels. */
enum {
    CPU_BLOCK = 64, /* pixels */
    CPU_OUTS = 4,   /* results in registers */
    ITEMS_A_CORE = 4,
    MOST_OUTS = 16, /* of a work-item of a GPU */
    EACH = 2,       /* its pixels */
    GROUP = 128,
    AHEAD = 8,
    LOCAL = 24 * 1024, /* bytes of the matrix in local memory at most */
    CENTRE = 16,       /* of an offset there */
    RANGE_GROUP = 256
};

typedef struct {
    penta_resources resources;
    pca_map_shape shape;
    bool cpu;
    size_t block_outs; /* results of a work-item */
    size_t items;      /* CPU */
    penta_kernel scale, project, range;
    pca_exponents exponents;
    penta_buffer given, before, after; /* doubles: outs x ins, ins, outs */
    penta_buffer matrix, scales;       /* pairs in blocks of results; outs ints */
    penta_buffer scratch;              /* CPU: pixels in pairs */
    penta_buffer extremes;             /* longs */
} pairs_state;

/* ---- set-up ---- */

static size_t blocks_of(const pairs_state *s)
{
    return penta_divide_up(s->shape.outs, s->block_outs);
}

/* Bands of the matrix in local memory at a time. */
static size_t bands_in_local(const pairs_state *s)
{
    size_t fit = LOCAL / (s->block_outs * 2 * sizeof(float) + CENTRE) / AHEAD * AHEAD;

    return penta_smaller(fit, penta_round_up(s->shape.ins, AHEAD));
}

static penta_status get_cpu_kernels(pairs_state *s, const char *pixels)
{
    penta_status status = PENTA_OK;
    char defines[96];

    snprintf(defines, sizeof defines, "-DPIXEL=%s -DKIND=%d", pixels, pca_cl_kind(s->shape.type));
    TRY(penta_kernels_get(&s->resources, "pca/project_pairs_cpu.cl", defines,
                          KERNELS({&s->scale, "pca_project_matrix"}, {&s->project, "pca_project_cpu"},
                                  {&s->range, "pca_project_cpu_widen"})));
cleanup:
    return status;
}

static penta_status get_gpu_kernels(pairs_state *s, const char *pixels)
{
    penta_status status = PENTA_OK;
    char defines[160];

    snprintf(defines, sizeof defines, "-DTYPE=%s -DKIND=%d -DOUTS=%zu -DBLOCK=%zu -DEACH=%d -DGROUP=%d", pixels,
             pca_cl_kind(s->shape.type), s->block_outs, bands_in_local(s), (int)EACH, (int)GROUP);
    TRY(penta_kernels_get(&s->resources, "pca/project_pairs.cl", defines,
                          KERNELS({&s->scale, "pca_project_matrix"}, {&s->project, "pca_project"})));
    snprintf(defines, sizeof defines, "-DREAL=long -DORDERS -DGROUP=%d", (int)RANGE_GROUP);
    TRY(penta_kernel_get(&s->resources, "pca/project_range.cl", "pca_project_range", defines, &s->range));
cleanup:
    return status;
}

static penta_status upload(pairs_state *s, const penta_affine *a)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_upload(&s->resources, a->matrix, a->outs * a->ins * sizeof *a->matrix, &s->given));
    TRY(penta_buffer_create(&s->resources, a->ins * sizeof *a->before, &s->before));
    TRY(penta_buffer_create(&s->resources, a->outs * sizeof *a->after, &s->after));
    if (a->before)
        TRY(penta_buffer_write(&s->before, 0, a->before, s->before.bytes));
    else
        TRY(penta_buffer_zero(&s->before, 0, s->before.bytes));
    if (a->after)
        TRY(penta_buffer_write(&s->after, 0, a->after, s->after.bytes));
    else
        TRY(penta_buffer_zero(&s->after, 0, s->after.bytes));
cleanup:
    return status;
}

static penta_status create_buffers(pairs_state *s)
{
    penta_status status = PENTA_OK;
    const pca_map_shape *p = &s->shape;
    size_t pair = 2 * sizeof(float), groups = s->cpu ? s->items : penta_divide_up(p->in_pitch, EACH * GROUP), bytes;

    TRY(penta_size(s->resources.ctx, blocks_of(s) * s->block_outs, p->ins, pair, &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->matrix));
    TRY(penta_buffer_create(&s->resources, p->outs * sizeof(int32_t), &s->scales));
    TRY(penta_size(s->resources.ctx, 2 * p->outs, groups, sizeof(int64_t), &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->extremes));
    if (s->cpu) {
        TRY(penta_size(s->resources.ctx, s->items * p->ins, CPU_BLOCK, pair, &bytes));
        TRY(penta_buffer_create(&s->resources, bytes, &s->scratch));
    }
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const pca_map_shape *shape, const penta_affine *affine, void **state)
{
    penta_status status = PENTA_OK;
    const char *pixels = pca_cl_type(ctx, shape->type);
    pairs_state *s = NULL;

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->cpu = penta_is_cpu(ctx);
    s->items =
        penta_smaller((size_t)penta_context_device(ctx)->compute_units * ITEMS_A_CORE, shape->in_pitch / CPU_BLOCK);
    s->block_outs = s->cpu ? CPU_OUTS : penta_divide_up(shape->outs, penta_divide_up(shape->outs, MOST_OUTS));
    if (s->cpu)
        TRY(get_cpu_kernels(s, pixels));
    else
        TRY(get_gpu_kernels(s, pixels));
    TRY(pca_exponents_create(&s->resources, shape->ins, shape->type, &s->exponents));
    TRY(upload(s, affine));
    TRY(create_buffers(s));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

/* ---- maps ---- */

static penta_status run_cpu(pairs_state *s, pca_slab *slab, penta_buffer *results, size_t first, penta_buffer *range)
{
    penta_status status = PENTA_OK;
    const pca_map_shape *p = &s->shape;
    long blocks = (long)(pca_padded(slab->pixels) / CPU_BLOCK);

    TRY(penta_launch(&s->project, penta_grid_groups(penta_grid_1d(s->items), 1, 1, 1),
                     ARGS(&slab->data, (long)slab->pitch, (int)p->ins, &slab->flags, slab->masked ? 1 : 0,
                          (long)slab->pixels, blocks, &s->matrix, &s->before, &s->after, &s->exponents.of_bands,
                          &s->scales, (int)p->outs, (long)first, (long)p->out_pitch, &s->scratch, results,
                          &s->extremes)));
    TRY(penta_launch(&s->range, penta_grid_groups(penta_grid_1d(p->outs), 1, 1, 1),
                     ARGS(&s->extremes, (int)s->items, range)));
cleanup:
    return status;
}

static penta_status run_gpu(pairs_state *s, pca_slab *slab, penta_buffer *results, size_t first, penta_buffer *range)
{
    penta_status status = PENTA_OK;
    const pca_map_shape *p = &s->shape;
    size_t groups = penta_divide_up(pca_padded(slab->pixels), EACH * GROUP);

    TRY(penta_launch(&s->project, penta_grid_groups(penta_grid_2d(groups * GROUP, blocks_of(s)), GROUP, 1, 1),
                     ARGS(&slab->data, (long)slab->pitch, (int)p->ins, (int)p->outs, (int)slab->pixels, &slab->flags,
                          slab->masked ? 1 : 0, &s->matrix, &s->before, &s->after, &s->exponents.of_bands, &s->scales,
                          (long)p->out_pitch, (long)first, results, &s->extremes)));
    TRY(penta_launch(&s->range, penta_grid_groups(penta_grid_1d(p->outs * RANGE_GROUP), RANGE_GROUP, 1, 1),
                     ARGS(&s->extremes, (int)groups, range)));
cleanup:
    return status;
}

static penta_status run(void *state, pca_slab *slab, penta_buffer *results, size_t first, penta_buffer *range)
{
    penta_status status = PENTA_OK;
    pairs_state *s = state;
    penta_grid outs = penta_grid_1d(blocks_of(s) * s->block_outs);

    TRY(pca_exponents_find(&s->exponents, slab, &s->before));
    TRY(penta_launch(
        &s->scale, s->cpu ? penta_grid_groups(outs, 1, 1, 1) : penta_grid_rows(outs),
        ARGS(&s->given, &s->exponents.of_bands, (int)s->shape.ins, (int)s->shape.outs, &s->matrix, &s->scales)));
    if (s->cpu)
        TRY(run_cpu(s, slab, results, first, range));
    else
        TRY(run_gpu(s, slab, results, first, range));
cleanup:
    return status;
}

const pca_project pca_project_pairs = {create, run};
