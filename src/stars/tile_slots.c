/*
 * Stars go straight into slots of the tiles that they touch while they are packed, and are drawn from there: two
 * kernels a frame. Tiles hold four times the light of an even sky or so; where a tile lacks slots it looks at all
 * stars, which is quick enough for short lists, and longer lists are left to sorting (tile_bins.c).
 */
#include "stars/tile_slots.h"

enum {
    /* cl/stars/tile_slots.cl */
    TILE = 32,
    GROUP = 128,
    SLOTS = 512,
    SLOTS_DOUBLE = 256,
    COUNT_BYTES = 32, /* between one count and the next, at most */

    LEAST_CAPACITY = 64,
    SHORT_LIST = 1 << 17
};

static size_t tiles_of(const stars_shape *shape, size_t rows)
{
    return (shape->width + TILE - 1) / TILE * ((rows + TILE - 1) / TILE);
}

/* Slots that a tile should have for n stars all over the slab: twice the mean, for chance and some clustering. */
static double wanted_slots(const stars_shape *shape, size_t n)
{
    double reach = TILE + shape->psf->roi - 1;

    return 2 * (double)n * reach * reach / ((double)shape->width * (double)shape->rows) + 32;
}

static penta_status create_buffers(penta_resources *owner, stars_tile_slots *t, size_t capacity)
{
    penta_status status = PENTA_OK;
    size_t tiles = tiles_of(&t->shape, t->shape.rows);

    TRY(penta_buffer_create(owner, (tiles + 1) * COUNT_BYTES, &t->counts));
    TRY(penta_buffer_zero(&t->counts, 0, t->counts.bytes));
    TRY(penta_buffer_create(owner, tiles * capacity * sizeof(uint32_t), &t->slots));
cleanup:
    return status;
}

/* Whether the slots fit into an eighth of the memory, and into one buffer. */
static bool fits_memory(penta_context *ctx, const stars_tile_slots *t, size_t capacity)
{
    const penta_device *info = penta_context_device(ctx);
    uint64_t bytes = (uint64_t)tiles_of(&t->shape, t->shape.rows) * capacity *
                     (t->shape.dbl ? sizeof(stars_packed_double) : sizeof(stars_packed));

    return bytes <= info->max_allocation && bytes <= info->memory / 8;
}

penta_status stars_tile_slots_create(penta_resources *owner, const stars_shape *shape, const char *defines,
                                     stars_tile_slots *t)
{
    penta_status status = PENTA_OK;
    size_t most = shape->dbl ? SLOTS_DOUBLE : SLOTS, capacity = LEAST_CAPACITY;
    const penta_device *info = penta_context_device(owner->ctx);

    *t = (stars_tile_slots){.shape = *shape};
    if (penta_is_cpu(owner->ctx)) /* PoCL 5 miscompiles the kernel that draws */
        return PENTA_OK;
    while (capacity < most && (double)capacity < wanted_slots(shape, shape->batch))
        capacity *= 2;
    if (!fits_memory(owner->ctx, t, capacity))
        return PENTA_OK;
    TRY(penta_kernels_get(
        owner, "stars/tile_slots.cl", defines,
        KERNELS({&t->pack, info->fp64 ? "stars_pack_slots" : "stars_slots_put"}, {&t->draw, "stars_slots_draw"})));
    TRY(create_buffers(owner, t, capacity));
    t->given = (stars_slots){&t->pack, &t->counts, &t->slots, (int)capacity};
    t->possible = true;
cleanup:
    return status;
}

static penta_status forget_counts(stars_tile_slots *t)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_zero(&t->counts, 0, t->counts.bytes));
    t->counting = false;
cleanup:
    return status;
}

penta_status stars_tile_slots_begin(stars_tile_slots *t)
{
    return t->counting ? forget_counts(t) : PENTA_OK;
}

const stars_slots *stars_tile_slots_for(stars_tile_slots *t, size_t n)
{
    if (!t->possible || wanted_slots(&t->shape, n) > t->given.capacity)
        return NULL;
    t->counting = true;
    return &t->given;
}

/* Whether a tile ran out of slots; if so, forgets what was counted. */
static penta_status check_crowding(stars_tile_slots *t, bool *crowded)
{
    penta_status status = PENTA_OK;
    uint32_t flag = 0;

    TRY(penta_buffer_read(&t->counts, 0, &flag, sizeof flag));
    *crowded = flag != 0;
    if (*crowded)
        TRY(forget_counts(t));
cleanup:
    return status;
}

penta_status stars_tile_slots_draw(stars_tile_slots *t, penta_buffer *image, size_t rows, const stars_batch *batch,
                                   bool fresh, bool *done)
{
    penta_status status = PENTA_OK;
    const stars_shape *s = &t->shape;
    bool crowded = false;

    *done = false;
    if (batch->n > SHORT_LIST)
        TRY(check_crowding(t, &crowded));
    if (crowded)
        return PENTA_OK;
    TRY(penta_launch(&t->draw, penta_grid_groups(penta_grid_1d(tiles_of(s, rows) * GROUP), GROUP, 1, 1),
                     ARGS(&t->slots, t->given.capacity, batch->stars, batch->cells, batch->motion_x, batch->motion_y,
                          (int)batch->n, s->numbers, s->samples, s->psf->roi, (int)s->width, (int)rows, fresh ? 1 : 0,
                          &t->counts, image)));
    t->counting = false;
    *done = true;
cleanup:
    return status;
}
