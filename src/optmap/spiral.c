/* The excitable medium of pentacl/spiral.h, and its tips on the host. */
#include <pentacl/spiral.h>

#include <math.h>

#include "optmap/medium.h"
#include "optmap/tips.h"

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
    optmap_medium medium;
    penta_kernel step;
};

/* ---- the beginning ---- */

/* The initial state: excited left of the middle, refractory in the upper half, so that a front moves right in the lower
 * half and its free end is at the middle. */
static float beginning_u(const optmap_medium *m, size_t x)
{
    return x < m->width / 2 ? 1 : 0;
}

static float beginning_v(const penta_spiral *s, size_t y)
{
    return y < s->medium.height / 2 ? (float)(s->options.a / 2) : 0;
}

static penta_status write_beginning(penta_spiral *s)
{
    penta_status status = PENTA_OK;
    optmap_medium *m = &s->medium;

    for (size_t y = 0; y < m->height; y++)
        for (size_t i = 0; i < m->pitch; i++) {
            size_t x = i < MEDIUM_LEAD ? 0 : i - MEDIUM_LEAD < m->width ? i - MEDIUM_LEAD : m->width - 1;

            m->staging[y * m->pitch + i] = beginning_u(m, x);
        }
    TRY(medium_unstage(m, &m->u[0]));
    TRY(medium_unstage(m, &m->u[1]));
    for (size_t y = 0; y < m->height; y++)
        for (size_t i = 0; i < m->pitch; i++)
            m->staging[y * m->pitch + i] = beginning_v(s, y);
    TRY(medium_unstage(m, &m->v[0]));
    TRY(medium_unstage(m, &m->v[1]));
cleanup:
    return status;
}

/* The options with defaults, checked. Sizes 0: not known yet. */
static penta_status resolve(penta_context *ctx, size_t width, size_t height, const penta_spiral_options *opt,
                            penta_spiral_options *o)
{
    penta_status status = PENTA_OK;
    double most;

    TRY(penta_options_resolve(ctx, penta_spiral_option_table(), opt, o, sizeof *o));
    if (width || height)
        TRY(medium_check(ctx, "grid", width, height));
    most = 0.375 * o->cell * o->cell; /* 2 / (largest eigenvalue of the Laplacian, 16 / (3 cell^2)) */
    if (o->step > most || o->step > o->epsilon)
        status = penta_fail(ctx, PENTA_INVALID, "a `step` of %g diverges: at most %g for cells of %g and epsilon %g",
                            o->step, fmin(most, o->epsilon), o->cell, o->epsilon);
cleanup:
    return status;
}

penta_status penta_spiral_check(size_t width, size_t height, const penta_spiral_options *opt, char *message,
                                size_t size)
{
    penta_spiral_options options;

    return penta_check_result(resolve(NULL, width, height, opt, &options), message, size);
}

penta_status penta_spiral_create(penta_context *ctx, size_t width, size_t height, const penta_spiral_options *opt,
                                 penta_spiral **out)
{
    penta_status status = PENTA_OK;
    penta_spiral *s = NULL;
    penta_spiral_options options;

    *out = NULL;
    TRY(resolve(ctx, width, height, opt, &options));
    TRY(medium_check(ctx, "grid", width, height));
    TRY(penta_plan_alloc(ctx, &s));
    s->options = options;
    TRY(penta_kernel_get(&s->resources, "optmap/spiral.cl", penta_is_cpu(ctx) ? "spiral_step_cpu" : "spiral_step", "",
                         &s->step));
    TRY(medium_create(&s->resources, width, height, 0, &s->medium));
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
    optmap_medium *m = &s->medium;
    penta_grid grid = medium_grid(s->resources.ctx, m);
    float reaction = (float)(o->step / o->epsilon), diffusion = (float)(o->step / (6 * o->cell * o->cell));

    for (size_t i = 0; i < steps; i++, m->now = 1 - m->now)
        TRY(penta_launch(&s->step, grid,
                         ARGS(&m->u[m->now], &m->v[m->now], (int)m->width, (int)m->height, (int)m->pitch, reaction,
                              diffusion, (float)(1 / o->a), (float)o->b, (float)o->step, &m->u[1 - m->now],
                              &m->v[1 - m->now])));
cleanup:
    return status;
}

penta_status penta_spiral_read(penta_spiral *s, float *u, float *v)
{
    return medium_read(&s->medium, u, v);
}

size_t penta_spiral_tips(const penta_spiral *s, const float *u, const float *v, penta_spiral_tip *tips, size_t most)
{
    return optmap_tips(u, v, s->medium.width, s->medium.height, NULL, 0.5, s->options.a / 2 - s->options.b, tips, most);
}

void penta_spiral_destroy(penta_spiral *s)
{
    penta_plan_free(s);
}
