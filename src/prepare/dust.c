/*
 * Dust: pixels outside the key range, and outliers of I / B at two scales, grown. Kernels: cl/prepare/dust.cl
 * (residuals), dust_scale.cl (scales of the residuals), dust_grow.cl (outliers and their growth).
 */
#include "prepare/dust.h"
#include "math/sizes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORD = 32, VECTOR = 16, PLANES = 6, GROUP = 64 };  /* as in the kernels */
enum { SCALES = 9, HISTOGRAMS = SCALES + 1, BINS = 512 }; /* as in the kernels */
enum { GROW_ROWS = 16 };                                  /* as in the CPU form */
enum { CPU_WORDS = 32 }; /* work-items of a group: the same for all sizes, so that kernels are compiled once */
enum { CPU_PART = 65536, GPU_PART = 16384, COUNT_GROUP = 256 };

static penta_status get_kernels(prepare_dust *d)
{
    const char *grow = "prepare/dust_grow.cl";
    penta_status status = PENTA_OK;
    char defines[24];

    snprintf(defines, sizeof defines, "-DFACTOR=%d", (d->shape->settings->o.dust_size + 2) / 3);
    if (d->outliers) {
        TRY(penta_kernels_get(d->own, "prepare/dust.cl", defines,
                              KERNELS({&d->ratio, "prepare_dust_ratio"}, {&d->blocks, "prepare_dust_blocks"},
                                      {&d->block_medians, "prepare_dust_medians"},
                                      {&d->differences, "prepare_dust_differences"})));
        TRY(penta_kernels_get(d->own, "prepare/dust_scale.cl", "",
                              KERNELS({&d->count, "prepare_dust_count"}, {&d->scale, "prepare_dust_scales"})));
        TRY(penta_kernel_get(d->own, grow, "prepare_dust_grow", "", &d->grow));
    }
    TRY(penta_kernels_get(d->own, grow, "",
                          KERNELS({&d->planes, "prepare_dust_planes"}, {&d->join, "prepare_dust_join"},
                                  {&d->disc, "prepare_dust_disc"}, {&d->fill, "prepare_dust_fill"},
                                  {&d->mask, "prepare_dust_mask"})));
    if (prepare_is_filled(d->shape->settings))
        TRY(dust_copy_create(d));
cleanup:
    return status;
}

static penta_status make_padded(prepare_dust *d, size_t width, size_t height, dust_padded *out)
{
    out->width = width;
    out->height = height;
    out->pitch = penta_round_up(width, VECTOR) + 4;
    return penta_buffer_create(d->own, d->shape->batch * (height + 4) * out->pitch * sizeof(float), &out->image);
}

/* Creates the buffers and kernels of the outlier search. */
static penta_status make_outliers(prepare_dust *d)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = d->shape;
    size_t factor = ((size_t)s->settings->o.dust_size + 2) / 3, n = s->batch;

    TRY(prepare_places_create(d->own, s->nodes_x, s->width, &d->at_x));
    TRY(prepare_places_create(d->own, s->nodes_y, s->height, &d->at_y));
    TRY(make_padded(d, s->width, s->height, &d->c));
    TRY(make_padded(d, (s->width + factor - 1) / factor, (s->height + factor - 1) / factor, &d->means));
    TRY(penta_buffer_create(d->own, n * d->means.height * d->means.pitch * sizeof(float), &d->medians));
    TRY(penta_buffer_create(d->own, n * HISTOGRAMS * BINS * sizeof(uint32_t), &d->bins));
    TRY(penta_buffer_create(d->own, n * SCALES * sizeof(float), &d->scales));
cleanup:
    return status;
}

/* Sends the half-width of each row of the disc |q - p|^2 <= grow^2 + 1. */
static penta_status make_disc(prepare_dust *d)
{
    penta_status status = PENTA_OK;
    int grow = d->shape->settings->o.dust_grow;
    int32_t *reach = NULL;

    TRY(penta_calloc(d->own->ctx, (size_t)grow + 1, sizeof *reach, &reach));
    for (int v = 0; grow > 0 && v <= grow; v++)
        while ((reach[v] + 1) * (reach[v] + 1) + v * v <= grow * grow + 1)
            reach[v]++;
    TRY(penta_buffer_upload(d->own, reach, ((size_t)grow + 1) * sizeof *reach, &d->reach));
cleanup:
    free(reach);
    return status;
}

static penta_status make_planes(prepare_dust *d)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = d->shape;
    size_t plane = s->batch * s->height * d->words * sizeof(uint32_t);
    size_t differences = d->outliers ? s->batch * s->height * s->width * sizeof(float) : 0;

    TRY(penta_buffer_create(d->own, PLANES * plane, &d->bits));
    TRY(penta_buffer_create(d->own, plane, &d->dust));
    TRY(penta_buffer_create(d->own, plane, &d->whole));
    for (int i = 0; i < 2; i++) {
        TRY(penta_buffer_create(d->own, differences, &d->d[i]));
        TRY(penta_buffer_create(d->own, d->outliers ? 2 * plane : 0, &d->grown[i]));
    }
cleanup:
    return status;
}

penta_status prepare_dust_create(penta_resources *own, const prepare_shape *shape, prepare_dust **out)
{
    penta_status status = PENTA_OK;
    const prepare_settings *settings = shape->settings;
    prepare_dust *d = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    d = *out;
    d->own = own;
    d->shape = shape;
    d->outliers = settings->o.dust_limit > 0;
    d->words = (shape->width + WORD - 1) / WORD;
    d->key_low = settings->has_key ? (float)settings->key[0] : -INFINITY;
    d->key_high = settings->has_key ? (float)settings->key[1] : INFINITY;
    TRY(get_kernels(d));
    if (d->outliers)
        TRY(make_outliers(d));
    TRY(make_planes(d));
    TRY(make_disc(d));
cleanup:
    return status;
}

/* ---- outliers ---- */

/* Computes d1 and d2. */
static penta_status find_differences(prepare_dust *d, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = d->shape;
    int width = (int)s->width, height = (int)s->height, nodes_x = (int)s->nodes_x, nodes_y = (int)s->nodes_y;
    int pitch = (int)d->c.pitch;
    int blocks_x = (int)d->means.width, blocks_y = (int)d->means.height, blocks_pitch = (int)d->means.pitch;
    size_t n = batch->count;

    TRY(penta_launch(&d->ratio, prepare_grid(d->own->ctx, d->c.pitch, s->height + 4, n),
                     ARGS(&batch->grey, &batch->background, &batch->level, &d->at_x, &d->at_y, width, height, nodes_x,
                          nodes_y, pitch, &d->c.image)));
    TRY(penta_launch(
        &d->blocks, prepare_grid(d->own->ctx, d->means.pitch, d->means.height + 4, n),
        ARGS(&d->c.image, &batch->usable, width, height, pitch, blocks_x, blocks_y, blocks_pitch, &d->means.image)));
    TRY(penta_launch(&d->block_medians, prepare_grid(d->own->ctx, d->means.width, d->means.height, n),
                     ARGS(&d->means.image, blocks_x, blocks_y, blocks_pitch, &d->medians)));
    TRY(penta_launch(
        &d->differences, prepare_grid(d->own->ctx, s->width, s->height, n),
        ARGS(&d->c.image, width, height, pitch, &d->medians, blocks_x, blocks_y, blocks_pitch, &d->d[0], &d->d[1])));
cleanup:
    return status;
}

/* Estimates the scales of d1 and d2 over unmasked pixels. */
static penta_status find_scales(prepare_dust *d, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = d->shape;
    bool cpu = penta_is_cpu(d->own->ctx);
    size_t part = cpu ? CPU_PART : GPU_PART, rows = part / s->width > 1 ? part / s->width : 1, n = batch->count;
    size_t counted = (s->height + 1) / 2, parts = (counted + rows - 1) / rows, group = cpu ? 1 : COUNT_GROUP;

    TRY(penta_buffer_zero(&d->bins, 0, n * HISTOGRAMS * BINS * sizeof(uint32_t)));
    TRY(penta_launch(&d->count, penta_grid_groups(penta_grid_2d(parts * group, n), group, 1, 1),
                     ARGS(&d->c.image, (int)d->c.pitch, &d->d[0], &d->d[1], &batch->mask, &batch->background,
                          &batch->level, &d->at_x, &d->at_y, (int)s->width, (int)s->height, (int)s->nodes_x,
                          (int)s->nodes_y, (int)rows, &d->bins)));
    TRY(penta_launch(&d->scale, penta_grid_groups(penta_grid_2d(group, n), group, 1, 1), ARGS(&d->bins, &d->scales)));
cleanup:
    return status;
}

static penta_status find_planes(prepare_dust *d, prepare_batch *batch)
{
    const prepare_shape *s = d->shape;
    int nodes_x = (int)s->nodes_x, nodes_y = (int)s->nodes_y, pitch = (int)d->c.pitch;
    penta_grid grid = penta_is_cpu(d->own->ctx)
                          ? prepare_grid(d->own->ctx, s->width, s->height, batch->count)
                          : penta_grid_groups(penta_grid_3d(s->width, s->height, batch->count), GROUP, 1, 1);

    return penta_launch(&d->planes, grid,
                        ARGS(&batch->grey, &batch->usable, &d->c.image, pitch, &d->d[0], &d->d[1], &d->scales,
                             &batch->background, &batch->level, &d->at_x, &d->at_y, nodes_x, nodes_y, (int)s->width,
                             (int)s->height, (int)d->words, (float)s->settings->o.dust_limit, d->key_low, d->key_high,
                             &d->bits));
}

/* ---- growth ---- */

/* Grid over the words of the planes of n frames. */
static penta_grid words_of(const prepare_dust *d, size_t n)
{
    penta_grid grid = penta_grid_3d(d->words, d->shape->height, n);

    return penta_is_cpu(d->own->ctx) ? penta_grid_groups(grid, CPU_WORDS, 1, 1) : penta_grid_rows(grid);
}

penta_status prepare_dust_grow(prepare_dust *d, size_t n, penta_buffer **seeds, int *planes)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = d->shape;
    int steps = d->outliers ? s->settings->o.dust_size / 2 : 0;
    size_t parts = (s->height + GROW_ROWS - 1) / GROW_ROWS;
    penta_grid grid =
        penta_is_cpu(d->own->ctx) ? penta_grid_groups(penta_grid_2d(parts, 2 * n), 1, 1, 1) : words_of(d, 2 * n);

    *seeds = &d->bits;
    *planes = PLANES;
    for (int i = 0; i < steps; i++) {
        TRY(penta_launch(&d->grow, grid,
                         ARGS(&d->bits, *seeds, *planes, (int)s->height, (int)d->words, &d->grown[i % 2])));
        *seeds = &d->grown[i % 2];
        *planes = 2;
    }
cleanup:
    return status;
}

penta_status prepare_dust_run(prepare_dust *d, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = d->shape;
    int width = (int)s->width, height = (int)s->height, words = (int)d->words, planes = 0;
    size_t n = batch->count;
    penta_buffer *seeds = NULL;

    if (d->outliers) {
        TRY(find_differences(d, batch));
        TRY(find_scales(d, batch));
    }
    TRY(find_planes(d, batch));
    TRY(prepare_dust_grow(d, n, &seeds, &planes));
    TRY(penta_launch(&d->join, words_of(d, n), ARGS(&d->bits, seeds, planes, height, words, &d->dust)));
    TRY(penta_launch(&d->disc, words_of(d, n),
                     ARGS(&d->dust, width, height, words, s->settings->o.dust_grow, &d->reach, &d->whole)));
    TRY(penta_buffer_zero(&batch->counts, 0, n * 2 * sizeof(uint32_t)));
    TRY(penta_launch(&d->fill, words_of(d, n),
                     ARGS(&d->whole, &d->bits, height, words, (int)d->outliers, &d->dust, &batch->counts)));
    TRY(penta_launch(&d->mask, prepare_grid(d->own->ctx, s->width, s->height, n),
                     ARGS(&d->dust, width, height, words, &batch->mask)));
cleanup:
    return status;
}
