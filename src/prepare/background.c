/*
 * The background on nodes: a polynomial Q through the means of blocks (background_poly.c), and local planes under a
 * Gaussian of what it leaves; by frame, or once from a survey of the series (background_survey.c). Kernels:
 * cl/prepare/background.cl, background_planes.cl.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prepare/background.h"

enum { LANES = 8, BLOCK_COLUMNS = 16 }; /* pitch is a multiple of LANES; items a block, as in the kernel */

struct prepare_background {
    penta_context *ctx;
    const prepare_shape *shape;
    prepare_nodes nodes;
    prepare_poly *poly;
    penta_kernel blocks, node_rows, node_ratio, area_rows, area_mean, planes_x, planes_y, take, lit;
    penta_buffer along_x, along_y; /* double: K dx^p, K dy^q */
    penta_buffer moments;          /* double, frames x 5 x ny x pitch */
    penta_buffer rows;             /* double2, frames x ny */
    penta_buffer ones;             /* float, ny x pitch */
    float *area;                   /* ny x nx: pixels of the blocks */
    prepare_survey survey;
    float *illumination;   /* ny x nx, mean 1; NULL: not made yet */
    penta_buffer lighting; /* float, ny x pitch: the same */
};

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
    n->pitch = (n->nx + LANES - 1) / LANES * LANES;
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

/* K d^p, d in sigma, of node `to` from node `from` at [p][from * stride_from + to * stride_to]. */
static penta_status send_gaussian(prepare_background *b, const double *place, size_t count, size_t pitch, bool along_x,
                                  penta_buffer *out)
{
    penta_status status = PENTA_OK;
    size_t plane = count * pitch, bytes;
    double sigma = b->shape->settings->sigma, *table = NULL;

    TRY(penta_size(b->ctx, 3 * sizeof *table, count, pitch, &bytes));
    TRY(penta_calloc(b->ctx, bytes, 1, &table));
    for (size_t from = 0; from < count; from++)
        for (size_t to = 0; to < count; to++) {
            double d = (place[from] - place[to]) / sigma, k = exp(-d * d / 2);
            size_t at = along_x ? from * pitch + to : to * pitch + from;

            table[at] = k;
            table[plane + at] = k * d;
            table[2 * plane + at] = k * d * d;
        }
    TRY(penta_buffer_create(b->ctx, bytes, out));
    TRY(penta_buffer_write(out, 0, table, bytes));
cleanup:
    free(table);
    return status;
}

static penta_status create_planes(prepare_background *b)
{
    penta_status status = PENTA_OK;
    const prepare_nodes *n = &b->nodes;
    const char *file = "prepare/background_planes.cl";

    if (b->shape->settings->o.flatten == PENTA_PREPARE_POLY)
        return PENTA_OK;
    TRY(penta_kernel_get(b->ctx, file, "prepare_planes_x", "", &b->planes_x));
    TRY(penta_kernel_get(b->ctx, file, "prepare_planes_y", "", &b->planes_y));
    TRY(send_gaussian(b, n->x, n->nx, n->pitch, true, &b->along_x));
    TRY(send_gaussian(b, n->y, n->ny, n->ny, false, &b->along_y));
    TRY(penta_buffer_create(b->ctx, b->shape->batch * 5 * n->ny * n->pitch * sizeof(double), &b->moments));
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
    TRY(penta_buffer_create(b->ctx, count * sizeof *ones, &b->ones));
    TRY(penta_buffer_write(&b->ones, 0, ones, count * sizeof *ones));
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
    TRY(create_planes(b));
    TRY(create_ones(b));
    TRY(measure_blocks(b));
    TRY(prepare_poly_create(b->ctx, b->shape, &b->nodes, &b->poly));
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
    penta_kernel *kernels[] = {&b->blocks,   &b->node_rows, &b->node_ratio, &b->area_rows, &b->area_mean,
                               &b->planes_x, &b->planes_y,  &b->take,       &b->lit};
    penta_buffer *buffers[] = {&b->nodes.mean, &b->nodes.weight, &b->nodes.trend, &b->nodes.level, &b->along_x,
                               &b->along_y,    &b->moments,      &b->rows,        &b->ones,        &b->lighting};

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
    release_all(b);
    free(b->nodes.x);
    free(b->nodes.y);
    free(b->area);
    free(b->survey.means);
    free(b->illumination);
    free(b);
}

/* ---- by frame ---- */

/* mean and weight of the nodes. */
static penta_status measure(prepare_background *b, prepare_batch *batch)
{
    const prepare_shape *s = b->shape;
    prepare_nodes *n = &b->nodes;
    size_t groups = (n->pitch + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    penta_grid grid = penta_is_cpu(b->ctx)
                          ? penta_grid_2d(n->ny, batch->count)
                          : penta_grid_groups(penta_grid_3d(groups * 256, n->ny, batch->count), 256, 1, 1);

    return penta_launch(&b->blocks, grid,
                        ARGS(&batch->grey, &batch->mask, (int)s->width, (int)s->height, (int)n->nx, (int)n->ny,
                             (int)n->pitch, &n->mean, &n->weight));
}

/* level of the nodes: sum of v n over sum of n by. */
static penta_status divide(prepare_background *b, size_t count, penta_buffer *by)
{
    penta_status status = PENTA_OK;
    prepare_nodes *n = &b->nodes;

    TRY(penta_launch(&b->node_rows, penta_grid_rows(penta_grid_2d(n->ny, count)),
                     ARGS(&n->mean, &n->weight, by, (int)n->nx, (int)n->ny, (int)n->pitch, &b->rows)));
    TRY(penta_launch(&b->node_ratio, penta_grid_rows(penta_grid_1d(count)),
                     ARGS(&b->rows, (int)count, (int)n->ny, &n->level)));
cleanup:
    return status;
}

static penta_status fit_planes(prepare_background *b, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    prepare_nodes *n = &b->nodes;
    size_t width = penta_is_cpu(b->ctx) ? LANES : 1;
    penta_grid grid = penta_grid_3d(n->pitch / width, n->ny, count);
    int nx = (int)n->nx, ny = (int)n->ny, pitch = (int)n->pitch;

    if (width == 1)
        grid = penta_grid_rows(grid);
    TRY(penta_launch(&b->planes_x, grid,
                     ARGS(&n->mean, &n->weight, &n->trend, &b->along_x, nx, ny, pitch, &b->moments)));
    TRY(penta_launch(&b->planes_y, grid, ARGS(&b->moments, &n->trend, &n->level, &b->along_y, nx, ny, pitch, out)));
cleanup:
    return status;
}

/* B of count frames on ny x nx nodes from mean and weight. */
static penta_status fit(prepare_background *b, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    prepare_nodes *n = &b->nodes;

    TRY(divide(b, count, &b->ones));
    TRY(prepare_poly_run(b->poly, count, n));
    if (b->shape->settings->o.flatten == PENTA_PREPARE_POLY)
        TRY(penta_launch(&b->take, penta_grid_rows(penta_grid_2d(n->nx * n->ny, count)),
                         ARGS(&n->trend, (int)n->nx, (int)n->ny, (int)n->pitch, out)));
    else
        TRY(fit_planes(b, count, out));
cleanup:
    return status;
}

/* B of frames from the illumination of the series. */
static penta_status light(prepare_background *b, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    prepare_nodes *n = &b->nodes;

    TRY(divide(b, count, &b->lighting));
    TRY(penta_launch(&b->lit, penta_grid_rows(penta_grid_2d(n->nx * n->ny, count)),
                     ARGS(&b->lighting, &n->level, (int)n->nx, (int)n->ny, (int)n->pitch, out)));
cleanup:
    return status;
}

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
    TRY(measure(b, batch));
    if (illumination)
        TRY(light(b, batch->count, &batch->background));
    else
        TRY(fit(b, batch->count, &batch->background));
    TRY(find_level(b, batch));
cleanup:
    return status;
}

/* ---- the series ---- */

/* Blocks of frame f of the batch, which counted enough, over the frame's mean. */
static penta_status survey_frame(prepare_background *b, size_t f, const float *mean, const float *weight)
{
    penta_status status = PENTA_OK;
    const prepare_nodes *n = &b->nodes;
    double sum = 0, count = 0;
    float *out = NULL;

    TRY(prepare_survey_room(b->ctx, &b->survey, &out));
    mean += f * n->ny * n->pitch;
    weight += f * n->ny * n->pitch;
    for (size_t i = 0; i < n->ny * n->pitch; i++) {
        sum += (double)mean[i] * (double)weight[i];
        count += (double)weight[i];
    }
    for (size_t i = 0; i < n->nx * n->ny; i++) {
        size_t at = i / n->nx * n->pitch + i % n->nx;

        out[i] = sum > 0 && weight[at] > b->area[i] / 4 ? (float)((double)mean[at] / (sum / count)) : NAN;
    }
    b->survey.frames++;
cleanup:
    return status;
}

penta_status prepare_background_survey(prepare_background *b, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    size_t bytes = batch->count * b->nodes.ny * b->nodes.pitch * sizeof(float);
    float *mean = NULL, *weight = NULL;

    TRY(penta_calloc(b->ctx, bytes, 1, &mean));
    TRY(penta_calloc(b->ctx, bytes, 1, &weight));
    TRY(measure(b, batch));
    TRY(penta_buffer_read(&b->nodes.mean, 0, mean, bytes));
    TRY(penta_buffer_read(&b->nodes.weight, 0, weight, bytes));
    for (size_t f = 0; f < batch->count; f++)
        TRY(survey_frame(b, f, mean, weight));
    free(b->illumination); /* of fewer frames */
    b->illumination = NULL;
cleanup:
    free(mean);
    free(weight);
    return status;
}

size_t prepare_background_surveyed(const prepare_background *b)
{
    return b->survey.frames ? b->survey.frames : b->illumination != NULL;
}

void prepare_background_unsurvey(prepare_background *b, size_t frames)
{
    if (frames < b->survey.frames) {
        b->survey.frames = frames;
        free(b->illumination);
        b->illumination = NULL;
    }
}

/* ny x nx numbers into ny x pitch. */
static penta_status spread(prepare_background *b, const float *from, penta_buffer *to)
{
    penta_status status = PENTA_OK;
    const prepare_nodes *n = &b->nodes;
    float *padded = NULL;

    TRY(penta_calloc(b->ctx, n->ny * n->pitch, sizeof *padded, &padded));
    for (size_t i = 0; i < n->nx * n->ny; i++)
        padded[i / n->nx * n->pitch + i % n->nx] = from[i];
    TRY(penta_buffer_write(to, 0, padded, n->ny * n->pitch * sizeof *padded));
cleanup:
    free(padded);
    return status;
}

/* Over their mean by area. */
static void normalise(const prepare_background *b, float *values)
{
    size_t count = b->nodes.nx * b->nodes.ny;
    double sum = 0, area = 0;

    for (size_t i = 0; i < count; i++) {
        sum += (double)values[i] * (double)b->area[i];
        area += (double)b->area[i];
    }
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((double)values[i] / (sum / area));
}

static penta_status make_illumination(prepare_background *b)
{
    penta_status status = PENTA_OK;
    size_t count = b->nodes.nx * b->nodes.ny;
    float *median = NULL, *weight = NULL, *made = NULL;
    penta_buffer out = {0};

    TRY(penta_calloc(b->ctx, count, sizeof *median, &median));
    TRY(penta_calloc(b->ctx, count, sizeof *weight, &weight));
    TRY(penta_calloc(b->ctx, count, sizeof *made, &made));
    TRY(prepare_survey_medians(b->ctx, &b->survey, b->area, median, weight));
    TRY(spread(b, median, &b->nodes.mean));
    TRY(spread(b, weight, &b->nodes.weight));
    TRY(penta_buffer_create(b->ctx, count * sizeof *made, &out));
    TRY(fit(b, 1, &out));
    TRY(penta_buffer_read(&out, 0, made, count * sizeof *made));
    normalise(b, made);
    TRY(prepare_background_restore(b, made));
cleanup:
    penta_buffer_release(&out);
    free(median);
    free(weight);
    free(made);
    return status;
}

penta_status prepare_background_illumination(prepare_background *b, const float **out)
{
    penta_status status = PENTA_OK;

    *out = NULL;
    if (!b->illumination && b->survey.frames)
        TRY(make_illumination(b));
    *out = b->illumination;
cleanup:
    return status;
}

penta_status prepare_background_restore(prepare_background *b, const float *illumination)
{
    penta_status status = PENTA_OK;
    size_t bytes = b->survey.nodes * sizeof *illumination;
    float *copy = NULL;

    TRY(penta_calloc(b->ctx, bytes, 1, &copy));
    memcpy(copy, illumination, bytes);
    TRY(spread(b, copy, &b->lighting));
    free(b->illumination);
    b->illumination = copy;
    copy = NULL;
cleanup:
    free(copy);
    return status;
}
