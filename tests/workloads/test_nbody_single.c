/*
 * Devices without double precision: state in pairs of floats. Orbits beside those with double precision, energies that
 * drift no more, diagnostics and fields to 1e-10 of the reference, the same bits after a restart, and what is refused.
 */
#include "support/test.h"

#include <pentacl/nbody.h>

#include "nbody/tiled.h"
#include "reference/nbody.h"
#include "support/bodies.h"
#include "support/device_array.h"

/* The context without double precision, from now on. */
static penta_context *single_of(void **state)
{
    penta_context *ctx = device_of(state);

    if (penta_context_device(ctx)->fp64)
        penta_context_without_double(ctx);
    return ctx;
}

static penta_nbody_options options(int kernel, int precision, int integrator)
{
    penta_nbody_options o;

    penta_nbody_options_init(&o);
    o.kernel = kernel;
    o.precision = precision;
    o.integrator = integrator;
    return o;
}

static penta_nbody *plan_of(penta_context *ctx, size_t n, const penta_nbody_options *o, const double *bodies)
{
    penta_nbody *plan = NULL;

    EXPECT_OK(ctx, penta_nbody_create(ctx, n, o, &plan));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    return plan;
}

/* The largest difference of two lists, relative to the largest number of the second. */
static double difference(size_t count, const double *a, const double *b)
{
    double most = 0, largest = 0;

    for (size_t i = 0; i < count; i++) {
        assert_true(isfinite(a[i]));
        most = fmax(most, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(b[i]));
    }
    return most / largest;
}

/* ---- with and without ---- */

enum { N = 500, ORBITS = 100, SINGLE = PENTA_PRECISION_SINGLE, DS = PENTA_PRECISION_DS };

/* A run, and how far the bodies may then be from those with double precision. */
typedef struct {
    const char *name;
    int kernel, precision, integrator, step_mode;
    size_t steps;
    double tolerance;
} trial;

static const trial trials[] = {
    {"single", PENTA_NBODY_AUTO, SINGLE, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, ORBITS, 1e-6},
    {"ds", PENTA_NBODY_AUTO, DS, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, ORBITS, 1e-11},
    {"jsplit", PENTA_NBODY_JSPLIT, PENTA_PRECISION_AUTO, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, 10, 1e-6},
    {"gpu1", PENTA_NBODY_GPU1, PENTA_PRECISION_AUTO, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, 1, 1e-6},
    {"soa", PENTA_NBODY_SOA, PENTA_PRECISION_AUTO, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, 1, 1e-6},
    {"split", PENTA_NBODY_SPLIT, PENTA_PRECISION_AUTO, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, 1, 1e-6},
    {"unroll4", PENTA_NBODY_UNROLL4, PENTA_PRECISION_AUTO, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, 1, 1e-6},
    {"yoshida4", PENTA_NBODY_AUTO, DS, PENTA_NBODY_YOSHIDA4, PENTA_NBODY_FIXED, 20, 1e-11},
    {"hermite4", PENTA_NBODY_AUTO, DS, PENTA_NBODY_HERMITE4, PENTA_NBODY_FIXED, 20, 1e-8},
    {"hermite4, shared", PENTA_NBODY_AUTO, DS, PENTA_NBODY_HERMITE4, PENTA_NBODY_SHARED, 1, 1e-8},
    {"hermite4, block", PENTA_NBODY_AUTO, DS, PENTA_NBODY_HERMITE4, PENTA_NBODY_BLOCK, 4, 1e-6},
    {"hermite4, single", PENTA_NBODY_AUTO, SINGLE, PENTA_NBODY_HERMITE4, PENTA_NBODY_FIXED, 20, 1e-6},
};

/* The ladder has one form: the CPU's group tests it. */
static bool left_out(penta_context *ctx, const trial *t)
{
    return stands_in(ctx) && t->kernel >= PENTA_NBODY_GPU1 && t->kernel <= PENTA_NBODY_UNROLL32;
}

static void run_trial(penta_context *ctx, const trial *t, const double *start, double *end)
{
    penta_nbody_options o = options(t->kernel, t->precision, t->integrator);
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;

    o.step_mode = t->step_mode;
    plan = plan_of(ctx, N, &o, start);
    EXPECT_OK(ctx, penta_nbody_advance(plan, t->steps));
    EXPECT_OK(ctx, penta_nbody_get(plan, end));
}

/* Energies of a Plummer sphere, after each of 10 x 100 steps, relative to the first. */
enum { ENERGIES = 10 };

static void drift(penta_context *ctx, const double *start, double energies[ENERGIES])
{
    penta_nbody_options o = options(PENTA_NBODY_AUTO, SINGLE, PENTA_NBODY_LEAPFROG);
    HELD_BY(penta_nbody_held) penta_nbody *plan = plan_of(ctx, N, &o, start);
    penta_nbody_diagnostics d;
    double first;

    EXPECT_OK(ctx, penta_nbody_diagnose(plan, &d));
    first = d.energy;
    for (int i = 0; i < ENERGIES; i++) {
        EXPECT_OK(ctx, penta_nbody_advance(plan, ORBITS));
        EXPECT_OK(ctx, penta_nbody_diagnose(plan, &d));
        energies[i] = d.energy / first - 1;
    }
}

DEVICE_TEST(with_and_without)
{
    double *start = initial_bodies(PENTA_NBODY_PLUMMER, 11, N), *with[COUNT(trials)], energies[2][ENERGIES];
    double end[7 * N], worst[2] = {0, 0};

    if (!penta_context_device(ctx)->fp64) {
        free(start);
        leave_out_test("this device has no double precision to compare with");
    }
    for (size_t i = 0; i < COUNT(trials); i++) {
        with[i] = must_calloc(7 * N, sizeof(double));
        if (!left_out(ctx, &trials[i]))
            run_trial(ctx, &trials[i], start, with[i]);
    }
    drift(ctx, start, energies[0]);
    penta_context_without_double(ctx);
    drift(ctx, start, energies[1]);
    for (size_t i = 0; i < COUNT(trials); i++) {
        double far;

        if (left_out(ctx, &trials[i])) {
            free(with[i]);
            continue;
        }
        run_trial(ctx, &trials[i], start, end);
        far = difference(7 * N, end, with[i]);
        print_message("%s: %.1e after %zu steps\n", trials[i].name, far, trials[i].steps);
        assert_true(far < trials[i].tolerance);
        free(with[i]);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ENERGIES; i++)
            worst[k] = fmax(worst[k], fabs(energies[k][i]));
    print_message("energy: at most %.3e off with double precision, %.3e without\n", worst[0], worst[1]);
    assert_true(worst[1] < 1.05 * worst[0] + 1e-7);
    free(start);
}

/* ---- each pair once, as GPUs of NVIDIA compute many bodies ---- */

TEST(pairs_once)
{
    penta_context *ctx = single_of(state);
    const nbody_tiled_form form = {.pairs = 1, .group = 32, .bodies = 4};
    const nbody_shape shape = {N, 512, 0.05, NULL};
    nbody_bodies b = {.n = N, .pitch = 512};
    penta_buffer acceleration = {0};
    double *rows = initial_bodies(PENTA_NBODY_PLUMMER, 6, N), columns[4 * 512] = {0}, got[3 * 512], a[3 * N],
           want[3 * N];
    void *forces = NULL;

    for (size_t i = 0; i < 512; i++)
        for (size_t k = 0; k < 4; k++)
            columns[k * 512 + i] = i < N ? rows[7 * i + k] : k == 0 ? 0 : rows[k];
    EXPECT_OK(ctx, penta_buffer_create(ctx, 512 * sizeof *columns, &b.mass));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * 512 * sizeof *columns, &b.position));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * 512 * sizeof *columns, &acceleration));
    EXPECT_OK(ctx, nbody_write_numbers(ctx, &b.mass, 0, columns, 512));
    EXPECT_OK(ctx, nbody_write_numbers(ctx, &b.position, 0, columns + 512, (size_t)3 * 512));
    EXPECT_OK(ctx, nbody_tiled_create(ctx, &shape, PENTA_NBODY_BEST, &form, &forces));
    EXPECT_OK(ctx, nbody_tiled.accelerate(forces, &b, &acceleration));
    EXPECT_OK(ctx, nbody_read_numbers(ctx, &acceleration, 0, got, (size_t)3 * 512));
    for (size_t i = 0; i < (size_t)3 * N; i++)
        a[i] = got[i % 3 * 512 + i / 3];
    reference_nbody_forces(N, rows, 0.05, want, NULL);
    assert_true(reference_nbody_compare(N, a, want).largest < 5e-6);
    nbody_state_free(forces);
    penta_buffer_release(&b.mass);
    penta_buffer_release(&b.position);
    penta_buffer_release(&acceleration);
    free(rows);
}

/* ---- sums, potentials, fields ---- */

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Far from the origin, so that differences of coordinates matter. */
TEST(diagnostics)
{
    penta_context *ctx = single_of(state);
    const double shift[] = {0, 1000}, most = 1e-10;

    for (size_t s = 0; s < COUNT(shift); s++) {
        HELD double *bodies = initial_bodies(PENTA_NBODY_HERNQUIST, 5, N);
        penta_nbody_diagnostics got, want;
        HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;

        for (size_t i = 0; i < N; i++)
            bodies[7 * i + 2] += shift[s];
        plan = plan_of(ctx, N, NULL, bodies);
        EXPECT_OK(ctx, penta_nbody_diagnose(plan, &got));
        EXPECT_OK(ctx, penta_nbody_get(plan, bodies));
        reference_nbody_diagnose(N, bodies, 0.05, &want);
        expect_near(got.mass, want.mass, most * want.mass);
        expect_near(got.kinetic, want.kinetic, most * want.kinetic);
        expect_near(got.potential, want.potential, most * -want.potential);
        expect_near(got.energy, want.energy, most * -want.potential);
        expect_near(got.virial, want.virial, most * want.virial);
        for (int k = 0; k < 3; k++) {
            expect_near(got.momentum[k], want.momentum[k], most * (length3(want.momentum) + 1));
            expect_near(got.angular[k], want.angular[k], most * (length3(want.angular) + 1));
            expect_near(got.center[k], want.center[k], most * (length3(want.center) + 1));
        }
        for (int k = 0; k < PENTA_NBODY_RADII; k++)
            expect_near(got.radii[k], want.radii[k], most * want.radii[k]);
    }
}

enum { POINTS = 37 };

/* eps 0: a body does not act on itself, nor at its own place. */
static void check_fields(penta_context *ctx, double eps)
{
    double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 2, N), points[3 * POINTS], a[3 * POINTS], phi[POINTS];
    double want_a[3 * POINTS], want_phi[POINTS], potential[N], want_potential[N];
    penta_nbody_options o = options(PENTA_NBODY_AUTO, PENTA_PRECISION_AUTO, PENTA_NBODY_LEAPFROG);
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;

    o.eps = eps;
    plan = plan_of(ctx, N, &o, bodies);
    EXPECT_OK(ctx, penta_nbody_get(plan, bodies));
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < 3; k++)
            points[3 * i + k] = i == 0 ? bodies[1 + k] : ldexp(sin((double)(3 * i + k)), (int)(i % 9) - 3);
    EXPECT_OK(ctx, penta_nbody_field(plan, POINTS, points, a, phi));
    EXPECT_OK(ctx, penta_nbody_forces(plan, NULL, potential));
    for (size_t i = 0; i < POINTS; i++)
        reference_nbody_field(N, bodies, eps, points + 3 * i, i == 0 && !(eps > 0) ? 0 : N, want_a + 3 * i,
                              want_phi + i);
    reference_nbody_forces(N, bodies, eps, NULL, want_potential);
    assert_true(difference(N, potential, want_potential) < 1e-12);
    assert_true(difference(POINTS, phi, want_phi) < 1e-10);
    print_message("field, eps %g: accelerations %.1e, potentials %.1e\n", eps,
                  reference_nbody_compare(POINTS, a, want_a).largest, difference(POINTS, phi, want_phi));
    assert_true(reference_nbody_compare(POINTS, a, want_a).largest < 1e-10);
    free(bodies);
}

TEST(fields)
{
    penta_context *ctx = single_of(state);

    check_fields(ctx, 0.05);
    check_fields(ctx, 0);
}

/* ---- bodies in and out, states ---- */

TEST(bodies_come_back)
{
    penta_context *ctx = single_of(state);
    double *in = initial_bodies(PENTA_NBODY_PLUMMER, 9, N), out[7 * N], again[7 * N];
    HELD_BY(penta_nbody_held) penta_nbody *plan = plan_of(ctx, N, NULL, in);
    HELD_BY(free_device_array) device_array there = make_device_array(ctx, AT_ODD, NULL, sizeof again);

    EXPECT_OK(ctx, penta_nbody_get(plan, out));
    for (size_t i = 0; i < 7 * N; i++)
        assert_true(fabs(out[i] - in[i]) <= 0x1p-48 * fabs(in[i]));
    EXPECT_OK(ctx, penta_nbody_set(plan, out));
    EXPECT_OK(ctx, penta_nbody_get(plan, there.address));
    read_device_array(&there, again);
    assert_memory_equal(again, out, sizeof again);
    free(in);
}

/* 2 k steps, and k, saved, loaded into another plan, k. */
static void check_restart(penta_context *ctx, const penta_nbody_options *o, size_t k)
{
    double *start = initial_bodies(PENTA_NBODY_PLUMMER, 4, N), ends[2][7 * N];
    HELD_BY(penta_nbody_held)
    penta_nbody *whole = plan_of(ctx, N, o, start), *parts = plan_of(ctx, N, o, start), *rest = NULL;
    size_t count = penta_nbody_state_size(parts);
    HELD double *saved = must_calloc(count, sizeof *saved);

    EXPECT_OK(ctx, penta_nbody_advance(whole, 2 * k));
    EXPECT_OK(ctx, penta_nbody_advance(parts, k));
    EXPECT_OK(ctx, penta_nbody_save(parts, saved));
    EXPECT_OK(ctx, penta_nbody_create(ctx, N, o, &rest));
    EXPECT_OK(ctx, penta_nbody_load(rest, saved, count));
    EXPECT_OK(ctx, penta_nbody_advance(rest, k));
    EXPECT_OK(ctx, penta_nbody_get(whole, ends[0]));
    EXPECT_OK(ctx, penta_nbody_get(rest, ends[1]));
    assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
    assert_memory_not_equal(ends[0], start, sizeof ends[0]);
    free(start);
}

TEST(restart)
{
    penta_context *ctx = single_of(state);

    for (int integrator = PENTA_NBODY_LEAPFROG; integrator <= PENTA_NBODY_HERMITE4; integrator++) {
        penta_nbody_options o = options(PENTA_NBODY_AUTO, PENTA_PRECISION_AUTO, integrator);

        o.step_mode = integrator == PENTA_NBODY_HERMITE4 ? PENTA_NBODY_BLOCK : PENTA_NBODY_FIXED;
        check_restart(ctx, &o, 2);
    }
}

/* ---- what is chosen, what is refused ---- */

TEST(choices)
{
    penta_context *ctx = single_of(state);
    const double close[21] = {1, 1, 0, 0, 0, 0, 0, 1, 1, 1e-13, 0, 0, 0, 0, 0, -1}; /* no frame is nearer */
    penta_nbody_options o = options(PENTA_NBODY_AUTO, PENTA_PRECISION_AUTO, PENTA_NBODY_YOSHIDA4);
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 1, 2);
    penta_nbody *plan = plan_of(ctx, 2, &o, bodies);
    bool met;

    assert_string_equal(penta_nbody_precision_name(plan), "ds");
    penta_nbody_destroy(plan);
    o.integrator = PENTA_NBODY_LEAPFROG;
    o.eps = 0;
    plan = plan_of(ctx, 3, &o, close); /* with double precision: double */
    assert_string_equal(penta_nbody_precision_name(plan), "ds");
    expect_text(penta_nbody_need(plan, &met), "1e-13 apart");
    assert_false(met);
    penta_nbody_destroy(plan);
}

static void refuse(penta_context *ctx, const penta_nbody_options *o, penta_status wanted, const char *text)
{
    penta_nbody *plan = NULL;

    assert_int_equal(penta_nbody_create(ctx, 2, o, &plan), wanted);
    assert_null(plan);
    expect_text(penta_last_error(ctx), text);
}

static void refuse_bodies(penta_context *ctx, size_t which, double value, const char *text)
{
    double bodies[14] = {1, 1, 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 0};
    HELD_BY(penta_nbody_held) penta_nbody *plan = plan_of(ctx, 2, NULL, bodies);

    bodies[which] = value;
    EXPECT_REFUSED(ctx, penta_nbody_set(plan, bodies), PENTA_INVALID, text);
}

TEST(refusals)
{
    penta_context *ctx = single_of(state);
    penta_nbody_options o = options(PENTA_NBODY_AUTO, PENTA_PRECISION_DOUBLE, PENTA_NBODY_LEAPFROG);

    refuse(ctx, &o, PENTA_UNSUPPORTED, "no double precision; use `precision` ds");
    o = options(PENTA_NBODY_DOUBLE, PENTA_PRECISION_AUTO, PENTA_NBODY_HERMITE4);
    refuse(ctx, &o, PENTA_UNSUPPORTED, "no double precision; use `precision` ds");
    o = options(PENTA_NBODY_AUTO, PENTA_PRECISION_AUTO, PENTA_NBODY_LEAPFROG);
    o.dt = 1e-30;
    refuse(ctx, &o, PENTA_INVALID, "`dt` is 1e-30");
    o.dt = 1e-3;
    o.eps = 1e20;
    refuse(ctx, &o, PENTA_INVALID, "`eps` is 1e+20");
    refuse_bodies(ctx, 4, 1e20, "vx of body 0 is 1e+20");
    refuse_bodies(ctx, 8, 1e14, "floats leave their range; choose other units");
}

ON_DEVICE;
AS_ON_A_GPU;
