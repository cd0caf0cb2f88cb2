/* Plans of the nbody workload: options, making and releasing, steps, measuring. */
#include <math.h>

#include "nbody/check.h"
#include "nbody/plan.h"

/* clang-format off */
static const penta_option option_rows[] = {
    PENTA_CHOICE_OPTION(penta_nbody_options, kernel, 0,
                        "auto,gpu1,aos,soa,const,rsqrt,split,local,unroll2,unroll4,unroll8,unroll16,unroll32,best,simd,jsplit,double,ds",
                        "how accelerations are summed; auto: the fastest for device, n and precision; gpu1 to unroll32 are steps of a tuning lecture"),
    PENTA_CHOICE_OPTION(penta_nbody_options, precision, 0, "auto,single,double,ds",
                        "of the forces. auto: single for leapfrog, otherwise double, and finer where bodies or softening need it; ds: coordinates are pairs of floats, forces are good to 24 bits. Positions and velocities are always double. A device without double precision uses pairs of floats for these, and ds instead of double"),
    PENTA_REAL_OPTION(penta_nbody_options, eps, 0, 0.05, 0, 1e100, "", "softening length. Bodies from a file have another default: the file's value, else 0 up to 2000 bodies, else a value from their number"),
    PENTA_REAL_OPTION(penta_nbody_options, dt, 0, 1.0 / 256, -1e100, 1e100, "", "time step, not 0; negative: backwards in time"),
    PENTA_CHOICE_OPTION(penta_nbody_options, integrator, 0, "leapfrog|kdk,yoshida4|yoshida,hermite4|hermite",
                        "leapfrog (kick-drift-kick, second order), Yoshida's composition of it (fourth order), or Hermite's scheme (fourth order)"),
    PENTA_CHOICE_OPTION(penta_nbody_options, step_mode, 0, "fixed,shared,block",
                        "for hermite4: fixed steps dt, or dt / 2^k with k chosen by eta, shared by all bodies or for each"),
    PENTA_REAL_OPTION(penta_nbody_options, eta, 0, 0.02, 1e-6, 1, "", "accuracy of adaptive steps; the error falls with its fourth power"),
    PENTA_OPTIONS_END};
/* clang-format on */

const penta_option *penta_nbody_option_table(void)
{
    return option_rows;
}

static const size_t most_bodies = (size_t)1 << 28;
/* At most so many steps or interactions (of a GPU, for each compute unit, if that is more: some tenths of a second) are
 * enqueued before the host waits, so that progress and Ctrl-C are prompt. */
static const size_t steps_ahead = 64;
static const double interactions_ahead = 4e9, unit_ahead = 1e9;
/* Steps of fewer bodies are never broken off half-way, unless their steps adapt. */
static const size_t least_kept = 4096;

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
    TRY(penta_buffer_create(owner, 4 * sizeof(double), &b->scale));
    TRY(penta_buffer_create(owner, b->pitch * sizeof(double), &b->worst));
cleanup:
    return status;
}

static penta_status create_parts(penta_context *ctx, size_t n, penta_nbody *plan)
{
    penta_status status = PENTA_OK;
    nbody_setup *s = &plan->setup;

    s->choice = nbody_choose_force(ctx, &s->options);
    TRY(create_bodies(&plan->resources, n, &plan->bodies));
    s->ctx = ctx;
    s->shape = (nbody_shape){n, plan->bodies.pitch, s->options.eps, nbody_plan_share(plan)};
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

    *out = NULL;
    TRY(nbody_share_compare_memory(&share));
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
    double place[3];

    TRY(nbody_meter_finite(plan->meter, &plan->bodies, &finite));
    nbody_frame_place(&plan->frame, penta_nbody_time(plan), place);
    if (!finite || !isfinite(place[0] + place[1] + place[2]))
        return penta_fail(plan->setup.ctx, PENTA_INVALID,
                          "a body is no longer at a finite place (time %g): two of them met, or dt is too large; use "
                          "softening, a smaller dt, or hermite4 with adaptive steps",
                          penta_nbody_time(plan));
cleanup:
    return status;
}

/* Whether a step may be broken off half-way: Hermite's may find bodies too close, and any may be cancelled between
 * launches where they are cut into pieces, which is by the pairs that they sum, with padding fewer than 2 n^2. */
static bool may_break_off(const penta_nbody *plan)
{
    const penta_pace unmeasured = {0};
    double n = (double)plan->bodies.n;

    if (plan->setup.options.step_mode != PENTA_NBODY_FIXED)
        return true;
    if (plan->bodies.n < least_kept)
        return false;
    return plan->integrator != &nbody_leapfrog || penta_pace_share(plan->setup.ctx, &unmeasured, 2 * n * n) < 1;
}

/* A step that is cancelled, or finds bodies too close, leaves them as they were, if they were kept. */
static penta_status take_step(penta_nbody *plan)
{
    penta_status status = PENTA_OK;
    const nbody_integrator *integrator = plan->integrator;
    bool keeps = may_break_off(plan);

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

static double most_ahead(penta_context *ctx)
{
    return penta_is_cpu(ctx) ? interactions_ahead : fmax(interactions_ahead, unit_ahead * penta_split_units(ctx));
}

/* Members of a group, whose devices are alike, wait for one another in each step anyway. */
static penta_status take_steps(penta_nbody *plan, size_t steps)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = plan->setup.ctx;
    double waited_for = plan->interactions;
    size_t since = 0;

    for (size_t i = 0; i < steps; i++) {
        TRY(take_step(plan));
        if (++since < steps_ahead && plan->interactions - waited_for < most_ahead(ctx))
            continue;
        if (!nbody_plan_share(plan))
            TRY(penta_finish(ctx));
        waited_for = plan->interactions;
        since = 0;
        TRY(nbody_share_agree(nbody_plan_share(plan), penta_report_progress(ctx, (double)(i + 1), (double)steps)));
    }
cleanup:
    return status;
}

penta_status penta_nbody_advance(penta_nbody *plan, size_t steps)
{
    penta_status status = PENTA_OK, settled = PENTA_OK;

    TRY(nbody_plan_need_bodies(plan));
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

    TRY(nbody_plan_need_bodies(plan));
    TRY(nbody_meter_read(plan->meter, &plan->bodies, out));
    nbody_frame_sums(&plan->frame, penta_nbody_time(plan), out);
    TRY(nbody_read_numbers(plan->setup.ctx, &plan->bodies.worst, 0, plan->host, plan->bodies.n));
    nbody_judge_steps(plan->bodies.n, plan->host, out);
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

    TRY(nbody_plan_need_bodies(plan));
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
    double origin[3];

    TRY(nbody_plan_need_bodies(plan));
    TRY(penta_check_host(plan->setup.ctx, points, "points"));
    TRY(penta_check_host(plan->setup.ctx, acceleration, "acceleration"));
    TRY(penta_check_host(plan->setup.ctx, potential, "potential"));
    TRY(nbody_check_points(plan->setup.ctx, m, points));
    if (!penta_context_device(plan->setup.ctx)->fp64)
        TRY(nbody_check_float_points(plan->setup.ctx, m, points));
    nbody_frame_place(&plan->frame, penta_nbody_time(plan), origin);
    TRY(nbody_meter_field(plan->meter, &plan->bodies, m, points, origin, acceleration, potential));
cleanup:
    return status;
}
