/* States of a plan, from which a later run goes on with the same bits: a head, the bodies' rows, what the integrator
 * keeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/sizes.h"
#include "nbody/plan.h"

/* The numbers at the head of a saved state. */
enum {
    STATE_FORMAT,
    STATE_N,
    STATE_INTEGRATOR,
    STATE_MODE,
    STATE_STEP,
    STATE_BASE_STEP,
    STATE_BASE_TIME,
    STATE_DT,
    STATE_PRECISION,
    STATE_HEAD
};

size_t penta_nbody_state_size(const penta_nbody *plan)
{
    return STATE_HEAD + 7 * plan->bodies.n + plan->integrator->kept(plan->motion);
}

static void make_head(const penta_nbody *plan, double head[STATE_HEAD])
{
    const penta_nbody_options *o = &plan->setup.options;

    head[STATE_FORMAT] = 2;
    head[STATE_N] = (double)plan->bodies.n;
    head[STATE_INTEGRATOR] = o->integrator;
    head[STATE_MODE] = o->step_mode;
    head[STATE_STEP] = (double)plan->step;
    head[STATE_BASE_STEP] = (double)plan->base_step;
    head[STATE_BASE_TIME] = plan->base_time;
    head[STATE_DT] = o->dt;
    head[STATE_PRECISION] = plan->setup.choice.precision;
}

penta_status penta_nbody_save(penta_nbody *plan, double *state)
{
    penta_status status = PENTA_OK;
    const nbody_integrator *integrator = plan->integrator;
    double *kept = state + STATE_HEAD + 7 * plan->bodies.n;

    TRY(nbody_plan_need_bodies(plan));
    TRY(penta_check_host(plan->setup.ctx, state, "state"));
    make_head(plan, state);
    TRY(penta_nbody_get(plan, state + STATE_HEAD));
    TRY(integrator->save(plan->motion, &plan->bodies, 0, integrator->kept(plan->motion), kept));
cleanup:
    return status;
}

/* ---- a part of a state: numbers first .. end - 1 ---- */

typedef struct {
    size_t first, end;
} wanted_numbers;

/* Those of them that are among `length` numbers from `begin` on, as indices of these; false: none are. */
static bool overlap(const wanted_numbers *w, size_t begin, size_t length, size_t *from, size_t *count)
{
    size_t low = penta_larger(w->first, begin), high = penta_smaller(w->end, begin + length);

    *from = low - begin;
    *count = low < high ? high - low : 0;
    return *count > 0;
}

/* Numbers of the rows of bodies, of which the first and the last need not be whole. */
static penta_status save_rows(penta_nbody *plan, size_t from, size_t count, double *out)
{
    penta_status status = PENTA_OK;
    size_t first = from / 7, end = penta_divide_up(from + count, 7);
    double *rows = NULL;

    TRY(penta_calloc(plan->setup.ctx, end - first, 7 * sizeof *rows, &rows));
    TRY(penta_nbody_get_part(plan, first, end - first, rows));
    memcpy(out, rows + (from - 7 * first), count * sizeof *out);
cleanup:
    free(rows);
    return status;
}

penta_status penta_nbody_save_part(penta_nbody *plan, size_t first, size_t count, double *numbers)
{
    penta_status status = PENTA_OK;
    const size_t size = penta_nbody_state_size(plan), rows = 7 * plan->bodies.n;
    const wanted_numbers w = {first, first + count};
    double head[STATE_HEAD];
    size_t from, some;

    TRY(nbody_plan_need_bodies(plan));
    TRY(penta_check_host(plan->setup.ctx, numbers, "numbers"));
    if (first > size || count > size - first)
        return penta_fail(plan->setup.ctx, PENTA_INVALID, "numbers %zu to %zu are not all of the state's %zu", first,
                          first + count, size);
    make_head(plan, head);
    if (overlap(&w, 0, STATE_HEAD, &from, &some))
        memcpy(numbers, head + from, some * sizeof *numbers);
    if (overlap(&w, STATE_HEAD, rows, &from, &some))
        TRY(save_rows(plan, from, some, numbers + (STATE_HEAD + from - first)));
    if (overlap(&w, STATE_HEAD + rows, size - STATE_HEAD - rows, &from, &some))
        TRY(plan->integrator->save(plan->motion, &plan->bodies, from, some,
                                   numbers + (STATE_HEAD + rows + from - first)));
cleanup:
    return status;
}

/* ---- back ---- */

static penta_status check_state(penta_nbody *plan, const double *state, size_t count)
{
    penta_context *ctx = plan->setup.ctx;
    const penta_nbody_options *o = &plan->setup.options;

    if (count < STATE_HEAD || !(state[STATE_FORMAT] >= 2 && state[STATE_FORMAT] <= 2))
        return penta_fail(ctx, PENTA_INVALID, "this is no saved state of this version");
    if ((size_t)state[STATE_N] != plan->bodies.n)
        return penta_fail(ctx, PENTA_INVALID, "the saved state has %.0f bodies, the plan %zu", state[STATE_N],
                          plan->bodies.n);
    if ((int)state[STATE_INTEGRATOR] != o->integrator || (int)state[STATE_MODE] != o->step_mode)
        return penta_fail(ctx, PENTA_INVALID, "the saved state is of another integrator or step mode");
    if (count != penta_nbody_state_size(plan))
        return penta_fail(ctx, PENTA_INVALID, "the saved state has %zu numbers, not %zu", count,
                          penta_nbody_state_size(plan));
    if (!(state[STATE_STEP] >= state[STATE_BASE_STEP] && state[STATE_BASE_STEP] >= 0 && state[STATE_STEP] < 0x1p53) ||
        !isfinite(state[STATE_BASE_TIME]) || !isfinite(state[STATE_DT]))
        return penta_fail(ctx, PENTA_INVALID, "the saved state's time is damaged");
    if (!(state[STATE_PRECISION] >= PENTA_PRECISION_SINGLE && state[STATE_PRECISION] <= PENTA_PRECISION_DS))
        return penta_fail(ctx, PENTA_INVALID, "the saved state's precision is damaged");
    return PENTA_OK;
}

/* With another dt, time goes on from the saved time; with the same, it has the same multiples as without interruption.
 */
static void set_time(penta_nbody *plan, const double *state)
{
    double dt = plan->setup.options.dt;
    bool same = state[STATE_DT] <= dt && state[STATE_DT] >= dt;

    plan->step = (uint64_t)state[STATE_STEP];
    plan->base_step = same ? (uint64_t)state[STATE_BASE_STEP] : plan->step;
    plan->base_time = state[STATE_BASE_TIME];
    if (!same)
        plan->base_time += (state[STATE_STEP] - state[STATE_BASE_STEP]) * state[STATE_DT];
}

static penta_status load_state(penta_nbody *plan, const double *state, size_t count)
{
    penta_status status = PENTA_OK;
    const double *rows = state + STATE_HEAD;

    TRY(check_state(plan, state, count));
    TRY(nbody_plan_take(plan, rows, (int)state[STATE_PRECISION]));
    TRY(plan->integrator->load(plan->motion, &plan->bodies, rows + 7 * plan->bodies.n));
    set_time(plan, state);
    plan->interactions = 0;
    plan->has_bodies = true;
cleanup:
    return status;
}

penta_status penta_nbody_load(penta_nbody *plan, const double *state, size_t count)
{
    penta_status status = nbody_share_agree(nbody_plan_share(plan), load_state(plan, state, count));

    plan->has_bodies = plan->has_bodies && status == PENTA_OK;
    return status;
}
