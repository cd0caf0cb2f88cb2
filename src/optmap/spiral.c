/* The excitable medium of pentacl/spiral.h: two sets of buffers by turns, and the tips on the host. */
#include <pentacl/spiral.h>

#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "optmap/tips.h"

enum { LEAD = 16 }; /* as in cl/optmap/spiral.cl */

static const penta_option option_rows[] = {
    PENTA_REAL_OPTION(penta_spiral_options, a, 0, 1, 0.1, 2, "", "of the model: longer pulses"),
    PENTA_REAL_OPTION(penta_spiral_options, b, 0, 0.05, 0, 1, "", "of the model: the threshold is b/a"),
    PENTA_REAL_OPTION(penta_spiral_options, epsilon, 0, 0.02, 0.001, 1, "", "of the model: time of an upstroke"),
    PENTA_REAL_OPTION(penta_spiral_options, cell, 0, 0.4, 0.01, 2, "", "side of a cell"),
    PENTA_REAL_OPTION(penta_spiral_options, step, 0, 0.02, 1e-6, 1, "", "of time"),
    PENTA_OPTIONS_END};

const penta_option *penta_spiral_option_table(void)
{
    return option_rows;
}

struct penta_spiral {
    penta_resources resources;
    penta_spiral_options options;
    size_t width, height, pitch;
    penta_kernel step;
    penta_buffer u[2], v[2];
    int now;        /* which of them holds the present */
    float *staging; /* height x pitch */
};

/* ---- the beginning ---- */

/* Left of the middle excited, in the upper half refractory: the front moves right below, and its end at the middle is
 * free. */
static float beginning_u(const penta_spiral *s, size_t x)
{
    return x < s->width / 2 ? 1 : 0;
}

static float beginning_v(const penta_spiral *s, size_t y)
{
    return y < s->height / 2 ? (float)(s->options.a / 2) : 0;
}

static penta_status write_beginning(penta_spiral *s)
{
    penta_status status = PENTA_OK;
    size_t bytes = s->height * s->pitch * sizeof *s->staging;

    for (size_t y = 0; y < s->height; y++)
        for (size_t i = 0; i < s->pitch; i++) {
            size_t x = i < LEAD ? 0 : i - LEAD < s->width ? i - LEAD : s->width - 1;

            s->staging[y * s->pitch + i] = beginning_u(s, x);
        }
    TRY(penta_buffer_write(&s->u[0], 0, s->staging, bytes));
    TRY(penta_buffer_write(&s->u[1], 0, s->staging, bytes));
    for (size_t y = 0; y < s->height; y++)
        for (size_t i = 0; i < s->pitch; i++)
            s->staging[y * s->pitch + i] = beginning_v(s, y);
    TRY(penta_buffer_write(&s->v[0], 0, s->staging, bytes));
    TRY(penta_buffer_write(&s->v[1], 0, s->staging, bytes));
cleanup:
    return status;
}

static penta_status check(penta_context *ctx, size_t width, size_t height, const penta_spiral_options *o)
{
    const double most = 0.375 * o->cell * o->cell; /* 2 over the largest eigenvalue of the Laplacian, 16 / (3 cell^2) */

    if (width < 2 || height < 2)
        return penta_fail(ctx, PENTA_INVALID, "a grid of %zu x %zu cells is too small: 2 x 2 at least", width, height);
    if (width > INT32_MAX - 3 * LEAD || height > INT32_MAX)
        return penta_fail(ctx, PENTA_INVALID, "a grid of %zu x %zu cells is too large", width, height);
    if (o->step > most || o->step > o->epsilon)
        return penta_fail(ctx, PENTA_INVALID, "steps of %g diverge: at most %g for cells of %g and epsilon %g", o->step,
                          fmin(most, o->epsilon), o->cell, o->epsilon);
    return PENTA_OK;
}

penta_status penta_spiral_create(penta_context *ctx, size_t width, size_t height, const penta_spiral_options *opt,
                                 penta_spiral **out)
{
    penta_status status = PENTA_OK;
    penta_spiral *s = NULL;
    penta_spiral_options options;
    size_t bytes = 0;

    *out = NULL;
    TRY(penta_options_resolve(ctx, penta_spiral_option_table(), opt, &options, sizeof options));
    TRY(check(ctx, width, height, &options));
    TRY(penta_plan_alloc(ctx, &s));
    s->options = options;
    s->width = width;
    s->height = height;
    s->pitch = LEAD + (width + LEAD - 1) / LEAD * LEAD + LEAD;
    TRY(penta_size(ctx, height, s->pitch, sizeof *s->staging, &bytes));
    TRY(penta_calloc(&s->resources, height * s->pitch, sizeof *s->staging, &s->staging));
    TRY(penta_kernel_get(&s->resources, "optmap/spiral.cl", penta_is_cpu(ctx) ? "spiral_step_cpu" : "spiral_step", "",
                         &s->step));
    for (int i = 0; i < 2; i++) {
        TRY(penta_buffer_create(&s->resources, bytes, &s->u[i]));
        TRY(penta_buffer_create(&s->resources, bytes, &s->v[i]));
    }
    TRY(write_beginning(s));
    *out = s;
    s = NULL;
cleanup:
    penta_spiral_destroy(s);
    return status;
}

/* ---- time ---- */

penta_status penta_spiral_advance(penta_spiral *s, size_t steps)
{
    const penta_spiral_options *o = &s->options;
    penta_status status = PENTA_OK;
    penta_grid grid =
        penta_is_cpu(s->resources.ctx) ? penta_grid_1d(s->height) : penta_grid_rows(penta_grid_2d(s->width, s->height));
    float reaction = (float)(o->step / o->epsilon), diffusion = (float)(o->step / (6 * o->cell * o->cell));

    for (size_t i = 0; i < steps; i++) {
        int now = s->now;

        TRY(penta_launch(&s->step, grid,
                         ARGS(&s->u[now], &s->v[now], (int)s->width, (int)s->height, (int)s->pitch, reaction, diffusion,
                              (float)(1 / o->a), (float)o->b, (float)o->step, &s->u[1 - now], &s->v[1 - now])));
        s->now = 1 - now;
    }
cleanup:
    return status;
}

static penta_status read_one(penta_spiral *s, penta_buffer *buffer, float *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_read(buffer, 0, s->staging, s->height * s->pitch * sizeof *s->staging));
    for (size_t y = 0; y < s->height; y++)
        for (size_t x = 0; x < s->width; x++)
            out[y * s->width + x] = s->staging[y * s->pitch + LEAD + x];
cleanup:
    return status;
}

penta_status penta_spiral_read(penta_spiral *s, float *u, float *v)
{
    penta_status status = PENTA_OK;

    if (u)
        TRY(read_one(s, &s->u[s->now], u));
    if (v)
        TRY(read_one(s, &s->v[s->now], v));
cleanup:
    return status;
}

size_t penta_spiral_tips(const penta_spiral *s, const float *u, const float *v, penta_spiral_tip *tips, size_t most)
{
    return optmap_tips(u, v, s->width, s->height, NULL, 0.5, s->options.a / 2 - s->options.b, tips, most);
}

void penta_spiral_destroy(penta_spiral *s)
{
    penta_plan_free(s);
}
