/* Plans of the nbody workload: bodies in and out, time, states, bad input. */
#include "support/test.h"

#include <pentacl/nbody.h>

#include "reference/nbody.h"
#include "math/sizes.h"

static penta_nbody_options options(void)
{
    penta_nbody_options o;

    penta_nbody_options_init(&o);
    return o;
}

static penta_nbody *plan_of(penta_context *ctx, size_t n, const penta_nbody_options *o, const double *bodies)
{
    penta_nbody *plan = NULL;

    EXPECT_OK(ctx, penta_nbody_create(ctx, n, o, &plan));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    return plan;
}

static double *plummer(size_t n)
{
    double *bodies = must_calloc(7 * n, sizeof *bodies);

    assert_int_equal(penta_nbody_initial(PENTA_NBODY_PLUMMER, 1, n, bodies), PENTA_OK);
    return bodies;
}

DEVICE_TEST(bodies_come_back)
{
    const size_t sizes[] = {1, 2, 15, 16, 17, 1000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];
        HELD double *in = plummer(n), *out = must_calloc(7 * n, sizeof *out);
        HELD_BY(penta_nbody_held) penta_nbody *plan = plan_of(ctx, n, NULL, in);

        EXPECT_OK(ctx, penta_nbody_get(plan, out));
        for (size_t k = 0; k < 7 * n; k++) /* pairs of floats hold 48 bits */
            expect_near(out[k], in[k], penta_context_device(ctx)->fp64 ? 0 : 0x1p-48 * fabs(in[k]));
    }
}

/* One body moves on a straight line, by every integrator. */
DEVICE_TEST(one_body)
{
    const double body[7] = {2, 1, 2, 3, 0.5, -0.25, 0.125};

    for (int integrator = PENTA_NBODY_LEAPFROG; integrator <= PENTA_NBODY_HERMITE4; integrator++) {
        penta_nbody_options o = options();
        penta_nbody_diagnostics d;
        HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
        double end[7];

        o.integrator = integrator;
        o.dt = 0.25;
        o.eps = 0;
        plan = plan_of(ctx, 1, &o, body);
        EXPECT_OK(ctx, penta_nbody_advance(plan, 8));
        EXPECT_OK(ctx, penta_nbody_get(plan, end));
        EXPECT_OK(ctx, penta_nbody_diagnose(plan, &d));
        assert_true(penta_nbody_step(plan) == 8);
        assert_true(fabs(penta_nbody_time(plan) - 2) <= 0);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(end[1 + k] - (body[1 + k] + 2 * body[4 + k])) < 1e-14);
        assert_true(fabs(d.potential) <= 0);
        assert_true(fabs(d.virial) <= 0);
    }
}

/* 2 k steps, k twice, and k, saved, loaded into a plan of its own, k: the same bits. */
static void check_restart(penta_context *ctx, const penta_nbody_options *o, size_t n, size_t k)
{
    double *start = plummer(n), *ends[3];
    penta_nbody *whole = plan_of(ctx, n, o, start), *halves = plan_of(ctx, n, o, start), *again = NULL;
    size_t count = penta_nbody_state_size(whole);
    HELD double *saved = must_calloc(count, sizeof *saved);
    penta_nbody *plans[3];

    EXPECT_OK(ctx, penta_nbody_advance(whole, 2 * k));
    EXPECT_OK(ctx, penta_nbody_advance(halves, k));
    EXPECT_OK(ctx, penta_nbody_save(halves, saved));
    EXPECT_OK(ctx, penta_nbody_create(ctx, n, o, &again));
    EXPECT_OK(ctx, penta_nbody_load(again, saved, count));
    EXPECT_OK(ctx, penta_nbody_advance(halves, k));
    EXPECT_OK(ctx, penta_nbody_advance(again, k));
    plans[0] = whole;
    plans[1] = halves;
    plans[2] = again;
    for (int i = 0; i < 3; i++) {
        ends[i] = must_calloc(7 * n, sizeof *ends[i]);
        EXPECT_OK(ctx, penta_nbody_get(plans[i], ends[i]));
        assert_true(penta_nbody_step(plans[i]) == 2 * k);
        assert_true(fabs(penta_nbody_time(plans[i]) - (double)(2 * k) * o->dt) <= 0);
        assert_memory_equal(ends[i], ends[0], 7 * n * sizeof(double));
    }
    assert_memory_not_equal(ends[0], start, 7 * n * sizeof(double));
    for (int i = 0; i < 3; i++) {
        penta_nbody_destroy(plans[i]);
        free(ends[i]);
    }
    free(start);
}

DEVICE_TEST(restart)
{
    penta_nbody_options o = options();

    o.dt = 0.1; /* not a power of two */
    for (o.precision = PENTA_PRECISION_SINGLE; o.precision <= PENTA_PRECISION_DS; o.precision++)
        if (o.precision != PENTA_PRECISION_DOUBLE || !lacks_double(ctx, "precision double"))
            check_restart(ctx, &o, 100, 7);
    o.precision = PENTA_PRECISION_AUTO;
    o.integrator = PENTA_NBODY_YOSHIDA4;
    check_restart(ctx, &o, 100, 5);
    o.integrator = PENTA_NBODY_HERMITE4;
    if (!penta_context_device(ctx)->fp64)
        o.eta = 0.1; /* finer ones follow the rounding of forces by ds, so that steps are many times as many */
    for (o.step_mode = PENTA_NBODY_FIXED; o.step_mode <= PENTA_NBODY_BLOCK; o.step_mode++)
        check_restart(ctx, &o, 100, 5);
}

/* ---- bad input ---- */

static void expect_refused(penta_context *ctx, penta_nbody *plan, const double *bodies, const char *text)
{
    double out[14];

    assert_int_equal(penta_nbody_set(plan, bodies), PENTA_INVALID);
    assert_non_null(strstr(penta_last_error(ctx), text));
    assert_int_equal(penta_nbody_get(plan, out), PENTA_INVALID); /* no old bodies either */
}

DEVICE_TEST(bad_bodies)
{
    penta_nbody_options o = options();
    const double good[14] = {1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};
    double bad[14];
    penta_nbody *plan;

    o.eps = 0;
    o.precision = PENTA_PRECISION_SINGLE;
    plan = plan_of(ctx, 2, &o, good);
    memcpy(bad, good, sizeof bad);
    bad[12] = NAN;
    expect_refused(ctx, plan, bad, "vy of body 1 is not finite");
    memcpy(bad, good, sizeof bad);
    bad[0] = -1;
    expect_refused(ctx, plan, bad, "mass of body 0 is negative");
    memcpy(bad, good, sizeof bad);
    bad[8] = 0;
    expect_refused(ctx, plan, bad, "bodies 0 and 1 are at one place");
    memcpy(bad, good, sizeof bad);
    bad[7] = 2e14;
    expect_refused(ctx, plan, bad, "largest mass is 2e+14");
    bad[7] = 1;
    bad[3] = -2e12;
    expect_refused(ctx, plan, bad, "largest coordinate is 2e+12");
    bad[3] = 0;
    bad[8] = 0;
    EXPECT_OK(ctx, penta_nbody_set(plan, good));
    EXPECT_OK(ctx, penta_nbody_advance(plan, 1));
    penta_nbody_destroy(plan);
    o.eps = 0.1; /* softened, they may */
    plan = plan_of(ctx, 2, &o, bad);
    EXPECT_OK(ctx, penta_nbody_advance(plan, 1));
    penta_nbody_destroy(plan);
}

static void expect_no_plan(penta_context *ctx, size_t n, const penta_nbody_options *o, const char *text)
{
    penta_nbody *plan = (penta_nbody *)ctx; /* anything but NULL */
    char message[256] = "";

    assert_int_equal(penta_nbody_create(ctx, n, o, &plan), PENTA_INVALID);
    assert_null(plan);
    assert_non_null(strstr(penta_last_error(ctx), text));
    assert_int_equal(penta_nbody_check(n, o, message, sizeof message), PENTA_INVALID);
    assert_null(strchr(message, '\n'));
    assert_memory_equal(message, penta_last_error(ctx), strlen(message));
    assert_int_equal(penta_nbody_check(n, o, NULL, 0), PENTA_INVALID);
}

DEVICE_TEST(bad_options)
{
    penta_nbody_options o = options();

    assert_int_equal(penta_nbody_check(1, &o, NULL, 0), PENTA_OK);
    assert_int_equal(penta_nbody_check((size_t)1 << 28, NULL, NULL, 0), PENTA_OK);
    expect_no_plan(ctx, 0, &o, "no bodies");
    expect_no_plan(ctx, ((size_t)1 << 28) + 1, &o, "more than 2^28");
    o.eps = -1;
    expect_no_plan(ctx, 3, &o, "`eps`");
    o = options();
    o.step_mode = PENTA_NBODY_BLOCK;
    expect_no_plan(ctx, 3, &o, "hermite4");
    o = options();
    o.kernel = PENTA_NBODY_UNROLL4;
    o.precision = PENTA_PRECISION_DOUBLE;
    expect_no_plan(ctx, 3, &o, "`kernel` unroll4 computes in single precision, not double");
    o.precision = PENTA_PRECISION_AUTO;
    o.integrator = PENTA_NBODY_HERMITE4;
    expect_no_plan(ctx, 3, &o, "leave `kernel` auto");
}

/* The largest error of either sign, and what is not a number. */
TEST(energy)
{
    penta_nbody_energy e;

    penta_nbody_energy_begin(&e, -0.25, -0.5);
    expect_near(penta_nbody_energy_worst(&e), 0, 0);
    assert_false(penta_nbody_energy_exceeds(&e, 0));
    penta_nbody_energy_add(&e, -0.26);
    penta_nbody_energy_add(&e, -0.225);
    penta_nbody_energy_add(&e, -0.25);
    expect_near(penta_nbody_energy_worst(&e), 0.1, 1e-15);
    expect_near(penta_nbody_energy_error(&e, -0.26), 0.04, 1e-15);
    assert_true(penta_nbody_energy_exceeds(&e, 0.09));
    assert_false(penta_nbody_energy_exceeds(&e, 0.11));
    penta_nbody_energy_add(&e, NAN);
    penta_nbody_energy_add(&e, -0.25);
    assert_true(isnan(penta_nbody_energy_worst(&e)));
    assert_true(penta_nbody_energy_exceeds(&e, 1e9));
    penta_nbody_energy_begin(&e, 0, 0);
    penta_nbody_energy_add(&e, 1);
    assert_true(isnan(penta_nbody_energy_worst(&e)));
    assert_true(penta_nbody_energy_exceeds(&e, 1e9));
    penta_nbody_energy_begin(&e, 1e-6, -0.5); /* of nearly 0 a part says nothing */
    penta_nbody_energy_add(&e, 0.05);
    expect_near(penta_nbody_energy_worst(&e), 0.1, 1e-5);
    assert_false(penta_nbody_energy_exceeds(&e, 0.11));
    expect_near(penta_nbody_gravity(3.0857e21, 1.989e43, 2.0746e7), 1, 0.01); /* kpc, 1e10 suns */
}

/* Any part of the bodies and of the state is that of the whole, at the start and after steps. */
static void check_parts(penta_context *ctx, penta_nbody *plan, size_t n)
{
    size_t size = penta_nbody_state_size(plan);
    HELD double *state = must_calloc(size, sizeof *state), *rows = must_calloc(7 * n, sizeof *rows), *part = NULL;

    part = must_calloc(penta_larger(size, 7 * n), sizeof *part);
    EXPECT_OK(ctx, penta_nbody_save(plan, state));
    EXPECT_OK(ctx, penta_nbody_get(plan, rows));
    for (size_t first = 0; first <= size; first++)
        for (size_t count = 0; count <= size - first; count += count < 10 ? 1 : 17) {
            memset(part, 255, size * sizeof *part);
            EXPECT_OK(ctx, penta_nbody_save_part(plan, first, count, part));
            assert_memory_equal(part, state + first, count * sizeof *part);
            assert_true(count == size || isnan(part[count])); /* what is behind it is not touched */
        }
    for (size_t first = 0; first <= n; first++)
        for (size_t count = 0; count <= n - first; count++) {
            EXPECT_OK(ctx, penta_nbody_get_part(plan, first, count, part));
            assert_memory_equal(part, rows + 7 * first, 7 * count * sizeof *part);
        }
    assert_int_equal(penta_nbody_get_part(plan, n, 1, part), PENTA_INVALID);
    assert_int_equal(penta_nbody_get_part(plan, SIZE_MAX, 2, part), PENTA_INVALID);
    assert_int_equal(penta_nbody_save_part(plan, 1, size, part), PENTA_INVALID);
    assert_int_equal(penta_nbody_save_part(plan, SIZE_MAX, 2, part), PENTA_INVALID);
}

DEVICE_TEST(parts)
{
    enum { N = 11 };
    penta_nbody_options o = options();
    HELD double *bodies = plummer(N);
    penta_nbody *plan;

    for (int i = 0; i < 2; i++) {
        o.integrator = i == 0 ? PENTA_NBODY_LEAPFROG : PENTA_NBODY_HERMITE4;
        o.step_mode = i == 0 ? PENTA_NBODY_FIXED : PENTA_NBODY_BLOCK;
        plan = plan_of(ctx, N, &o, bodies);
        check_parts(ctx, plan, N);
        EXPECT_OK(ctx, penta_nbody_advance(plan, 2));
        check_parts(ctx, plan, N);
        penta_nbody_destroy(plan);
    }
}

/* A state of other bodies, of another integrator, cut short, or damaged. */
DEVICE_TEST(wrong_state)
{
    penta_nbody_options o = options();
    HELD double *bodies = plummer(20), *saved = NULL;
    HELD_BY(penta_nbody_held)
    penta_nbody *plan = plan_of(ctx, 20, &o, bodies), *other = plan_of(ctx, 19, &o, bodies), *hermite = NULL;
    size_t count = penta_nbody_state_size(plan);

    saved = must_calloc(count, sizeof *saved);
    EXPECT_OK(ctx, penta_nbody_save(plan, saved));
    assert_int_equal(penta_nbody_load(other, saved, count), PENTA_INVALID);
    assert_non_null(strstr(penta_last_error(ctx), "20 bodies"));
    o.integrator = PENTA_NBODY_HERMITE4;
    hermite = plan_of(ctx, 20, &o, bodies);
    assert_int_equal(penta_nbody_load(hermite, saved, count), PENTA_INVALID);
    assert_non_null(strstr(penta_last_error(ctx), "another integrator"));
    assert_int_equal(penta_nbody_load(plan, saved, count - 1), PENTA_INVALID);
    assert_int_equal(penta_nbody_load(plan, saved, 0), PENTA_INVALID);
    saved[10] = NAN;
    assert_int_equal(penta_nbody_load(plan, saved, count), PENTA_INVALID);
}

/* ---- stopping ---- */

static bool stop_at_half(void *user, double done, double total)
{
    (void)user;
    return done >= total / 2;
}

DEVICE_TEST(cancel)
{
    penta_nbody_options o = options();
    HELD double *bodies = plummer(64), *stopped = must_calloc(7 * 64, sizeof *stopped),
                *straight = must_calloc(7 * 64, 8);
    HELD_BY(penta_nbody_held) penta_nbody *plan = plan_of(ctx, 64, &o, bodies), *other = plan_of(ctx, 64, &o, bodies);
    uint64_t steps;

    penta_context_set_progress(ctx, stop_at_half, NULL);
    assert_int_equal(penta_nbody_advance(plan, 500), PENTA_CANCELLED);
    penta_context_set_progress(ctx, NULL, NULL);
    steps = penta_nbody_step(plan);
    assert_true(steps >= 250 && steps < 500);
    EXPECT_OK(ctx, penta_nbody_get(plan, stopped));
    EXPECT_OK(ctx, penta_nbody_advance(other, steps));
    EXPECT_OK(ctx, penta_nbody_get(other, straight));
    assert_memory_equal(stopped, straight, 7 * 64 * sizeof(double));
}

/* ---- energies about the centre of mass, the step check, bodies far from the origin ---- */

static double *moved(size_t n, const double *bodies, const double by[6])
{
    double *out = must_calloc(7 * n, sizeof *out);

    for (size_t i = 0; i < 7 * n; i++)
        out[i] = bodies[i] + (i % 7 > 0 ? by[i % 7 - 1] : 0);
    return out;
}

static double size_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The largest h |a' - a| / (|v'| + h |a'|) of a step between two states, as the formula is written. */
static double check_between(size_t n, const double *before, const double *after, double eps, double h, size_t *body)
{
    HELD double *a = must_calloc(3 * n, sizeof *a), *b = must_calloc(3 * n, sizeof *b);
    double worst = -1;
    penta_nbody_diagnostics d;

    reference_nbody_forces(n, before, eps, a, NULL);
    reference_nbody_forces(n, after, eps, b, NULL);
    reference_nbody_diagnose(n, after, eps, &d);
    for (size_t i = 0; i < n; i++) {
        double change[3], v[3], c;

        for (size_t k = 0; k < 3; k++) {
            change[k] = b[3 * i + k] - a[3 * i + k];
            v[k] = after[7 * i + 4 + k] - d.momentum[k] / d.mass;
        }
        c = h * size_of(change) / (size_of(v) + h * size_of(b + 3 * i));
        if (c > worst) {
            worst = c;
            *body = i;
        }
    }
    return worst;
}

static penta_nbody_diagnostics diagnose(penta_context *ctx, penta_nbody *plan)
{
    penta_nbody_diagnostics d;

    EXPECT_OK(ctx, penta_nbody_diagnose(plan, &d));
    return d;
}

enum { CHECKED = 40, CHECKED_STEPS = 6 };

/* The value of the formula, whether or not rows interrupt the steps, a state is taken along, and all bodies move. */
static void check_steps(penta_context *ctx, const penta_nbody_options *o, const double *bodies)
{
    HELD double *before = must_calloc(7 * CHECKED, sizeof *before), *after = must_calloc(7 * CHECKED, sizeof *after),
                *saved;
    HELD_BY(penta_nbody_held)
    penta_nbody *plan = plan_of(ctx, CHECKED, o, bodies), *other = plan_of(ctx, CHECKED, o, bodies);
    penta_nbody_diagnostics d = diagnose(ctx, plan), e;
    double want = 0;
    size_t body = 0, size = penta_nbody_state_size(plan), at;

    expect_near(d.step_check, 0, 0);
    saved = must_calloc(size, sizeof *saved);
    for (int step = 0; step < CHECKED_STEPS; step++) {
        double c;

        EXPECT_OK(ctx, penta_nbody_get(plan, before));
        EXPECT_OK(ctx, penta_nbody_advance(plan, 1));
        EXPECT_OK(ctx, penta_nbody_get(plan, after));
        c = check_between(CHECKED, before, after, o->eps, fabs(o->dt), &at);
        body = c > want ? at : body;
        want = c > want ? c : want;
        if (step == CHECKED_STEPS / 2) {
            EXPECT_OK(ctx, penta_nbody_save(plan, saved));
            EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
            EXPECT_OK(ctx, penta_nbody_load(plan, saved, size));
        }
    }
    d = diagnose(ctx, plan);
    expect_near(d.step_check, want, 2e-3 * want);
    assert_int_equal(d.step_body, body);
    expect_near(d.step_judged, d.step_check, 0);
    EXPECT_OK(ctx, penta_nbody_advance(other, CHECKED_STEPS));
    e = diagnose(ctx, other);
    assert_memory_equal(&d.step_check, &e.step_check, sizeof d.step_check);
}

DEVICE_TEST(step_check)
{
    penta_nbody_options o = options();
    const double by[6] = {3, -20, 1e4, 40, 0.3, 0};
    HELD double *bodies = plummer(CHECKED), *far = moved(CHECKED, bodies, by);

    o.dt = -1.0 / 64;
    for (o.integrator = PENTA_NBODY_LEAPFROG; o.integrator <= PENTA_NBODY_HERMITE4; o.integrator++) {
        check_steps(ctx, &o, bodies);
        check_steps(ctx, &o, far);
    }
}

/* Of many bodies those count that 5 % exceed: here 5 of 100 pairs are far too close for the step, then 6. */
DEVICE_TEST(judged_steps)
{
    penta_nbody_options o = options();
    HELD double *bodies = must_calloc(200, 7 * sizeof *bodies);

    o.eps = 0;
    for (int close = 5; close <= 6; close++) {
        HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
        penta_nbody_diagnostics d;

        for (int i = 0; i < 200; i++) {
            double sign = i % 2 ? 1 : -1, r = i / 2 < close ? 0.003 : 0.5, mass = 1e-3, *b = bodies + 7 * (size_t)i;

            b[0] = mass;
            b[1] = 100 * (i / 2) + sign * r;
            b[5] = sign * sqrt(mass / 4 / r);
        }
        plan = plan_of(ctx, 200, &o, bodies);
        EXPECT_OK(ctx, penta_nbody_advance(plan, 4));
        d = diagnose(ctx, plan);
        assert_true(d.step_check > PENTA_NBODY_ROUGH && d.step_body < 2 * (size_t)close);
        assert_true((d.step_judged > PENTA_NBODY_ROUGH) == (close == 6));
    }
}

/* A cluster in single precision, far from the origin and fast: the run of the same cluster at rest, in another frame.
 */
DEVICE_TEST(far_and_fast)
{
    enum { N = 200, STEPS = 64 };
    penta_nbody_options o = options();
    const double by[6] = {1e6, 0, -3e5, 0, 1e4, 0};
    HELD double *bodies = plummer(N), *far = moved(N, bodies, by);
    double a[3 * N], b[3 * N], x[7 * N], y[7 * N], phi[2];
    double points[6] = {1, 2, 3, 1e6 + 1, 2 + 1e4 * STEPS / 256, 3 - 3e5};
    HELD_BY(penta_nbody_held) penta_nbody *near = NULL, *plan = NULL;
    penta_nbody_diagnostics d, e;

    o.precision = PENTA_PRECISION_SINGLE;
    near = plan_of(ctx, N, &o, bodies);
    plan = plan_of(ctx, N, &o, far);
    EXPECT_OK(ctx, penta_nbody_get(plan, x));
    if (penta_context_device(ctx)->fp64)
        assert_memory_equal(x, far, sizeof x);
    EXPECT_OK(ctx, penta_nbody_forces(near, a, NULL));
    EXPECT_OK(ctx, penta_nbody_forces(plan, b, NULL));
    assert_true(reference_nbody_compare(N, b, a).largest < 1e-4); /* 1 where coordinates are rounded at 1e6 */
    EXPECT_OK(ctx, penta_nbody_advance(near, STEPS));
    EXPECT_OK(ctx, penta_nbody_advance(plan, STEPS));
    EXPECT_OK(ctx, penta_nbody_get(near, x));
    EXPECT_OK(ctx, penta_nbody_get(plan, y));
    for (size_t i = 0; i < 7 * N; i++)
        expect_near(y[i] - (i % 7 > 0 ? by[i % 7 - 1] : 0) - (i % 7 == 2 ? by[4] * STEPS / 256 : 0), x[i], 1e-6);
    EXPECT_OK(ctx, penta_nbody_field(near, 1, points, NULL, phi));
    EXPECT_OK(ctx, penta_nbody_field(plan, 1, points + 3, NULL, phi + 1));
    expect_near(phi[1], phi[0], 1e-8);
    d = diagnose(ctx, near);
    reference_nbody_diagnose(N, y, o.eps, &e);
    expect_near(d.energy_com, d.energy, 1e-12);
    expect_near(diagnose(ctx, plan).energy_com, d.energy, 1e-8);
    d = diagnose(ctx, plan);
    expect_near(d.energy, e.energy, 1e-12 * fabs(e.energy));
    for (int k = 0; k < 3; k++) {
        expect_near(d.center[k], e.center[k], 1e-9);
        expect_near(d.momentum[k], e.momentum[k], 1e-8);
        expect_near(d.angular[k], e.angular[k], 1e-14 * 1e10);
    }
}

DEVICE_TEST(few_in_double)
{
    bool fp64 = penta_context_device(ctx)->fp64;

    for (size_t n = 64; n <= 65; n++) {
        HELD double *bodies = plummer(n);
        HELD_BY(penta_nbody_held) penta_nbody *plan = plan_of(ctx, n, NULL, bodies);

        assert_string_equal(penta_nbody_precision_name(plan), n > 64 ? "single" : fp64 ? "double" : "ds");
    }
}

ON_DEVICE;
