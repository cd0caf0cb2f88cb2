/* Sorting a batch of stars into bins. Kernels: cl/stars/tile_bins.cl. */
#include "stars/tile.h"

enum {
    LEAST_SHIFT = 6,   /* a region of interest of 64 px then meets at most two bins a side */
    MOST_GROUPS = 256, /* work-groups that count and scatter a long batch */
    COLUMN_GROUP = 64
};

/* ---- set-up ---- */

static size_t bins_along(size_t pixels, int shift)
{
    return ((pixels - 1 + STARS_MARGIN) >> shift) + 1;
}

static size_t bins_of(const stars_shape *shape, size_t rows, int shift)
{
    return bins_along(shape->width, shift) * bins_along(rows, shift);
}

static int shift_for(const stars_shape *shape, size_t most)
{
    int shift = LEAST_SHIFT;

    while (bins_of(shape, shape->rows, shift) > most)
        shift++;
    return shift;
}

static bool is_short(const stars_bins *bins, size_t n)
{
    return n <= (size_t)bins->most_lists * STARS_SEGMENT && bins->few_shift == LEAST_SHIFT;
}

static penta_status create_buffers(penta_resources *owner, stars_bins *b)
{
    penta_status status = PENTA_OK;
    size_t batch = b->shape.batch, moving = b->shape.moving ? batch : 0, lists = (size_t)b->most_lists;
    size_t star = b->shape.dbl ? sizeof(stars_packed_double) : sizeof(stars_packed);
    size_t short_table = is_short(b, 1) ? lists * (b->few_bins + 1) : 0;
    size_t table = short_table > b->many_bins + 1 ? short_table : b->many_bins + 1;

    TRY(penta_buffer_create(owner, batch * star, &b->stars));
    TRY(penta_buffer_create(owner, batch * sizeof(uint32_t), &b->cells));
    TRY(penta_buffer_create(owner, moving * sizeof(double), &b->motion_x));
    TRY(penta_buffer_create(owner, moving * sizeof(double), &b->motion_y));
    TRY(penta_buffer_create(owner, table * sizeof(uint32_t), &b->table));
    TRY(penta_buffer_create(owner, MOST_GROUPS * b->many_bins * sizeof(uint32_t), &b->counts));
    TRY(penta_buffer_create(owner, b->many_bins * sizeof(uint32_t), &b->totals));
cleanup:
    return status;
}

penta_status stars_bins_create(penta_resources *owner, const stars_shape *shape, int tile, const char *defines,
                               stars_bins *bins)
{
    penta_status status = PENTA_OK;

    *bins = (stars_bins){.shape = *shape};
    bins->group = (size_t)(STARS_SORT_ITEMS * tile);
    bins->most_lists = tile * tile / STARS_TILE_PIXELS / 2;
    bins->few_shift = shift_for(shape, STARS_FEW_BINS);
    bins->few_bins = bins_of(shape, shape->rows, bins->few_shift);
    bins->many_shift = shift_for(shape, (size_t)(STARS_MOST_BINS_PER_TILE * tile));
    bins->many_bins = bins_of(shape, shape->rows, bins->many_shift);
    TRY(penta_kernels_get(owner, "stars/tile_bins.cl", defines,
                          KERNELS({&bins->segments, "stars_bins_segments"}, {&bins->count, "stars_bins_count"},
                                  {&bins->columns, "stars_bins_columns"}, {&bins->make_table, "stars_bins_table"},
                                  {&bins->scatter, "stars_bins_scatter"})));
    TRY(create_buffers(owner, bins));
cleanup:
    return status;
}

/* ---- sorting ---- */

static penta_grid groups_of(size_t groups, size_t size)
{
    return penta_grid_groups(penta_grid_1d(groups * size), size, 1, 1);
}

static penta_status sort_short(stars_bins *b, const stars_batch *batch, size_t rows, penta_buffer *hot, int lists)
{
    return penta_launch(&b->segments, groups_of((size_t)lists, b->group),
                        ARGS(batch->stars, batch->cells, batch->motion_x, batch->motion_y, (int)batch->n, b->few_shift,
                             (int)b->shape.width, (int)rows, &b->table, hot, &b->stars, &b->cells, &b->motion_x,
                             &b->motion_y));
}

static penta_status sort_long(stars_bins *b, const stars_batch *batch, size_t slab_rows, penta_buffer *hot)
{
    penta_status status = PENTA_OK;
    size_t share = (batch->n + MOST_GROUPS - 1) / MOST_GROUPS;
    size_t each = (share + STARS_SEGMENT - 1) / STARS_SEGMENT * STARS_SEGMENT, groups = (batch->n + each - 1) / each;
    size_t slab_bins = bins_of(&b->shape, slab_rows, b->many_shift);
    int n = (int)batch->n, width = (int)b->shape.width, rows = (int)slab_rows, bins = (int)slab_bins;
    penta_grid sorting = groups_of(groups, b->group);

    TRY(penta_launch(&b->count, sorting,
                     ARGS(batch->cells, n, (int)each, b->many_shift, width, rows, &b->counts, hot)));
    TRY(penta_launch(&b->columns, penta_grid_groups(penta_grid_1d(slab_bins), COLUMN_GROUP, 1, 1),
                     ARGS((int)groups, bins, &b->counts, &b->totals)));
    TRY(penta_launch(&b->make_table, groups_of(1, b->group), ARGS(&b->totals, bins, &b->table)));
    TRY(penta_launch(&b->scatter, sorting,
                     ARGS(batch->stars, batch->cells, batch->motion_x, batch->motion_y, n, (int)each, b->many_shift,
                          width, rows, &b->table, &b->counts, &b->stars, &b->cells, &b->motion_x, &b->motion_y)));
cleanup:
    return status;
}

penta_status stars_bins_sort(stars_bins *b, const stars_batch *batch, size_t rows, penta_buffer *hot, stars_lists *out)
{
    bool few = is_short(b, batch->n);
    int lists = few ? (int)((batch->n + STARS_SEGMENT - 1) / STARS_SEGMENT) : 1;

    *out = (stars_lists){
        &b->stars, &b->cells, &b->motion_x, &b->motion_y, &b->table, lists, few ? b->few_shift : b->many_shift};
    return few ? sort_short(b, batch, rows, hot, lists) : sort_long(b, batch, rows, hot);
}
