/* Tiles of sums on CPU devices. */
#include "stars/tiles_cpu.h"
#include "math/sizes.h"

#include <stdio.h>

enum {
    LANES = 8,             /* sums of a vector */
    COUNT_LANES = 16,      /* counts of a vector */
    MOST_SLICES = 64,      /* of the list, while it is sorted */
    LEAST_SLICE = 4096,    /* stars */
    MOST_CHUNKS = 1024,    /* work-items that draw, but for hot tiles */
    LEAST_CHUNK = 512,     /* stars */
    MOST_PIECES = 128,     /* of all hot tiles */
    LEAST_HOT = 4096,      /* stars of a tile that are worth another set of sums */
    GROUP_BYTES = 12 << 20 /* of the sums of a group of tiles: what caches hold */
};

/* ---- shape ---- */

static size_t vectors(const stars_shape *shape)
{
    return penta_divide_up((size_t)shape->psf->roi, LANES);
}

/*
 * Side of the tiles along an axis of `length` pixels: about 96, or 128 for large ROIs, whose rims would be most of a
 * tile; whole vectors. It must not be below ROI - 1, so that at most two tiles along the axis reach a pixel, nor above
 * MOST_WIDTH of cl/stars/tile_cpu.cl.
 */
static size_t tile_side(size_t length, size_t roi)
{
    size_t places = length + roi - 1, target = roi > 32 ? 128 : 96, tiles = penta_larger(places / target, 1);

    return penta_divide_up(penta_divide_up(places, tiles), LANES) * LANES;
}

static uint32_t inverse(size_t divisor)
{
    return (uint32_t)((UINT64_C(1) << 32) / divisor + 1);
}

/* Rows of tiles of a slab. */
static size_t tile_rows(const stars_tiles *t, size_t rows)
{
    return penta_divide_up(rows + (size_t)t->shape.psf->roi - 1, (size_t)t->tiling.height);
}

static size_t slot_bytes(const stars_tiles *t)
{
    return (size_t)t->tiling.stride * (size_t)t->tiling.rows * sizeof(double);
}

static void set_tiling(stars_tiles *t)
{
    size_t roi = (size_t)t->shape.psf->roi, width = tile_side(t->shape.width, roi);
    size_t height = tile_side(t->shape.rows, roi), stride = width + vectors(&t->shape) * LANES;
    size_t chunk = penta_larger(t->shape.batch / MOST_CHUNKS, LEAST_CHUNK);
    size_t hot = penta_divide_up(penta_larger(t->shape.batch / MOST_PIECES, LEAST_HOT), chunk) * chunk;

    stride += stride % 32 == 0 ? LANES : 0; /* rows that lie a power of two apart share few places in caches */
    t->tiling = (stars_tiling){.tiles_x = (int32_t)penta_divide_up(t->shape.width + roi - 1, width),
                               .width = (int32_t)width,
                               .height = (int32_t)height,
                               .stride = (int32_t)stride,
                               .rows = (int32_t)(height + roi - 1),
                               .inverse_width = inverse(width),
                               .inverse_height = inverse(height),
                               .chunk = (int32_t)chunk,
                               .hot = (int32_t)hot};
    t->numbers = (size_t)t->tiling.tiles_x * tile_rows(t, t->shape.rows);
    t->numbers = penta_divide_up(t->numbers, COUNT_LANES) * COUNT_LANES;
    t->group = penta_larger(GROUP_BYTES / ((size_t)t->tiling.tiles_x * slot_bytes(t)), 1);
}

/* Stars of a slice: not fewer than there are counts. */
static size_t slice_of(const stars_tiles *t, size_t n)
{
    return penta_larger(penta_larger(t->numbers, LEAST_SLICE), penta_divide_up(n, MOST_SLICES));
}

/* ---- set-up ---- */

void stars_rows_defines(const stars_shape *shape, bool fixed, char *text, size_t size)
{
    char defines[128];

    stars_psf_defines(shape->psf, shape->moving, shape->dbl, defines, sizeof defines);
    snprintf(text, size, "%s -DPENTA_VECTORS=%zu%s", defines, vectors(shape), fixed ? " -DPENTA_FIXED" : "");
}

static penta_status get_kernels(penta_resources *owner, stars_tiles *t, bool fixed)
{
    penta_status status = PENTA_OK;
    char defines[192];

    stars_psf_defines(t->shape.psf, t->shape.moving, t->shape.dbl, defines, sizeof defines);
    TRY(penta_kernels_get(
        owner, "stars/sort_cpu.cl", defines,
        KERNELS({&t->count, "stars_sort_count"}, {&t->places, "stars_sort_places"}, {&t->move, "stars_sort_move"})));
    stars_rows_defines(&t->shape, fixed, defines, sizeof defines);
    TRY(penta_kernels_get(owner, "stars/tile_cpu.cl", defines,
                          KERNELS({&t->draw, "stars_tile_draw"}, {&t->combine, "stars_tile_combine"})));
cleanup:
    return status;
}

penta_status stars_tiles_create(penta_resources *owner, const stars_shape *shape, bool fixed, stars_tiles *t)
{
    penta_status status = PENTA_OK;
    size_t batch = shape->batch, moving = shape->moving ? batch : 0, slices, slots;

    t->shape = *shape;
    t->rounds = !fixed && !shape->dbl;
    set_tiling(t);
    slices = penta_divide_up(batch, slice_of(t, batch));
    slots = t->group < tile_rows(t, shape->rows) ? t->group : tile_rows(t, shape->rows);
    slots = slots * (size_t)t->tiling.tiles_x + batch / (size_t)t->tiling.hot + 1;
    TRY(get_kernels(owner, t, fixed));
    TRY(penta_buffer_upload(owner, &t->tiling, sizeof t->tiling, &t->on_device));
    TRY(penta_buffer_create(owner, slices * t->numbers * sizeof(int32_t), &t->counts));
    TRY(penta_buffer_create(owner, (t->numbers + 1) * sizeof(int32_t), &t->start));
    TRY(penta_buffer_create(owner, batch * (shape->dbl ? sizeof(stars_packed_double) : sizeof(stars_packed)),
                            &t->sorted));
    TRY(penta_buffer_create(owner, moving * sizeof(double), &t->sorted_x));
    TRY(penta_buffer_create(owner, moving * sizeof(double), &t->sorted_y));
    TRY(penta_buffer_create(owner, slots * slot_bytes(t), &t->slots));
    TRY(penta_buffer_create(owner, t->rounds ? shape->rows * shape->width * sizeof(float) : 0, &t->rest));
cleanup:
    return status;
}

/* ---- a batch ---- */

static penta_grid single_items(size_t n)
{
    return penta_grid_groups(penta_grid_1d(n), 1, 1, 1);
}

static penta_status sort(stars_tiles *t, const stars_batch *batch)
{
    penta_status status = PENTA_OK;
    size_t slice = slice_of(t, batch->n), slices = penta_divide_up(batch->n, slice);
    int n = (int)batch->n, roi = t->shape.psf->roi, numbers = (int)t->numbers;
    const stars_tiling *g = &t->tiling;

    TRY(penta_launch(
        &t->count, single_items(slices),
        ARGS(batch->cells, n, (int)slice, roi, g->inverse_width, g->inverse_height, g->tiles_x, numbers, &t->counts)));
    TRY(penta_launch(&t->places, single_items(1), ARGS((int)slices, numbers, &t->counts, &t->start)));
    TRY(penta_launch(&t->move, single_items(slices),
                     ARGS(batch->stars, batch->cells, batch->motion_x, batch->motion_y, n, (int)slice, roi,
                          g->inverse_width, g->inverse_height, g->tiles_x, numbers, &t->counts, &t->sorted,
                          &t->sorted_x, &t->sorted_y)));
cleanup:
    return status;
}

/* Rows of tiles first .. end-1 of a slab. The next group's tiles reach up into the last ROI - 1 rows of pixels. */
static penta_status draw_group(stars_tiles *t, penta_buffer *pixels, size_t rows, size_t n, size_t first, size_t end,
                               double scale)
{
    penta_status status = PENTA_OK;
    const stars_tiling *g = &t->tiling;
    int roi = t->shape.psf->roi, first_tile = (int)first * g->tiles_x, end_tile = (int)end * g->tiles_x;
    int own_row = (int)first * g->height, first_row = first > 0 ? own_row - (roi - 1) : 0;
    int end_row = (int)end * g->height < (int)rows ? (int)end * g->height : (int)rows;

    TRY(penta_launch(&t->draw, single_items(penta_divide_up(n, (size_t)g->chunk)),
                     ARGS(&t->sorted, &t->sorted_x, &t->sorted_y, t->shape.numbers, t->shape.samples, roi,
                          &t->on_device, &t->start, first_tile, end_tile, scale, &t->slots)));
    TRY(penta_launch(&t->combine, single_items((size_t)(end_row - first_row)),
                     ARGS(&t->slots, &t->start, &t->on_device, roi, (int)first, (int)end, first_row,
                          t->batches == 0 ? own_row : end_row, (int)t->shape.width, t->rounds && t->batches > 0, pixels,
                          &t->rest)));
cleanup:
    return status;
}

penta_status stars_tiles_draw(stars_tiles *t, penta_buffer *pixels, size_t rows, const stars_batch *batch, double scale)
{
    penta_status status = PENTA_OK;
    size_t tiles_y = tile_rows(t, rows);

    if (t->rounds && t->batches == 1)
        TRY(penta_buffer_zero(&t->rest, 0, rows * t->shape.width * sizeof(float)));
    TRY(sort(t, batch));
    for (size_t first = 0; first < tiles_y; first += t->group) {
        size_t end = first + t->group < tiles_y ? first + t->group : tiles_y;

        TRY(draw_group(t, pixels, rows, batch->n, first, end, scale));
    }
    t->batches++;
cleanup:
    return status;
}
