/*
 * Covariance on GPUs: which blocks of the lower triangle a work-group has, and how the pixels are split over the
 * device. Kernels: cl/pca/triangle.cl, triangle_mma.cl, triangle_few.cl, triangle_bytes.cl; without double precision
 * triangle_single.cl.
 */
#include <stdio.h>
#include <stdlib.h>

#include "math/sizes.h"
#include "pca/exponents.h"
#include "pca/forms.h"
#include "pca/triangle.h"

enum {
    SIDE = 32, /* bands of a tile */
    STEP = 64, /* pixels: a multiple of what the kernels take at a time */
    LINE = 16, /* pixels in local memory, of cl/pca/triangle.clh */
    BLOCK = SIDE * SIDE,
    ITEMS = 16,      /* work-items of a pair, without matrix units; twice as many where sums are pairs of floats */
    WARP = 32,       /* with them */
    MOST_PAIRS = 14, /* of a work-group: two of them, or more, share a compute unit and hide each other's waits */
    FEWER_PAIRS = 7, /* where a pair has twice the work-items */
    EACH = 2,        /* pairs of a warp, in double */
    MOST_FEW = 2,    /* tiles of cl/pca/triangle_few.cl */
    FEW_WARPS = 8,   /* of a work-group there */
    FEW_TILES = 8,   /* so many are taken row by row, more in squares of SQUARE x SQUARE tiles */
    SQUARE = 4,
    LOCAL = 48 * 1024,
    MOST_BYTES = 16384,          /* pixels of a slice of cl/pca/triangle_bytes.cl */
    MOST_UINT = 65536,           /* whose products of bytes a uint holds */
    MOST_FLOATS = 1024,          /* summed in floats, whose errors grow with the root; four times as many where */
    MOST_PAIRS_OF_FLOATS = 4096, /* in pairs of floats; the same */
    MANY_TILES = 32,             /* more tiles than these have slices of many megabytes */
    LEAST_SLICE = 256,           /* pixels: worth a work-group's start and its partial sums */
};

typedef struct {
    penta_resources resources;
    pca_shape shape;
    bool matrix; /* by matrix units */
    bool bytes;  /* by those for bytes */
    bool few;    /* by those for doubles, without local memory in between */
    bool single; /* without double precision */
    bool paired; /* by pairs of floats */
    size_t tiles, bundles, group;
    size_t each;              /* pairs of a warp */
    size_t teams;             /* of a work-group; few */
    size_t pairs, most_tiles; /* of a bundle */
    size_t slices;            /* at most */
    penta_kernel sum, add;
    penta_buffer table, partial, sums;
    pca_exponents exponents; /* single */
} triangle_state;

/* ---- bundles ---- */

/* Band tiles that fit into local memory. */
static size_t tiles_in_local(const triangle_state *s)
{
    size_t bytes = s->shape.real == PENTA_F32 ? 4 : 8;
    uint64_t local = penta_context_device(s->resources.ctx)->local_memory;

    return ((local < LOCAL ? (size_t)local : LOCAL) / (LINE * bytes) - 8) / SIDE;
}

typedef struct {
    int *table;                                              /* NULL: only count */
    size_t pairs, tiles;                                     /* of a bundle, at most */
    size_t bundles, used_pairs, used_tiles, longest, widest; /* so far; of the last one; of any */
    int in[PCA_TRIANGLE_TILES];
} bundler;

static size_t place_of(bundler *b, int tile)
{
    size_t at = 0;

    while (at < b->used_tiles && b->in[at] != tile)
        at++;
    if (at == b->used_tiles)
        b->in[b->used_tiles++] = tile;
    return at;
}

static bool has(const bundler *b, int tile)
{
    for (size_t at = 0; at < b->used_tiles; at++)
        if (b->in[at] == tile)
            return true;
    return false;
}

static void put_pair(bundler *b, int i, int j)
{
    size_t more = (has(b, i) ? 0U : 1U) + (i != j && !has(b, j) ? 1U : 0U), first, second;

    if (b->bundles == 0 || b->used_pairs == b->pairs || b->used_tiles + more > b->tiles) {
        b->bundles++;
        b->used_pairs = b->used_tiles = 0;
    }
    first = place_of(b, i);
    second = place_of(b, j);
    if (b->table) {
        int *bundle = b->table + (b->bundles - 1) * (b->tiles + 2 * b->pairs);

        bundle[first] = i;
        bundle[second] = j;
        bundle[b->tiles + 2 * b->used_pairs] = (int)first;
        bundle[b->tiles + 2 * b->used_pairs + 1] = (int)second;
    }
    b->used_pairs++;
    b->longest = b->used_pairs > b->longest ? b->used_pairs : b->longest;
    b->widest = b->used_tiles > b->widest ? b->used_tiles : b->widest;
}

/* All pairs, in squares of `square` tiles. */
static void put_pairs(bundler *b, int tiles, int square)
{
    for (int rows = 0; rows < tiles; rows += square)
        for (int columns = 0; columns <= rows; columns += square)
            for (int i = rows; i < rows + square && i < tiles; i++)
                for (int j = columns; j < columns + square && j <= i; j++)
                    put_pair(b, i, j);
}

/* The fewest bundles that work-groups allow, then as few pairs in each as that takes. */
static penta_status make_table(triangle_state *s, size_t most, int **table)
{
    penta_status status = PENTA_OK;
    int square = s->tiles <= FEW_TILES ? (int)s->tiles : SQUARE;
    size_t entries;
    bundler count = {.pairs = most, .tiles = tiles_in_local(s)}, fill;

    put_pairs(&count, (int)s->tiles, square);
    s->bundles = count.bundles;
    do {
        s->pairs = count.longest;
        s->most_tiles = count.widest;
        count = (bundler){.pairs = s->pairs - 1, .tiles = s->most_tiles};
        if (count.pairs > 0)
            put_pairs(&count, (int)s->tiles, square);
    } while (count.pairs > 0 && count.bundles == s->bundles);
    entries = s->bundles * (s->most_tiles + 2 * s->pairs);
    TRY(penta_calloc(s->resources.ctx, entries, sizeof **table, table));
    for (size_t i = 0; i < entries; i++)
        (*table)[i] = -1;
    fill = (bundler){.table = *table, .pairs = s->pairs, .tiles = s->most_tiles};
    put_pairs(&fill, (int)s->tiles, square);
cleanup:
    return status;
}

/* ---- set-up ---- */

static const char *file_of(const triangle_state *s)
{
    return s->bytes    ? "pca/triangle_bytes.cl"
           : s->few    ? "pca/triangle_few.cl"
           : s->matrix ? "pca/triangle_mma.cl"
           : s->single ? "pca/triangle_single.cl"
                       : "pca/triangle.cl";
}

/* What local memory holds. */
static const char *real_of(const triangle_state *s)
{
    bool exact = pca_is_exact(s->shape.type);

    return s->single ? (exact ? "int" : "float") : s->shape.real == PENTA_F32 ? "float" : "double";
}

/* Arithmetic of cl/pca/triangle_single.clh. */
static const char *single_defines(const triangle_state *s)
{
    if (!s->single)
        return "";
    if (s->paired)
        return s->shape.type == PENTA_F32   ? "-DKIND=2 -DPAIRED"
               : s->shape.type == PENTA_F64 ? "-DKIND=3 -DPAIRED"
                                            : "-DKIND=1 -DPAIRED";
    if (pca_is_exact(s->shape.type))
        return s->shape.type == PENTA_U8 ? "-DKIND=0 -DINTEGERS -DSUM=uint" : "-DKIND=0 -DINTEGERS -DSUM=long";
    return s->shape.type == PENTA_F32 ? "-DKIND=2 -DSINGLES" : "-DKIND=3 -DSINGLES";
}

/* Work-items of a pair. */
static size_t items_of(const triangle_state *s)
{
    return s->matrix ? WARP : s->paired ? 2 * ITEMS : ITEMS;
}

static penta_status get_kernels(triangle_state *s, const char *more)
{
    penta_status status = PENTA_OK;
    const char *type = pca_cl_type(s->resources.ctx, s->shape.type), *real = real_of(s);
    char defines[512];

    snprintf(
        defines, sizeof defines,
        "-DTYPE=%s -DTYPE2=%s2 -DTYPE4=%s4 -DREAL=%s -DREAL4=%s4 -DCONVERT_REAL4=convert_%s4 -DGROUP=%zu -DPAIRS=%zu "
        "-DTILES=%zu -DITEMS=%zu -DSIZE=%zu -DBIAS=%d -DEACH=%zu -DTEAMS=%zu %s %s",
        type, type, type, real, real, real, s->group, s->pairs, s->most_tiles, items_of(s),
        penta_type_size(s->shape.type), s->shape.type == PENTA_I16 ? 32768 : 0, s->each, s->teams, single_defines(s),
        more ? more : "");
    TRY(penta_kernel_get(&s->resources, file_of(s), "pca_triangle", defines, &s->sum));
    TRY(penta_kernel_get(&s->resources, s->single ? file_of(s) : "pca/triangle.cl", "pca_triangle_add", defines,
                         &s->add));
cleanup:
    return status;
}

/* Slices: a work-group, or a few small ones, for each compute unit, and whole rounds of them. */
static size_t choose_slices(const triangle_state *s)
{
    size_t units = penta_split_units(s->resources.ctx), each = s->few ? 1 : s->group > 256 ? 1 : 512 / s->group;
    size_t slices = units * each / s->bundles, most = penta_divide_up(s->shape.pitch, LEAST_SLICE);

    slices = slices < 1 ? 1 : slices;
    return slices < most ? slices : most;
}

static void choose_group(triangle_state *s, const pca_triangle_form *form)
{
    size_t warps = penta_divide_up(s->pairs, s->each);

    s->few = !form->no_few && s->matrix && !s->bytes && s->tiles <= MOST_FEW && s->bundles == 1;
    s->teams = !s->few ? 1 : form->teams ? form->teams : FEW_WARPS / s->tiles;
    s->group = s->few ? s->teams * s->tiles * WARP : penta_divide_up(warps * items_of(s), WARP) * WARP;
}

/* Pixels of a slice that sums bear; 0: any. */
static size_t most_pixels(const triangle_state *s)
{
    size_t more = s->tiles > MANY_TILES ? 4 : 1;

    if (s->bytes)
        return MOST_BYTES;
    if (s->shape.real == PENTA_F32)
        return more * MOST_FLOATS;
    if (!s->single)
        return 0;
    if (pca_is_exact(s->shape.type))
        return s->shape.type == PENTA_U8 ? MOST_UINT : 0;
    return more * MOST_PAIRS_OF_FLOATS;
}

/* As many times the slices that were chosen as it takes for sums to bear them: whole rounds stay so. */
static size_t enough_slices(const triangle_state *s, size_t chosen)
{
    size_t most = most_pixels(s), needed = most > 0 ? penta_divide_up(s->shape.pitch, most - STEP) : 1;

    return chosen * penta_divide_up(needed, chosen);
}

static penta_status create_buffers(triangle_state *s, const int *table)
{
    penta_status status = PENTA_OK;
    size_t real = penta_type_size(s->shape.real), bytes, entries = s->bundles * (s->most_tiles + 2 * s->pairs);

    TRY(penta_buffer_upload(&s->resources, table, entries * sizeof *table, &s->table));
    TRY(penta_size(s->resources.ctx, s->slices * s->bundles * s->pairs, BLOCK, real, &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->partial));
    TRY(penta_buffer_create(&s->resources, s->slices * s->tiles * SIDE * (s->single ? sizeof(double) : real),
                            &s->sums));
    if (s->single)
        TRY(pca_exponents_create(&s->resources, s->shape.bands, s->shape.type, &s->exponents));
cleanup:
    return status;
}

penta_status pca_triangle_create(penta_context *ctx, const pca_shape *shape, const pca_triangle_form *form,
                                 void **state)
{
    penta_status status = PENTA_OK;
    triangle_state *s = NULL;
    int *table = NULL;

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->single = !penta_context_device(ctx)->fp64;
    s->bytes = pca_is_exact(shape->type) && pca_has_byte_units(ctx) && !form->plain && !form->no_bytes && !s->single;
    s->matrix = s->bytes || (!s->single && shape->real == PENTA_F64 && pca_has_matrix_units(ctx) && !form->plain);
    s->paired = s->single && !pca_is_exact(shape->type) && shape->real == PENTA_F64;
    s->tiles = penta_divide_up(shape->bands, SIDE);
    TRY(make_table(s, form->pairs ? form->pairs : s->bytes || s->paired ? FEWER_PAIRS : MOST_PAIRS, &table));
    s->each = !s->matrix || s->bytes || s->pairs == 1 ? 1 : form->each ? form->each : EACH;
    choose_group(s, form);
    s->slices = enough_slices(s, form->slices ? form->slices : choose_slices(s));
    TRY(get_kernels(s, form->defines));
    TRY(create_buffers(s, table));
    *state = s;
    s = NULL;
cleanup:
    free(table);
    penta_plan_free(s);
    return status;
}

static penta_status create(penta_context *ctx, const pca_shape *shape, int cov, void **state)
{
    const pca_triangle_form form = {0};

    (void)cov;
    return pca_triangle_create(ctx, shape, &form, state);
}

/* ---- sums ---- */

static penta_status run_single(triangle_state *s, pca_slab *slab, size_t slice, penta_buffer *gram, penta_buffer *sums)
{
    penta_status status = PENTA_OK;
    size_t pixels = pca_padded(slab->pixels), slices = penta_divide_up(pixels, slice);
    int bands = (int)s->shape.bands;
    penta_buffer *exponents = &s->exponents.of_bands;

    TRY(pca_exponents_find(&s->exponents, slab, &slab->shift));
    TRY(penta_launch(&s->sum, penta_grid_groups(penta_grid_2d(s->bundles * s->group, slices), s->group, 1, 1),
                     ARGS(&slab->data, (long)slab->pitch, bands, (int)pixels, (int)slice, &slab->shift, exponents,
                          &s->table, &s->partial, &s->sums)));
    TRY(penta_launch(
        &s->add, penta_grid_groups(penta_grid_2d(BLOCK, s->bundles * s->pairs + 1), 256, 1, 1),
        ARGS(&s->partial, &s->sums, exponents, &s->table, (int)slices, (int)s->bundles, bands, gram, sums)));
cleanup:
    return status;
}

static penta_status run(void *state, pca_slab *slab, penta_buffer *gram, penta_buffer *sums)
{
    penta_status status = PENTA_OK;
    triangle_state *s = state;
    size_t pixels = pca_padded(slab->pixels), slice = penta_divide_up(penta_divide_up(pixels, s->slices), STEP) * STEP;
    size_t slices = penta_divide_up(pixels, slice);
    int bands = (int)s->shape.bands;

    if (s->single)
        return run_single(s, slab, slice, gram, sums);
    TRY(penta_launch(&s->sum, penta_grid_groups(penta_grid_2d(s->bundles * s->group, slices), s->group, 1, 1),
                     ARGS(&slab->data, (long)slab->pitch, bands, (int)pixels, (int)slice, &slab->shift, &s->table,
                          &s->partial, &s->sums)));
    TRY(penta_launch(&s->add, penta_grid_groups(penta_grid_2d(BLOCK, s->bundles * s->pairs + 1), 256, 1, 1),
                     ARGS(&s->partial, &s->sums, &s->table, (int)slices, (int)s->bundles, bands, gram, sums)));
cleanup:
    return status;
}

const pca_engine pca_triangle = {create, run};
