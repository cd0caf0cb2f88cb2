/*
 * The tile engine, GPU form. Kernels: cl/stars/tile.cl.
 *
 * Few stars: every tile looks at all of them. Many: they are sorted by place first (tile_bins.c), and a tile looks at
 * the bins around it. Tiles that would still have to look at too many are drawn in pieces by several work-groups; which
 * tiles these are is found on the device, and the host does not learn it.
 */
#include <stdio.h>

#include "math/sizes.h"
#include "stars/sums.h"
#include "stars/tile.h"
#include "stars/tile_slots.h"

enum {
    TILE = 64, /* px; of a small device SMALL_TILE */
    SMALL_TILE = 32,
    NEEDED_LOCAL = 48 * 1024, /* bytes, for a TILE */
    NEEDED_ITEMS = STARS_SORT_ITEMS * TILE,
    MOST_LOOKS = 1 << 22, /* stars times tiles, and stars: below that, sorting costs more than it saves */
    MOST_UNSORTED = 1 << 14,
    LEAST_PIECE = 8192, /* stars that a work-group looks at before a tile is drawn in pieces */
    MOST_PIECES = 4096,
    MOST_GROUPS = 1024, /* that draw pieces; of these tiles at once are finished */
    MOST_FINISHED = 128,
    FINISH_GROUP = 256
};

typedef struct {
    penta_resources *owner;
    stars_shape shape;
    int tile; /* px */
    penta_kernel draw, hot, finish;
    stars_tile_slots slots;
    bool sorts; /* a full batch needs sorting; else what follows is unused */
    stars_bins bins;
    size_t pieces;
    penta_buffer noted;   /* tiles drawn in pieces */
    penta_buffer partial; /* tile x tile doubles a piece */
    bool fresh;           /* the image holds nothing yet */
} tile_state;

/* ---- set-up ---- */

static size_t tiles_of(const tile_state *s, size_t rows)
{
    size_t tile = (size_t)s->tile;

    return (s->shape.width + tile - 1) / tile * ((rows + tile - 1) / tile);
}

static bool needs_sorting(const tile_state *s, size_t n, size_t rows)
{
    return n > MOST_UNSORTED || n * tiles_of(s, rows) > MOST_LOOKS;
}

/* With 64 registers a work-item two work-groups fit on a multiprocessor of NVIDIA's; unasked it takes 72. */
static penta_status get_kernels(tile_state *s, char *defines, size_t size)
{
    bool few_registers = penta_is_nvidia(s->owner->ctx) && s->shape.psf->separable && !s->shape.moving;
    char psf[128];

    stars_psf_defines(s->shape.psf, s->shape.moving, s->shape.dbl, psf, sizeof psf);
    snprintf(defines, size, "%s -DTILE=%d%s", psf, s->tile, few_registers ? " -cl-nv-maxrregcount=64" : "");
    return penta_kernels_get(
        s->owner, "stars/tile.cl", defines,
        KERNELS({&s->draw, "stars_tile_draw"}, {&s->hot, "stars_tile_hot"}, {&s->finish, "stars_tile_finish"}));
}

/* Tiles that may have to look at one star, for bins of 2^shift pixels. */
static size_t looks_at_star(const tile_state *s, int shift)
{
    size_t along = ((size_t)1 << shift) / (size_t)s->tile + TILE / (size_t)s->tile;

    return along * along;
}

/* Stars of a piece for n stars: so many that there cannot be more than `pieces` of them. A tile of c > piece stars
 * makes at most c / piece + 1 < 2 c / piece, and the sum of all c is at most n looks. */
static size_t piece_of(const tile_state *s, size_t n, int shift)
{
    size_t piece = 2 * n * looks_at_star(s, shift) / s->pieces + 1;

    return piece < LEAST_PIECE ? LEAST_PIECE : piece;
}

static bool is_small(const penta_context *ctx)
{
    return penta_context_device(ctx)->local_memory < NEEDED_LOCAL || penta_largest_group(ctx) < NEEDED_ITEMS;
}

static penta_status create_sorting(tile_state *s, const char *defines)
{
    penta_status status = PENTA_OK;
    size_t tile = (size_t)s->tile;

    TRY(stars_bins_create(s->owner, &s->shape, s->tile, defines, &s->bins));
    s->pieces = 2 * s->shape.batch * looks_at_star(s, s->bins.many_shift) / LEAST_PIECE + 1;
    s->pieces = s->pieces > MOST_PIECES ? MOST_PIECES : s->pieces;
    TRY(penta_buffer_create(s->owner, (2 + 3 * s->pieces) * sizeof(uint32_t), &s->noted));
    TRY(penta_buffer_create(s->owner, s->pieces * tile * tile * sizeof(double), &s->partial));
cleanup:
    return status;
}

static penta_status create(penta_resources *owner, const stars_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    char defines[192], psf[128];
    tile_state *s;

    TRY(penta_calloc(owner, 1, sizeof *s, state));
    s = *state;
    s->owner = owner;
    s->shape = *shape;
    s->tile = is_small(owner->ctx) ? SMALL_TILE : TILE;
    TRY(get_kernels(s, defines, sizeof defines));
    stars_psf_defines(shape->psf, shape->moving, shape->dbl, psf, sizeof psf);
    TRY(stars_tile_slots_create(owner, shape, psf, &s->slots));
    s->sorts = needs_sorting(s, shape->batch, shape->rows);
    if (s->sorts)
        TRY(create_sorting(s, defines));
    else
        TRY(penta_buffer_create(owner, 0, &s->noted));
cleanup:
    return status;
}

/* ---- drawing ---- */

static penta_status begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    tile_state *s = state;

    (void)image;
    (void)rows;
    (void)weights;
    s->fresh = true;
    return stars_tile_slots_begin(&s->slots);
}

void stars_tile_resume(void *state)
{
    tile_state *s = state;

    s->fresh = false;
}

static penta_grid groups_of(const tile_state *s, size_t groups)
{
    size_t size = (size_t)(s->tile * s->tile / STARS_TILE_PIXELS);

    return penta_grid_groups(penta_grid_1d(groups * size), size, 1, 1);
}

/* The tiles that stars_tile_draw noted. */
static penta_status draw_pieces(tile_state *s, penta_buffer *image, size_t slab_rows, const stars_lists *l, int piece)
{
    penta_status status = PENTA_OK;
    penta_grid pixels = penta_grid_1d(penta_smaller(s->pieces / 2, MOST_FINISHED) * (size_t)(s->tile * s->tile));
    int width = (int)s->shape.width, rows = (int)slab_rows;

    TRY(penta_launch(&s->hot, groups_of(s, penta_smaller(s->pieces, MOST_GROUPS)),
                     ARGS(l->stars, l->cells, l->motion_x, l->motion_y, s->shape.numbers, s->shape.samples,
                          s->shape.psf->roi, l->table, l->lists, l->bin_shift, width, rows, piece, &s->noted,
                          &s->partial)));
    TRY(penta_launch(&s->finish, penta_grid_groups(pixels, FINISH_GROUP, 1, 1),
                     ARGS(&s->noted, &s->partial, width, rows, s->fresh ? 1 : 0, image)));
cleanup:
    return status;
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    penta_status status = PENTA_OK;
    tile_state *s = state;
    size_t tiles = tiles_of(s, rows), n = batch->n;
    stars_lists l = {batch->stars, batch->cells, batch->motion_x, batch->motion_y, batch->cells, 0, 0};
    bool sort = needs_sorting(s, n, rows), done = false;

    if (batch->slots)
        TRY(stars_tile_slots_draw(&s->slots, image, rows, batch, s->fresh, &done));
    if (done) {
        s->fresh = false;
        return PENTA_OK;
    }
    if (sort)
        TRY(stars_bins_sort(&s->bins, batch, rows, &s->noted, &l));
    if (sort)
        n = piece_of(s, n, l.bin_shift);
    TRY(penta_launch(&s->draw, groups_of(s, tiles),
                     ARGS(l.stars, l.cells, l.motion_x, l.motion_y, s->shape.numbers, s->shape.samples,
                          s->shape.psf->roi, l.table, l.lists, l.bin_shift, (int)s->shape.width, (int)rows, (int)n,
                          s->fresh ? 1 : 0, &s->noted, image)));
    if (sort)
        TRY(draw_pieces(s, image, rows, &l, (int)n));
    s->fresh = false;
cleanup:
    return status;
}

static penta_status end(void *state, penta_buffer *image, size_t rows)
{
    tile_state *s = state;

    return s->fresh ? stars_zero_image(&s->shape, image, rows) : PENTA_OK;
}

static const stars_slots *slots(void *state, size_t n)
{
    tile_state *s = state;

    return stars_tile_slots_for(&s->slots, n);
}

const stars_engine stars_tile = {
    .create = create, .begin = begin, .draw = draw, .end = end, .slots = slots, .few = &stars_few};
