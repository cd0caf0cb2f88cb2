/*
 * The slow part G of v / Q: local planes under a Gaussian, in PASSES. Each pass replaces Q by Q (1 + s (G - 1)); s is
 * near 1 where G varies more than the pattern would by chance, otherwise 0. Kernels: cl/prepare/background_planes.cl.
 */
#include <math.h>
#include <stdlib.h>

#include "prepare/background.h"

enum { PASSES = 4 };

/* Chance variance of G as a fraction of the variance that independent blocks would give. Blocks of a pattern give less
 * where they hold a full period, because bright and dark parts alternate. */
#define CHANCE 0.2

struct prepare_planes {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    penta_kernel along_rows, along_columns, measure, share_of, take;
    penta_buffer along_x, along_y; /* real: K dx^p, K dy^q */
    penta_buffer moments;          /* real, frames x 5 x ny x pitch: moments along x */
    penta_buffer gain;             /* float, frames x ny x pitch: G */
    penta_buffer sums;             /* real2, frames x ny: of n (G - 1)^2, n (v / Q - G)^2 */
    penta_buffer share;            /* float, frames: s */
    double chance;                 /* chance value of <(G - 1)^2>, divided by <(v / Q - G)^2> */
};

/* Sends K d^p, d in sigma, of node `to` from node `from`, at [p][from * stride_from + to * stride_to]. */
static penta_status send_gaussian(prepare_planes *p, const double *place, size_t count, size_t pitch, bool along_x,
                                  penta_buffer *out)
{
    penta_status status = PENTA_OK;
    size_t plane = count * pitch, bytes;
    double sigma = p->shape->settings->sigma, *table = NULL;

    TRY(penta_size(p->own->ctx, 3 * sizeof *table, count, pitch, &bytes));
    TRY(penta_calloc(p->own->ctx, bytes, 1, &table));
    for (size_t from = 0; from < count; from++)
        for (size_t to = 0; to < count; to++) {
            double d = (place[from] - place[to]) / sigma, k = exp(-d * d / 2);
            size_t at = along_x ? from * pitch + to : to * pitch + from;

            table[at] = k;
            table[plane + at] = k * d;
            table[2 * plane + at] = k * d * d;
        }
    TRY(penta_upload_reals(p->own, table, 3 * plane, out));
cleanup:
    free(table);
    return status;
}

static penta_status create_kernels(prepare_planes *p)
{
    return penta_kernels_get(p->own, "prepare/background_planes.cl", "",
                             KERNELS({&p->along_rows, "prepare_planes_x"}, {&p->along_columns, "prepare_planes_y"},
                                     {&p->measure, "prepare_planes_measure"}, {&p->share_of, "prepare_planes_share"},
                                     {&p->take, "prepare_planes_take"}));
}

/* Mean squared Gaussian weight for independent blocks: (area of a block) / (4 pi sigma^2). */
static double chance_of(const prepare_shape *s)
{
    double block = (double)(s->width * s->height) / (double)(s->nodes_x * s->nodes_y);

    return CHANCE * block / (4 * 3.14159265358979323846 * s->settings->sigma * s->settings->sigma);
}

static penta_status create_parts(prepare_planes *p, const prepare_nodes *n)
{
    penta_status status = PENTA_OK;
    size_t count = p->shape->batch * n->ny * n->pitch;

    p->chance = chance_of(p->shape);
    TRY(create_kernels(p));
    TRY(send_gaussian(p, n->x, n->nx, n->pitch, true, &p->along_x));
    TRY(send_gaussian(p, n->y, n->ny, n->ny, false, &p->along_y));
    TRY(penta_buffer_create(p->own, 5 * count * sizeof(double), &p->moments));
    TRY(penta_buffer_create(p->own, count * sizeof(float), &p->gain));
    TRY(penta_buffer_create(p->own, p->shape->batch * n->ny * 2 * sizeof(double), &p->sums));
    TRY(penta_buffer_create(p->own, p->shape->batch * sizeof(float), &p->share));
cleanup:
    return status;
}

penta_status prepare_planes_create(penta_resources *own, const prepare_shape *shape, const prepare_nodes *nodes,
                                   prepare_planes **out)
{
    penta_status status = PENTA_OK;
    prepare_planes *p = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    p = *out;
    p->own = own;
    p->shape = shape;
    TRY(create_parts(p, nodes));
cleanup:
    return status;
}

/* Computes gain from mean, weight and trend. fit and weigh skip frames whose share is already 0. */
static penta_status fit(prepare_planes *p, size_t count, prepare_nodes *n, int pass)
{
    penta_status status = PENTA_OK;
    size_t width = penta_is_cpu(p->own->ctx) ? PREPARE_NODE_LANES : 1;
    penta_grid grid = prepare_rows(p->own->ctx, penta_grid_3d(n->pitch / width, n->ny, count));
    int nx = (int)n->nx, ny = (int)n->ny, pitch = (int)n->pitch;

    TRY(penta_launch(&p->along_rows, grid,
                     ARGS(&n->mean, &n->weight, &n->trend, &p->along_x, &p->share, pass, nx, ny, pitch, &p->moments)));
    TRY(penta_launch(&p->along_columns, grid, ARGS(&p->moments, &p->along_y, &p->share, pass, ny, pitch, &p->gain)));
cleanup:
    return status;
}

/* Computes share from gain, mean, weight and trend. */
static penta_status weigh(prepare_planes *p, size_t count, prepare_nodes *n, int pass)
{
    penta_status status = PENTA_OK;
    int nx = (int)n->nx, ny = (int)n->ny, pitch = (int)n->pitch;

    TRY(penta_launch(&p->measure, prepare_rows(p->own->ctx, penta_grid_2d(n->ny, count)),
                     ARGS(&n->mean, &n->weight, &n->trend, &p->gain, &p->share, pass, nx, ny, pitch, &p->sums)));
    TRY(penta_launch(&p->share_of, prepare_rows(p->own->ctx, penta_grid_1d(count)),
                     ARGS(&p->sums, (int)count, ny, p->chance, &p->share)));
cleanup:
    return status;
}

penta_status prepare_planes_run(prepare_planes *p, size_t count, prepare_nodes *n, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    penta_grid nodes = prepare_rows(p->own->ctx, penta_grid_2d(n->nx * n->ny, count));

    for (int pass = 0; pass < PASSES; pass++) {
        TRY(fit(p, count, n, pass));
        TRY(weigh(p, count, n, pass));
        TRY(penta_launch(&p->take, nodes,
                         ARGS(&p->gain, &p->share, &n->level, (int)(pass == PASSES - 1), (int)n->nx, (int)n->ny,
                              (int)n->pitch, &n->trend, out)));
    }
cleanup:
    return status;
}
