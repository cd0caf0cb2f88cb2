/*
 * Hermite's scheme of fourth order with steps that are fixed, shared or a body's own (J. Makino, S. J. Aarseth, PASJ 44
 * (1992) 141). Predict, evaluate, correct; formulas in cl/nbody/hermite.cl.
 *
 * Steps that adapt are dt / 2^k. A body of level k moves when the tick of dt / 2^40 is a multiple of its step, so the
 * next tick is one shortest step away and moves all levels whose steps divide it. The device counts the bodies of each
 * level; the host reads nothing else. A body changes to any shorter step at once, and to a longer one by one level
 * where the longer step divides the tick, so at the end of dt all bodies move.
 *
 * First levels: |a| / |j| says nothing about bodies at rest (j = 0) or at a point of balance (a = 0), so all bodies
 * take trial steps without moving: of dt, then shorter ones until the criterion, with half of eta, accepts the trial
 * for all bodies.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/sizes.h"
#include "nbody/hermite.h"

enum { TRIAL_LEVELS = 3 }; /* a trial is at most so many levels deeper than the one before */

static const int64_t whole_step = (int64_t)1 << HERMITE_DEEPEST;

typedef struct {
    penta_resources resources;
    hermite_device device;
    double eta;  /* 0: fixed steps */
    bool shared; /* all bodies have the level of the deepest */
    bool known;  /* the device has accelerations, jerks and levels of the bodies */
    int32_t bodies_of[HERMITE_LEVELS];
    bool was_known; /* when the step began */
    int32_t bodies_before[HERMITE_LEVELS];
} hermite_state;

static penta_status create(const nbody_setup *setup, void **state)
{
    penta_status status = PENTA_OK;
    hermite_state *s = NULL;

    TRY(penta_plan_alloc(setup->ctx, &s));
    s->eta = setup->options.step_mode == PENTA_NBODY_FIXED ? 0 : setup->options.eta;
    s->shared = setup->options.step_mode == PENTA_NBODY_SHARED;
    TRY(hermite_device_create(&s->resources, setup, &s->device));
    s->device.adapts = s->eta > 0;
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static void forget(void *state)
{
    hermite_state *s = state;

    s->known = false;
}

/* ---- levels ---- */

static penta_status read_levels(hermite_state *s)
{
    return penta_buffer_read(&s->device.bodies_of, 0, s->bodies_of, sizeof s->bodies_of);
}

static int deepest_of(const hermite_state *s)
{
    int level = HERMITE_LEVELS - 1;

    while (level > 0 && s->bodies_of[level] == 0)
        level--;
    return level;
}

static penta_status too_deep(const hermite_state *s)
{
    return penta_fail(
        s->device.ctx, PENTA_INVALID,
        "a body needs a step below dt / 2^40 = %.3g: bodies collide or nearly so; use softening (eps), or a "
        "smaller dt",
        ldexp(fabs(s->device.dt), -HERMITE_DEEPEST));
}

static penta_status evaluate(hermite_state *s, nbody_bodies *b, const hermite_move *m, double *interactions)
{
    *interactions += (double)m->active * (double)b->n;
    return hermite_evaluate(&s->device, b, m);
}

/* All bodies together at the end of dt / 2^level. */
static hermite_move together(const nbody_bodies *b, int level)
{
    return (hermite_move){whole_step >> level, level, level, level, b->n};
}

static penta_status find_levels(hermite_state *s, nbody_bodies *b, double *interactions)
{
    penta_status status = PENTA_OK;
    int trial = 0, before = -1;

    while (trial > before) {
        hermite_move m = together(b, trial);
        int deepest;

        TRY(evaluate(s, b, &m, interactions));
        TRY(hermite_trial(&s->device, trial, before, s->eta / 2));
        TRY(read_levels(s));
        deepest = deepest_of(s);
        before = trial;
        if (deepest > trial)
            trial = deepest < trial + TRIAL_LEVELS ? deepest : trial + TRIAL_LEVELS;
        if (trial > HERMITE_DEEPEST)
            trial = HERMITE_DEEPEST;
    }
cleanup:
    return status;
}

static penta_status begin(hermite_state *s, nbody_bodies *b, double *interactions)
{
    penta_status status = PENTA_OK;
    hermite_move now = {0, 0, 0, 0, b->n};

    memset(s->bodies_of, 0, sizeof s->bodies_of);
    s->bodies_of[0] = (int32_t)b->n;
    TRY(evaluate(s, b, &now, interactions));
    TRY(hermite_start(&s->device));
    if (s->eta > 0)
        TRY(find_levels(s, b, interactions));
cleanup:
    return status;
}

/* ---- steps ---- */

/* The first move after `tick`. */
static hermite_move next_move(const hermite_state *s, const nbody_bodies *b, int64_t tick)
{
    int deepest = deepest_of(s);
    hermite_move m = {.tick = tick + (whole_step >> deepest), .most = HERMITE_DEEPEST, .due = deepest};

    if (s->shared) {
        m.least = m.most = deepest;
        m.active = b->n;
        return m;
    }
    while (m.due > 0 && m.tick % (whole_step >> (m.due - 1)) == 0)
        m.due--;
    for (int level = m.due; level <= deepest; level++)
        m.active += (size_t)s->bodies_of[level];
    return m;
}

static penta_status run(hermite_state *s, nbody_bodies *b, double *interactions)
{
    penta_status status = PENTA_OK;
    int64_t tick = 0;

    if (!s->known)
        TRY(begin(s, b, interactions));
    while (tick < whole_step) {
        hermite_move m;

        if (deepest_of(s) > HERMITE_DEEPEST)
            return too_deep(s);
        m = next_move(s, b, tick);
        TRY(evaluate(s, b, &m, interactions));
        TRY(hermite_correct(&s->device, b, &m, s->eta));
        tick = m.tick;
        if (s->eta > 0) {
            TRY(read_levels(s));
            if (!s->device.shape.share) /* members ask before they tell one another what they did */
                TRY(penta_ask_progress(s->device.ctx));
        }
    }
cleanup:
    return status;
}

static penta_status keep(void *state, nbody_bodies *bodies)
{
    penta_status status = PENTA_OK;
    hermite_state *s = state;

    s->was_known = false;
    TRY(hermite_keep(&s->device, bodies));
    memcpy(s->bodies_before, s->bodies_of, sizeof s->bodies_of);
    s->was_known = s->known;
cleanup:
    return status;
}

static penta_status bring_back(void *state, nbody_bodies *bodies)
{
    penta_status status = PENTA_OK;
    hermite_state *s = state;

    s->known = false;
    TRY(hermite_bring_back(&s->device, bodies));
    memcpy(s->bodies_of, s->bodies_before, sizeof s->bodies_of);
    TRY(penta_buffer_write(&s->device.bodies_of, 0, s->bodies_of, sizeof s->bodies_of));
    s->known = s->was_known;
cleanup:
    return status;
}

static penta_status step(void *state, nbody_bodies *bodies, double *interactions)
{
    penta_status status = PENTA_OK;
    hermite_state *s = state;

    TRY(run(s, bodies, interactions));
    s->known = true;
    return PENTA_OK;
cleanup:
    s->known = false;
    return status;
}

static penta_status settle(void *state, nbody_bodies *bodies)
{
    (void)state;
    (void)bodies;
    return PENTA_OK;
}

/* ---- the saved state: whether it is known, dt, accelerations and jerks (n x 6), levels ---- */

enum { KEPT_KNOWN, KEPT_DT, KEPT_HEAD };

static size_t kept(const void *state)
{
    const hermite_state *s = state;

    return KEPT_HEAD + 7 * s->device.shape.n;
}

/* `count` numbers of array k from number `first` on; the last array is of levels, which the device has as integers. */
static penta_status read_kept(hermite_state *s, size_t pitch, size_t k, size_t first, size_t count, double *out)
{
    penta_status status = PENTA_OK;
    hermite_device *d = &s->device;
    int32_t *level = NULL;

    if (k < 6)
        return nbody_read_numbers(d->ctx, k < 3 ? &d->acceleration : &d->jerk, k % 3 * pitch + first, out, count);
    TRY(penta_calloc(d->ctx, count, sizeof *level, &level));
    TRY(penta_buffer_read(&d->level, first * sizeof *level, level, count * sizeof *level));
    for (size_t i = 0; i < count; i++)
        out[i] = level[i];
cleanup:
    free(level);
    return status;
}

static penta_status save(void *state, nbody_bodies *bodies, size_t first, size_t count, double *out)
{
    penta_status status = PENTA_OK;
    hermite_state *s = state;
    const double head[KEPT_HEAD] = {[KEPT_KNOWN] = s->known, [KEPT_DT] = s->device.dt};
    const size_t n = bodies->n, end = first + count;
    size_t at = first;

    for (; at < end && at < KEPT_HEAD; at++)
        *out++ = head[at];
    if (!s->known && at < end)
        memset(out, 0, (end - at) * sizeof *out);
    while (s->known && at < end) {
        size_t k = (at - KEPT_HEAD) / n, from = (at - KEPT_HEAD) % n, some = penta_smaller(n - from, end - at);

        TRY(read_kept(s, bodies->pitch, k, from, some, out));
        at += some;
        out += some;
    }
cleanup:
    return status;
}

/* Checks a saved state; reads levels from it and counts their bodies. */
static penta_status check_kept(hermite_state *s, const double *in, int32_t *level)
{
    size_t n = s->device.shape.n;
    const double *vectors = in + KEPT_HEAD, *levels = vectors + 6 * n;

    memset(s->bodies_of, 0, sizeof s->bodies_of);
    for (size_t i = 0; i < 6 * n; i++)
        if (!isfinite(vectors[i]))
            return penta_fail(s->device.ctx, PENTA_INVALID, "the saved state has an acceleration or jerk of %g",
                              vectors[i]);
    for (size_t i = 0; i < n; i++) {
        if (!(levels[i] >= 0 && levels[i] < HERMITE_LEVELS) || levels[i] > floor(levels[i]))
            return penta_fail(s->device.ctx, PENTA_INVALID, "the saved state has a time step of level %g", levels[i]);
        level[i] = (int32_t)levels[i];
        s->bodies_of[level[i]]++;
    }
    return PENTA_OK;
}

static penta_status write_kept(hermite_state *s, size_t pitch, const double *in, const int32_t *level)
{
    penta_status status = PENTA_OK;
    hermite_device *d = &s->device;
    size_t n = d->shape.n;
    const double *vectors = in + KEPT_HEAD;

    for (size_t k = 0; k < 3; k++) {
        size_t to = k * pitch;

        TRY(nbody_write_numbers(d->ctx, &d->acceleration, to, vectors + k * n, n));
        TRY(nbody_write_numbers(d->ctx, &d->jerk, to, vectors + (3 + k) * n, n));
    }
    TRY(penta_buffer_write(&d->level, 0, level, n * sizeof *level));
    TRY(penta_buffer_write(&d->bodies_of, 0, s->bodies_of, sizeof s->bodies_of));
cleanup:
    return status;
}

/* With another dt, levels mean other steps: then the next step finds new ones. */
static penta_status load(void *state, nbody_bodies *bodies, const double *in)
{
    penta_status status = PENTA_OK;
    hermite_state *s = state;
    double dt = s->device.dt;
    int32_t *level = NULL;

    s->known = false;
    if (!(in[KEPT_KNOWN] > 0) || !(in[KEPT_DT] >= dt && in[KEPT_DT] <= dt))
        return PENTA_OK;
    TRY(penta_calloc(s->device.ctx, bodies->n, sizeof *level, &level));
    TRY(check_kept(s, in, level));
    TRY(write_kept(s, bodies->pitch, in, level));
    s->known = true;
cleanup:
    free(level);
    return status;
}

const nbody_integrator nbody_hermite = {create, forget, keep, bring_back, step, settle, kept, save, load};
