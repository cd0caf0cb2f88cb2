/*
 * The background on nodes: a polynomial Q through the means of blocks (background_poly.c), and planes under a Gaussian
 * of what it leaves (background_planes.c); by frame, or once from a survey of the series (background_series.c).
 * Kernels: cl/prepare/background.cl.
 */
#include <stdlib.h>

#include "prepare/background.h"

static bool is_series(const prepare_background *b)
{
    return b->shape->settings->o.flatten == PENTA_PREPARE_SERIES;
}

/* ---- creation ---- */

static penta_status places(penta_context *ctx, size_t size, size_t count, double **out)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(ctx, count, sizeof **out, out));
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
    TRY(places(b->ctx, s->width, n->nx, &n->x));
    TRY(places(b->ctx, s->height, n->ny, &n->y));
    TRY(penta_buffer_create(b->ctx, bytes, &n->mean));
    TRY(penta_buffer_create(b->ctx, bytes, &n->weight));
    TRY(penta_buffer_create(b->ctx, bytes, &n->trend));
    TRY(penta_buffer_create(b->ctx, s->batch * sizeof(double), &n->level));
cleanup:
    return status;
}

static penta_status create_kernels(prepare_background *b)
{
    penta_status status = PENTA_OK;
    const struct {
        penta_kernel *kernel;
        const char *name;
    } all[] = {{&b->blocks, "prepare_nodes"},
               {&b->node_rows, "prepare_node_rows"},
               {&b->node_ratio, "prepare_node_ratio"},
               {&b->area_rows, "prepare_area_rows"},
               {&b->area_mean, "prepare_area_mean"},
               {&b->take, "prepare_take"},
               {&b->lit, "prepare_lit"}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(penta_kernel_get(b->ctx, "prepare/background.cl", all[i].name, "", all[i].kernel));
cleanup:
    return status;
}

static penta_status create_ones(prepare_background *b)
{
    penta_status status = PENTA_OK;
    size_t count = b->nodes.ny * b->nodes.pitch;
    float *ones = NULL;

    TRY(penta_calloc(b->ctx, count, sizeof *ones, &ones));
    for (size_t i = 0; i < count; i++)
        ones[i] = 1;
    TRY(penta_buffer_upload(b->ctx, ones, count * sizeof *ones, &b->ones));
cleanup:
    free(ones);
    return status;
}

static penta_status measure_blocks(prepare_background *b)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = b->shape;
    size_t nx = b->nodes.nx, ny = b->nodes.ny;

    TRY(penta_calloc(b->ctx, nx * ny, sizeof *b->area, &b->area));
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
    TRY(prepare_poly_create(b->ctx, b->shape, &b->nodes, &b->poly));
    if (b->shape->settings->o.flatten != PENTA_PREPARE_POLY)
        TRY(prepare_planes_create(b->ctx, b->shape, &b->nodes, &b->planes));
    TRY(penta_buffer_create(b->ctx, b->shape->batch * b->nodes.ny * 2 * sizeof(double), &b->rows));
    TRY(penta_buffer_create(b->ctx, is_series(b) ? b->nodes.ny * b->nodes.pitch * sizeof(float) : 0, &b->lighting));
    b->survey.nodes = b->nodes.nx * b->nodes.ny;
cleanup:
    return status;
}

penta_status prepare_background_create(penta_context *ctx, const prepare_shape *shape, prepare_background **out)
{
    penta_status status = PENTA_OK;
    prepare_background *b = NULL;

    *out = NULL;
    TRY(penta_calloc(ctx, 1, sizeof *b, &b));
    b->ctx = ctx;
    b->shape = shape;
    TRY(create_parts(b));
    *out = b;
    b = NULL;
cleanup:
    prepare_background_destroy(b);
    return status;
}

static void release_all(prepare_background *b)
{
    penta_kernel *kernels[] = {&b->blocks,    &b->node_rows, &b->node_ratio, &b->area_rows,
                               &b->area_mean, &b->take,      &b->lit};
    penta_buffer *buffers[] = {&b->nodes.mean, &b->nodes.weight, &b->nodes.trend, &b->nodes.level,
                               &b->rows,       &b->ones,         &b->lighting};

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        penta_kernel_release(kernels[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        penta_buffer_release(buffers[i]);
}

void prepare_background_destroy(prepare_background *b)
{
    if (!b)
        return;
    prepare_poly_destroy(b->poly);
    prepare_planes_destroy(b->planes);
    release_all(b);
    free(b->nodes.x);
    free(b->nodes.y);
    free(b->area);
    free(b->survey.means);
    free(b->illumination);
    free(b);
}

/* ---- by frame ---- */

static penta_status find_level(prepare_background *b, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = b->shape;
    int nx = (int)b->nodes.nx, ny = (int)b->nodes.ny, n = (int)batch->count;

    TRY(penta_launch(&b->area_rows, penta_grid_rows(penta_grid_2d(b->nodes.ny, batch->count)),
                     ARGS(&batch->background, (int)s->width, (int)s->height, nx, ny, &b->rows)));
    TRY(penta_launch(&b->area_mean, penta_grid_rows(penta_grid_1d(batch->count)),
                     ARGS(&b->rows, n, ny, (double)s->width * (double)s->height, &batch->level)));
cleanup:
    return status;
}

penta_status prepare_background_run(prepare_background *b, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const float *illumination;

    TRY(prepare_background_illumination(b, &illumination)); /* in the nodes that the batch needs next */
    TRY(prepare_background_measure(b, batch));
    if (illumination)
        TRY(prepare_background_light(b, batch->count, &batch->background));
    else
        TRY(prepare_background_fit(b, batch->count, &batch->background));
    TRY(find_level(b, batch));
cleanup:
    return status;
}
