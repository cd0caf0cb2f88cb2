/* Sums over tiles of products of two frames, and the peak of their correlation coefficient. Kernels:
 * cl/prepare/sums.cl, sums_cpu.cl. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "prepare/register_parts.h"

enum { TRIAL_ROOM = 8, TILE_SUMS = 9 * 6, MOST_STRIPS = 4 };
#define FLAT  1e-12 /* a curvature below this is rounding */
#define LEAST 100.0 /* least overlap: the frame's area divided by this */

/* Same layout as in cl/prepare/sums.clh. */
typedef struct {
    int32_t frame, x, y;
    float part_x, part_y;
    float along, aside;
    float px, py, a, b, limit;
} device_trial;

struct prepare_sums {
    penta_resources *own; /* of the plan */
    prepare_shape shape;
    size_t tiles_x, tiles_y, room; /* number of tiles; trials per launch */
    size_t strips;                 /* of a tile, GPU form */
    penta_kernel shifted, turned;
    penta_buffer trials, sums;
    device_trial *staging;
};

/* A work-group has PREPARE_TILE work-items for each. */
static size_t strips_on(const penta_context *ctx)
{
    size_t strips = MOST_STRIPS;

    while (strips > 1 && strips * PREPARE_TILE > penta_largest_group(ctx))
        strips /= 2;
    return strips;
}

penta_status prepare_sums_create(penta_resources *own, const prepare_shape *shape, prepare_sums **out)
{
    penta_status status = PENTA_OK;
    bool cpu = penta_is_cpu(own->ctx);
    const char *file = cpu ? "prepare/sums_cpu.cl" : "prepare/sums.cl";
    prepare_sums *s = NULL;
    char defines[32] = "";

    TRY(penta_calloc(own, 1, sizeof **out, out));
    s = *out;
    s->own = own;
    s->shape = *shape;
    s->tiles_x = (shape->width + PREPARE_TILE - 1) / PREPARE_TILE;
    s->tiles_y = (shape->height + PREPARE_TILE - 1) / PREPARE_TILE;
    s->room = shape->batch > TRIAL_ROOM ? shape->batch : TRIAL_ROOM;
    s->strips = strips_on(own->ctx);
    if (!cpu)
        snprintf(defines, sizeof defines, "-DSTRIPS=%zu", s->strips);
    TRY(penta_kernel_get(own, file, "sums_shifted", defines, &s->shifted));
    TRY(penta_kernel_get(own, file, "sums_turned", defines, &s->turned));
    TRY(penta_calloc(own, s->room, sizeof *s->staging, &s->staging));
    TRY(penta_buffer_create(own, s->room * sizeof *s->staging, &s->trials));
    TRY(penta_buffer_create(own, s->room * s->tiles_x * s->tiles_y * TILE_SUMS * sizeof(float), &s->sums));
cleanup:
    return status;
}

static bool is_turned(const prepare_trial *t)
{
    return t->angle != 0 || t->grow != 0;
}

static device_trial on_device(const prepare_trial *t)
{
    double whole_x = floor((double)t->dx), whole_y = floor((double)t->dy), size = 1 + (double)t->grow;
    device_trial d = {.frame = t->frame,
                      .x = (int32_t)whole_x,
                      .y = (int32_t)whole_y,
                      .part_x = (float)((double)t->dx - whole_x),
                      .part_y = (float)((double)t->dy - whole_y),
                      .along = (float)(size * cos((double)t->angle) - 1),
                      .aside = (float)(size * sin((double)t->angle)),
                      .px = t->px,
                      .py = t->py,
                      .a = t->a,
                      .b = t->b,
                      .limit = t->limit};

    return d;
}

penta_status prepare_sums_run(prepare_sums *s, penta_buffer *f, penta_buffer *f_mask, penta_buffer *g,
                              penta_buffer *g_mask, size_t trials, const prepare_trial *trial, float *sums)
{
    penta_status status = PENTA_OK;
    size_t each = s->tiles_x * s->tiles_y * TILE_SUMS, now;

    for (size_t from = 0; from < trials; from += now) {
        bool cpu = penta_is_cpu(s->own->ctx);
        size_t across = cpu ? 1 : PREPARE_TILE, down = cpu ? 1 : s->strips;
        bool turned = is_turned(&trial[from]);
        penta_grid grid;

        for (now = 0; now < s->room && from + now < trials && is_turned(&trial[from + now]) == turned; now++)
            s->staging[now] = on_device(&trial[from + now]);
        grid = penta_grid_groups(penta_grid_3d(s->tiles_x * across, s->tiles_y * down, now), across, down, 1);
        TRY(penta_buffer_write(&s->trials, 0, s->staging, now * sizeof *s->staging));
        TRY(penta_launch(turned ? &s->turned : &s->shifted, grid,
                         ARGS(f, f_mask, g, g_mask, &s->trials, (int)s->shape.width, (int)s->shape.height, &s->sums)));
        TRY(penta_buffer_read(&s->sums, 0, sums + from * each, now * each * sizeof *sums));
    }
cleanup:
    return status;
}

void prepare_coefficients(const double *sums, double least, double *r)
{
    for (int k = 0; k < 9; k++) {
        const double *s = sums + 6 * k;
        double n = s[0], ff = n * s[3] - s[1] * s[1], gg = n * s[4] - s[2] * s[2];

        /* the variance of equal numbers is rounding error */
        if (n < least || n < 2 || !(ff > 1e-6 * n * s[3]) || !(gg > 1e-6 * n * s[4]))
            r[k] = NAN;
        else
            r[k] = (n * s[5] - s[1] * s[2]) / sqrt(ff * gg);
    }
}

penta_status prepare_sums_try(const prepare_pair *of, size_t n, const prepare_trial *trial, double *r)
{
    penta_status status = PENTA_OK;
    const prepare_shape *shape = &of->sums->shape;
    size_t each = of->sums->tiles_x * of->sums->tiles_y * TILE_SUMS;
    double least = (double)shape->width * (double)shape->height / LEAST;
    float *sums = NULL;

    TRY(penta_calloc(of->f->ctx, n, each * sizeof *sums, &sums));
    TRY(prepare_sums_run(of->sums, of->f, of->f_mask, of->g, of->g_mask, n, trial, sums));
    for (size_t i = 0; i < n; i++) {
        double total[TILE_SUMS] = {0};

        for (size_t k = 0; k < each; k++)
            total[k % TILE_SUMS] += (double)sums[i * each + k];
        prepare_coefficients(total, least, r + 9 * i);
    }
cleanup:
    free(sums);
    return status;
}

/*
 * Fits c0 + c1 x + c2 y + c3 x x + c4 x y + c5 y y by least squares at x, y = -1, 0, 1. v: 3 rows of 3.
 */
static void fit_quadratic(const double *v, double *c)
{
    double sum = 0;

    for (int k = 0; k < 6; k++)
        c[k] = 0;
    for (int k = 0; k < 9; k++) {
        double x = k % 3 - 1, y = k / 3 - 1;

        sum += v[k];
        c[1] += x * v[k] / 6;
        c[2] += y * v[k] / 6;
        c[3] += (x * x - 2.0 / 3) * v[k] / 2;
        c[4] += x * y * v[k] / 4;
        c[5] += (y * y - 2.0 / 3) * v[k] / 2;
    }
    c[0] = sum / 9 - 2.0 / 3 * (c[3] + c[5]);
}

double prepare_quadratic_at(const double *r, double x, double y)
{
    double c[6];

    fit_quadratic(r, c);
    return c[0] + c[1] * x + c[2] * y + c[3] * x * x + c[4] * x * y + c[5] * y * y;
}

bool prepare_peak_within(const double *r, double reach, double *sx, double *sy, double *top)
{
    bool logarithms = true;
    double v[9], c[6], det, x, y;

    for (int k = 0; k < 9; k++) {
        if (!isfinite(r[k]))
            return false;
        logarithms = logarithms && r[k] > 0;
    }
    for (int k = 0; k < 9; k++)
        v[k] = logarithms ? log(r[k]) : r[k];
    fit_quadratic(v, c);
    det = 4 * c[3] * c[5] - c[4] * c[4];
    if (!(det > FLAT * FLAT) || !(c[3] < -FLAT))
        return false;
    x = (c[4] * c[2] - 2 * c[5] * c[1]) / det;
    y = (c[4] * c[1] - 2 * c[3] * c[2]) / det;
    if (!(fabs(x) <= reach) || !(fabs(y) <= reach))
        return false;
    *sx = x;
    *sy = y;
    *top = c[0] + 0.5 * (c[1] * x + c[2] * y);
    if (logarithms)
        *top = exp(*top);
    return true;
}

bool prepare_peak(const double *r, double *sx, double *sy, double *top)
{
    return prepare_peak_within(r, 1, sx, sy, top);
}
