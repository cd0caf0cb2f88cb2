/* Bodies in and out of a plan. */
#include <stdlib.h>
#include <string.h>

#include "nbody/check.h"
#include "nbody/plan.h"

const char *penta_nbody_need(const penta_nbody *plan, bool *met)
{
    const int chosen = plan->setup.choice.precision, needed = plan->need.precision;

    if (met)
        *met = chosen == PENTA_PRECISION_DOUBLE || chosen == needed || needed == PENTA_PRECISION_SINGLE;
    return plan->need.reason;
}

/* Of so many bodies forces in double cost no more. */
static const size_t few_bodies = 64;

/* Chooses the forces that these bodies need, if the options leave it open. saved: the precision of a saved state; 0:
 * none. */
static penta_status choose_force(penta_nbody *plan, int saved)
{
    penta_status status = PENTA_OK;
    nbody_setup *s = &plan->setup;
    nbody_choice choice;

    if (s->options.integrator == PENTA_NBODY_HERMITE4) /* it has kernels of its own */
        return PENTA_OK;
    choice = nbody_choose_finer(s->ctx, &s->options,
                                saved                      ? saved
                                : s->shape.n <= few_bodies ? PENTA_PRECISION_DOUBLE
                                                           : plan->need.precision);
    if (choice.kernel != s->choice.kernel)
        nbody_forces_release(&plan->forces);
    s->choice = plan->forces.choice = choice;
    TRY(nbody_forces_prepare(&plan->forces));
cleanup:
    return status;
}

/* Once, and again where other bodies need another kernel. */
static void tell_choice(penta_nbody *plan, int saved)
{
    const nbody_setup *s = &plan->setup;

    if (plan->told == s->choice.kernel)
        return;
    plan->told = s->choice.kernel;
    nbody_tell_choice(s->ctx, &s->options, &s->choice,
                      saved                ? "it is that of the saved state"
                      : *plan->need.reason ? plan->need.reason
                                           : "it costs no more for at most 64 bodies");
}

static penta_status take_bodies(penta_nbody *plan, const double *rows, int saved)
{
    penta_status status = PENTA_OK;
    const nbody_setup *s = &plan->setup;

    TRY(nbody_check(s->ctx, s->shape.n, rows, s->options.eps));
    if (!penta_context_device(s->ctx)->fp64)
        TRY(nbody_check_floats(s->ctx, s->shape.n, rows));
    TRY(nbody_need_of(s->ctx, s->shape.n, rows, s->options.eps, &plan->need));
    TRY(choose_force(plan, saved));
    if (plan->need.out_of_range && s->choice.precision != PENTA_PRECISION_DOUBLE)
        return penta_fail(s->ctx, PENTA_INVALID, "%s; choose %sother units", plan->need.reason,
                          penta_context_device(s->ctx)->fp64 ? "precision double, or " : "");
    tell_choice(plan, saved);
cleanup:
    return status;
}

/* Rows of seven to the device's arrays of coordinates, with no step checked so far. */
static penta_status write_bodies(penta_nbody *plan, const double *rows)
{
    penta_status status = PENTA_OK;
    nbody_bodies *b = &plan->bodies;
    double *host = plan->host;

    for (size_t i = 0; i < b->pitch; i++)
        for (int k = 0; k < 7; k++)
            host[(size_t)k * b->pitch + i] = i < b->n ? rows[7 * i + (size_t)k] : k >= 1 && k <= 3 ? rows[k] : 0;
    TRY(nbody_write_numbers(plan->setup.ctx, &b->mass, 0, host, b->pitch));
    TRY(nbody_write_numbers(plan->setup.ctx, &b->position, 0, host + b->pitch, 3 * b->pitch));
    TRY(nbody_write_numbers(plan->setup.ctx, &b->velocity, 0, host + 4 * b->pitch, 3 * b->pitch));
    TRY(nbody_write_numbers(plan->setup.ctx, &b->scale, 0, plan->frame.scale, 4));
    TRY(penta_buffer_zero(&b->worst, 0, b->pitch * sizeof(double)));
cleanup:
    return status;
}

penta_status nbody_plan_take(penta_nbody *plan, const double *rows, int saved)
{
    penta_status status = PENTA_OK;

    plan->has_bodies = false;
    TRY(take_bodies(plan, rows, saved));
    TRY(write_bodies(plan, rows));
    plan->integrator->forget(plan->motion);
cleanup:
    return status;
}

/* *copy: the rows in the state's frame, where it is another; NULL: they stay as they are. */
static penta_status enter_frame(penta_nbody *plan, const double *rows, double **copy)
{
    penta_status status = PENTA_OK;
    size_t n = plan->bodies.n;

    plan->has_bodies = false;
    TRY(nbody_check(plan->setup.ctx, n, rows, 1)); /* numbers alone */
    nbody_frame_choose(n, rows, &plan->frame);
    if (!nbody_frame_moves(&plan->frame))
        return PENTA_OK;
    TRY(nbody_check(plan->setup.ctx, n, rows, plan->setup.options.eps)); /* names places as the caller does */
    TRY(penta_calloc(plan->setup.ctx, n, 7 * sizeof **copy, copy));
    memcpy(*copy, rows, 7 * n * sizeof *rows);
    nbody_frame_enter(&plan->frame, n, *copy);
cleanup:
    return status;
}

/* The host looks at all bodies: at a copy where they are in device memory. */
static penta_status set_bodies(penta_nbody *plan, const double *bodies)
{
    penta_status status = PENTA_OK;
    const void *view;
    void *copy = NULL;
    double *rows = NULL;

    TRY(penta_host_view(plan->setup.ctx, bodies, 7 * plan->bodies.n * sizeof *bodies, &view, &copy));
    TRY(enter_frame(plan, view, &rows));
    TRY(nbody_plan_take(plan, rows ? rows : view, 0));
    plan->step = plan->base_step = 0;
    plan->base_time = plan->interactions = 0;
    plan->has_bodies = true;
cleanup:
    free(rows);
    free(copy);
    return status;
}

penta_status penta_nbody_set(penta_nbody *plan, const double *bodies)
{
    penta_status status = nbody_share_agree(nbody_plan_share(plan), set_bodies(plan, bodies));

    plan->has_bodies = plan->has_bodies && status == PENTA_OK;
    return status;
}

/* By a kernel that writes the caller's array, where it is in device memory or can be used as it lies. */
static penta_status get_rows(penta_nbody *plan, double *bodies)
{
    penta_status status = PENTA_OK;
    nbody_bodies *b = &plan->bodies;

    if (!plan->rows.handle)
        TRY(penta_kernel_get(&plan->resources, "nbody/rows.cl", "nbody_rows", "", &plan->rows));
    if (!plan->out.owner)
        TRY(penta_port_open(&plan->resources, &plan->out));
    TRY(penta_port_output(&plan->out, bodies, 7 * b->n * sizeof *bodies, sizeof *bodies));
    TRY(penta_launch(&plan->rows, penta_grid_rows(penta_grid_1d(b->n)),
                     ARGS(&b->mass, &b->position, &b->velocity, b->n, b->pitch, plan->out.now)));
    TRY(penta_port_close(&plan->out));
cleanup:
    if (status != PENTA_OK && plan->out.owner)
        penta_port_abandon(&plan->out);
    return status;
}

/* By the host. */
static penta_status read_bodies(penta_nbody *plan, double *rows)
{
    penta_status status = PENTA_OK;
    nbody_bodies *b = &plan->bodies;
    double *host = plan->host;

    TRY(nbody_read_numbers(plan->setup.ctx, &b->mass, 0, host, b->pitch));
    TRY(nbody_read_numbers(plan->setup.ctx, &b->position, 0, host + b->pitch, 3 * b->pitch));
    TRY(nbody_read_numbers(plan->setup.ctx, &b->velocity, 0, host + 4 * b->pitch, 3 * b->pitch));
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < 7; k++)
            rows[7 * i + k] = host[k * b->pitch + i];
cleanup:
    return status;
}

penta_status nbody_plan_part(penta_nbody *plan, size_t first, size_t count, double *rows)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = plan->setup.ctx;
    nbody_bodies *b = &plan->bodies;
    penta_buffer *arrays[] = {&b->mass,     &b->position, &b->position, &b->position,
                              &b->velocity, &b->velocity, &b->velocity};
    const size_t vector[] = {0, 0, 1, 2, 0, 1, 2};

    TRY(nbody_plan_need_bodies(plan));
    TRY(penta_check_host(ctx, rows, "rows"));
    if (first > b->n || count > b->n - first)
        return penta_fail(ctx, PENTA_INVALID, "bodies %zu to %zu are not all of the %zu", first, first + count, b->n);
    for (size_t k = 0; count > 0 && k < 7; k++) {
        TRY(nbody_read_numbers(ctx, arrays[k], vector[k] * b->pitch + first, plan->host, count));
        for (size_t i = 0; i < count; i++)
            rows[7 * i + k] = plan->host[i];
    }
cleanup:
    return status;
}

penta_status penta_nbody_get_part(penta_nbody *plan, size_t first, size_t count, double *rows)
{
    penta_status status = nbody_plan_part(plan, first, count, rows);

    if (status == PENTA_OK)
        nbody_frame_leave(&plan->frame, penta_nbody_time(plan), count, rows);
    return status;
}

/* By the host: pairs of floats become doubles, and places the caller's. */
static penta_status deliver_bodies(penta_nbody *plan, double *bodies)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = plan->setup.ctx;
    size_t bytes = 7 * plan->bodies.n * sizeof *bodies;
    void *view, *copy = NULL;

    TRY(penta_host_room(ctx, bodies, bytes, &view, &copy));
    TRY(read_bodies(plan, view));
    nbody_frame_leave(&plan->frame, penta_nbody_time(plan), plan->bodies.n, view);
    TRY(penta_host_deliver(ctx, view, bodies, bytes));
cleanup:
    free(copy);
    return status;
}

penta_status penta_nbody_get(penta_nbody *plan, double *bodies)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = plan->setup.ctx;

    TRY(nbody_plan_need_bodies(plan));
    if (!penta_context_device(ctx)->fp64 || nbody_frame_moves(&plan->frame))
        TRY(deliver_bodies(plan, bodies));
    else if (penta_is_cpu(ctx) || penta_is_device_array(bodies))
        TRY(get_rows(plan, bodies));
    else
        TRY(read_bodies(plan, bodies));
cleanup:
    return status;
}

penta_status nbody_plan_rows(penta_nbody *plan, double *rows)
{
    return nbody_frame_moves(&plan->frame) ? read_bodies(plan, rows) : penta_nbody_get(plan, rows);
}
