/*
 * Affine maps of pixels on GPUs: few results by one work-item each pixel (cl/pca/project_few.cl), many as
 * blocks of a matrix product (project_tiles.cl, project_mma.cl).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/sizes.h"
#include "pca/forms.h"
#include "pca/project_gpu.h"

enum {
    FEW = 16, /* results */
    FEW_GROUP = 128,
    OFFSET = 16,           /* bytes of a band's offset in local memory, at most */
    FEW_LOCAL = 24 * 1024, /* bytes of the matrix in local memory at most: several work-groups share a multiprocessor */
    FEW_AHEAD = 8,         /* of cl/pca/project_few.cl */
    SIDE = 32,             /* results and pixels of a block */
    STEP = 16,             /* bands; of cl/pca/project_tiles.clh */
    DEPTH = 8,             /* of cl/pca/project_mma.cl */
    ITEMS = 16,            /* work-items of a block, without matrix units */
    WARP = 32,
    MOST_BLOCKS = 16, /* of a work-group */
    MOST_OUT_TILES = 4,
    MOST_PIXEL_TILES = 8, /* a power of two: PCA_UNIT is whole blocks of pixels */
    COLUMN = 8,           /* results, with matrix units: a warp has SIDE pixels and */
    MOST_COLUMNS = 7,     /* so many columns, for its registers; */
    WARPS = 2,            /* a work-group has so many warps along the results, and along the pixels */
    RANGE_GROUP = 256
};

typedef struct {
    penta_resources resources;
    pca_map_shape shape;
    bool few, matrix_units;
    size_t out_tiles, pixel_tiles, group; /* of a work-group */
    size_t outs;                          /* of a work-group, form for many */
    size_t columns;                       /* of a warp, with matrix units */
    size_t parts;  /* numbers for one of the matrix: 2 for its halves, in float by matrix units */
    size_t pixels; /* of a work-group */
    size_t each;   /* numbers of 16 bytes */
    penta_kernel project, range;
    penta_buffer matrix, before, after, partial;
} project_state;

/* ---- the form ---- */

/* Bytes of local memory of cl/pca/project_tiles.cl. */
static size_t local_of_blocks(const project_state *s)
{
    size_t outs = s->out_tiles * SIDE, tile = STEP * (s->pixel_tiles * SIDE + 4 + outs);

    return penta_larger(tile, outs * s->pixel_tiles * 4) * penta_type_size(s->shape.real);
}

static void choose_blocks(project_state *s, const pca_project_form *form)
{
    size_t tiles = penta_divide_up(s->shape.outs, SIDE), most = form->blocks ? form->blocks : MOST_BLOCKS;
    uint64_t local = penta_context_device(s->resources.ctx)->local_memory;

    s->out_tiles = penta_divide_up(tiles, penta_divide_up(tiles, form->out_tiles ? form->out_tiles : MOST_OUT_TILES));
    s->pixel_tiles = MOST_PIXEL_TILES;
    while (s->pixel_tiles > 1 && (s->pixel_tiles * s->out_tiles > most || local_of_blocks(s) > local))
        s->pixel_tiles /= 2;
    s->outs = s->out_tiles * SIDE;
    s->group = penta_divide_up(s->out_tiles * s->pixel_tiles * ITEMS, WARP) * WARP;
}

/* Columns of results, spread evenly over work-groups and their warps. */
static void choose_warps(project_state *s, const pca_project_form *form)
{
    size_t columns = penta_divide_up(s->shape.outs, COLUMN), out_tiles = form->out_tiles ? form->out_tiles : WARPS;

    columns = penta_divide_up(columns, penta_divide_up(columns, out_tiles * MOST_COLUMNS));
    s->out_tiles = penta_divide_up(columns, MOST_COLUMNS);
    s->columns = penta_divide_up(columns, s->out_tiles);
    s->pixel_tiles = form->blocks ? form->blocks : WARPS;
    s->outs = s->out_tiles * s->columns * COLUMN;
    s->group = s->out_tiles * s->pixel_tiles * WARP;
}

static void choose_form(project_state *s, const pca_project_form *form)
{
    s->each = 16 / penta_type_size(s->shape.real);
    s->few = s->shape.outs <= FEW && !form->many;
    s->matrix_units = !s->few && pca_has_matrix_units(s->resources.ctx) && !form->plain;
    s->parts = s->matrix_units && s->shape.real == PENTA_F32 ? 2 : 1;
    if (s->few) {
        s->group = FEW_GROUP;
        s->pixels = s->each * s->group;
        return;
    }
    if (s->matrix_units)
        choose_warps(s, form);
    else
        choose_blocks(s, form);
    s->pixels = s->pixel_tiles * SIDE;
}

/* Bands of the matrix in local memory at a time: all, or what fits. */
static size_t few_bands(const project_state *s)
{
    size_t offset = penta_context_device(s->resources.ctx)->fp64 ? sizeof(double) : OFFSET;
    size_t band = s->shape.outs * penta_type_size(s->shape.real) + offset, all = s->shape.ins;

    all = penta_divide_up(all, penta_divide_up(all * band, FEW_LOCAL));
    return penta_divide_up(all, FEW_AHEAD) * FEW_AHEAD;
}

static penta_status get_kernels(project_state *s, const char *more)
{
    penta_status status = PENTA_OK;
    const char *type = pca_cl_type(s->resources.ctx, s->shape.type),
               *real = pca_cl_type(s->resources.ctx, s->shape.real);
    char defines[320], form[96];

    if (s->few)
        snprintf(form, sizeof form, "-DOUTS=%zu -DBLOCK=%zu", s->shape.outs, few_bands(s));
    else
        snprintf(form, sizeof form, "-DOUT_TILES=%zu -DPIXEL_TILES=%zu -DNS=%zu%s", s->out_tiles, s->pixel_tiles,
                 s->columns,
                 !s->matrix_units ? ""
                 : s->parts == 2  ? " -DPARTS=2"
                                  : " -DPARTS=1");
    snprintf(defines, sizeof defines, "-DTYPE=%s -DREAL=%s -DKIND=%d -DEACH=%zu -DGROUP=%zu %s %s", type, real,
             pca_cl_kind(s->shape.type), s->each, s->group, form, more ? more : "");
    TRY(penta_kernel_get(&s->resources,
                         s->few            ? "pca/project_few.cl"
                         : s->matrix_units ? "pca/project_mma.cl"
                                           : "pca/project_tiles.cl",
                         "pca_project", defines, &s->project));
    snprintf(defines, sizeof defines, "-DREAL=%s -DGROUP=%d", real, RANGE_GROUP);
    TRY(penta_kernel_get(&s->resources, "pca/project_range.cl", "pca_project_range", defines, &s->range));
cleanup:
    return status;
}

/* ---- the matrix as the kernels want it ---- */

/* The place of matrix[out][in], or of its upper half. */
static size_t place_of(const project_state *s, size_t out, size_t in)
{
    size_t outs = s->outs, steps = penta_divide_up(s->shape.ins, STEP), k = in % STEP, step;

    if (s->few)
        return in * s->shape.outs + out;
    step = (out / outs * steps + in / STEP) * STEP * outs;
    if (!s->matrix_units)
        return step + k * outs + out % outs;
    return s->parts * (step + (k / DEPTH * outs + out % outs) * DEPTH + k % DEPTH / 2 * 2) + k % 2;
}

/* Rounded to 11 bits: what cl/pca/mma_halves.clh takes. */
static float half_of(double v)
{
    float rounded = (float)v;
    uint32_t bits;

    memcpy(&bits, &rounded, sizeof bits);
    bits = (bits + 0x1000) & 0xFFFFE000;
    memcpy(&rounded, &bits, sizeof bits);
    return rounded;
}

static penta_status write_matrix(project_state *s, const penta_affine *affine)
{
    penta_status status = PENTA_OK;
    size_t outs = s->few ? s->shape.outs : penta_divide_up(s->shape.outs, s->outs) * s->outs;
    size_t count = outs * penta_divide_up(s->shape.ins, STEP) * STEP * s->parts;
    size_t size = penta_type_size(s->shape.real);
    char *numbers = NULL;

    TRY(penta_calloc(s->resources.ctx, count, size, &numbers));
    for (size_t o = 0; o < s->shape.outs; o++)
        for (size_t i = 0; i < s->shape.ins; i++) {
            double v = affine->matrix[o * s->shape.ins + i];
            float *floats = (float *)(void *)numbers + place_of(s, o, i);

            if (s->shape.real == PENTA_F64) {
                ((double *)(void *)numbers)[place_of(s, o, i)] = v;
            } else if (s->parts == 1) {
                *floats = (float)v;
            } else {
                floats[0] = half_of(v);
                floats[2] = half_of(v - (double)floats[0]);
            }
        }
    TRY(penta_buffer_upload(&s->resources, numbers, count * size, &s->matrix));
cleanup:
    free(numbers);
    return status;
}

static penta_status write_offsets(penta_resources *owner, size_t count, const double *offsets, penta_buffer *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_create(owner, count * sizeof *offsets, out));
    if (offsets)
        TRY(penta_buffer_write(out, 0, offsets, count * sizeof *offsets));
    else
        TRY(penta_buffer_zero(out, 0, count * sizeof *offsets));
cleanup:
    return status;
}

penta_status pca_project_gpu_create(penta_context *ctx, const pca_map_shape *shape, const penta_affine *affine,
                                    const pca_project_form *form, void **state)
{
    penta_status status = PENTA_OK;
    project_state *s = NULL;
    size_t bytes;

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    choose_form(s, form);
    TRY(get_kernels(s, form->defines));
    TRY(write_matrix(s, affine));
    TRY(write_offsets(&s->resources, shape->ins, affine->before, &s->before));
    TRY(write_offsets(&s->resources, shape->outs, affine->after, &s->after));
    TRY(penta_size(ctx, 2 * shape->outs, penta_divide_up(shape->in_pitch, s->pixels), penta_type_size(shape->real),
                   &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->partial));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static penta_status create(penta_context *ctx, const pca_map_shape *shape, const penta_affine *affine, void **state)
{
    const pca_project_form form = {0};

    return pca_project_gpu_create(ctx, shape, affine, &form, state);
}

/* ---- maps ---- */

static penta_status run(void *state, pca_slab *slab, penta_buffer *results, size_t first, penta_buffer *range)
{
    penta_status status = PENTA_OK;
    project_state *s = state;
    size_t padded = pca_padded(slab->pixels), groups = penta_divide_up(padded, s->pixels);
    size_t rows = s->few ? 1 : penta_divide_up(s->shape.outs, s->outs);

    TRY(penta_launch(&s->project, penta_grid_groups(penta_grid_2d(groups * s->group, rows), s->group, 1, 1),
                     ARGS(&slab->data, (long)slab->pitch, (int)s->shape.ins, (int)s->shape.outs, (int)slab->pixels,
                          &slab->flags, slab->masked ? 1 : 0, &s->matrix, &s->before, &s->after,
                          (long)s->shape.out_pitch, (long)first, results, &s->partial)));
    TRY(penta_launch(&s->range, penta_grid_groups(penta_grid_1d(s->shape.outs * RANGE_GROUP), RANGE_GROUP, 1, 1),
                     ARGS(&s->partial, (int)groups, range)));
cleanup:
    return status;
}

const pca_project pca_project_gpu = {create, run};
