/* What must hold of orbits: order of convergence, reversal in time, conservation, known orbits. */
#include "support/test.h"

#include <pentacl/nbody.h>

static const double pi = 3.14159265358979323846;

static bool has_double(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64;
}

/* In the finest precision that the device has: forces by ds have 24 bits. */
static penta_nbody_options options(const penta_context *ctx, int integrator, double dt)
{
    penta_nbody_options o;

    penta_nbody_options_init(&o);
    o.integrator = integrator;
    o.precision = has_double(ctx) ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_DS;
    o.eps = 0;
    o.dt = dt;
    return o;
}

/* Bodies after `steps` steps. */
static void integrate(penta_context *ctx, const penta_nbody_options *o, size_t n, double *bodies, size_t steps)
{
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;

    EXPECT_OK(ctx, penta_nbody_create(ctx, n, o, &plan));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    EXPECT_OK(ctx, penta_nbody_advance(plan, steps));
    EXPECT_OK(ctx, penta_nbody_get(plan, bodies));
}

static double furthest(size_t n, const double *a, const double *b)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        const double *p = a + 7 * i + 1, *q = b + 7 * i + 1;

        most = fmax(most, sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2)));
    }
    return most;
}

/* ---- two bodies ---- */

/* Masses 3/4 and 1/4, semi-major axis 1, so the period is 2 pi; at pericentre. */
static void kepler(double eccentricity, double bodies[14])
{
    const double m[2] = {0.75, 0.25}, r = 1 - eccentricity, v = sqrt((1 + eccentricity) / (1 - eccentricity));

    memset(bodies, 0, 14 * sizeof *bodies);
    for (int i = 0; i < 2; i++) {
        double share = i == 0 ? m[1] : -m[0];

        bodies[7 * i] = m[i];
        bodies[7 * i + 1] = share * r;
        bodies[7 * i + 5] = share * v;
    }
}

/* Distance from where Kepler's equation puts the bodies at time t. */
static double kepler_error(double eccentricity, double t, const double bodies[14])
{
    double anomaly = t, x, y, share = 0.25;

    for (int i = 0; i < 50; i++)
        anomaly -= (anomaly - eccentricity * sin(anomaly) - t) / (1 - eccentricity * cos(anomaly));
    x = cos(anomaly) - eccentricity;
    y = sqrt(1 - eccentricity * eccentricity) * sin(anomaly);
    return hypot(bodies[1] - share * x, bodies[2] - share * y);
}

/* The error of one orbit falls with the given power of the step. */
static void check_slope(penta_context *ctx, int integrator, size_t steps, double slope)
{
    double errors[2], measured;

    for (int k = 0; k < 2; k++) {
        size_t count = steps << k;
        penta_nbody_options o = options(ctx, integrator, 2 * pi / (double)count);
        double bodies[14];

        kepler(0.5, bodies);
        integrate(ctx, &o, 2, bodies, count);
        errors[k] = kepler_error(0.5, 2 * pi, bodies);
    }
    measured = log2(errors[0] / errors[1]);
    if (!(fabs(measured - slope) < 0.1))
        fail_msg("integrator %d: errors %.3g and %.3g, slope %.3f, not %g", integrator, errors[0], errors[1], measured,
                 slope);
}

TEST(order)
{
    check_slope(*state, PENTA_NBODY_LEAPFROG, has_double(*state) ? 2000 : 500, 2);
    if (lacks_double(*state, "the order of integrators of fourth order"))
        return;
    check_slope(*state, PENTA_NBODY_YOSHIDA4, 1000, 4);
    check_slope(*state, PENTA_NBODY_HERMITE4, 1000, 4);
}

TEST(eccentric_orbits)
{
    const double eccentricities[] = {0, 0.3, 0.6, 0.9};

    for (size_t i = 0; i < COUNT(eccentricities); i++) {
        penta_nbody_options o = options(*state, PENTA_NBODY_YOSHIDA4, 2 * pi / 20000);
        double bodies[14];

        kepler(eccentricities[i], bodies);
        integrate(*state, &o, 2, bodies, 5000);
        expect_near(kepler_error(eccentricities[i], pi / 2, bodies), 0, has_double(*state) ? 1e-6 : 1e-5);
    }
}

/* ---- more bodies ---- */

static void figure_eight(double bodies[21])
{
    const double x = 0.97000436, y = -0.24308753, vx = -0.9324073681390788, vy = -0.8647314618349538;
    const double rows[21] = {1, x, y, 0, -vx / 2, -vy / 2, 0, 1, -x, -y, 0, -vx / 2, -vy / 2, 0, 1, 0, 0, 0, vx, vy, 0};

    memcpy(bodies, rows, sizeof rows);
}

TEST(figure_eight)
{
    const double period = 6.325914009782139;
    penta_nbody_options o = options(*state, PENTA_NBODY_YOSHIDA4, period / 4000);
    double start[21], end[21];

    figure_eight(start);
    memcpy(end, start, sizeof end);
    integrate(*state, &o, 3, end, 4000);
    expect_near(furthest(3, start, end), 0,
                has_double(*state) ? 1e-6 : 1e-4); /* the constants of the orbit have 8 digits */
}

/* There and back again: leapfrog and its composition are symmetric in time. */
TEST(reversal)
{
    enum { N = 200 };
    const int integrators[] = {PENTA_NBODY_LEAPFROG, PENTA_NBODY_YOSHIDA4};
    double start[7 * N], bodies[7 * N];

    assert_int_equal(penta_nbody_initial(PENTA_NBODY_PLUMMER, 3, N, start), PENTA_OK);
    for (size_t i = 0; i < COUNT(integrators); i++) {
        penta_nbody_options o = options(*state, integrators[i], 1.0 / 256);

        o.eps = 0.05;
        memcpy(bodies, start, sizeof bodies);
        integrate(*state, &o, N, bodies, 256);
        assert_true(furthest(N, start, bodies) > 0.1);
        o.dt = -o.dt;
        integrate(*state, &o, N, bodies, 256);
        expect_near(furthest(N, start, bodies), 0, has_double(*state) ? 1e-11 : 1e-4);
    }
}

/* A Plummer sphere of 4096 over ten time units, in single precision; of 1024 on a masked device, whose kernels take
 * minutes for 4096. */
DEVICE_TEST(plummer_energy)
{
    enum { STEPS = 2560 };
    const size_t n = is_masked() ? 1024 : 4096;
    penta_nbody_options o = options(ctx, PENTA_NBODY_LEAPFROG, 1.0 / 256);
    penta_nbody_diagnostics before, after;
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    HELD double *bodies = must_calloc(7 * n, sizeof *bodies);

    o.precision = PENTA_PRECISION_SINGLE;
    o.eps = 0.05;
    assert_int_equal(penta_nbody_initial(PENTA_NBODY_PLUMMER, 42, n, bodies), PENTA_OK);
    EXPECT_OK(ctx, penta_nbody_create(ctx, n, &o, &plan));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    EXPECT_OK(ctx, penta_nbody_diagnose(plan, &before));
    EXPECT_OK(ctx, penta_nbody_advance(plan, STEPS));
    EXPECT_OK(ctx, penta_nbody_diagnose(plan, &after));
    expect_near(penta_nbody_time(plan), 10, 0);
    expect_near(after.energy / before.energy, 1, 1e-4);
    expect_near(after.virial, 0.5, 0.05);
    for (int k = 0; k < 3; k++) {
        expect_near(after.momentum[k], before.momentum[k], 1e-5);
        expect_near(after.angular[k], before.angular[k], 1e-5);
    }
}

ON_DEVICE;
