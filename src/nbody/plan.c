/* Plans of the nbody workload: options, bodies in and out, steps, states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nbody/check.h"
#include "nbody/nbody.h"
#include "nbody/need.h"

/* clang-format off */
static const penta_option option_rows[] = {
    PENTA_CHOICE_OPTION(penta_nbody_options, kernel, 0,
                        "auto,gpu1,aos,soa,const,rsqrt,split,local,unroll2,unroll4,unroll8,unroll16,unroll32,best,simd,jsplit,double,ds",
                        "how accelerations are added up; auto: what suits device, n and precision; gpu1 to unroll32 are the rungs of the tuning ladder"),
    PENTA_CHOICE_OPTION(penta_nbody_options, precision, 0, "auto,single,double,ds",
                        "of the forces; auto: single for leapfrog, otherwise double, and finer where bodies or softening need it; ds: coordinates as pairs of floats, forces to 24 bits. Positions and velocities are double; without double precision pairs of floats, and ds stands in for double"),
    PENTA_REAL_OPTION(penta_nbody_options, eps, 0, 0.05, 0, 1e100, "", "softening length"),
    PENTA_REAL_OPTION(penta_nbody_options, dt, 0, 1.0 / 256, -1e100, 1e100, "", "time step, not 0; negative: back in time"),
    PENTA_CHOICE_OPTION(penta_nbody_options, integrator, 0, "leapfrog|kdk,yoshida4|yoshida,hermite4|hermite",
                        "kick-drift-kick of second order, its composition of fourth order, or Hermite's scheme of fourth order"),
    PENTA_CHOICE_OPTION(penta_nbody_options, step_mode, 0, "fixed,shared,block",
                        "for hermite4: steps of dt, or of dt / 2^k with k chosen by eta, for all bodies together or for each"),
    PENTA_REAL_OPTION(penta_nbody_options, eta, 0, 0.02, 1e-6, 1, "", "accuracy of adaptive steps; the error falls with its fourth power"),
    PENTA_OPTIONS_END};
/* clang-format on */

const penta_option *penta_nbody_option_table(void)
{
    return option_rows;
}

static const size_t most_bodies = (size_t)1 << 28;
/* At most so many interactions are enqueued before the host waits, so that progress and Ctrl-C are prompt. */
static const double interactions_ahead = 4e9;
static const size_t steps_ahead = 64;
/* Steps of so many bodies can be broken off half-way, so the bodies at their start are kept. */
static const size_t least_kept = 4096;

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

struct penta_nbody {
    penta_resources resources;
    nbody_setup setup;
    nbody_share share; /* group NULL: there is none */
    nbody_forces forces;
    nbody_bodies bodies;
    nbody_meter *meter;
    const nbody_integrator *integrator;
    void *motion;      /* its state */
    penta_kernel rows; /* made when first needed, like the port */
    penta_port out;
    double *host; /* pitch x 7: staging */
    bool has_bodies;
    nbody_need need;          /* of the bodies that were set */
    int told;                 /* the kernel that the listener was told; 0: none yet */
    uint64_t step, base_step; /* time = base_time + (step - base_step) dt */
    double base_time, interactions;
};

/* ---- making and releasing ---- */

/* The rules of penta_nbody_check. */
static penta_status check_options(penta_context *ctx, size_t n, const penta_nbody_options *o)
{
    penta_status status = PENTA_OK;

    if (n == 0)
        return penta_fail(ctx, PENTA_INVALID, "there are no bodies");
    if (n > most_bodies)
        return penta_fail(ctx, PENTA_INVALID, "%zu bodies are more than 2^28", n);
    if (!(o->dt < 0 || o->dt > 0))
        return penta_fail(ctx, PENTA_INVALID, "`dt` is 0, and nothing would move; give a step");
    if (o->step_mode != PENTA_NBODY_FIXED && o->integrator != PENTA_NBODY_HERMITE4)
        return penta_fail(ctx, PENTA_INVALID, "adaptive steps (`step_mode`) need `integrator` hermite4");
    TRY(nbody_check_force(ctx, o));
    if (ctx && !penta_context_device(ctx)->fp64)
        TRY(nbody_check_float_options(ctx, o->dt, o->eps));
cleanup:
    return status;
}

static penta_status resolve(penta_context *ctx, size_t n, const penta_nbody_options *opt, penta_nbody_options *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(ctx, penta_nbody_option_table(), opt, out, sizeof *out));
    TRY(check_options(ctx, n, out));
cleanup:
    return status;
}

penta_status penta_nbody_check(size_t n, const penta_nbody_options *opt, char *message, size_t size)
{
    penta_nbody_options resolved;

    return penta_check_result(resolve(NULL, n, opt, &resolved), message, size);
}

static penta_status create_bodies(penta_resources *owner, size_t n, nbody_bodies *b)
{
    penta_status status = PENTA_OK;

    b->n = n;
    b->pitch = (n + NBODY_PITCH - 1) / NBODY_PITCH * NBODY_PITCH;
    TRY(penta_buffer_create(owner, b->pitch * sizeof(double), &b->mass));
    TRY(penta_buffer_create(owner, 3 * b->pitch * sizeof(double), &b->position));
    TRY(penta_buffer_create(owner, 3 * b->pitch * sizeof(double), &b->velocity));
cleanup:
    return status;
}

/* NULL without a group. */
static nbody_share *share_of(penta_nbody *plan)
{
    return plan->share.group ? &plan->share : NULL;
}

static penta_status create_parts(penta_context *ctx, size_t n, penta_nbody *plan)
{
    penta_status status = PENTA_OK;
    nbody_setup *s = &plan->setup;

    s->choice = nbody_choose_force(ctx, &s->options);
    TRY(create_bodies(&plan->resources, n, &plan->bodies));
    s->ctx = ctx;
    s->shape = (nbody_shape){n, plan->bodies.pitch, s->options.eps, share_of(plan)};
    s->forces = &plan->forces;
    plan->forces = (nbody_forces){.resources = {.ctx = ctx}, .shape = s->shape, .choice = s->choice};
    plan->integrator = s->options.integrator == PENTA_NBODY_HERMITE4 ? &nbody_hermite : &nbody_leapfrog;
    TRY(penta_own_struct(&plan->resources, &plan->forces, nbody_forces_release));
    TRY(plan->integrator->create(s, &plan->motion));
    TRY(penta_own(&plan->resources, &plan->motion, nbody_state_free));
    TRY(nbody_meter_create(ctx, &s->shape, &plan->meter));
    TRY(penta_own(&plan->resources, &plan->meter, nbody_meter_destroy));
    TRY(penta_calloc(&plan->resources, plan->bodies.pitch, 7 * sizeof(double), &plan->host));
cleanup:
    return status;
}

/* share: of a group, or NULL. */
static penta_status create(penta_context *ctx, const nbody_share *share, size_t n, const penta_nbody_options *opt,
                           penta_nbody **out)
{
    penta_status status = PENTA_OK;
    penta_nbody *plan = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &plan));
    TRY(penta_own_struct(&plan->resources, &plan->share, nbody_share_release));
    if (share)
        plan->share = *share;
    TRY(resolve(ctx, n, opt, &plan->setup.options));
    TRY(create_parts(ctx, n, plan));
    *out = plan;
    plan = NULL;
cleanup:
    penta_nbody_destroy(plan);
    return status;
}

penta_status penta_nbody_create(penta_context *ctx, size_t n, const penta_nbody_options *opt, penta_nbody **out)
{
    return create(ctx, NULL, n, opt, out);
}

penta_status penta_nbody_create_shared(penta_context *ctx, penta_group *group, size_t n, const penta_nbody_options *opt,
                                       penta_nbody **out)
{
    penta_status status = PENTA_OK;
    nbody_share share = {.ctx = ctx, .group = group, .rank = penta_group_rank(group), .size = penta_group_size(group)};

    TRY(nbody_share_agree(&share, create(ctx, &share, n, opt, out)));
    TRY(nbody_share_members(&share, n, &(*out)->setup.options));
    return PENTA_OK;
cleanup:
    penta_nbody_destroy(*out);
    *out = NULL;
    return status;
}

double penta_nbody_share(const penta_nbody *plan)
{
    const nbody_share *s = &plan->share;

    return !s->group ? 1 : s->all > 0 ? s->done / s->all : 1 / (double)s->size;
}

void penta_nbody_destroy(penta_nbody *plan)
{
    penta_plan_free(plan);
}

const char *penta_nbody_kernel_name(const penta_nbody *plan)
{
    return plan->setup.choice.name;
}

const char *penta_nbody_precision_name(const penta_nbody *plan)
{
    return plan->setup.choice.precision_name;
}

const char *penta_nbody_need(const penta_nbody *plan, bool *met)
{
    const int chosen = plan->setup.choice.precision, needed = plan->need.precision;

    if (met)
        *met = chosen == PENTA_PRECISION_DOUBLE || chosen == needed || needed == PENTA_PRECISION_SINGLE;
    return plan->need.reason;
}

/* ---- bodies in and out ---- */

/* Chooses the forces that these bodies need, if the options leave it open. saved: the precision of a saved state; 0:
 * none. */
static penta_status choose_force(penta_nbody *plan, int saved)
{
    penta_status status = PENTA_OK;
    nbody_setup *s = &plan->setup;
    nbody_choice choice;

    if (s->options.integrator == PENTA_NBODY_HERMITE4) /* it has kernels of its own */
        return PENTA_OK;
    choice = nbody_choose_finer(s->ctx, &s->options, saved ? saved : plan->need.precision);
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
    nbody_tell_choice(s->ctx, &s->options, &s->choice, saved ? "it is that of the saved state" : plan->need.reason);
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

/* Rows of seven to the device's arrays of coordinates. */
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
cleanup:
    return status;
}

/* The host looks at all bodies: at a copy where they are in device memory. */
static penta_status set_bodies(penta_nbody *plan, const double *bodies)
{
    penta_status status = PENTA_OK;
    const void *view;
    void *copy = NULL;

    TRY(penta_host_view(plan->setup.ctx, bodies, 7 * plan->bodies.n * sizeof *bodies, &view, &copy));
    plan->has_bodies = false;
    TRY(take_bodies(plan, view, 0));
    TRY(write_bodies(plan, view));
    plan->integrator->forget(plan->motion);
    plan->step = plan->base_step = 0;
    plan->base_time = plan->interactions = 0;
    plan->has_bodies = true;
cleanup:
    free(copy);
    return status;
}

penta_status penta_nbody_set(penta_nbody *plan, const double *bodies)
{
    penta_status status = nbody_share_agree(share_of(plan), set_bodies(plan, bodies));

    plan->has_bodies = plan->has_bodies && status == PENTA_OK;
    return status;
}

static penta_status need_bodies(penta_nbody *plan)
{
    return plan->has_bodies ? PENTA_OK : penta_fail(plan->setup.ctx, PENTA_INVALID, "the plan has no bodies yet");
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

/* Pairs of floats become doubles on the host. */
static penta_status deliver_bodies(penta_nbody *plan, double *bodies)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = plan->setup.ctx;
    size_t bytes = 7 * plan->bodies.n * sizeof *bodies;
    void *view, *copy = NULL;

    TRY(penta_host_room(ctx, bodies, bytes, &view, &copy));
    TRY(read_bodies(plan, view));
    TRY(penta_host_deliver(ctx, view, bodies, bytes));
cleanup:
    free(copy);
    return status;
}

penta_status penta_nbody_get(penta_nbody *plan, double *bodies)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = plan->setup.ctx;

    TRY(need_bodies(plan));
    if (!penta_context_device(ctx)->fp64)
        TRY(deliver_bodies(plan, bodies));
    else if (penta_is_cpu(ctx) || penta_is_device_array(bodies))
        TRY(get_rows(plan, bodies));
    else
        TRY(read_bodies(plan, bodies));
cleanup:
    return status;
}

/* ---- time ---- */

uint64_t penta_nbody_step(const penta_nbody *plan)
{
    return plan->step;
}

double penta_nbody_time(const penta_nbody *plan)
{
    return plan->base_time + (double)(plan->step - plan->base_step) * plan->setup.options.dt;
}

double penta_nbody_interactions(const penta_nbody *plan)
{
    return plan->interactions;
}

static penta_status check_finite(penta_nbody *plan)
{
    penta_status status = PENTA_OK;
    bool finite = false;

    TRY(nbody_meter_finite(plan->meter, &plan->bodies, &finite));
    if (!finite)
        return penta_fail(plan->setup.ctx, PENTA_INVALID,
                          "a body is no longer at a finite place (time %g): two of them met, or dt is too large; use "
                          "softening, a smaller dt, or hermite4 with adaptive steps",
                          penta_nbody_time(plan));
cleanup:
    return status;
}

/* A step that is cancelled, or finds bodies too close, leaves them as they were, if they were kept. */
static penta_status take_step(penta_nbody *plan)
{
    penta_status status = PENTA_OK;
    const nbody_integrator *integrator = plan->integrator;
    bool keeps = plan->bodies.n >= least_kept || plan->setup.options.step_mode != PENTA_NBODY_FIXED;

    if (keeps)
        TRY(integrator->keep(plan->motion, &plan->bodies));
    plan->has_bodies = false;
    TRY(integrator->step(plan->motion, &plan->bodies, &plan->interactions));
    plan->has_bodies = true;
    plan->step++;
    return PENTA_OK;
cleanup:
    if (keeps && (status == PENTA_CANCELLED || status == PENTA_INVALID))
        plan->has_bodies = integrator->bring_back(plan->motion, &plan->bodies) == PENTA_OK;
    return status;
}

static penta_status take_steps(penta_nbody *plan, size_t steps)
{
    penta_status status = PENTA_OK;
    double waited_for = plan->interactions;
    size_t since = 0;

    for (size_t i = 0; i < steps; i++) {
        TRY(take_step(plan));
        if (++since < steps_ahead && plan->interactions - waited_for < interactions_ahead)
            continue;
        TRY(penta_finish(plan->setup.ctx));
        waited_for = plan->interactions;
        since = 0;
        TRY(nbody_share_agree(share_of(plan), penta_report_progress(plan->setup.ctx, (double)(i + 1), (double)steps)));
    }
cleanup:
    return status;
}

penta_status penta_nbody_advance(penta_nbody *plan, size_t steps)
{
    penta_status status = PENTA_OK, settled = PENTA_OK;

    TRY(need_bodies(plan));
    status = take_steps(plan, steps);
    if (plan->has_bodies)
        settled = plan->integrator->settle(plan->motion, &plan->bodies);
    plan->has_bodies = plan->has_bodies && settled == PENTA_OK;
    TRY(status);
    TRY(settled);
    TRY(check_finite(plan));
cleanup:
    return status;
}

/* ---- measuring ---- */

penta_status penta_nbody_diagnose(penta_nbody *plan, penta_nbody_diagnostics *out)
{
    penta_status status = PENTA_OK;

    TRY(need_bodies(plan));
    TRY(nbody_meter_read(plan->meter, &plan->bodies, out));
cleanup:
    return status;
}

static penta_status read_accelerations(penta_nbody *plan, double *acceleration)
{
    penta_status status = PENTA_OK;
    size_t n = plan->bodies.n, pitch = plan->bodies.pitch;

    TRY(nbody_forces_accelerate(&plan->forces, &plan->bodies));
    TRY(nbody_read_numbers(plan->setup.ctx, &plan->forces.acceleration, 0, plan->host, 3 * pitch));
    plan->interactions += (double)n * (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            acceleration[3 * i + k] = plan->host[k * pitch + i];
cleanup:
    if (status != PENTA_OK && plan->integrator == &nbody_leapfrog)
        plan->integrator->forget(plan->motion); /* it shares these accelerations */
    return status;
}

penta_status penta_nbody_forces(penta_nbody *plan, double *acceleration, double *potential)
{
    penta_status status = PENTA_OK;

    TRY(need_bodies(plan));
    TRY(penta_check_host(plan->setup.ctx, acceleration, "acceleration"));
    TRY(penta_check_host(plan->setup.ctx, potential, "potential"));
    if (acceleration)
        TRY(read_accelerations(plan, acceleration));
    if (potential)
        TRY(nbody_meter_potentials(plan->meter, &plan->bodies, potential));
cleanup:
    return status;
}

penta_status penta_nbody_field(penta_nbody *plan, size_t m, const double *points, double *acceleration,
                               double *potential)
{
    penta_status status = PENTA_OK;

    TRY(need_bodies(plan));
    TRY(penta_check_host(plan->setup.ctx, points, "points"));
    TRY(penta_check_host(plan->setup.ctx, acceleration, "acceleration"));
    TRY(penta_check_host(plan->setup.ctx, potential, "potential"));
    TRY(nbody_check_points(plan->setup.ctx, m, points));
    if (!penta_context_device(plan->setup.ctx)->fp64)
        TRY(nbody_check_float_points(plan->setup.ctx, m, points));
    TRY(nbody_meter_field(plan->meter, &plan->bodies, m, points, acceleration, potential));
cleanup:
    return status;
}

/* ---- states ---- */

size_t penta_nbody_state_size(const penta_nbody *plan)
{
    return STATE_HEAD + 7 * plan->bodies.n + plan->integrator->kept(plan->motion);
}

penta_status penta_nbody_save(penta_nbody *plan, double *state)
{
    penta_status status = PENTA_OK;
    const penta_nbody_options *o = &plan->setup.options;

    TRY(need_bodies(plan));
    TRY(penta_check_host(plan->setup.ctx, state, "state"));
    state[STATE_FORMAT] = 2;
    state[STATE_N] = (double)plan->bodies.n;
    state[STATE_INTEGRATOR] = o->integrator;
    state[STATE_MODE] = o->step_mode;
    state[STATE_STEP] = (double)plan->step;
    state[STATE_BASE_STEP] = (double)plan->base_step;
    state[STATE_BASE_TIME] = plan->base_time;
    state[STATE_DT] = o->dt;
    state[STATE_PRECISION] = plan->setup.choice.precision;
    TRY(penta_nbody_get(plan, state + STATE_HEAD));
    TRY(plan->integrator->save(plan->motion, &plan->bodies, state + STATE_HEAD + 7 * plan->bodies.n));
cleanup:
    return status;
}

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
    plan->has_bodies = false;
    TRY(take_bodies(plan, rows, (int)state[STATE_PRECISION]));
    TRY(write_bodies(plan, rows));
    plan->integrator->forget(plan->motion);
    TRY(plan->integrator->load(plan->motion, &plan->bodies, rows + 7 * plan->bodies.n));
    set_time(plan, state);
    plan->interactions = 0;
    plan->has_bodies = true;
cleanup:
    return status;
}

penta_status penta_nbody_load(penta_nbody *plan, const double *state, size_t count)
{
    penta_status status = nbody_share_agree(share_of(plan), load_state(plan, state, count));

    plan->has_bodies = plan->has_bodies && status == PENTA_OK;
    return status;
}
