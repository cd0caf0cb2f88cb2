/*
 * Affine maps of pixels. Pixels fill a slab; each full slab is mapped into a block of results, which stays on the
 * device until it is taken. Two slabs alternate, so that one is filled while the other is mapped.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pca/pca.h"
#include "pca/slab_no_data.h"

enum {
    MEMORY_SHARE = 4,          /* results take at most a quarter of the device's memory */
    LEAST_SLAB = 32 * PCA_UNIT /* pixels, so that rows that come one by one are not mapped one by one */
};

struct penta_map {
    penta_resources resources;
    penta_affine affine; /* points to the copies that follow; nothing is NULL */
    double *matrix, *before, *after;
    penta_type real, type; /* of results; of pixels */
    const pca_project *engine;
    void *state;
    pca_loader *loader;
    pca_converter *converter;
    penta_resources for_type; /* state and slabs; made anew for another type of pixels */
    pca_slab slabs[2];
    int filling;
    size_t room;  /* at most so many pixels have kept results */
    size_t pitch; /* pixels of slabs and blocks; 0: not known yet */
    penta_resources for_blocks;
    pca_block *blocks;
    size_t count, made; /* blocks in use; with memory */
    penta_buffer range; /* outs x 2 doubles */
    bool has_range;     /* range was initialised */
    pca_results to;     /* during penta_map_take */
    pca_place place;
    size_t slab_limit, block_limit; /* for tests; 0: none */
};

/* ---- making and releasing ---- */

/* The rules of penta_map_check. */
static penta_status check_map(penta_context *ctx, const penta_affine *a, int precision, const char *no_data)
{
    penta_status status = PENTA_OK;
    slab_no_data parsed;

    if (a->ins == 0 || a->ins > PENTA_PCA_MOST_BANDS || a->outs == 0 || a->outs > PENTA_PCA_MOST_BANDS)
        return penta_fail(ctx, PENTA_INVALID, "a map from %zu to %zu bands; there must be 1 to %d", a->ins, a->outs,
                          PENTA_PCA_MOST_BANDS);
    if (precision < PENTA_PRECISION_AUTO || precision > PENTA_PRECISION_DOUBLE)
        return penta_fail(ctx, PENTA_INVALID, "maps are in single or double precision");
    for (size_t i = 0; i < a->ins * a->outs; i++)
        if (!isfinite(a->matrix[i]))
            return penta_fail(ctx, PENTA_INVALID, "number %zu, %zu of the map's matrix is not finite", i / a->ins + 1,
                              i % a->ins + 1);
    TRY(slab_no_data_parse(ctx, no_data, &parsed));
cleanup:
    return status;
}

penta_status penta_map_check(const penta_affine *affine, int precision, const char *no_data, char *message, size_t size)
{
    return penta_check_result(check_map(NULL, affine, precision, no_data), message, size);
}

static penta_status copy_numbers(penta_resources *owner, const double *from, size_t count, double **out)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(owner, count, sizeof **out, out));
    if (from)
        memcpy(*out, from, count * sizeof **out);
cleanup:
    return status;
}

/* Pixels whose results fit into the map's share of memory, and a slab of them into one buffer. */
static size_t find_room(const penta_map *map)
{
    const penta_device *device = penta_context_device(map->resources.ctx);
    uint64_t pixel = map->affine.outs * penta_type_size(map->real) + 1;

    return (size_t)(device->memory / MEMORY_SHARE / pixel / PCA_UNIT + 1) * PCA_UNIT;
}

static penta_status create_parts(penta_map *map, const penta_affine *a, const char *no_data)
{
    penta_status status = PENTA_OK;

    TRY(penta_own_struct(&map->resources, &map->for_type, penta_resources_release));
    TRY(penta_own_struct(&map->resources, &map->for_blocks, penta_resources_release));
    TRY(copy_numbers(&map->resources, a->matrix, a->ins * a->outs, &map->matrix));
    TRY(copy_numbers(&map->resources, a->before, a->ins, &map->before));
    TRY(copy_numbers(&map->resources, a->after, a->outs, &map->after));
    map->affine = (penta_affine){a->ins, a->outs, map->matrix, map->before, map->after};
    TRY(pca_loader_create(map->resources.ctx, a->ins, no_data, &map->loader));
    TRY(penta_own(&map->resources, &map->loader, pca_loader_destroy));
    TRY(pca_converter_create(map->resources.ctx, a->outs, map->real, &map->converter));
    TRY(penta_own(&map->resources, &map->converter, pca_converter_destroy));
    TRY(penta_buffer_create(&map->resources, a->outs * 2 * sizeof(double), &map->range));
cleanup:
    return status;
}

penta_status penta_map_create(penta_context *ctx, const penta_affine *affine, int precision, const char *no_data,
                              penta_map **out)
{
    penta_status status = PENTA_OK;
    penta_map *map = NULL;

    *out = NULL;
    TRY(check_map(ctx, affine, precision, no_data));
    TRY(pca_check_precision(ctx, precision));
    TRY(penta_plan_alloc(ctx, &map));
    map->for_type.ctx = map->for_blocks.ctx = ctx;
    map->affine = (penta_affine){.ins = affine->ins, .outs = affine->outs};
    map->real = precision == PENTA_PRECISION_SINGLE ? PENTA_F32 : PENTA_F64;
    map->engine = pca_choose_project(ctx, map->real);
    map->room = find_room(map);
    TRY(create_parts(map, affine, no_data));
    *out = map;
    map = NULL;
cleanup:
    penta_map_destroy(map);
    return status;
}

static void release_blocks(penta_map *map)
{
    penta_resources_release(&map->for_blocks);
    map->count = map->made = 0;
}

void penta_map_destroy(penta_map *map)
{
    penta_plan_free(map);
}

void pca_limit_map(penta_map *map, size_t pixels, size_t slabs)
{
    map->slab_limit = pca_padded(pixels);
    map->block_limit = slabs;
}

void penta_map_first_row(penta_map *map, size_t row)
{
    map->place.first_row = row;
}

/* ---- room ---- */

static size_t most_blocks(const penta_map *map)
{
    return map->block_limit ? map->block_limit : (map->room + map->pitch - 1) / map->pitch;
}

size_t penta_map_room(const penta_map *map)
{
    size_t used = map->slabs[map->filling].pixels;

    if (!map->pitch)
        return map->block_limit ? map->block_limit * map->slab_limit : map->room;
    return map->count < most_blocks(map) ? (most_blocks(map) - map->count) * map->pitch - used : 0;
}

/* Memory for the next block; kept when results are taken. */
static penta_status have_block(penta_map *map, pca_block **out)
{
    penta_status status = PENTA_OK;
    size_t most = most_blocks(map), bytes;

    if (!map->blocks)
        TRY(penta_calloc(&map->for_blocks, most, sizeof *map->blocks, &map->blocks));
    *out = &map->blocks[map->count];
    if (map->count < map->made)
        return PENTA_OK;
    map->made = map->count + 1; /* from here on it is released with the others */
    TRY(penta_size(map->resources.ctx, map->affine.outs, map->pitch, penta_type_size(map->real), &bytes));
    TRY(penta_buffer_create(&map->for_blocks, bytes, &(*out)->results));
    TRY(penta_buffer_create(&map->for_blocks, map->pitch, &(*out)->flags));
cleanup:
    if (status != PENTA_OK && *out) {
        penta_buffer_release(&(*out)->results);
        penta_buffer_release(&(*out)->flags);
        map->made = map->count;
    }
    return status;
}

/* ---- slabs ---- */

static void forget_results(penta_map *map)
{
    map->count = 0;
    for (int i = 0; i < 2; i++)
        pca_slab_clear(&map->slabs[i]);
}

static penta_status begin_range(penta_map *map)
{
    penta_status status = PENTA_OK;
    double *pairs = NULL;

    if (map->has_range)
        return PENTA_OK;
    TRY(penta_calloc(map->resources.ctx, map->affine.outs, 2 * sizeof *pairs, &pairs));
    for (size_t i = 0; i < map->affine.outs; i++) {
        pairs[2 * i] = INFINITY;
        pairs[2 * i + 1] = -INFINITY;
    }
    TRY(penta_buffer_write(&map->range, 0, pairs, map->affine.outs * 2 * sizeof *pairs));
    map->has_range = true;
cleanup:
    free(pairs);
    return status;
}

static penta_status close_slab(penta_map *map, pca_slab *slab)
{
    size_t band = 0, pixel = 0;
    penta_status status = pca_slab_close(map->loader, slab, false, &band, &pixel);

    if (status != PENTA_INVALID)
        return status;
    return pca_fail_number(map->resources.ctx, &map->place, band, map->place.pixels - slab->pixels + pixel);
}

/* Maps a closed slab into the next block. */
static penta_status map_slab(penta_map *map, pca_slab *slab)
{
    penta_status status = PENTA_OK;
    pca_block *block = NULL;

    TRY(have_block(map, &block));
    TRY(begin_range(map));
    TRY(map->engine->run(map->state, slab, &block->results, 0, &map->range));
    if (slab->masked)
        TRY(pca_keep_flags(map->converter, slab, block));
    block->pixels = slab->pixels;
    block->masked = slab->masked;
    map->count++;
cleanup:
    return status;
}

/* Maps the pixels of the slab that is being filled. */
static penta_status flush(penta_map *map)
{
    penta_status status = PENTA_OK;
    pca_slab *slab = &map->slabs[map->filling];

    if (slab->pixels == 0)
        return PENTA_OK;
    TRY(close_slab(map, slab));
    TRY(map_slab(map, slab));
    pca_slab_clear(slab);
    map->filling = 1 - map->filling;
cleanup:
    return status;
}

/* ---- rows ---- */

static size_t wanted_pitch(const penta_map *map, size_t pixels)
{
    const penta_affine *a = &map->affine;
    size_t most = penta_context_device(map->resources.ctx)->max_allocation / (a->outs * penta_type_size(map->real));
    size_t pitch = pca_slab_capacity(map->resources.ctx, a->ins > a->outs ? a->ins : a->outs,
                                     pixels > LEAST_SLAB ? pixels : LEAST_SLAB, NULL);

    most = most < map->room ? most : map->room;
    pitch = pitch < most ? pitch : most / PCA_UNIT * PCA_UNIT;
    return map->slab_limit && map->slab_limit < pitch ? map->slab_limit : pitch;
}

/* Makes slabs and kernels for these rows. Slabs grow while no results are kept. */
static penta_status prepare(penta_map *map, penta_type type, size_t pixels)
{
    penta_status status = PENTA_OK;
    bool empty = map->count == 0 && map->slabs[map->filling].pixels == 0;
    size_t pitch = empty ? wanted_pitch(map, pixels) : map->pitch;
    pca_map_shape shape = {map->affine.ins, map->affine.outs, 0, 0, type, map->real};

    if (map->state && type == map->type && pitch <= map->pitch)
        return PENTA_OK;
    TRY(flush(map));
    TRY(penta_finish(map->resources.ctx));
    penta_resources_release(&map->for_type);
    if (pitch > map->pitch) {
        release_blocks(map);
        map->pitch = pitch;
    }
    map->type = type;
    shape.in_pitch = shape.out_pitch = map->pitch;
    for (int i = 0; i < 2; i++)
        TRY(penta_own_struct(&map->for_type, &map->slabs[i], pca_slab_release));
    TRY(map->engine->create(map->resources.ctx, &shape, &map->affine, &map->state));
    TRY(penta_own(&map->for_type, &map->state, pca_state_free));
cleanup:
    return status;
}

/* The source of pixels: rows, or the pixels that a plan keeps, from `first` on. */
typedef struct {
    const penta_cube_rows *rows; /* or NULL */
    penta_pca *plan;
    uint64_t first;
    penta_type type;
    size_t pixels;
} source;

/* Maps a whole slab of those that are kept as it lies there, without a copy, if it makes a whole block; else *count is
 * 0. */
static penta_status map_kept(penta_map *map, const source *from, size_t at, size_t *count)
{
    penta_status status = PENTA_OK;
    pca_slab *kept;
    size_t place;

    *count = 0;
    if (from->rows || map->slabs[map->filling].pixels > 0 || !pca_kept_like(from->plan, map->loader))
        return PENTA_OK;
    TRY(pca_kept_slab(from->plan, from->first + at, &kept, &place));
    if (place > 0 || kept->pixels != map->pitch || kept->pixels > from->pixels - at)
        return PENTA_OK;
    TRY(map_slab(map, kept));
    *count = kept->pixels;
cleanup:
    return status;
}

/* Puts the next pixels into the slab that is being filled: *count, as many as are left and fit. */
static penta_status load(penta_map *map, const source *from, size_t at, size_t *count)
{
    penta_status status = PENTA_OK;
    pca_slab *kept, *slab = &map->slabs[map->filling];
    size_t place, room, lent;

    if (!slab->pitch)
        TRY(pca_slab_create(map->resources.ctx, map->affine.ins, map->pitch, map->type, slab));
    room = slab->pitch - slab->pixels;
    *count = from->pixels - at < room ? from->pixels - at : room;
    if (from->rows) {
        TRY(pca_slab_lend(map->loader, slab, from->rows, at, &lent));
        *count = lent ? lent : *count;
        return lent ? PENTA_OK : pca_slab_append(map->loader, slab, from->rows, at, *count, false);
    }
    TRY(pca_kept_slab(from->plan, from->first + at, &kept, &place));
    if (*count > kept->pixels - place)
        *count = kept->pixels - place;
    TRY(pca_slab_copy(map->loader, slab, kept, place, *count));
cleanup:
    return status;
}

static penta_status append(penta_map *map, const source *from)
{
    penta_status status = PENTA_OK;
    uint64_t before = map->place.pixels;

    if (from->rows)
        pca_pass(&map->place, from->rows);
    else
        map->place.differ = true; /* rows are not known any more */
    for (size_t at = 0, count; at < from->pixels; at += count) {
        const pca_slab *slab = &map->slabs[map->filling];

        TRY(map_kept(map, from, at, &count));
        if (count == 0)
            TRY(load(map, from, at, &count));
        map->place.pixels = before + at + count; /* those that are in slabs, for close_slab */
        if (pca_slab_is_full(slab))
            TRY(flush(map));
    }
    if (from->rows)
        TRY(pca_loader_wait(map->loader));
cleanup:
    return status;
}

static penta_status add_pixels(penta_map *map, const source *from)
{
    penta_status status = PENTA_OK;
    bool within = true;

    if (from->pixels == 0)
        return PENTA_OK;
    if (from->rows)
        TRY(pca_loader_begin(map->loader, from->rows));
    TRY(prepare(map, from->type, from->pixels));
    if (from->pixels > penta_map_room(map)) {
        within = false;
        status =
            penta_fail(map->resources.ctx, PENTA_INVALID, "no room for %zu pixels: results of %zu more can be kept",
                       from->pixels, penta_map_room(map));
        goto cleanup;
    }
    TRY(append(map, from));
    within = false;
cleanup:
    if (status != PENTA_OK && from->rows)
        pca_loader_abandon(map->loader);
    if (within) {
        penta_settle(map->resources.ctx);
        forget_results(map);
    }
    return status;
}

penta_status penta_map_add(penta_map *map, const penta_cube_rows *rows)
{
    penta_status status = PENTA_OK;

    TRY(pca_check_rows(map->resources.ctx, map->affine.ins, rows));
    TRY(add_pixels(map, &(source){.rows = rows, .type = rows->type, .pixels = rows->rows * rows->cols}));
cleanup:
    return status;
}

penta_status penta_map_add_kept(penta_map *map, penta_pca *plan, uint64_t first, size_t pixels)
{
    penta_status status = PENTA_OK;

    TRY(pca_check_kept(map->resources.ctx, plan, map->affine.ins, first, pixels));
    TRY(add_pixels(map, &(source){.plan = plan, .first = first, .type = pca_kept_type(plan), .pixels = pixels}));
cleanup:
    return status;
}

/* ---- results ---- */

penta_status penta_map_range(penta_map *map, double *least, double *largest)
{
    penta_status status = PENTA_OK;
    size_t outs = map->affine.outs;
    double *pairs = NULL;

    TRY(flush(map));
    TRY(begin_range(map));
    TRY(penta_calloc(map->resources.ctx, outs, 2 * sizeof *pairs, &pairs));
    TRY(penta_buffer_read(&map->range, 0, pairs, outs * 2 * sizeof *pairs));
    for (size_t i = 0; i < outs; i++) {
        least[i] = pairs[2 * i];
        largest[i] = pairs[2 * i + 1];
    }
    if (pairs[0] > pairs[1])
        status = penta_fail(map->resources.ctx, PENTA_INVALID, "none of %llu pixels is valid, so results have no range",
                            (unsigned long long)map->place.pixels);
cleanup:
    free(pairs);
    return status;
}

static size_t kept_pixels(const penta_map *map)
{
    size_t pixels = map->slabs[map->filling].pixels;

    for (size_t i = 0; i < map->count; i++)
        pixels += map->blocks[i].pixels;
    return pixels;
}

static penta_status check_format(const penta_map *map, const penta_map_format *f, const void *out, size_t stride)
{
    size_t pixels = kept_pixels(map);

    if (!out)
        return PENTA_OK;
    if (!f || penta_type_size(f->type) == 0)
        return penta_fail(map->resources.ctx, PENTA_INVALID, "results need a format with a type");
    if (stride < pixels && map->affine.outs > 1)
        return penta_fail(map->resources.ctx, PENTA_INVALID, "outputs of %zu pixels overlap at a stride of %zu", pixels,
                          stride);
    if (f->rescale && (!isfinite(f->low) || !isfinite(f->high)))
        return penta_fail(map->resources.ctx, PENTA_INVALID, "results cannot be rescaled to %g .. %g", f->low, f->high);
    if (f->rescale && !f->least != !f->largest)
        return penta_fail(map->resources.ctx, PENTA_INVALID, "a range needs both its ends");
    return PENTA_OK;
}

static penta_status take_flags(pca_block *block, uint8_t *valid)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = block->flags.ctx;
    void *view, *copy = NULL;

    if (block->masked)
        return penta_buffer_read(&block->flags, 0, valid, block->pixels);
    TRY(penta_host_room(ctx, valid, block->pixels, &view, &copy));
    memset(view, 1, block->pixels);
    TRY(penta_host_deliver(ctx, view, valid, block->pixels));
cleanup:
    free(copy);
    return status;
}

/* All results in one array. */
static penta_status open_results(penta_map *map, const penta_map_format *format, void *out, size_t stride)
{
    penta_status status = PENTA_OK;
    size_t size = out ? penta_type_size(format->type) : 0, pixels = kept_pixels(map), bytes;

    map->to = (pca_results){.out = out, .stride = stride};
    if (!out || pixels == 0)
        return PENTA_OK;
    TRY(penta_size(map->resources.ctx, map->affine.outs - 1, stride, size, &bytes));
    TRY(penta_buffer_lend(map->resources.ctx, PENTA_WRITE, out, bytes + pixels * size, size, &map->to.lent));
    if (format->valid)
        TRY(penta_check_array(map->resources.ctx, format->valid, pixels));
cleanup:
    return status;
}

static penta_status take_blocks(penta_map *map, const penta_map_format *format, void *out, size_t stride)
{
    penta_status status = PENTA_OK;
    size_t at = 0;

    TRY(flush(map));
    TRY(open_results(map, format, out, stride));
    for (size_t i = 0; i < map->count; i++) {
        pca_block *block = &map->blocks[i];

        map->to.at = at;
        if (out)
            TRY(pca_convert(map->converter, block, map->pitch, format, &map->range, &map->to));
        if (format && format->clipped && format->rescale && format->least)
            TRY(pca_count_clipped(map->converter, block, map->pitch, format, format->clipped));
        if (format && format->valid)
            TRY(take_flags(block, format->valid + at));
        at += block->pixels;
    }
    TRY(penta_buffer_give_back(&map->to.lent));
cleanup:
    return status;
}

penta_status penta_map_take(penta_map *map, const penta_map_format *format, void *out, size_t stride)
{
    penta_status status = PENTA_OK;

    TRY(check_format(map, format, out, stride));
    status = take_blocks(map, format, out, stride);
    forget_results(map);
    if (status != PENTA_OK) {
        penta_settle(map->resources.ctx);
        penta_buffer_release(&map->to.lent);
    }
cleanup:
    return status;
}

void penta_map_reset(penta_map *map)
{
    penta_settle(map->resources.ctx);
    forget_results(map);
    map->has_range = false;
    map->place = (pca_place){.first_row = map->place.first_row};
}
