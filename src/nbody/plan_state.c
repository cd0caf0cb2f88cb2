/* States of a plan, from which a later run goes on with the same bits: a head, the bodies' rows in the frame of the
 * state, each body's largest step check, what the integrator keeps. Format 2 had no frame and no checks. */
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
    STATE_FRAME, /* origin, drift, scale */
    STATE_HEAD = STATE_FRAME + 10,
    STATE_OLD_HEAD = STATE_FRAME
};

size_t penta_nbody_state_size(const penta_nbody *plan)
{
    return STATE_HEAD + 8 * plan->bodies.n + plan->integrator->kept(plan->motion);
}

static void make_head(const penta_nbody *plan, double head[STATE_HEAD])
{
    const penta_nbody_options *o = &plan->setup.options;

    head[STATE_FORMAT] = 3;
    head[STATE_N] = (double)plan->bodies.n;
    head[STATE_INTEGRATOR] = o->integrator;
    head[STATE_MODE] = o->step_mode;
    head[STATE_STEP] = (double)plan->step;
    head[STATE_BASE_STEP] = (double)plan->base_step;
    head[STATE_BASE_TIME] = plan->base_time;
    head[STATE_DT] = o->dt;
    head[STATE_PRECISION] = plan->setup.choice.precision;
    memcpy(head + STATE_FRAME, &plan->frame, sizeof plan->frame);
}

penta_status penta_nbody_save(penta_nbody *plan, double *state)
{
    penta_status status = PENTA_OK;
    const nbody_integrator *integrator = plan->integrator;
    double *checks = state + STATE_HEAD + 7 * plan->bodies.n, *kept = checks + plan->bodies.n;

    TRY(nbody_plan_need_bodies(plan));
    TRY(penta_check_host(plan->setup.ctx, state, "state"));
    make_head(plan, state);
    TRY(nbody_plan_rows(plan, state + STATE_HEAD));
    TRY(nbody_read_numbers(plan->setup.ctx, &plan->bodies.worst, 0, checks, plan->bodies.n));
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
    TRY(nbody_plan_part(plan, first, end - first, rows));
    memcpy(out, rows + (from - 7 * first), count * sizeof *out);
cleanup:
    free(rows);
    return status;
}

penta_status penta_nbody_save_part(penta_nbody *plan, size_t first, size_t count, double *numbers)
{
    penta_status status = PENTA_OK;
    const size_t size = penta_nbody_state_size(plan), rows = 7 * plan->bodies.n,
                 others = STATE_HEAD + rows + plan->bodies.n;
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
    if (overlap(&w, STATE_HEAD + rows, plan->bodies.n, &from, &some))
        TRY(nbody_read_numbers(plan->setup.ctx, &plan->bodies.worst, from, numbers + (STATE_HEAD + rows + from - first),
                               some));
    if (overlap(&w, others, size - others, &from, &some))
        TRY(plan->integrator->save(plan->motion, &plan->bodies, from, some, numbers + (others + from - first)));
cleanup:
    return status;
}

/* ---- back ---- */

static bool is_old(const double *state)
{
    return state[STATE_FORMAT] <= 2;
}

/* Of a state of its format. */
static size_t size_of_state(const penta_nbody *plan, const double *state)
{
    size_t added = STATE_HEAD - STATE_OLD_HEAD + plan->bodies.n;

    return penta_nbody_state_size(plan) - (is_old(state) ? added : 0);
}

static penta_status check_state(penta_nbody *plan, const double *state, size_t count)
{
    penta_context *ctx = plan->setup.ctx;
    const penta_nbody_options *o = &plan->setup.options;

    if (count < STATE_OLD_HEAD || !(state[STATE_FORMAT] >= 2 && state[STATE_FORMAT] <= 3))
        return penta_fail(ctx, PENTA_INVALID, "this is no saved state of this version");
    if ((size_t)state[STATE_N] != plan->bodies.n)
        return penta_fail(ctx, PENTA_INVALID, "the saved state has %.0f bodies, the plan %zu", state[STATE_N],
                          plan->bodies.n);
    if ((int)state[STATE_INTEGRATOR] != o->integrator || (int)state[STATE_MODE] != o->step_mode)
        return penta_fail(ctx, PENTA_INVALID, "the saved state is of another integrator or step mode");
    if (count != size_of_state(plan, state))
        return penta_fail(ctx, PENTA_INVALID, "the saved state has %zu numbers, not %zu", count,
                          size_of_state(plan, state));
    if (!(state[STATE_STEP] >= state[STATE_BASE_STEP] && state[STATE_BASE_STEP] >= 0 && state[STATE_STEP] < 0x1p53) ||
        !isfinite(state[STATE_BASE_TIME]) || !isfinite(state[STATE_DT]))
        return penta_fail(ctx, PENTA_INVALID, "the saved state's time is damaged");
    if (!(state[STATE_PRECISION] >= PENTA_PRECISION_SINGLE && state[STATE_PRECISION] <= PENTA_PRECISION_DS))
        return penta_fail(ctx, PENTA_INVALID, "the saved state's precision is damaged");
    for (size_t i = STATE_FRAME; !is_old(state) && i < STATE_HEAD; i++)
        if (!isfinite(state[i]))
            return penta_fail(ctx, PENTA_INVALID, "the saved state's frame is damaged");
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

static void take_frame(penta_nbody *plan, const double *state, const double *rows)
{
    nbody_frame *f = &plan->frame;

    if (!is_old(state)) {
        memcpy(f, state + STATE_FRAME, sizeof *f);
        return;
    }
    nbody_frame_choose(plan->bodies.n, rows, f);
    for (size_t k = 0; k < 3; k++) { /* the state stays as it was */
        f->scale[k] += f->drift[k];
        f->origin[k] = f->drift[k] = 0;
    }
}

static penta_status load_state(penta_nbody *plan, const double *state, size_t count)
{
    penta_status status = PENTA_OK;
    const size_t n = plan->bodies.n;
    const double *rows, *kept;

    TRY(check_state(plan, state, count));
    rows = state + (is_old(state) ? STATE_OLD_HEAD : STATE_HEAD);
    kept = rows + (is_old(state) ? 7 : 8) * n;
    take_frame(plan, state, rows);
    TRY(nbody_plan_take(plan, rows, (int)state[STATE_PRECISION]));
    if (!is_old(state))
        TRY(nbody_write_numbers(plan->setup.ctx, &plan->bodies.worst, 0, rows + 7 * n, n));
    TRY(plan->integrator->load(plan->motion, &plan->bodies, kept));
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
