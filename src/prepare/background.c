/*
 * The background B on nodes: a polynomial Q fitted to the means of blocks (background_poly.c), times Gaussian-weighted
 * local planes fitted to what Q leaves (background_planes.c); fitted per frame, or once to a survey of the series
 * (background_series.c). Kernels: cl/prepare/background.cl.
 */
#include <stdlib.h>

#include "prepare/background.h"

static bool is_series(const prepare_background *b)
{
    return b->shape->settings->o.flatten == PENTA_PREPARE_SERIES;
}

/* ---- creation ---- */

static penta_status places(penta_resources *own, size_t size, size_t count, double **out)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(own, count, sizeof **out, out));
    for (size_t i = 0; i < count; i++)
        (*out)[i] = (double)(prepare_block_first(i, size, count) + prepare_block_first(i + 1, size, count) - 1) / 2;
cleanup:
    return status;
}

static penta_status create_nodes(prepare_background *b)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = b->shape;
    prepare_nodes *n = &b->nodes;
    size_t bytes;

    n->nx = s->nodes_x;
    n->ny = s->nodes_y;
    n->pitch = (n->nx + PREPARE_NODE_LANES - 1) / PREPARE_NODE_LANES * PREPARE_NODE_LANES;
    bytes = s->batch * n->ny * n->pitch * sizeof(float);
    TRY(places(b->own, s->width, n->nx, &n->x));
    TRY(places(b->own, s->height, n->ny, &n->y));
    TRY(penta_buffer_create(b->own, bytes, &n->mean));
    TRY(penta_buffer_create(b->own, bytes, &n->weight));
    TRY(penta_buffer_create(b->own, bytes, &n->trend));
    TRY(penta_buffer_create(b->own, s->batch * sizeof(double), &n->level));
cleanup:
    return status;
}

static penta_status create_kernels(prepare_background *b)
{
    return penta_kernels_get(b->own, "prepare/background.cl", "",
                             KERNELS({&b->blocks, "prepare_nodes"}, {&b->node_rows, "prepare_node_rows"},
                                     {&b->node_ratio, "prepare_node_ratio"}, {&b->area_rows, "prepare_area_rows"},
                                     {&b->area_mean, "prepare_area_mean"}, {&b->take, "prepare_take"},
                                     {&b->lit, "prepare_lit"}));
}

static penta_status create_ones(prepare_background *b)
{
    penta_status status = PENTA_OK;
    size_t count = b->nodes.ny * b->nodes.pitch;
    float *ones = NULL;

    TRY(penta_calloc(b->own->ctx, count, sizeof *ones, &ones));
    for (size_t i = 0; i < count; i++)
        ones[i] = 1;
    TRY(penta_buffer_upload(b->own, ones, count * sizeof *ones, &b->ones));
cleanup:
    free(ones);
    return status;
}

static penta_status measure_blocks(prepare_background *b)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = b->shape;
    size_t nx = b->nodes.nx, ny = b->nodes.ny;

    TRY(penta_calloc(b->own, nx * ny, sizeof *b->area, &b->area));
    for (size_t i = 0; i < nx * ny; i++) {
        size_t x = i % nx, y = i / nx;

        b->area[i] = (float)((prepare_block_first(x + 1, s->width, nx) - prepare_block_first(x, s->width, nx)) *
                             (prepare_block_first(y + 1, s->height, ny) - prepare_block_first(y, s->height, ny)));
    }
cleanup:
    return status;
}

static penta_status create_parts(prepare_background *b)
{
    penta_status status = PENTA_OK;

    TRY(create_nodes(b));
    TRY(create_kernels(b));
    TRY(create_ones(b));
    TRY(measure_blocks(b));
    TRY(prepare_poly_create(b->own, b->shape, &b->nodes, &b->poly));
    if (b->shape->settings->o.flatten != PENTA_PREPARE_POLY)
        TRY(prepare_planes_create(b->own, b->shape, &b->nodes, &b->planes));
    TRY(penta_buffer_create(b->own, b->shape->batch * b->nodes.ny * 2 * sizeof(double), &b->rows));
    TRY(penta_buffer_create(b->own, is_series(b) ? b->nodes.ny * b->nodes.pitch * sizeof(float) : 0, &b->lighting));
    b->survey.nodes = b->nodes.nx * b->nodes.ny;
    TRY(penta_own(b->own, &b->survey.means, free)); /* allocated and grown later */
    TRY(penta_own(b->own, &b->illumination, free));
cleanup:
    return status;
}

penta_status prepare_background_create(penta_resources *own, const prepare_shape *shape, prepare_background **out)
{
    penta_status status = PENTA_OK;
    prepare_background *b = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    b = *out;
    b->own = own;
    b->shape = shape;
    TRY(create_parts(b));
cleanup:
    return status;
}

/* ---- per frame ---- */

static penta_status find_level(prepare_background *b, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = b->shape;
    int nx = (int)b->nodes.nx, ny = (int)b->nodes.ny, n = (int)batch->count;

    TRY(penta_launch(&b->area_rows, prepare_rows(b->own->ctx, penta_grid_2d(b->nodes.ny, batch->count)),
                     ARGS(&batch->background, (int)s->width, (int)s->height, nx, ny, &b->rows)));
    TRY(penta_launch(&b->area_mean, prepare_rows(b->own->ctx, penta_grid_1d(batch->count)),
                     ARGS(&b->rows, n, ny, (double)s->width * (double)s->height, &batch->level)));
cleanup:
    return status;
}

penta_status prepare_background_run(prepare_background *b, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const float *illumination;

    TRY(prepare_background_illumination(b, &illumination)); /* it uses the nodes, which the batch needs next */
    TRY(prepare_background_measure(b, batch));
    if (illumination)
        TRY(prepare_background_light(b, batch->count, &batch->background));
    else
        TRY(prepare_background_fit(b, batch->count, &batch->background));
    TRY(find_level(b, batch));
cleanup:
    return status;
}
